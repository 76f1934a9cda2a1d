//! From packets to "somebody speaks" and samples, for one speaker.
//!
//! Owns order, decoding, the edges of transmission, voice activity, and what of the sound a recogniser gets. Must not know what was said or whose turn it is.
//! Time is passed in, so that every case can be tried without waiting. Start reading at [`Listener`].

mod activity;
mod packets;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use self::activity::{Edge, Gate, STEP};
use self::packets::{Jitter, JitterStep, SpeakerDecoder};
use super::frame::{FRAME, FRAME_TIME, Packet, RATE, lasting, samples_in};

pub use self::activity::{Likelihood, VoiceDetector, decibels};
pub use self::packets::{JitterFigures, opus_works};

/// Over this long nearly nothing was decodable: the connection is deaf (voice 2.1).
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

#[derive(Debug, Default)]
pub struct Listener {
    jitter: Jitter,
    decoder: SpeakerDecoder,
    detector: VoiceDetector,
    gate: Gate,
    steps: Vec<JitterStep>,
    last_likely: Option<Instant>,
    voiced: bool,
    window: Option<(Instant, u32, u64)>,
}

impl Listener {
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

    pub fn figures(&self) -> JitterFigures {
        self.jitter.figures()
    }

    fn work(&mut self, now: Instant, out: &mut Perception) {
        let from = out.samples.len();
        for step in self.steps.drain(..) {
            match step {
                JitterStep::Conceal(lost) => self.decoder.miss(lost),
                JitterStep::Play(packet) => {
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

/// How much from before the first voiced frame is heard too.
const PRE_ROLL: Duration = Duration::from_millis(500);

/// How long silence is made up after the client has stopped.
const SILENCE: Duration = Duration::from_millis(1_200);

/// Decides what goes to the recogniser.
#[derive(Debug)]
pub struct Feed {
    before: VecDeque<i16>,
    listening: bool,
    silence_left: Duration,
}

impl Default for Feed {
    fn default() -> Self {
        Self {
            before: VecDeque::with_capacity(samples_in(PRE_ROLL, RATE) + FRAME * 6),
            listening: false,
            silence_left: Duration::ZERO,
        }
    }
}

impl Feed {
    /// Takes decoded samples; gives what the recogniser gets now.
    pub fn push(&mut self, samples: &[i16]) -> Option<Box<[i16]>> {
        self.silence_left = SILENCE;
        if self.listening {
            return (!samples.is_empty()).then(|| samples.into());
        }
        self.before.extend(samples);
        let over = self.before.len().saturating_sub(samples_in(PRE_ROLL, RATE));
        self.before.drain(..over);
        None
    }

    /// Somebody speaks: what was kept of before comes first.
    pub fn begin(&mut self) -> Option<Box<[i16]>> {
        if std::mem::replace(&mut self.listening, true) || self.before.is_empty() {
            return None;
        }
        Some(self.before.drain(..).collect())
    }

    /// They are silent, and the recogniser is another's meanwhile: of what comes, the newest half second is kept until
    /// [`Self::begin`].
    pub fn rest(&mut self) {
        self.listening = false;
    }

    /// A turn is over: from now on nothing is heard until [`Self::begin`].
    pub fn end(&mut self) {
        self.listening = false;
        self.before.clear();
        self.silence_left = Duration::ZERO;
    }

    /// Nothing comes in: 20 ms of silence, as long as they may help.
    pub fn silence(&mut self) -> Option<Box<[i16]>> {
        if !self.listening || self.silence_left.is_zero() {
            return None;
        }
        self.silence_left = self.silence_left.saturating_sub(FRAME_TIME);
        Some(Box::new([0; FRAME]))
    }

    /// Whether [`Self::silence`] has something to give.
    pub fn wants_silence(&self) -> bool {
        self.listening && !self.silence_left.is_zero()
    }
}

#[cfg(test)]
mod feed_tests {
    use super::*;

    #[test]
    fn the_half_second_before_comes_first_and_once() {
        let mut feed = Feed::default();
        for at in 0..40 {
            assert_eq!(feed.push(&[at; FRAME]), None);
        }
        let before = feed.begin().unwrap();
        assert_eq!((before.len(), before[0], before[before.len() - 1]), (8_000, 15, 39));
        assert_eq!(feed.begin(), None);
        assert_eq!(feed.push(&[40; FRAME]).as_deref(), Some(&[40; FRAME][..]));
        feed.rest();
        assert_eq!(feed.push(&[41; FRAME]), None);
        feed.rest();
        assert_eq!(feed.begin().as_deref(), Some(&[41; FRAME][..]));
        feed.end();
        assert_eq!(feed.begin(), None, "nothing of an earlier turn is kept");
    }

    #[test]
    fn silence_is_made_up_for_little_more_than_a_second() {
        let mut feed = Feed::default();
        assert_eq!(feed.silence(), None, "nobody listens");
        feed.begin();
        feed.push(&[1; FRAME]);
        let mut frames = 0;
        while let Some(silence) = feed.silence() {
            assert_eq!(silence.len(), FRAME);
            frames += 1;
        }
        assert_eq!(frames, 60);
        feed.push(&[1; FRAME]);
        assert!(feed.wants_silence(), "once more after each end");
    }
}
