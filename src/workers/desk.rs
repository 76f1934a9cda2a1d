//! Who waits to be looked at, who is being looked at, and what was done lately. One short lock, never held across an
//! await.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::domain::{ChannelId, Place, WorkerRun};

/// Places that can wait. One more is not noted down: its next message wakes it again.
const WAITING_MAX: usize = 256;

/// Runs kept until the next turn of their place takes them into its trace.
const RUNS_MAX: usize = 64;

/// The desk that wakers and the supervisor share.
#[derive(Debug)]
pub(super) struct Desk {
    state: Mutex<State>,
    /// Somebody was put on the list.
    pub knock: Notify,
    /// Counts what was finished.
    finished: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Place>,
    later: Vec<(Instant, Place)>,
    running: HashMap<ChannelId, Running>,
    runs: VecDeque<(ChannelId, WorkerRun)>,
}

#[derive(Debug, Default)]
struct Running {
    /// Woken while being looked at: look again.
    again: bool,
    /// The part that a reply may wait for is done.
    room_made: bool,
}

/// Notes a place down, once.
fn put(state: &mut State, place: &Place) {
    if let Some(running) = state.running.get_mut(&place.channel) {
        running.again = true;
    } else if let Some(waiting) = state.waiting.iter_mut().find(|known| known.channel == place.channel) {
        *waiting = place.clone();
    } else if state.waiting.len() < WAITING_MAX {
        state.waiting.push_back(place.clone());
    }
}

impl Desk {
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), knock: Notify::new(), finished: watch::Sender::new(0) }
    }

    /// Notes a place down, once. Never waits.
    pub(super) fn wake(&self, place: &Place) {
        self.with(|state| put(state, place));
        self.knock.notify_one();
    }

    /// Notes a place down for later.
    pub(super) fn wake_at(&self, at: Instant, place: Place) {
        self.with(|state| {
            state.later.retain(|(_, known)| known.channel != place.channel);
            if state.later.len() < WAITING_MAX {
                state.later.push((at, place));
            }
        });
    }

    /// When the first of those noted for later is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.with(|state| state.later.iter().map(|(at, _)| *at).min())
    }

    /// The next place to look at; it counts as being looked at from now on.
    pub(super) fn take(&self) -> Option<Place> {
        self.with(|state| {
            let now = Instant::now();
            let due: Vec<Place> =
                state.later.extract_if(.., |(at, _)| *at <= now).map(|(_, place)| place).collect();
            for place in due {
                if let Some(running) = state.running.get_mut(&place.channel) {
                    running.again = true;
                } else if state.waiting.iter().all(|waiting| waiting.channel != place.channel) {
                    state.waiting.push_back(place);
                }
            }
            let place = state.waiting.pop_front()?;
            state.running.insert(place.channel.clone(), Running::default());
            Some(place)
        })
    }

    /// The part that a reply may wait for is done.
    pub(super) fn room_made(&self, place: &Place) {
        self.with(|state| {
            if let Some(running) = state.running.get_mut(&place.channel) {
                running.room_made = true;
            }
        });
        self.finished.send_modify(|count| *count += 1);
    }

    /// A place was looked at.
    pub(super) fn done(&self, place: &Place) {
        let again = self.with(|state| {
            let again = state.running.remove(&place.channel).is_some_and(|running| running.again);
            if again {
                // In one go: between the two it would look as if nothing were left to do.
                put(state, place);
            }
            again
        });
        if again {
            self.knock.notify_one();
        }
        self.finished.send_modify(|count| *count += 1);
    }

    /// Keeps a run for the next trace of its place.
    pub(super) fn keep(&self, place: &Place, run: WorkerRun) {
        self.with(|state| {
            if state.runs.len() >= RUNS_MAX {
                state.runs.pop_front();
            }
            state.runs.push_back((place.channel.clone(), run));
        });
    }

    /// The runs of a place since this was last asked.
    pub(super) fn take_runs(&self, channel: &ChannelId) -> Vec<WorkerRun> {
        self.with(|state| {
            let (taken, kept) =
                std::mem::take(&mut state.runs).into_iter().partition(|(of, _)| of == channel);
            state.runs = kept;
            let taken: VecDeque<(ChannelId, WorkerRun)> = taken;
            taken.into_iter().map(|(_, run)| run).collect()
        })
    }

    /// Whether room may still be made in a place by what waits or runs.
    fn is_busy(&self, channel: &ChannelId) -> bool {
        self.with(|state| {
            state.waiting.iter().any(|place| place.channel == *channel)
                || state.running.get(channel).is_some_and(|running| !running.room_made)
        })
    }

    /// Waits until nothing waits or runs that could make room in a place.
    pub(super) async fn settled(&self, channel: &ChannelId) {
        let mut finished = self.finished.subscribe();
        while self.is_busy(channel) {
            if finished.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until nothing waits or runs anywhere.
    pub(super) async fn idle(&self) {
        let mut finished = self.finished.subscribe();
        while self.with(|state| !state.waiting.is_empty() || !state.running.is_empty()) {
            if finished.changed().await.is_err() {
                return;
            }
        }
    }

    fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
