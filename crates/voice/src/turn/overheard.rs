//! What was overheard lately, and how often the familiar joined in with it.

use super::Moment;

#[derive(Debug, Default)]
pub(super) struct Overheard {
    /// Since it last spoke or was spoken to.
    pub messages: u32,
    /// When somebody last made a sound or typed.
    pub last_sound: Moment,
    pub last_joined: Option<Moment>,
    /// How often it joined in since somebody last spoke to it.
    pub joined: u32,
    /// How often it considered that, heard or not.
    pub considered: u32,
    /// It has listened long enough at so many.
    pub enough: Option<u32>,
    /// It was decided already whether to join in this time.
    pub decided: bool,
}

impl Overheard {
    pub(super) fn heard(&mut self, is_for_familiar: bool, now: Moment) {
        self.last_sound = now;
        self.decided = false;
        if is_for_familiar {
            (self.joined, self.considered) = (0, 0);
            self.spoke();
        } else {
            self.messages += 1;
        }
    }

    /// It said something: what was overheard before is over.
    pub(super) fn spoke(&mut self) {
        (self.messages, self.enough) = (0, None);
    }

    /// It had nothing to say after all. What it listened to still counts.
    pub(super) fn declined(&mut self) {
        self.joined = self.joined.saturating_sub(1);
    }
}
