//! Joining in when it is quiet.
//!
//! Owns when an answer to what was only overheard is welcome: rarely, and never twice without somebody else's turn in
//! between (specs voice 2.5). Start reading at [`Lull`].

use std::time::Duration;

use super::machine::TurnMachine;
use super::{Effect, Moment};

/// At most once in this time.
const EVERY: Duration = Duration::from_secs(120);

/// What was overheard lately.
#[derive(Debug, Default)]
pub(super) struct Lull {
    /// Since it last spoke.
    pub overheard: u32,
    /// When somebody last made a sound or typed.
    pub last_sound: Moment,
    last_joined: Option<Moment>,
    /// How often it joined in since somebody last spoke to it.
    joined: u32,
    /// It was decided already whether to join in this time.
    decided: bool,
}

impl Lull {
    pub fn heard(&mut self, is_for_familiar: bool, now: Moment) {
        self.last_sound = now;
        self.decided = false;
        if is_for_familiar {
            self.joined = 0;
            self.overheard = 0;
        } else {
            self.overheard += 1;
        }
    }
}

impl TurnMachine {
    pub(super) fn review_lull(&mut self) {
        let is_busy = self.reply.is_some() || !self.held.is_empty() || self.talking().next().is_some();
        if is_busy || self.lull.overheard == 0 || self.lull.decided {
            return;
        }
        let soonest = self.lull.last_joined.map_or(Moment::ZERO, |last| last + EVERY);
        if !self.due((self.lull.last_sound + self.settings.lull).max(soonest)) {
            return;
        }
        // Each time that nobody took up what it said, half as likely.
        let chance = 0.5_f64.powi(self.lull.joined.min(8).cast_signed());
        self.lull.decided = true;
        if self.dice.roll() < chance {
            self.lull.last_joined = Some(self.now);
            self.lull.joined += 1;
            self.lull.overheard = 0;
            self.effects.push(Effect::JoinIn);
        }
    }
}
