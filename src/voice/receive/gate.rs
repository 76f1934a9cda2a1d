//! When a speaker's client stops sending, and what that says about them.
//!
//! Owns the edges of transmission and the guess whether somebody pushes a button to talk. Start reading at [`Gate`].

use std::time::Duration;

use tokio::time::Instant;

use super::detect::Heard;

/// So long without a packet means that the client has stopped (specs voice 2.1).
pub const CLOSED_AFTER: Duration = Duration::from_millis(60);

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
pub struct Gate {
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
    pub fn packet(&mut self, is_silence: bool, now: Instant) -> Option<Edge> {
        self.newest = Some(now);
        if is_silence {
            self.silences += 1;
            return (self.open && self.silences >= SILENCES).then(|| self.close());
        }
        self.silences = 0;
        (!std::mem::replace(&mut self.open, true)).then_some(Edge::Opened)
    }

    /// When nothing more came means that it is closed.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.newest.filter(|_| self.open).map(|newest| newest + CLOSED_AFTER)
    }

    /// Closes it when its time has come.
    pub fn expire(&mut self, now: Instant) -> Option<Edge> {
        self.deadline().is_some_and(|deadline| deadline <= now).then(|| self.close())
    }

    /// What the detector said about what was sent.
    pub fn heard(&mut self, heard: Heard) {
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
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether they seem to push a button to talk.
    #[must_use]
    pub fn pushes_to_talk(&self) -> bool {
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

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// They began to send.
    Opened,
    /// They stopped.
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

    const LOUD: Heard = Heard { voiced: true, likely: true, level: -20.0 };
    const QUIET: Heard = Heard { voiced: false, likely: false, level: -62.0 };
    const ROOM: Heard = Heard { voiced: false, likely: false, level: -42.0 };
    const NOTHING: Heard = Heard { voiced: false, likely: false, level: -100.0 };

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

    fn transmissions(tail: &[Heard], times: usize) -> Gate {
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
        let suppressed: Vec<Heard> = [[NOTHING; 6], [ROOM; 6]].concat();
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
