//! Chance in a call.

use std::fmt;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Random numbers; the same seed gives the same call.
pub(super) struct Dice(StdRng);

impl Dice {
    pub(super) fn of(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// From 0 to 1.
    pub(super) fn roll(&mut self) -> f64 {
        self.0.random()
    }
}

impl fmt::Debug for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dice")
    }
}
