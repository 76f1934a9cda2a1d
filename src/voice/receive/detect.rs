//! Is this speech? One answer for every 16 ms.
//!
//! Owns the detector's frames, the floor of noise below which nothing counts, and the vote that keeps single frames from
//! deciding. Must not know packets or turns. Start reading at [`VoiceDetector::push`].

use std::collections::VecDeque;
use std::fmt;

use earshot::Detector;

/// Samples of one answer: 16 ms at 16 kHz, what the net wants.
pub const STEP: usize = 256;

/// From this score on a frame may be speech.
const LIKELY: f32 = 0.5;

/// Speech is louder than the noise by this, in decibels (specs voice 2.2: false starts in white noise without it).
const ABOVE_FLOOR: f32 = 6.0;

/// Nothing quieter is speech, in decibels of full scale.
const QUIETEST: f32 = -58.0;

/// No microphone's room is quieter, in decibels of full scale: what is comes from a client that suppresses noise, or from
/// frames of silence, and says nothing of the room.
const NO_ROOM: f32 = -75.0;

/// How many of the last [`VOTERS`] frames must agree.
const VOTES: usize = 3;
const VOTERS: usize = 4;

/// How fast the floor follows noise that gets louder, decibels a frame: about 19 a second where it surely is noise, 3
/// where it may be speech after all.
const RISE: f32 = 0.3;
const SLOW_RISE: f32 = 0.05;

/// Below this score it surely is noise.
const UNLIKELY: f32 = 0.2;

/// Gives how likely a frame of 256 samples is speech, 0 to 1.
pub trait Likelihood: Send + Sync {
    /// Judges the next frame.
    fn judge(&mut self, frame: &[i16]) -> f32;

    /// What comes next has nothing to do with what came before.
    fn reset(&mut self);
}

impl Likelihood for Box<Detector> {
    fn judge(&mut self, frame: &[i16]) -> f32 {
        self.predict_i16(frame)
    }

    fn reset(&mut self) {
        Detector::reset(self);
    }
}

/// Finds speech in a stream of samples.
pub struct VoiceDetector {
    judge: Box<dyn Likelihood>,
    pending: VecDeque<i16>,
    frame: [i16; STEP],
    floor: f32,
    level: f32,
    votes: [bool; VOTERS],
    at: usize,
    voiced: bool,
}

impl fmt::Debug for VoiceDetector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VoiceDetector")
            .field("floor", &self.floor)
            .field("voiced", &self.voiced)
            .finish_non_exhaustive()
    }
}

impl Default for VoiceDetector {
    fn default() -> Self {
        Self::with(Box::new(Box::<Detector>::default()))
    }
}

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heard {
    /// Somebody speaks, by the vote of the last frames.
    pub voiced: bool,
    /// This frame alone.
    pub likely: bool,
    /// How loud it is, in decibels of full scale.
    pub level: f32,
}

impl VoiceDetector {
    /// With another judge.
    #[must_use]
    pub fn with(judge: Box<dyn Likelihood>) -> Self {
        Self {
            judge,
            pending: VecDeque::with_capacity(2 * STEP),
            frame: [0; STEP],
            floor: -70.0,
            level: -100.0,
            votes: [false; VOTERS],
            at: 0,
            voiced: false,
        }
    }

    /// Takes samples; tells `each` about every frame that became whole, and how many samples came behind it.
    pub fn push(&mut self, samples: &[i16], mut each: impl FnMut(Heard, usize)) {
        for (at, sample) in samples.iter().enumerate() {
            self.pending.push_back(*sample);
            if self.pending.len() == STEP {
                for (slot, sample) in self.frame.iter_mut().zip(self.pending.drain(..)) {
                    *slot = sample;
                }
                each(self.step(), samples.len() - at - 1);
            }
        }
    }

    /// Whether somebody speaks.
    #[must_use]
    pub fn is_voiced(&self) -> bool {
        self.voiced
    }

    /// A pause: what comes next begins anew, over the same noise.
    pub fn pause(&mut self) {
        self.judge.reset();
        self.pending.clear();
        self.votes = [false; VOTERS];
        self.voiced = false;
    }

