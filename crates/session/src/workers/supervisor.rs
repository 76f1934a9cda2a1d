//! The one list of jobs, who runs it, who waits to be looked at, and what was done lately. One short lock, never held across an
//! await.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::ask::HourlyAllowance;
use super::digest::TellElsewhere;
use super::job::{Job, JobEnd, WorkerParts};
use super::lessons::LearnLessons;
use super::sleep::Night;
use super::summaries::{SumUp, SummaryRequests, pressure};
use super::writer::{
    self, AskedNote, AskedNoteError, AskedNoteFate, Conclusions, TakeNotes, WriteMemories, note_down,
};
use crate::domain::{ChangePass, ChannelId, Place, StoredId, StoredTurn, WindowVerdict, WorkerRun};
use crate::memory::Memory;
use crate::memory::forget::forget_taken_back;

/// Places looked at at the same time. A model that is slow for one channel holds up no other.
const AT_ONCE: usize = 3;

/// Places looked at after a start, those with the newest messages first: as many as can wait, and some room.
const BEHIND: u32 = 200;

/// How long stopping may take; what is cut off then starts anew after the next message (its results are written whole
/// or not at all).
const STOP_GRACE: Duration = Duration::from_secs(2);

/// The jobs behind the scenes. Woken with a place, never waited for; stops when told to, or when dropped.
#[derive(Debug)]
pub struct Workers {
    parts: WorkerParts,
    lanes: Vec<Lane>,
    stated: TakeNotes,
    conclusions: Arc<Conclusions>,
    asked: Arc<SummaryRequests>,
    night: Arc<Night>,
    nights: Mutex<Option<JoinHandle<()>>>,
    stop: CancellationToken,
}

/// Jobs that are done one after the other for a place. Lanes never wait for each other: a model that takes its time to
/// write memories does not keep a conversation from getting room.
#[derive(Debug)]
struct Lane {
    desk: Arc<WakeDesk>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Lane {
    fn start(parts: WorkerParts, jobs: Vec<Box<dyn Job>>, stop: &CancellationToken) -> Self {
        let desk = Arc::new(WakeDesk::new());
        let task = tokio::spawn(supervise(parts, jobs.into(), Arc::clone(&desk), stop.clone()));
        Self { desk, task: Mutex::new(Some(task)) }
    }
}

impl Workers {
    pub fn start(parts: WorkerParts) -> Self {
        let stop = CancellationToken::new();
        let allowance = Arc::new(HourlyAllowance::default());
        let conclusions = Arc::new(Conclusions::default());
        let asked = Arc::new(SummaryRequests::default());
        // Each in the order its jobs run for a place. A reply may be waiting for the very first job, and only for it.
        let lanes: [Vec<Box<dyn Job>>; 4] = [
            vec![
                Box::new(SumUp::new(parts.clone(), Arc::clone(&allowance), Arc::clone(&asked))),
                Box::new(TellElsewhere::new(parts.clone(), allowance)),
            ],
            vec![Box::new(TakeNotes::new(parts.clone()))],
            vec![Box::new(WriteMemories::new(parts.clone(), Arc::clone(&conclusions)))],
            vec![Box::new(LearnLessons::new(parts.clone()))],
        ];
        let lanes = lanes.into_iter().map(|jobs| Lane::start(parts.clone(), jobs, &stop)).collect();
        let night = Night::new(parts.clone());
        let nights = Mutex::new(Some(tokio::spawn(Arc::clone(&night).keep(stop.clone()))));
        let stated = TakeNotes::new(parts.clone());
        Self { parts, lanes, stated, conclusions, asked, night, nights, stop }
    }

    /// What they note things in.
    pub fn memory(&self) -> &Memory {
        &self.parts.memory
    }

    /// Something was said, changed or taken back in a place. Never waits.
    pub fn wake(&self, place: &Place) {
        self.night.heard();
        for lane in &self.lanes {
            lane.desk.wake(place);
        }
    }

    /// These turns were taken back: what was noted of them goes. Returns when it is gone.
    pub async fn unlearn(&self, turns: Vec<StoredId>) {
        if turns.is_empty() {
            return;
        }
        let forgotten = self.parts.with_notes("forgetting what was noted of a message", move |store| {
            forget_taken_back(store, turns.into_iter().collect())
        });
        if let Some(Err(error)) = forgotten.await {
            tracing::warn!(%error, "what was noted of a message that was taken back stays");
        }
    }

