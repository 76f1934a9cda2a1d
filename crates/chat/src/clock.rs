//! Time, as a thing that is passed in.
//!
//! Owns the [`Clock`] trait and its two implementations, and lengths of time as numbers. Must not know what the time is used for.
//! Start reading at [`Clock`].

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;

/// Wall-clock time. Durations inside one process are measured with `tokio::time::Instant`, which tests
/// can pause; this trait is for timestamps that are stored or shown.
pub trait Clock: Send + Sync + Debug {
    /// The current moment, to the millisecond (what the stores keep).
    fn now(&self) -> Timestamp;
}

/// A clock that other parts hold and clone.
pub type SharedClock = Arc<dyn Clock>;

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        truncate_to_millis(Timestamp::now())
    }
}

/// A clock that moves only when told to: tests and replays.
#[derive(Debug, Clone)]
pub struct ManualClock {
    now: Arc<Mutex<Timestamp>>,
}

impl ManualClock {
    /// A clock standing at `start`.
    pub fn at(start: Timestamp) -> Self {
        Self { now: Arc::new(Mutex::new(truncate_to_millis(start))) }
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        let mut now = self.now.lock();
        *now = now.saturating_add(by).unwrap_or(Timestamp::MAX);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.now.lock()
    }
}

/// A length of time as records hold it, in whole microseconds.
pub fn whole_micros(of: Duration) -> u64 {
    u64::try_from(of.as_micros()).unwrap_or(u64::MAX)
}

/// A length of time in whole milliseconds.
pub fn whole_millis(of: Duration) -> u64 {
    u64::try_from(of.as_millis()).unwrap_or(u64::MAX)
}

/// How long to wait after so many failures in a row: the pause after the first doubles with each further one, up to `longest`.
pub fn doubled(first: Duration, failures: u32, longest: Duration) -> Duration {
    first.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(longest)
}

/// Stores keep milliseconds; a timestamp that is written and read back must be equal to itself.
fn truncate_to_millis(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_up_to_the_longest() {
        let pause =
            |failures| doubled(Duration::from_secs(30), failures, Duration::from_secs(3_600)).as_secs();
        assert_eq!([0, 1, 2, 3, 7, 8].map(pause), [30, 30, 60, 120, 1_920, 3_600]);
        assert_eq!(pause(u32::MAX), 3_600);
    }
}