    fn step(&mut self) -> Heard {
        self.level = decibels(&self.frame);
        let score = self.judge.judge(&self.frame);
        let above_floor = self.level - self.floor;
        let likely = score >= LIKELY && above_floor >= ABOVE_FLOOR && self.level >= QUIETEST;
        if self.level < NO_ROOM {
            // The floor is held: it would lie so low afterwards that any room seems loud.
        } else if self.level < self.floor {
            self.floor = self.floor * 0.7 + self.level * 0.3;
        } else if score < LIKELY {
            let rise = if score < UNLIKELY { RISE } else { SLOW_RISE };
            self.floor += rise.min(above_floor);
        }
        if let Some(vote) = self.votes.get_mut(self.at) {
            *vote = likely;
        }
        self.at = (self.at + 1) % VOTERS;
        let votes = self.votes.iter().filter(|vote| **vote).count();
        // It takes three of four to begin, and as many against to end.
        self.voiced = if self.voiced { votes > VOTERS - VOTES } else { votes >= VOTES };
        Heard { voiced: self.voiced, likely, level: self.level }
    }
}

/// How loud samples are, in decibels of full scale; silence is -100.
#[must_use]
pub fn decibels(samples: &[i16]) -> f32 {
    let sum: f32 = samples.iter().map(|s| f32::from(*s) * f32::from(*s)).sum();
    let mean = sum / (samples.len().max(1) as f32) / (32_768.0 * 32_768.0);
    if mean <= 1e-10 { -100.0 } else { 10.0 * mean.log10() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::receive::sounds;

    fn voiced(samples: &[i16]) -> Vec<bool> {
        let mut detector = VoiceDetector::default();
        let mut heard = Vec::new();
        detector.push(samples, |one, _| heard.push(one.voiced));
        heard
    }

    #[test]
    fn speech_is_found_soon_and_its_end_too() {
        let mut sound = sounds::quiet(8_000);
        sound.extend(sounds::speech(16_000));
        sound.extend(sounds::quiet(8_000));
        let heard = voiced(&sound);
        let first = heard.iter().position(|v| *v).unwrap() * STEP;
        assert!((8_000..8_000 + 3_200).contains(&first), "began at {first}");
        let last = heard.iter().rposition(|v| *v).unwrap() * STEP;
        assert!((20_000..24_000 + 3_200).contains(&last), "ended at {last}");
    }

    #[test]
    fn noise_and_silence_are_no_speech() {
        assert!(!voiced(&vec![0; 32_000]).contains(&true));
        let noise = voiced(&sounds::noise(48_000, 600.0));
        let wrong = noise.iter().filter(|v| **v).count();
        assert!(wrong * 30 < noise.len(), "{wrong} of {}", noise.len());
    }

    #[test]
    fn silence_that_no_room_makes_leaves_the_noise_where_it_was() {
        let mut detector = VoiceDetector::default();
        detector.push(&sounds::noise(32_000, 300.0), |_, _| ());
        let floor = detector.floor;
        detector.push(&vec![0; 16_000], |_, _| ());
        assert!((detector.floor - floor).abs() < 0.5, "{floor} became {}", detector.floor);
    }

    #[test]
    fn one_frame_alone_decides_nothing() {
        struct Says(VecDeque<f32>);
        impl Likelihood for Says {
            fn judge(&mut self, _: &[i16]) -> f32 {
                self.0.pop_front().unwrap_or(0.0)
            }
            fn reset(&mut self) {}
        }
        let scores = [0.9, 0.0, 0.0, 0.0, 0.9, 0.9, 0.0, 0.9, 0.9, 0.0, 0.0, 0.0];
        let mut detector = VoiceDetector::with(Box::new(Says(scores.into())));
        let mut heard = Vec::new();
        detector.push(&vec![3_000; STEP * scores.len()], |one, _| heard.push(u8::from(one.voiced)));
        assert_eq!(heard, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0]);
    }
}
