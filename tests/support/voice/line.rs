//! How a person's packets travel: their pace, and what the network does to them.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::transport::Shape;

/// A person's connection.
#[derive(Debug, Clone)]
pub struct Line {
    /// Time between packets; 20 ms is as people talk.
    pub pace: Duration,
    /// Each packet is late by up to this.
    pub jitter: Duration,
    /// Share of packets that get lost, 0 to 1.
    pub loss: f64,
    /// Share of packets that change places with the next one, 0 to 1.
    pub reordered: f64,
    /// Padding and header extension.
    pub shape: Shape,
    /// When it is told whose packets these are.
    pub announced: Announced,
    /// Silence frames at the end.
    pub silence_frames: usize,
    /// Decides what happens to which packet.
    pub seed: u64,
}

/// When it is told whose packets these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announced {
    /// Before the first one, and the bot has read it.
    First,
    /// After so many packets.
    After(usize),
    Never,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            pace: Duration::from_millis(20),
            jitter: Duration::ZERO,
            loss: 0.0,
            reordered: 0.0,
            shape: Shape::default(),
            announced: Announced::First,
            silence_frames: 5,
            seed: 1,
        }
    }
}

impl Line {
    /// As fast as a machine under load can surely take it.
    pub fn quick() -> Self {
        Self { pace: Duration::from_millis(2), ..Self::default() }
    }

    /// With this padding and extension.
    #[must_use]
    pub fn shaped(mut self, padding: u8, extension: bool) -> Self {
        self.shape = Shape { padding, extension, lies: false };
        self
    }

    /// When each of some packets arrives after the first is sent; `None` for a lost one.
    pub(super) fn arrivals(&self, packets: usize) -> Vec<Option<Duration>> {
        let mut chance = StdRng::seed_from_u64(self.seed);
        let mut due: Vec<Option<Duration>> = (0..packets)
            .map(|at| {
                let late = self.jitter.mul_f64(chance.random::<f64>());
                let sent = self.pace * u32::try_from(at).unwrap();
                (chance.random::<f64>() >= self.loss).then_some(sent + late)
            })
            .collect();
        for at in 1..due.len() {
            if chance.random::<f64>() < self.reordered {
                due.swap(at - 1, at);
            }
        }
        due
    }
}
