//! The time of a scene: it goes as fast as everybody is done.
//!
//! Must not know what a scene is. Start reading at [`SceneClock`].

use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::clock::Clock;

/// Tokio's paused time, as the time of day.
#[derive(Debug)]
pub(super) struct SceneClock {
    runtime: Handle,
    began: Instant,
    at: Timestamp,
}

impl SceneClock {
    /// It is `at` now, in the runtime that this is called in.
    pub(super) fn beginning_at(at: Timestamp) -> Self {
        Self { runtime: Handle::current(), began: Instant::now(), at }
    }
}

impl Clock for SceneClock {
    fn now(&self) -> Timestamp {
        // Threads outside of the runtime have a time of their own.
        let _inside = self.runtime.enter();
        let passed = SignedDuration::try_from(self.began.elapsed()).unwrap_or(SignedDuration::ZERO);
        let now = self.at.saturating_add(passed).unwrap_or(self.at);
        // The stores keep milliseconds.
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }
}
