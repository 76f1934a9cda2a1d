//! The one list of jobs, and who runs it.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::allowance::Allowance;
use super::crystallise::{Asked, Crystallise, pressure};
use super::desk::Desk;
use super::digest::TellElsewhere;
use super::lessons::LearnLessons;
use super::sleep::Night;
use super::writer::{self, Conclusions, TakeNotes, WriteMemories};
use crate::clock::SharedClock;
use crate::config::LiveConfig;
use crate::domain::{ChannelId, Place, Platform, WindowVerdict, WorkerRun};
use crate::familiar::LiveCharacter;
use crate::history::History;
use crate::llm::{ModelSource, SessionKey};
use crate::memory::Memory;

/// Places looked at at the same time. A model that is slow for one channel holds up no other.
const AT_ONCE: usize = 3;

/// Places looked at after a start, those with the newest messages first: as many as can wait, and some room.
const BEHIND: u32 = 200;

/// How long stopping may take; what is cut off then starts anew after the next message (its results are written whole
/// or not at all).
const STOP_GRACE: Duration = Duration::from_secs(2);

/// What jobs work with.
#[derive(Debug, Clone)]
pub struct WorkerParts {
    /// Who the familiar is.
    pub character: Arc<LiveCharacter>,
    /// How it is set up.
    pub config: Arc<LiveConfig>,
    /// What was said, and where the results go.
    pub history: Arc<History>,
    /// What is believed.
    pub memory: Arc<Memory>,
    /// Its models.
    pub models: Arc<dyn ModelSource>,
    /// Time.
    pub clock: SharedClock,
}

impl WorkerParts {
    /// The name under which providers see a conversation.
    pub(super) fn session_key(&self, platform: Platform, channel: &ChannelId) -> SessionKey {
        SessionKey::of(self.history.salt(), self.config.home().id(), platform, channel)
    }
}

/// One job: looks at a place and makes something of it. It moves its own watermark on every way out.
#[async_trait]
pub(super) trait Job: Send + Sync + Debug {
    /// Its name in traces.
    fn name(&self) -> &'static str;

    /// Looks at a place.
    async fn run(&self, place: &Place) -> JobEnd;
}

/// How a look went.
#[derive(Debug, Default)]
pub(super) struct JobEnd {
    /// What was done; empty when there was nothing to do.
    pub runs: Vec<WorkerRun>,
    /// When to look again without being woken.
    pub again: Option<Duration>,
}

/// The jobs behind the scenes. Woken with a place, never waited for; stops when told to, or when dropped.
#[derive(Debug)]
pub struct Workers {
    parts: WorkerParts,
    lanes: Vec<Lane>,
    conclusions: Arc<Conclusions>,
    asked: Arc<Asked>,
    night: Arc<Night>,
    nights: Mutex<Option<JoinHandle<()>>>,
    stop: CancellationToken,
}

/// Jobs that are done one after the other for a place. Lanes never wait for each other: a model that takes its time to
/// write memories does not keep a conversation from getting room.
#[derive(Debug)]
struct Lane {
    desk: Arc<Desk>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Lane {
    fn start(jobs: Vec<Box<dyn Job>>, stop: &CancellationToken) -> Self {
        let desk = Arc::new(Desk::new());
        let task = tokio::spawn(supervise(jobs.into(), Arc::clone(&desk), stop.clone()));
        Self { desk, task: Mutex::new(Some(task)) }
    }
}

impl Workers {
    /// Starts them.
    #[must_use]
    pub fn start(parts: WorkerParts) -> Self {
        let stop = CancellationToken::new();
        let allowance = Arc::new(Allowance::default());
        let conclusions = Arc::new(Conclusions::default());
        let asked = Arc::new(Asked::default());
        // Each in the order its jobs run for a place. A reply may be waiting for the very first job, and only for it.
        let lanes: [Vec<Box<dyn Job>>; 4] = [
            vec![
                Box::new(Crystallise::new(parts.clone(), Arc::clone(&allowance), Arc::clone(&asked))),
                Box::new(TellElsewhere::new(parts.clone(), allowance)),
            ],
            vec![Box::new(TakeNotes::new(parts.clone()))],
            vec![Box::new(WriteMemories::new(parts.clone(), Arc::clone(&conclusions)))],
            vec![Box::new(LearnLessons::new(parts.clone()))],
        ];
        let lanes = lanes.into_iter().map(|jobs| Lane::start(jobs, &stop)).collect();
        let night = Night::new(parts.clone());
        let nights = Mutex::new(Some(tokio::spawn(Arc::clone(&night).keep(stop.clone()))));
        Self { parts, lanes, conclusions, asked, night, nights, stop }
    }

    /// Something was said, changed or taken back in a place. Never waits.
    pub fn wake(&self, place: &Place) {
        self.night.heard();
        for lane in &self.lanes {
            lane.desk.wake(place);
        }
    }

    /// A model asked for room: older messages are summed up without waiting for more of them. Never waits.
    pub fn sum_up(&self, place: &Place) {
        self.asked.add(place);
        self.wake(place);
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
        if tokio::time::timeout(at_most, written).await.is_err() {
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
    #[must_use]
    pub fn take_runs(&self, channel: &ChannelId) -> Vec<WorkerRun> {
        let mut runs: Vec<WorkerRun> =
            self.lanes.iter().flat_map(|lane| lane.desk.take_runs(channel)).collect();
        runs.sort_by_key(|run| run.at);
        runs
    }

    /// Looks at every place where something was said that no memory is made of yet: after a start, when nobody may ever say
    /// anything there again.
    pub async fn catch_up(&self) {
        match self.parts.history.places_behind(writer::WATERMARK, BEHIND).await {
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
            let task = task.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(mut task) = task
                && tokio::time::timeout(STOP_GRACE, &mut task).await.is_err()
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

async fn supervise(jobs: Arc<[Box<dyn Job>]>, desk: Arc<Desk>, stop: CancellationToken) {
    let mut running = JoinSet::new();
    loop {
        while running.len() < AT_ONCE
            && let Some(place) = desk.take()
        {
            running.spawn(look_at(Arc::clone(&jobs), Arc::clone(&desk), place));
        }
        let due = desk.next_due();
        tokio::select! {
            () = stop.cancelled() => break,
            () = desk.knock.notified() => {}
            () = until(due), if due.is_some() => {}
            Some(ended) = running.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a job broke");
                }
            }
        }
    }
    running.shutdown().await;
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

async fn look_at(jobs: Arc<[Box<dyn Job>]>, desk: Arc<Desk>, place: Place) {
    // Also when a job panics: a place that stays marked would never be looked at again.
    let done = Done { desk: Arc::clone(&desk), place: place.clone() };
    let mut again: Option<Duration> = None;
    for (number, job) in jobs.iter().enumerate() {
        let end = job.run(&place).await;
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

struct Done {
    desk: Arc<Desk>,
    place: Place,
}

impl Drop for Done {
    fn drop(&mut self) {
        self.desk.done(&self.place);
    }
}
