//! How long one person pauses.
//!
//! Owns what was learnt of their pauses and the waits that follow from it. Must not know words. Start reading at
//! [`Pauses::wait`].

use std::time::Duration;

use super::completeness::Completeness;

/// How much of what was learnt stays with each further pause (LiveKit's dynamic endpointing, specs voice 2.2).
const KEEP: f64 = 0.9;

/// Nobody is waited for longer, except who asked for time.
pub const MOST: Duration = Duration::from_secs(3);

/// Pauses outside of this teach nothing: shorter ones are parts of words, longer ones are ends.
const TEACHING: (Duration, Duration) = (Duration::from_millis(200), Duration::from_millis(2_500));

/// A person's pauses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pauses {
    /// Within what they say, in seconds.
    within: f64,
    /// How much more time they get than others, from 1 to 2: grows when they were cut off.
    patience: f64,
}

impl Default for Pauses {
    fn default() -> Self {
        Self { within: 0.3, patience: 1.0 }
    }
}

impl Pauses {
    /// How long to wait after they stopped before it is the familiar's turn.
    #[must_use]
    pub fn wait(&self, completeness: Completeness, pushes_to_talk: bool) -> Duration {
        let base = match (completeness, pushes_to_talk) {
            (Completeness::Wait, _) => return Duration::from_secs(8),
            // Whoever lets go of a button has said what they wanted.
            (Completeness::Finished | Completeness::Likely | Completeness::Unknown, true) => {
                return Duration::from_millis(150);
            }
            (Completeness::Unfinished, true) => Duration::from_millis(600),
            (Completeness::Finished, false) => Duration::from_millis(270),
            (Completeness::Likely, false) => Duration::from_millis(600),
            (Completeness::Unknown, false) => Duration::from_millis(700),
            (Completeness::Unfinished, false) => Duration::from_millis(1_500),
        };
        let waited = base.mul_f64(self.patience);
        // What may go on is waited for at least as long as their usual pause.
        let usual = Duration::from_secs_f64(self.within * 1.1);
        let waited = if completeness == Completeness::Finished { waited } else { waited.max(usual) };
        waited.min(MOST)
    }

    /// They went on after a pause this long.
    pub fn went_on_after(&mut self, pause: Duration) {
        if (TEACHING.0..=TEACHING.1).contains(&pause) {
            self.within = self.within * KEEP + pause.as_secs_f64() * (1.0 - KEEP);
        }
    }

    /// They went on although they had been taken to be finished.
    pub fn was_cut_off(&mut self) {
        self.patience = (self.patience * 1.25).min(2.0);
    }

    /// They were finished indeed.
    pub fn was_finished(&mut self) {
        self.patience = 1.0 + (self.patience - 1.0) * KEEP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(pauses: &Pauses, completeness: Completeness) -> u128 {
        pauses.wait(completeness, false).as_millis()
    }

    #[test]
    fn what_sounds_finished_is_answered_soon() {
        let pauses = Pauses::default();
        let classes = [
            Completeness::Finished,
            Completeness::Likely,
            Completeness::Unknown,
            Completeness::Unfinished,
            Completeness::Wait,
        ];
        assert_eq!(classes.map(|class| ms(&pauses, class)), [270, 600, 700, 1_500, 8_000]);
        assert_eq!(pauses.wait(Completeness::Unknown, true).as_millis(), 150);
    }

    #[test]
    fn who_pauses_long_or_was_cut_off_gets_more_time_up_to_a_bound() {
        let mut slow = Pauses::default();
        (0..40).for_each(|_| slow.went_on_after(Duration::from_millis(1_000)));
        assert!((1_000..1_150).contains(&ms(&slow, Completeness::Unknown)));
        assert_eq!(ms(&slow, Completeness::Finished), 270, "a question is a question");
        let mut hasty = Pauses::default();
        (0..20).for_each(|_| hasty.was_cut_off());
        assert_eq!(ms(&hasty, Completeness::Finished), 540);
        assert_eq!(ms(&hasty, Completeness::Unfinished), 3_000);
        (0..40).for_each(|_| hasty.was_finished());
        assert!(ms(&hasty, Completeness::Finished) < 280, "it is forgotten again");
    }
}