    /// A turn reads otherwise now: what was noted of it goes, and what somebody plainly says in it now is noted. No model is
    /// asked once more. Returns when it is done.
    pub async fn relearn(&self, place: &Place, turn: &StoredTurn) {
        self.unlearn(vec![turn.id]).await;
        self.stated.take_again(place, turn).await;
    }

    /// A model asked for room: older messages are summed up without waiting for more of them. Never waits.
    pub fn sum_up(&self, place: &Place) {
        self.asked.add(place);
        self.wake(place);
    }

    /// Notes something that somebody wants noted, by their leave.
    ///
    /// # Errors
    /// See [`AskedNoteError`].
    pub async fn note(
        &self,
        leave: &ChangePass,
        note: AskedNote<'_>,
    ) -> Result<AskedNoteFate, AskedNoteError> {
        note_down(&self.parts, leave, note).await
    }

    /// A conversation is over for now: its memories are written without waiting for more of it. Never waits.
    pub fn conclude(&self, place: &Place) {
        self.conclusions.add(place);
        self.wake(place);
    }

    /// Writes the memories of every conversation that has some to write, as far as that is done `at_most` that long from
    /// now.
    pub async fn conclude_all(&self, at_most: Duration) {
        let written = async {
            // What was said last may not have been looked at yet.
            self.idle().await;
            for place in self.conclusions.unwritten() {
                self.conclude(&place);
            }
            self.idle().await;
        };
        if timeout(at_most, written).await.is_err() {
            tracing::info!("not all memories are written; the rest is after the next start");
        }
    }

    /// Returns at once while there is room for the conversation's newest part, and also when there is none but nothing
    /// is being done about it. Only from 85 % on, and while room is being made, it waits: `at_most` that long.
    pub async fn make_room(&self, place: &Place, at_most: Duration) {
        let Some(first) = self.lanes.first() else { return };
        if pressure(&self.parts, place).await.verdict >= WindowVerdict::Overflow
            && !first.desk.room(&place.channel, at_most).await
        {
            tracing::warn!(channel = %place.channel, "no room was made in time; older messages are left out");
        }
    }

    /// What was done for a place since this was last asked, for its trace.
    pub fn take_runs(&self, channel: &ChannelId) -> Vec<WorkerRun> {
        let mut runs: Vec<WorkerRun> =
            self.lanes.iter().flat_map(|lane| lane.desk.take_runs(channel)).collect();
        runs.sort_by_key(|run| run.at);
        runs
    }

    /// Looks at every place where something was said that no memory is made of yet: after a start, when nobody may ever say
    /// anything there again.
    pub async fn catch_up(&self) {
        match self.parts.history.whole().places_behind(writer::WATERMARK, BEHIND).await {
            Ok(places) => places.iter().for_each(|place| self.wake(place)),
            Err(error) => tracing::warn!(%error, "what is still to be remembered cannot be read"),
        }
    }

    /// Waits until nothing is left to do but what waits for its time.
    pub async fn idle(&self) {
        for lane in &self.lanes {
            lane.desk.idle().await;
        }
    }

