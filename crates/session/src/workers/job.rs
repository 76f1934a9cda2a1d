//! One job behind the scenes: what it works with, and what it leaves behind.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::time::Instant;

use crate::clock::{SharedClock, whole_micros};
use crate::config::LiveConfig;
use crate::domain::{ChannelId, ModelCall, Place, Platform, StoredId, WorkerRun};
use crate::familiar::LiveCharacter;
use crate::history::{History, HistoryError, Unread};
use crate::llm::{ModelSource, SessionKey};
use crate::memory::Memory;

#[derive(Debug, Clone)]
pub struct WorkerParts {
    pub character: Arc<LiveCharacter>,
    /// How it is set up.
    pub config: Arc<LiveConfig>,
    /// What was said, and where the results go.
    pub history: Arc<History>,
    pub memory: Arc<Memory>,
    pub models: Arc<dyn ModelSource>,
    pub clock: SharedClock,
}

impl WorkerParts {
    /// The name under which providers see a conversation.
    pub(super) fn session_key(&self, platform: Platform, channel: &ChannelId) -> SessionKey {
        SessionKey::of(self.history.salt(), self.config.home().id(), platform, channel)
    }

    /// The oldest turns of a channel that a job has not read, at most so many.
    pub(super) async fn unread(
        &self,
        worker: &str,
        place: &Place,
        most: u32,
    ) -> Result<Unread, HistoryError> {
        let mark = self.history.watermark(worker, place.channel.as_str()).await?;
        self.history.whole().unread(&place.channel, mark, most).await
    }

    /// A job is done with a channel's turns up to this one.
    pub(super) async fn is_done(
        &self,
        worker: &str,
        place: &Place,
        last: StoredId,
    ) -> Result<(), HistoryError> {
        self.history.advance_watermark(worker, place.channel.as_str(), last, self.clock.now()).await
    }

    /// A run of a job begins.
    pub(super) fn started(&self, worker: &'static str) -> Started {
        Started { worker, at: self.clock.now(), since: Instant::now() }
    }
}

/// A run of a job that has begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct Started {
    worker: &'static str,
    pub at: Timestamp,
    since: Instant,
}

impl Started {
    /// What is kept of it.
    pub(super) fn ended(self, did: String, calls: Vec<ModelCall>) -> WorkerRun {
        let (worker, us) = (self.worker.to_owned(), whole_micros(self.since.elapsed()));
        WorkerRun { worker, at: self.at, us, did, calls }
    }
}

/// One job: looks at a place and makes something of it. It moves its own watermark on every way out.
#[async_trait]
pub(super) trait Job: Send + Sync + Debug {
    /// Its name in traces.
    fn name(&self) -> &'static str;

    /// Looks at a place.
    ///
    /// # Errors
    /// Where the history could not be read or written; what is in `end` counts all the same.
    async fn look(&self, place: &Place, end: &mut JobEnd) -> Result<(), HistoryError>;
}

/// How a look went.
#[derive(Debug, Default)]
pub(super) struct JobEnd {
    /// What was done; empty when there was nothing to do.
    pub runs: Vec<WorkerRun>,
    /// When to look again without being woken.
    pub again: Option<Duration>,
}

/// When it is time for what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// For the first so many turns.
    Now(usize),
    /// For none before so long.
    In(Duration),
    /// There is nothing.
    Never,
}

/// How long it was from one moment to the next; nothing where the clock was put back.
pub(super) fn pause(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}
