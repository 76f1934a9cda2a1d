//! What was said while nobody listened: what of it is answered.

use std::collections::BTreeSet;

use super::Conversation;
use crate::domain::{InboundMessage, Role, SilenceReason, StoredId, StoredTurn};
use crate::history::{Afterwards, NewTurn, Visible};
use crate::session::policy::Decision;
use crate::session::waiting::Call;

/// Messages passed over that are known, the newest: only they can still be on their way.
const KEPT: usize = 100;

/// Messages that were read back and left alone as said while nobody listened. Reading back can be ahead of the gateway:
/// what comes in live after all is dealt with like anything that is said now.
#[derive(Debug, Default)]
pub(super) struct PassedOver(BTreeSet<StoredId>);

impl PassedOver {
    pub(super) fn put(&mut self, turn: StoredId) {
        self.0.insert(turn);
        if self.0.len() > KEPT {
            self.0.pop_first();
        }
    }

    /// Whether it is one of them; no longer afterwards.
    pub(super) fn take(&mut self, turn: StoredId) -> bool {
        self.0.remove(&turn)
    }
}

impl Conversation {
    /// Of what was said while nobody listened only what was said to it is answered, and that not for long.
    pub(super) fn if_missed(&self, decision: Decision, message: &InboundMessage) -> Decision {
        let within = self.parts.config.current().discord.answer_missed_within;
        let age = self.parts.clock.now().duration_since(message.at).unsigned_abs();
        match decision {
            _ if !message.hints.is_missed => decision,
            Decision::Silent(_) => decision,
            Decision::Speak(Call::Addressed(_)) if age < within => decision,
            _ => Decision::Silent(SilenceReason::SaidMeanwhile),
        }
    }

    /// Whether a message that was missed may be stored. What was forgotten is not taken in again because its platform still
    /// shows it. And nobody can tell who could see the channel when it was said: it stays with the smaller circle of those
    /// who could before and those who can now.
    pub(super) async fn may_store(&self, said: &mut NewTurn) -> bool {
        let Some(message) = said.messages.first() else { return true };
        match self.parts.history.afterwards(&said.place.channel, message).await {
            Ok(Afterwards { is_forgotten, heard_before }) => {
                let circles = heard_before.into_iter().chain([said.place.audience.clone()]);
                said.place.audience = Visible::narrowest_of(circles);
                !is_forgotten
            }
            Err(error) => {
                tracing::error!(%error, channel = %said.place.channel, "a message that was missed could not be stored");
                self.parts.history.counts_stored(false);
                false
            }
        }
    }

    /// Whether a message that is stored was never dealt with: the program was killed before it answered it or decided
    /// not to.
    pub(super) async fn was_left(&self, stored: &StoredTurn, recent: &[StoredTurn]) -> bool {
        let is_at_hand = self.waiting.holds(stored.id)
            || self
                .running
                .as_ref()
                .is_some_and(|running| running.answers.iter().any(|one| one.turn.id == stored.id));
        let Some(author) = stored.author.as_ref().filter(|_| !is_at_hand) else { return false };
        // A reply is stored once all of it is delivered: it may stand behind a question that came in the meantime and not
        // answer it. Which turn answered what is in its trace; without one it counts as an answer.
        for reply in
            recent.iter().filter(|turn| turn.role == Role::Assistant && turn.ordinal > stored.ordinal)
        {
            let Some(turn) = reply.turn else { return false };
            match self.parts.traces.pending_of(turn).await {
                Ok(Some(pending)) if !pending.contains(&stored.id) => {}
                _ => return false,
            }
        }
        // Wherever it was answered: that may be in a thread of its own.
        match self.parts.traces.pending_since(&author.account, stored.at).await {
            Ok(pending) => !pending.contains(&stored.id),
            Err(error) => {
                tracing::debug!(%error, "whether a message was dealt with cannot be read");
                false
            }
        }
    }
}