    /// Breaks off what runs. Takes 2 s at most.
    pub async fn stop(&self) {
        self.stop.cancel();
        let tasks = self.lanes.iter().map(|lane| &lane.task).chain([&self.nights]);
        let stopping = tasks.map(|task| async {
            let task = task.lock().take();
            if let Some(mut task) = task
                && timeout(STOP_GRACE, &mut task).await.is_err()
            {
                tracing::warn!("a job does not stop; it is left behind");
                task.abort();
            }
        });
        futures::future::join_all(stopping).await;
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn supervise(
    parts: WorkerParts,
    jobs: Arc<[Box<dyn Job>]>,
    desk: Arc<WakeDesk>,
    stop: CancellationToken,
) {
    let mut running = JoinSet::new();
    loop {
        while running.len() < AT_ONCE
            && let Some(place) = desk.take()
        {
            running.spawn(look_at(parts.clone(), Arc::clone(&jobs), Arc::clone(&desk), place));
        }
        let due = desk.next_due();
        let next = due.unwrap_or_else(Instant::now);
        tokio::select! {
            () = stop.cancelled() => break,
            () = desk.knock.notified() => {}
            () = sleep_until(next), if due.is_some() => {}
            Some(ended) = running.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a job broke");
                }
            }
        }
    }
    running.shutdown().await;
}

async fn look_at(parts: WorkerParts, jobs: Arc<[Box<dyn Job>]>, desk: Arc<WakeDesk>, place: Place) {
    // Also when a job panics: a place that stays marked would never be looked at again.
    let done = JobDone { desk: Arc::clone(&desk), place: place.clone() };
    let mut again: Option<Duration> = None;
    for (number, job) in jobs.iter().enumerate() {
        let (started, mut end) = (parts.started(job.name()), JobEnd::default());
        if let Err(error) = job.look(&place, &mut end).await {
            tracing::warn!(%error, worker = job.name(), channel = %place.channel, "a look behind the scenes failed");
            let did = format!("the history could not be read or written: {error}");
            end.runs.push(started.ended(did, Vec::new()));
        }
        for run in end.runs {
            tracing::debug!(worker = job.name(), channel = %place.channel, did = %run.did, "ran");
            desk.keep(&place, run);
        }
        // The first of them that wants to look again: all look then.
        again = again.into_iter().chain(end.again).min();
        if number == 0 {
            desk.room_made(&place);
        }
    }
    if let Some(wait) = again {
        desk.wake_at(Instant::now() + wait, place.clone());
    }
    drop(done);
}

struct JobDone {
    desk: Arc<WakeDesk>,
    place: Place,
}

impl Drop for JobDone {
    fn drop(&mut self) {
        self.desk.done(&self.place);
    }
}

/// Places that can wait. One more is not noted down: its next message wakes it again.
const WAITING_MAX: usize = 256;

/// Runs kept until the next turn of their place takes them into its trace.
const RUNS_MAX: usize = 64;

/// The desk that wakers and the supervisor share.
#[derive(Debug)]
pub(super) struct WakeDesk {
    state: Mutex<DeskState>,
    /// Somebody was put on the list.
    pub knock: Notify,
    /// Counts what was finished.
    finished: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct DeskState {
    waiting: VecDeque<Place>,
    later: Vec<(Instant, Place)>,
    /// What is being looked at, and whether it was woken since: then it is looked at again.
    running: HashMap<ChannelId, bool>,
    /// Of those that wait or run, what no reply waits for: the part that makes room is done, or one has waited in vain.
    unheld: HashSet<ChannelId>,
    runs: VecDeque<(ChannelId, WorkerRun)>,
}

impl DeskState {
    fn is_at_work(&self, channel: &ChannelId) -> bool {
        self.running.contains_key(channel) || self.waiting.iter().any(|place| place.channel == *channel)
    }
}

/// Notes a place down, once.
fn note_place(state: &mut DeskState, place: &Place) {
    if let Some(again) = state.running.get_mut(&place.channel) {
        *again = true;
    } else if let Some(waiting) = state.waiting.iter_mut().find(|known| known.channel == place.channel) {
        *waiting = place.clone();
    } else if state.waiting.len() < WAITING_MAX {
        state.waiting.push_back(place.clone());
    }
}

impl WakeDesk {
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), knock: Notify::new(), finished: watch::Sender::new(0) }
    }

    /// Notes a place down, once. Never waits.
    pub(super) fn wake(&self, place: &Place) {
        self.with(|state| note_place(state, place));
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
                note_place(state, place);
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

    fn with<R>(&self, work: impl FnOnce(&mut DeskState) -> R) -> R {
        work(&mut self.state.lock())
    }
}

#[cfg(test)]
mod desk_tests {
    use super::*;
    use crate::domain::Audience;

    const MOST: Duration = Duration::from_secs(12);

    fn place() -> Place {
        Place { audience: Audience::Private(ChannelId::from(1)), ..Place::terminal(ChannelId::from(1)) }
    }

    /// Whether room was made, and for how long it was waited for.
    async fn waited(desk: &WakeDesk) -> (bool, Duration) {
        let began = Instant::now();
        let was_made = desk.room(&place().channel, MOST).await;
        (was_made, began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn y9_one_reply_waits_for_work_that_hangs_and_the_next_does_not() {
        let desk = WakeDesk::new();
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
        let desk = WakeDesk::new();
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
