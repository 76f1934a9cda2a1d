//! Turn numbers that are never given out twice.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::TurnId;

/// How many numbers are reserved in the database ahead of use. A program that is killed skips at most this many;
/// one that is closed skips none.
const AHEAD: u64 = 128;

/// Gives out turn numbers without waiting for the database: a range is reserved there first, and extended whenever
/// a trace is recorded.
#[derive(Debug)]
pub(super) struct TurnNumbers {
    next: AtomicU64,
    reserved: AtomicU64,
}

impl TurnNumbers {
    /// Continues at `next`; nothing from there on is reserved yet.
    pub(super) fn starting_at(next: u64) -> Self {
        Self { next: AtomicU64::new(next), reserved: AtomicU64::new(next) }
    }

    /// Continues at `next` and never reserves anything: for whoever looks on beside the program that does.
    pub(super) fn unreserved(next: u64) -> Self {
        Self { next: AtomicU64::new(next), reserved: AtomicU64::new(u64::MAX) }
    }

    pub(super) fn take(&self) -> TurnId {
        TurnId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// The first number that was not given out.
    pub(super) fn unused(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// The end of the range to reserve now, when half of what was reserved is used.
    pub(super) fn due(&self) -> Option<u64> {
        let next = self.unused();
        (next + AHEAD / 2 > self.reserved.load(Ordering::Relaxed)).then_some(next + AHEAD)
    }

    /// Everything below `end` is reserved in the database.
    pub(super) fn reserved_to(&self, end: u64) {
        self.reserved.fetch_max(end, Ordering::Relaxed);
    }
}
