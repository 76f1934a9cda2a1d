//! What it says in words that it has already.

use std::sync::Arc;

use super::Conversation;
use crate::domain::TurnId;
use crate::session::greeting::{self, Own};
use crate::session::newcomers::SOMEBODY_IS_NEW;
use crate::session::own_messages::A_RITUAL;
use crate::session::parts::GreetError;

impl Conversation {
    /// `turn` is the one that says it, where it has a number already.
    pub(super) async fn say_own(&mut self, turn: Option<TurnId>, own: Own) -> Result<(), GreetError> {
        if matches!(own.why, SOMEBODY_IS_NEW | A_RITUAL) && !self.may_speak_unasked() {
            return Err(GreetError::Undelivered("this is no moment for it".to_owned()));
        }
        let turn = turn.unwrap_or_else(|| self.parts.traces.next_turn());
        // Beside a call it is written: whoever waits for it may not be listening.
        let outbox = match own.awaited {
            Some(_) => Arc::clone(&self.ways.usual),
            None => self.ways.to(&self.place),
        };
        let whom = own.awaited.as_ref().and_then(|awaited| awaited.whom.clone());
        let said = greeting::say(&self.parts, outbox.as_ref(), &self.place, turn, own).await;
        if let Some(whom) = whom.filter(|_| said.is_ok()) {
            // What they say next may be said to it.
            let now = self.parts.clock.now();
            self.spoken_to.put(whom, now, now);
        }
        said
    }
}
