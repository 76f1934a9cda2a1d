//! What the bot really sent, and when: taken at the other end of its connection.

use tokio::time::Instant;

use super::sound::{RATE, SILENCE};
use super::transport::Place;

/// Quieter than this nobody hears.
const AUDIBLE: f32 = 0.01;

/// One packet of the bot.
#[derive(Debug, Clone)]
pub struct Heard {
    /// When it arrived.
    pub at: Instant,
    pub place: Place,
    /// The Opus frame.
    pub frame: Vec<u8>,
    /// Its sound, mono at [`RATE`].
    pub samples: Vec<f32>,
    /// Whether it was encrypted between the members of the call.
    pub is_encrypted: bool,
}

impl Heard {
    /// Whether it is one of the frames that end speech.
    pub fn is_silence(&self) -> bool {
        self.frame == SILENCE
    }

    /// How loud its loudest sample is, 0 to 1.
    pub fn peak(&self) -> f32 {
        self.samples.iter().map(|sample| sample.abs()).fold(0.0, f32::max)
    }

    /// Whether anything can be heard in it.
    pub fn is_audible(&self) -> bool {
        self.samples.iter().any(|sample| sample.abs() > AUDIBLE)
    }
}

/// All that the bot has sent into a call so far.
#[derive(Debug, Clone)]
pub struct Probe {
    pub packets: Vec<Heard>,
    /// Packets that nobody in the call could read.
    pub unreadable: usize,
}

impl Probe {
    /// The packets in which something can be heard.
    pub fn audible(&self) -> impl Iterator<Item = &Heard> {
        self.packets.iter().filter(|packet| packet.is_audible())
    }

    /// What can be heard, in milliseconds.
    pub fn audible_ms(&self) -> usize {
        self.audible().map(|packet| packet.samples.len()).sum::<usize>() / (RATE as usize / 1000)
    }
}
