//! Who waits to be looked at, who is being looked at, and what was done lately. One short lock, never held across an
//! await.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

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
    /// What is being looked at, and whether it was woken since: then it is looked at again.
    running: HashMap<ChannelId, bool>,
    /// Of those that wait or run, what no reply waits for: the part that makes room is done, or one has waited in vain.
    unheld: HashSet<ChannelId>,
    runs: VecDeque<(ChannelId, WorkerRun)>,
}

impl State {
    fn is_at_work(&self, channel: &ChannelId) -> bool {
        self.running.contains_key(channel) || self.waiting.iter().any(|place| place.channel == *channel)
    }
}

/// Notes a place down, once.
fn put(state: &mut State, place: &Place) {
    if let Some(again) = state.running.get_mut(&place.channel) {
        *again = true;
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
                if let Some(again) = state.running.get_mut(&place.channel) {
                    *again = true;
                } else if state.waiting.iter().all(|waiting| waiting.channel != place.channel) {
                    state.waiting.push_back(place);
                }
            }
            let place = state.waiting.pop_front()?;
            state.running.insert(place.channel.clone(), false);
            Some(place)
        })
    }

    /// The part that a reply may wait for is done.
    pub(super) fn room_made(&self, place: &Place) {
        self.hold_nobody(&place.channel);
        self.finished.send_modify(|count| *count += 1);
    }

    fn hold_nobody(&self, channel: &ChannelId) {
        self.with(|state| {
            if state.is_at_work(channel) {
                state.unheld.insert(channel.clone());
            }
        });
    }

    /// A place was looked at.
    pub(super) fn done(&self, place: &Place) {
        let again = self.with(|state| {
            let again = state.running.remove(&place.channel).unwrap_or_default();
            state.unheld.remove(&place.channel);
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

    /// Waits until nothing waits or runs that could make room in a place, at most so long; `false` where that was in vain.
    /// Nobody else waits for the same work then: a model that hangs holds up one reply, not every one.
    pub(super) async fn room(&self, channel: &ChannelId, at_most: Duration) -> bool {
        let mut finished = self.finished.subscribe();
        let settled = async {
            while self.with(|state| state.is_at_work(channel) && !state.unheld.contains(channel)) {
                if finished.changed().await.is_err() {
                    return;
                }
            }
        };
        let was_made = timeout(at_most, settled).await.is_ok();
        if !was_made {
            self.hold_nobody(channel);
        }
        was_made
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Audience, PlaceKind, Platform};

    const MOST: Duration = Duration::from_secs(12);

    fn place() -> Place {
        Place {
            platform: Platform::Terminal,
            channel: ChannelId::from(1),
            parent: None,
            guild: None,
            kind: PlaceKind::Terminal,
            channel_name: None,
            guild_name: None,
            audience: Audience::Private(ChannelId::from(1)),
            sees: Vec::new(),
            paired: Default::default(),
        }
    }

    /// Whether room was made, and for how long it was waited for.
    async fn waited(desk: &Desk) -> (bool, Duration) {
        let began = Instant::now();
        let was_made = desk.room(&place().channel, MOST).await;
        (was_made, began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn y9_one_reply_waits_for_work_that_hangs_and_the_next_does_not() {
        let desk = Desk::new();
        assert_eq!(waited(&desk).await, (true, Duration::ZERO), "there is nothing to wait for");
        desk.wake(&place());
        assert_eq!(waited(&desk).await, (false, MOST), "it is not even looked at");
        assert_eq!(waited(&desk).await, (true, Duration::ZERO));
        let taken = desk.take().unwrap();
        assert_eq!(waited(&desk).await, (true, Duration::ZERO), "it is still the same work");
        desk.wake(&place());
        desk.done(&taken);
        let again = async {
            assert!(!desk.room(&place().channel, MOST / 2).await, "the next work is waited for");
            let taken = desk.take().unwrap();
            desk.done(&taken);
            waited(&desk).await
        };
        assert_eq!(again.await, (true, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn y9_whoever_waits_goes_on_when_room_is_made_though_the_work_goes_on() {
        let desk = Desk::new();
        desk.wake(&place());
        let taken = desk.take().unwrap();
        let makes_room = async {
            tokio::time::advance(MOST / 4).await;
            desk.room_made(&taken);
        };
        let ((was_made, after), ()) = tokio::join!(waited(&desk), makes_room);
        assert_eq!((was_made, after), (true, MOST / 4));
        desk.done(&taken);
        assert!(desk.with(|state| state.unheld.is_empty()), "nothing is kept of it");
    }
}
