//! Time, as a thing that is passed in.
//!
//! Owns the [`Clock`] trait and its two implementations, lengths of time as numbers, and [how much was used](Uses) within
//! one. Must not know what the time is used for. Start reading at [`Clock`].

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Add;
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

/// How much each of some has used of what is theirs for a while: counted from their first use on, and from nothing again once
/// the while is over. Time is passed in, on whatever clock.
#[derive(Debug)]
pub struct Uses<K, T> {
    within: Duration,
    kept: usize,
    each: HashMap<K, Used<T>>,
}

/// What one of them has used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Used<T> {
    pub amount: f64,
    /// When it counts no longer.
    pub until: T,
}

impl<K: Eq + Hash, T: Copy + Ord + Add<Duration, Output = T>> Uses<K, T> {
    /// What is used counts for `within`, of up to `kept` at a time.
    pub fn new(within: Duration, kept: usize) -> Self {
        Self { within, kept, each: HashMap::new() }
    }

    /// What counts now of what somebody has used; `None` where it is nothing.
    pub fn used(&self, key: &K, now: T) -> Option<Used<T>> {
        self.each.get(key).copied().filter(|used| used.until > now)
    }

    /// Counts a use, and gives whether there was room to: while as many are counted as are kept, nobody new is.
    pub fn spend(&mut self, key: K, amount: f64, now: T) -> bool {
        if self.each.len() >= self.kept {
            self.each.retain(|_, used| used.until > now);
        }
        let has_room = self.each.len() < self.kept || self.each.contains_key(&key);
        if has_room {
            let before = self.used(&key, now).unwrap_or(Used { amount: 0.0, until: now + self.within });
            self.each.insert(key, Used { amount: before.amount + amount, ..before });
        }
        has_room
    }

    /// Whether this is the first time in the while, which counts from then on. Somebody may come with thousands of names:
    /// whoever there is no room for is never the first.
    pub fn is_first(&mut self, key: K, now: T) -> bool {
        self.used(&key, now).is_none() && self.spend(key, 1.0, now)
    }
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

    #[test]
    fn what_is_used_counts_from_the_first_use_until_its_while_is_over() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let mut uses = Uses::new(Duration::from_secs(60), 2);
        assert_eq!(uses.used(&"ada", at(0)), None);
        assert!(uses.spend("ada", 2.0, at(0)) && uses.spend("ada", 0.5, at(59)));
        assert_eq!(uses.used(&"ada", at(59)), Some(Used { amount: 2.5, until: at(60) }));
        assert_eq!(uses.used(&"ada", at(60)), None);
        assert!(uses.spend("ada", 1.0, at(60)));
        assert_eq!(uses.used(&"ada", at(61)), Some(Used { amount: 1.0, until: at(120) }));
    }

    #[test]
    fn once_in_a_while_is_the_first_time_and_no_more_are_counted_than_are_kept() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let mut uses = Uses::new(Duration::from_secs(60), 2);
        assert!(uses.is_first("ada", at(0)) && !uses.is_first("ada", at(59)));
        assert!(uses.is_first("bo", at(30)));
        assert!(!uses.is_first("cy", at(31)) && !uses.spend("cy", 1.0, at(31)), "there is no room");
        assert!(uses.spend("ada", 1.0, at(31)), "who is counted already needs none");
        assert!(uses.is_first("cy", at(60)), "what is over makes room");
        assert!(!uses.is_first("ada", at(60)));
    }
}
