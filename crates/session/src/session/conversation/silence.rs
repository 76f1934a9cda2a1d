//! What is left on record, and said, where no answer comes.

use super::Conversation;
use crate::domain::{
    AccountId, InboundMessage, Modality, Outcome, SilenceReason, StoredTurn, TurnId, TurnTrace,
};
use crate::session::gates::Full;
use crate::session::outbox::{Delivery, Notice};
use crate::session::replay;
use crate::session::waiting::{Call, Unanswered};

impl Conversation {
    /// Silence leaves a trace too: "it never goes silent without a reason that can be seen".
    pub(super) async fn stayed_silent(
        &self,
        turn: TurnId,
        modality: Modality,
        about: Option<&StoredTurn>,
        reason: SilenceReason,
    ) {
        let author = about.and_then(|turn| turn.author.as_ref()).map(|author| author.account.to_string());
        let trace = TurnTrace {
            modality,
            pending: about.map(|turn| turn.id).into_iter().collect(),
            authors: author.into_iter().collect(),
            ..replay::without_model(&self.parts, &self.place, turn, "a message", Outcome::Silent { reason })
        };
        self.parts.traces.record(trace).await;
    }

    /// Too much is asked for: nothing is, and whoever waits for an answer is told so once.
    pub(super) async fn held_back(&self, asking: &Unanswered, call: Call, full: Full) {
        let turn = self.parts.traces.next_turn();
        self.stayed_silent(turn, asking.modality, Some(&asking.turn), SilenceReason::TooMuchAtOnce).await;
        if full == Full::Known || !call.is_awaited() {
            return;
        }
        let to = Delivery::to(turn, self.place.clone());
        if let Err(error) = self.ways.to(&self.place).notice(&to, Notice::TooMuchAtOnce).await {
            tracing::warn!(%error, "who asks too much could not be told");
        }
    }

    /// Whoever expects an answer is told; people talking among themselves are not bothered with a full disk.
    pub(super) async fn not_stored(&self, message: &InboundMessage, recent: &[StoredTurn], is_damaged: bool) {
        let turn = self.parts.traces.next_turn();
        self.stayed_silent(turn, message.modality, None, SilenceReason::NotStored).await;
        if !self.decide(message, self.quiet_asked(message).as_ref(), recent).is_awaited() {
            return;
        }
        let to = Delivery::to(turn, self.place.clone());
        if let Err(error) =
            self.ways.to(&self.place).notice(&to, Notice::NotStored { turn, is_damaged }).await
        {
            tracing::error!(%error, "nor could the channel be told");
        }
    }
}

/// On whose account an answer is; joining in is on nobody's.
pub(super) fn asker(asking: &Unanswered, call: Call) -> Option<&AccountId> {
    let author = asking.turn.author.as_ref().filter(|_| !call.joins_in())?;
    Some(&author.account)
}
