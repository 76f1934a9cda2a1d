//! People who speak in a call, with voices that can be told apart.

use std::time::Duration;

use tokio::time::Instant;

use super::ears::{Ears, MARKS};
use crate::support::discord::{Channel, Person};
use crate::support::voice::{Line, Sound, Spoken, VoiceServer};

/// How loud the tone is that a voice carries.
const MARK_LEVEL: f32 = 0.012;

/// How long a client goes on sending after the last sound.
const HANGOVER_MS: u32 = 200;

/// Somebody who speaks.
#[derive(Clone)]
pub struct Talker {
    pub person: Person,
    pub line: Line,
    mark: usize,
    seed: u64,
}

/// Something that was said.
#[derive(Debug, Clone)]
pub struct Said {
    /// When the first frame and the last frame with a voice in it were sent.
    pub began: Instant,
    pub ended: Instant,
    pub sent: Spoken,
}

impl Talker {
    /// `mark` is the number of the tone in their voice.
    pub fn new(person: Person, name: &str, mark: usize) -> Self {
        person.is_called(name);
        Self { person, line: Line::default(), mark, seed: 11 + mark as u64 }
    }

    /// The sound of a text, and for how long it is voiced.
    pub fn sound(&self, text: &str) -> (Sound, Duration) {
        let mut sound = Sound::speech(text, "en-gb", self.seed).marked(MARKS[self.mark], MARK_LEVEL);
        let lasts = sound.ms();
        sound = sound.followed_by_quiet(HANGOVER_MS);
        (sound, Duration::from_millis(lasts.into()))
    }

    pub(super) async fn says(&self, voice: &VoiceServer, call: &Channel, ears: &Ears, text: &str) -> Said {
        let (sound, lasts) = self.sound(text);
        ears.will_hear(self.mark, text, lasts);
        let sent = voice.speaks(&self.person, call, &sound, &self.line).await;
        let last = usize::try_from(lasts.as_millis()).unwrap().div_ceil(20) - 1;
        Said { began: sent.sent[0], ended: sent.sent[last], sent }
    }
}
