//! The time of a scene: it goes as fast as everybody is done.
//!
//! Must not know what a scene is. Start reading at [`SceneClock`].

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::time::{Instant, pause, resume};

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

/// How many wait for something outside of a scene, such as a server that is asked.
#[derive(Debug, Default)]
pub(super) struct OutsideWaits(Mutex<usize>);

/// Somebody in a scene's runtime waits for something outside until this is dropped.
#[derive(Debug)]
pub(super) struct OutsideWait(Arc<OutsideWaits>, Handle);

impl OutsideWaits {
    /// Has the scene's time pass as everybody's does until what it gives is dropped: if it stood still, nothing that is waited
    /// for would ever be late, and no pause before another try would end. Must be called in the scene's runtime.
    pub(super) fn begin(self: &Arc<Self>) -> OutsideWait {
        let mut waiting = self.0.lock();
        if *waiting == 0 {
            resume();
        }
        *waiting += 1;
        OutsideWait(Arc::clone(self), Handle::current())
    }
}

impl Drop for OutsideWait {
    fn drop(&mut self) {
        let mut waiting = self.0.0.lock();
        *waiting -= 1;
        if *waiting == 0 {
            let _scene = self.1.enter();
            pause();
        }
    }
}
