//! How long a voice takes to begin.

use std::collections::VecDeque;
use std::time::Duration;

/// So many are remembered: a voice that was slow once, while its model was loaded, is quick again soon.
const KEPT: usize = 4;

/// How long the last first sounds of a voice took.
#[derive(Debug, Clone, Default)]
pub(in crate::voice) struct FirstSounds(VecDeque<Duration>);

impl FirstSounds {
    /// It took so long.
    pub fn learn(&mut self, took: Duration) {
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0.push_back(took);
    }

    /// The last one, where there was one.
    pub fn last(&self) -> Option<Duration> {
        self.0.back().copied()
    }

    /// The slowest of them; nothing where there was none.
    pub fn slowest(&self) -> Duration {
        self.0.iter().max().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_slow_once_is_forgotten_after_a_few() {
        let ms = Duration::from_millis;
        let mut known = FirstSounds::default();
        assert_eq!((known.last(), known.slowest()), (None, Duration::ZERO));
        known.learn(ms(3_000));
        for _ in 1..KEPT {
            known.learn(ms(300));
        }
        assert_eq!((known.last(), known.slowest()), (Some(ms(300)), ms(3_000)));
        known.learn(ms(400));
        assert_eq!((known.last(), known.slowest()), (Some(ms(400)), ms(400)));
    }
}
