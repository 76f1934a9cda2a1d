//! From packets to "somebody speaks" and samples, for one speaker.
//!
//! Owns order, decoding, the edges of transmission, voice activity. Must not know what was said or whose turn it is.
//! Time is passed in, so that every case can be tried without waiting. Start reading at [`Listener`].

mod activity;
mod feed;
mod packets;

use std::time::Duration;

use tokio::time::Instant;

use self::activity::{Edge, Gate, STEP};
use self::packets::{Jitter, SpeakerDecoder, Step};
use super::frame::{Packet, RATE, lasting};

pub use self::activity::{Likelihood, VoiceDetector, decibels};
pub use self::feed::Feed;
pub use self::packets::{JitterFigures, opus_works};

/// Over this long nearly nothing was decodable: the connection is deaf (specs voice 2.1).
const DEAF_AFTER: Duration = Duration::from_secs(5);

/// From this many packets on [`DEAF_AFTER`] is judged.
const DEAF_PACKETS: u32 = 50;

/// How long before the vote the first likely frame was, on average.
const ONSET: Duration = Duration::from_millis(32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensed {
    /// They began to speak, or to pause, at this moment.
    Voice {
        on: bool,
        /// When, as far as can be told: earlier than now.
        at: Instant,
    },
    /// Their client began to send, or stopped.
    Gate { open: bool },
    /// Packets come in, and nothing of them can be decoded.
    Deaf,
}

/// What came of a packet or of time passing. Filled anew by each call; its memory is used again.
#[derive(Debug, Default)]
pub struct Perception {
    /// Decoded samples, 16 kHz mono.
    pub samples: Vec<i16>,
    /// What was noticed, in order.
    pub sensed: Vec<Sensed>,
    /// The streams and numbers of the packets that this came of.
    pub played: Vec<(u32, u16)>,
}

impl Perception {
    fn clear(&mut self) {
        self.samples.clear();
        self.sensed.clear();
        self.played.clear();
    }
}

#[derive(Debug)]
pub struct Listener {
    jitter: Jitter,
    decoder: SpeakerDecoder,
    detector: VoiceDetector,
    gate: Gate,
    steps: Vec<Step>,
    last_likely: Option<Instant>,
    voiced: bool,
    window: Option<(Instant, u32, u64)>,
}

impl Default for Listener {
    fn default() -> Self {
        Self::with(VoiceDetector::default())
    }
}

impl Listener {
    pub fn with(detector: VoiceDetector) -> Self {
        Self {
            jitter: Jitter::default(),
            decoder: SpeakerDecoder::default(),
            detector,
            gate: Gate::default(),
            steps: Vec::new(),
            last_likely: None,
            voiced: false,
            window: None,
        }
    }

    /// A packet came at `now`.
    pub fn packet(&mut self, packet: Packet, now: Instant, out: &mut Perception) {
        out.clear();
        self.watch(now, out);
        let edge = self.gate.packet(packet.is_silence(), now);
        if edge == Some(Edge::Opened) {
            out.sensed.push(Sensed::Gate { open: true });
        }
        self.jitter.push(packet, now, &mut self.steps);
        self.work(now, out);
        if edge == Some(Edge::Closed) {
            self.closed(now, out);
        }
    }

    /// Time passed: to be called at [`Self::deadline`], earlier calls do no harm.
    pub fn tick(&mut self, now: Instant, out: &mut Perception) {
        out.clear();
        self.jitter.expire(now, &mut self.steps);
        self.work(now, out);
        if self.gate.expire(now).is_some() {
            self.closed(now, out);
        }
    }

    /// When something is to be done even if no packet comes.
    pub fn deadline(&self) -> Option<Instant> {
        [self.jitter.deadline(), self.gate.deadline()].into_iter().flatten().min()
    }

    /// Whether their client is sending.
    pub fn is_open(&self) -> bool {
        self.gate.is_open()
    }

    /// Whether they seem to push a button to talk.
    pub fn pushes_to_talk(&self) -> bool {
        self.gate.pushes_to_talk()
    }

    /// What became of their packets.
    pub fn figures(&self) -> JitterFigures {
        self.jitter.figures()
    }

    fn work(&mut self, now: Instant, out: &mut Perception) {
        let from = out.samples.len();
        for step in self.steps.drain(..) {
            match step {
                Step::Conceal(lost) => self.decoder.miss(lost),
                Step::Play(packet) => {
                    out.played.push((packet.ssrc, packet.sequence));
                    self.decoder.play(&packet, &mut out.samples);
                }
            }
        }
        let Some(samples) = out.samples.get(from..) else { return };
        let (gate, last_likely) = (&mut self.gate, &mut self.last_likely);
        self.detector.push(samples, |heard, behind| {
            gate.heard(heard);
            if heard.likely {
                // Somewhere in the last such frame it ended: in its middle, for all that is known.
                *last_likely = now.checked_sub(lasting(behind + STEP / 2, RATE));
            }
        });
        let voiced = self.detector.is_voiced();
        if voiced != self.voiced {
            self.voiced = voiced;
            let at = if voiced { now.checked_sub(ONSET) } else { self.last_likely };
            out.sensed.push(Sensed::Voice { on: voiced, at: at.unwrap_or(now) });
        }
    }

    fn closed(&mut self, now: Instant, out: &mut Perception) {
        self.jitter.pause(&mut self.steps);
        self.work(now, out);
        self.decoder.pause();
        self.detector.pause();
        if std::mem::replace(&mut self.voiced, false) {
            out.sensed.push(Sensed::Voice { on: false, at: self.last_likely.unwrap_or(now) });
        }
        out.sensed.push(Sensed::Gate { open: false });
    }

    fn watch(&mut self, now: Instant, out: &mut Perception) {
        let failures = self.decoder.failures();
        let (since, packets, failed) = self.window.get_or_insert((now, 0, failures));
        *packets += 1;
        if now.duration_since(*since) >= DEAF_AFTER {
            let bad = failures - *failed;
            if *packets >= DEAF_PACKETS && bad * 10 >= u64::from(*packets) * 9 {
                out.sensed.push(Sensed::Deaf);
            }
            self.window = None;
        }
    }
}

#[cfg(test)]
mod tests;
