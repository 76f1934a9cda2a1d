//! What of a speaker's sound the recogniser gets.
//!
//! Owns the half second before somebody was found to speak, so that no first syllable is lost, and the silence after
//! they stopped, which Discord never sends and recognisers wait for (specs voice 0.1, 2.1). Start reading at [`Feed`].

use std::collections::VecDeque;
use std::time::Duration;

use crate::voice::frame::{FRAME, FRAME_TIME, RATE, samples_in};

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

    /// Whether the recogniser is fed.
    pub fn is_listening(&self) -> bool {
        self.listening
    }
}

#[cfg(test)]
mod tests {
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
