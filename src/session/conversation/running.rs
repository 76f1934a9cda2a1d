//! The turn that a conversation runs: what it answers, and how it ends before its time.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Conversation;
use super::wishes::Repaired;
use crate::domain::{AccountId, CancelReason, Modality, StoredId, TurnId};
use crate::session::forget_barrier::ForgetBarrier;
use crate::session::in_place::InPlace;
use crate::session::outbox::Outbox;
use crate::session::reply::Stop;
use crate::session::turn::TurnEnd;
use crate::session::waiting::{Call, Unanswered};

/// A turn under way.
pub(super) struct Running {
    pub task: JoinHandle<TurnEnd>,
    pub began: Instant,
    pub stop: Stop,
    pub answers: Vec<Unanswered>,
    pub author: Option<AccountId>,
    pub turn: TurnId,
    pub call: Call,
    pub modality: Modality,
    pub outbox: Arc<dyn Outbox>,
    /// What the turn was told that was left unsaid before it.
    pub unsaid: Option<String>,
    /// What is forgotten while it runs.
    pub forget_barrier: ForgetBarrier,
    /// The reply whose place it takes, and who waits for that.
    pub repairs: Option<Repairs>,
}

impl Running {
    /// Whether anybody has seen or heard something of it.
    pub(super) fn has_spoken(&self) -> bool {
        self.stop.has_spoken() && self.outbox.has_arrived(self.turn)
    }

    /// What it answers is not there any more as it was.
    pub(super) fn begins_anew_or_ends(&self, still_asked: bool) {
        self.stop.stop(match (still_asked, self.may_begin_anew()) {
            (false, _) => CancelReason::Withdrawn,
            (true, true) => CancelReason::Superseded,
            (true, false) => CancelReason::Interrupted,
        });
    }

    /// Whether it could begin anew and nothing would be said or done twice.
    pub(super) fn may_begin_anew(&self) -> bool {
        !self.has_spoken() && !self.stop.has_acted()
    }

    /// Whoever it speaks to wants no more of it.
    pub(super) fn stop_by_hand(&self) {
        self.stop.stop(match self.modality {
            Modality::Voice => CancelReason::Interrupted,
            Modality::Text => CancelReason::StoppedByHand,
        });
    }
}

impl Conversation {
    /// Whom it is about to answer and has said nothing to yet.
    pub(super) fn is_answering(&self) -> Option<&AccountId> {
        let is_begun = |running: &&Running| {
            running.repairs.is_none() && !running.has_spoken() && matches!(running.call, Call::Addressed(_))
        };
        let begun = self.running.as_ref().filter(is_begun).and_then(|running| running.author.as_ref());
        begun.or_else(|| self.waiting.asker())
    }
}

/// A turn whose answer takes the place of a reply.
pub(super) struct Repairs {
    pub in_place: Arc<InPlace>,
    /// What that reply answered.
    pub asked: StoredId,
    /// What it said.
    pub before: String,
    /// Who waits for it.
    pub answer: oneshot::Sender<Repaired>,
}
