//! Is this speech? One answer for every 16 ms.
//!
//! Owns the detector's frames, the floor of noise below which nothing counts, and the vote that keeps single frames from
//! deciding; when a speaker's client stops sending, and the guess whether somebody pushes a button to talk. Must not know
//! packets or turns. Start reading at [`VoiceDetector::push`], then [`Gate`].

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use earshot::Detector;
use tokio::time::Instant;

/// Samples of one answer: 16 ms at 16 kHz, what the net wants.
pub(super) const STEP: usize = 256;

/// From this score on a frame may be speech.
const LIKELY: f32 = 0.5;

/// Speech is louder than the noise by this, in decibels (voice 2.2: false starts in white noise without it).
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

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameActivity {
    /// Somebody speaks, by the vote of the last frames.
    pub voiced: bool,
    pub likely: bool,
    /// How loud it is, in decibels of full scale.
    pub level: f32,
}

impl VoiceDetector {
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
    pub fn push(&mut self, samples: &[i16], mut each: impl FnMut(FrameActivity, usize)) {
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

    fn step(&mut self) -> FrameActivity {
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
        FrameActivity { voiced: self.voiced, likely, level: self.level }
    }
}

/// How loud samples are, in decibels of full scale; silence is -100.
pub fn decibels(samples: &[i16]) -> f32 {
    let sum: f32 = samples.iter().map(|s| f32::from(*s) * f32::from(*s)).sum();
    let mean = sum / (samples.len().max(1) as f32) / (32_768.0 * 32_768.0);
    if mean <= 1e-10 { -100.0 } else { 10.0 * mean.log10() }
}

/// So long without a packet means that the client has stopped (voice 2.1).
pub(super) const CLOSED_AFTER: Duration = Duration::from_millis(60);

/// A client that stops says so with five frames of silence; three are believed.
const SILENCES: u32 = 3;

/// Sound that is this little quieter than the loudest speech still belongs to it, in decibels. A room is further away.
const AT_SPEECH: f32 = 15.0;

/// So much quieter than the loudest speech the detector is believed as well: syllables fade. Decibels.
const FADING: f32 = 30.0;

/// How fast the loudest speech is forgotten, in decibels for each answer of the detector that was speech: 1.2 a second.
const FORGOTTEN: f32 = 0.02;

/// How many answers of the detector before the end are looked at: about 100 ms.
const TAIL: u32 = 6;

/// The edges of what one client sends.
#[derive(Debug, Default)]
pub(super) struct Gate {
    newest: Option<Instant>,
    open: bool,
    silences: u32,
    /// How loud they speak, decibels of full scale; none before they did.
    speech: Option<f32>,
    /// How many answers of the detector ago they were as loud; none while they were not in this transmission.
    since_loud: Option<u32>,
    endings: Endings,
}

impl Gate {
    /// A packet came. Gives whether it opened the gate, and whether it closed it.
    pub(super) fn packet(&mut self, is_silence: bool, now: Instant) -> Option<Edge> {
        self.newest = Some(now);
        if is_silence {
            self.silences += 1;
            return (self.open && self.silences >= SILENCES).then(|| self.close());
        }
        self.silences = 0;
        (!std::mem::replace(&mut self.open, true)).then_some(Edge::Opened)
    }

    /// When nothing more came means that it is closed.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.newest.filter(|_| self.open).map(|newest| newest + CLOSED_AFTER)
    }

    /// Closes it when its time has come.
    pub(super) fn expire(&mut self, now: Instant) -> Option<Edge> {
        self.deadline().is_some_and(|deadline| deadline <= now).then(|| self.close())
    }

    /// What the detector said about what was sent.
    pub(super) fn heard(&mut self, heard: FrameActivity) {
        if heard.likely {
            let remembered = self.speech.map_or(heard.level, |speech| speech - FORGOTTEN);
            self.speech = Some(remembered.max(heard.level));
        }
        let Some(speech) = self.speech else { return };
        let near = if heard.likely { FADING } else { AT_SPEECH };
        if heard.level >= speech - near {
            self.since_loud = Some(0);
        } else if let Some(since) = &mut self.since_loud {
            *since = since.saturating_add(1);
        }
    }

