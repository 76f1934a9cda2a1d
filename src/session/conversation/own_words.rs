//! What it says in words that it has already.

use std::sync::Arc;

use super::Conversation;
use crate::domain::{Modality, Place, TurnId};
use crate::session::greeting::{self, AskedModel};
use crate::session::newcomers::SOMEBODY_IS_NEW;
use crate::session::outbox::Awaited;
use crate::session::own_messages::A_RITUAL;
use crate::session::parts::GreetError;

/// Something to say without asking a model for it here.
pub(in crate::session) struct OwnWords {
    pub place: Place,
    pub words: String,
    /// Why, in the record of the turn.
    pub why: &'static str,
    pub modality: Modality,
    /// The turn that says it, where it has a number already.
    pub turn: Option<TurnId>,
    /// Who waits for it, where somebody does.
    pub awaited: Option<Awaited>,
    /// What a model was asked for these words.
    pub asked: AskedModel,
}

impl Conversation {
    pub(super) async fn say_own(&mut self, said: OwnWords) -> Result<(), GreetError> {
        let OwnWords { place, words, why, modality, turn, awaited, asked } = said;
        self.place = place;
        if matches!(why, SOMEBODY_IS_NEW | A_RITUAL) && !self.may_speak_unasked() {
            return Err(GreetError::Undelivered("this is no moment for it".to_owned()));
        }
        let turn = turn.unwrap_or_else(|| self.parts.traces.next_turn());
        // Beside a call it is written: whoever waits for it may not be listening.
        let outbox = match awaited {
            Some(_) => Arc::clone(&self.ways.usual),
            None => self.ways.to(&self.place),
        };
        let whom = awaited.as_ref().and_then(|awaited| awaited.whom.clone());
        let own = greeting::Own { text: words, why, modality, awaited, asked };
        let said = greeting::say(&self.parts, outbox.as_ref(), &self.place, turn, own).await;
        if let Some(whom) = whom.filter(|_| said.is_ok()) {
            // What they say next may be said to it.
            self.spoken_to.put(whom, self.parts.clock.now());
        }
        said
    }
}
