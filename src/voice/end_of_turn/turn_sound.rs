//! One speaker's turn as an end-of-turn model gets it.
//!
//! Owns the last seconds of what they say and the question that is on its way. Start reading at [`TurnSound::pauses`].

use std::collections::VecDeque;

use tokio::task::JoinHandle;

use super::{EndOfTurn, HEARS};

/// What somebody says, as sound, and what the model makes of each pause in it.
#[derive(Debug)]
pub struct TurnSound {
    model: EndOfTurn,
    sound: VecDeque<i16>,
    asked: Option<JoinHandle<Option<bool>>>,
}

impl TurnSound {
    /// Of somebody who has said nothing so far.
    #[must_use]
    pub fn new(model: EndOfTurn) -> Self {
        Self { model, sound: VecDeque::new(), asked: None }
    }

    /// They say something; the last eight seconds of it are kept, and nothing where there is no model.
    pub fn hear(&mut self, samples: &[i16]) {
        if self.model.is_ready() {
            self.sound.extend(samples);
            self.sound.drain(..self.sound.len().saturating_sub(HEARS));
        }
    }

    /// They pause: the model is asked, and its answer comes by [`Self::judged`].
    pub fn pauses(&mut self) {
        if !self.sound.is_empty() {
            self.asked = self.model.ask(&self.sound);
        }
    }

    /// They go on: what the model thinks of the pause is no matter any more.
    pub fn goes_on(&mut self) {
        self.asked = None;
    }

    /// Their turn is over: nothing of it is kept.
    pub fn ends(&mut self) {
        self.asked = None;
        self.sound.clear();
    }

    /// Whether they sound finished, once the model has said so; never where it was not asked or fails. Can be dropped and
    /// asked again.
    pub async fn judged(&mut self) -> bool {
        if let Some(asked) = &mut self.asked {
            let answer = asked.await;
            self.asked = None;
            if let Ok(Some(is_finished)) = answer {
                return is_finished;
            }
        }
        std::future::pending().await
    }
}
