//! Whether it pays to answer before they are finished.
//!
//! Owns the account of turns in which a speculation was kept, or none of them. Start reading at [`SpeculationRecord::may`].

use std::collections::VecDeque;
use std::time::Duration;

use super::Moment;

/// So many turns with speculations are looked back on (voice 2.3).
const REMEMBERED: usize = 50;

/// Judged from so many on.
const JUDGED_FROM: usize = 10;

/// Fewer kept than this, in percent, and no answer is begun early for a while.
const LEAST_KEPT: usize = 40;

const OFF_FOR: Duration = Duration::from_secs(600);

#[derive(Debug, Clone, Default)]
pub(super) struct SpeculationRecord {
    kept: VecDeque<bool>,
    off_until: Option<Moment>,
    total: (u64, u64),
}

impl SpeculationRecord {
    /// Whether to begin an answer early now.
    pub(super) fn may(&self, now: Moment) -> bool {
        self.off_until.is_none_or(|until| until <= now)
    }

    /// A speculation is made.
    pub(super) fn begun(&mut self) {
        self.total.1 += 1;
    }

    /// A turn with speculations came to its end; `kept`: the last of them.
    pub(super) fn ended(&mut self, kept: bool, now: Moment) {
        self.total.0 += u64::from(kept);
        self.kept.push_back(kept);
        if self.kept.len() > REMEMBERED {
            self.kept.pop_front();
        }
        let good = self.kept.iter().filter(|kept| **kept).count();
        if self.kept.len() >= JUDGED_FROM && good * 100 < self.kept.len() * LEAST_KEPT {
            self.off_until = Some(now + OFF_FOR);
            self.kept.clear();
        }
    }

    pub(super) fn figures(&self) -> (u64, u64) {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_guessing_where_guesses_are_wrong_and_tries_again_later() {
        let mut speculation_record = SpeculationRecord::default();
        let now = Duration::from_secs(5);
        (0..13).for_each(|_| speculation_record.begun());
        (0..5).for_each(|_| speculation_record.ended(true, now));
        (0..7).for_each(|_| speculation_record.ended(false, now));
        assert!(speculation_record.may(now), "5 of 12 is enough");
        speculation_record.ended(false, now);
        assert!(!speculation_record.may(now + OFF_FOR - Duration::from_secs(1)));
        assert!(speculation_record.may(now + OFF_FOR));
        assert_eq!(speculation_record.figures(), (5, 13));
    }
}
