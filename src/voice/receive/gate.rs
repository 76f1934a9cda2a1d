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

/// How loud above the noise the end of a transmission is when a button was let go and not a threshold passed, decibels.
const CUT_OFF: f32 = 10.0;

/// How many answers of the detector before the end are looked at: about 100 ms.
const TAIL: u32 = 6;

/// The edges of what one client sends.
#[derive(Debug, Default)]
pub struct Gate {
    newest: Option<Instant>,
    open: bool,
    silences: u32,
    since_loud: u32,
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
        let loud = heard.likely || heard.above_floor >= CUT_OFF;
        self.since_loud = if loud { 0 } else { self.since_loud.saturating_add(1) };
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
        self.endings.add(self.since_loud < TAIL);
        self.since_loud = u32::MAX;
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

    const LOUD: Heard = Heard { voiced: true, likely: true, above_floor: 30.0 };
    const QUIET: Heard = Heard { voiced: false, likely: false, above_floor: 2.0 };

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
}