    /// Whether something is being sent.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Whether they seem to push a button to talk.
    pub(super) fn pushes_to_talk(&self) -> bool {
        self.endings.are_cut_off()
    }

    fn close(&mut self) -> Edge {
        self.open = false;
        // What held nothing of their voice, a door or a key, says nothing about how they send it.
        if let Some(since) = self.since_loud.take() {
            self.endings.add(since < TAIL);
        }
        Edge::Closed
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// They began to send.
    Opened,
    Closed,
}

/// How the last transmissions ended: in the middle of sound, or after some quiet, as a client does that listens for
/// itself (it goes on for 200 to 400 ms).
#[derive(Debug, Default)]
struct Endings {
    /// One bit each, the newest last.
    cut_off: u8,
    seen: u32,
}

impl Endings {
    const LOOKED_AT: u32 = 5;
    const NEEDED: u32 = 4;

    fn add(&mut self, cut_off: bool) {
        self.cut_off = (self.cut_off << 1) | u8::from(cut_off);
        self.seen = (self.seen + 1).min(Self::LOOKED_AT);
    }

    fn are_cut_off(&self) -> bool {
        let newest = self.cut_off & ((1 << Self::LOOKED_AT) - 1);
        self.seen == Self::LOOKED_AT && newest.count_ones() >= Self::NEEDED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receive::tests::sounds;

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

#[cfg(test)]
mod gate_tests {
    use super::*;

    const LOUD: FrameActivity = FrameActivity { voiced: true, likely: true, level: -20.0 };
    const QUIET: FrameActivity = FrameActivity { voiced: false, likely: false, level: -62.0 };
    const ROOM: FrameActivity = FrameActivity { voiced: false, likely: false, level: -42.0 };
    const NOTHING: FrameActivity = FrameActivity { voiced: false, likely: false, level: -100.0 };

    #[test]
    fn it_closes_after_sixty_milliseconds_or_three_frames_of_silence() {
        let now = Instant::now();
        let mut gate = Gate::default();
        assert_eq!(gate.packet(false, now), Some(Edge::Opened));
        assert_eq!(gate.packet(false, now + Duration::from_millis(20)), None);
        assert_eq!(gate.expire(now + Duration::from_millis(79)), None);
        assert_eq!(gate.expire(now + Duration::from_millis(80)), Some(Edge::Closed));
        assert_eq!(gate.expire(now + Duration::from_millis(90)), None);
        assert_eq!(gate.packet(false, now + Duration::from_millis(100)), Some(Edge::Opened));
        let edges: Vec<_> = (0..5).map(|_| gate.packet(true, now + Duration::from_millis(120))).collect();
        assert_eq!(edges, [None, None, Some(Edge::Closed), None, None]);
    }

    fn transmissions(tail: &[FrameActivity], times: usize) -> Gate {
        let now = Instant::now();
        let mut gate = Gate::default();
        for _ in 0..times {
            gate.packet(false, now);
            gate.heard(LOUD);
            tail.iter().for_each(|heard| gate.heard(*heard));
            for _ in 0..3 {
                gate.packet(true, now);
            }
        }
        gate
    }

    #[test]
    fn who_is_always_cut_off_in_the_middle_pushes_a_button() {
        assert!(transmissions(&[LOUD, QUIET], 5).pushes_to_talk());
        assert!(!transmissions(&[LOUD, QUIET], 4).pushes_to_talk(), "not after a few times");
        assert!(!transmissions(&[QUIET; 12], 9).pushes_to_talk());
    }

    #[test]
    fn a_room_behind_the_words_is_not_their_voice() {
        assert!(!transmissions(&[ROOM; 12], 9).pushes_to_talk(), "louder than other rooms");
        let suppressed: Vec<FrameActivity> = [[NOTHING; 6], [ROOM; 6]].concat();
        assert!(!transmissions(&suppressed, 9).pushes_to_talk(), "behind silence that a client made");
        let now = Instant::now();
        let mut gate = transmissions(&[QUIET; 12], 5);
        for _ in 0..5 {
            gate.packet(false, now);
            gate.heard(ROOM);
            for _ in 0..3 {
                gate.packet(true, now);
            }
        }
        assert!(!gate.pushes_to_talk(), "a door is no word");
    }
}
