//! The turn that a conversation runs: what it answers, and how it begins and ends before its time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Conversation;
use super::requests::Repaired;
use crate::domain::{AccountId, CancelReason, InboundMessage, MessageId, Modality, StoredId, TurnId};
use crate::session::forget_barrier::ForgetBarrier;
use crate::session::growing::grows;
use crate::session::in_place::InPlace;
use crate::session::outbox::{Outbox, Speculated};
use crate::session::speculation::{Early, Speculation};
use crate::session::stop::Stop;
use crate::session::turn::{TurnEnd, TurnJob, run_turn};
use crate::session::unsaid::Unsaid;
use crate::session::waiting::{Call, Unanswered};

/// A turn that has said nothing yet is started anew when more is said or what it answers is edited, but not forever:
/// people who keep typing still get an answer.
const SUPERSEDE_MAX: u32 = 2;

/// Two beginnings of one answer are at least so far apart: what comes in a burst is answered together.
const RESTART_FLOOR: Duration = Duration::from_secs(1);

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
    pub unsaid: Option<Unsaid>,
    /// What is forgotten while it runs.
    pub forget_barrier: ForgetBarrier,
    /// Messages that were taken back while it runs: of its reply, which is stored when it is over, perhaps.
    pub gone: Vec<MessageId>,
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
    /// Has a turn run that answers these.
    pub(super) fn runs(
        &mut self,
        job: TurnJob,
        outbox: Arc<dyn Outbox>,
        answers: Vec<Unanswered>,
        repairs: Option<Repairs>,
    ) {
        let stop = Stop::new(self.cut.child_token());
        self.running = Some(Running {
            began: Instant::now(),
            stop: stop.clone(),
            answers,
            author: job.asking.author.as_ref().map(|author| author.account.clone()),
            turn: job.turn,
            call: job.call,
            modality: job.question.modality,
            outbox: Arc::clone(&outbox),
            unsaid: job.unsaid.clone(),
            forget_barrier: job.forget_barrier.clone(),
            gone: Vec::new(),
            repairs,
            task: tokio::spawn(run_turn(Arc::clone(&self.parts), outbox, job, stop)),
        });
    }

    /// Whom it is about to answer and has said nothing to yet.
    pub(super) fn is_answering(&self) -> Option<&AccountId> {
        let is_begun = |running: &&Running| {
            running.repairs.is_none() && !running.has_spoken() && running.call.is_answer()
        };
        let begun = self.running.as_ref().filter(is_begun).and_then(|running| running.author.as_ref());
        begun.or_else(|| self.waiting.asker())
    }

    /// More was said: a turn that has said nothing yet starts anew with all of it, one that is typing breaks off where it is
    /// whoever it answers who goes on. What is being typed for somebody else is theirs, and the newcomer is next.
    pub(super) fn interrupt_running(&mut self, by: &AccountId) {
        let Some(running) = self.running.as_ref().filter(|running| running.repairs.is_none()) else { return };
        if running.has_spoken() {
            // In a call others decide, by what can be heard.
            let is_written = running.modality == Modality::Text;
            let asked = running.answers.iter().filter(|one| one.is_expected());
            let mut askers = asked.filter_map(|one| one.turn.author.as_ref());
            // What it says unasked is nobody's.
            let is_theirs = !running.call.is_answer() || askers.any(|asker| asker.account == *by);
            let is_typed = || {
                let grows = grows(running.outbox.as_ref(), &self.parts.config.current());
                !grows && self.parts.config.channel_in(&self.place).figures.typing.enabled
            };
            if is_written && is_theirs && is_typed() {
                running.stop.stop(CancelReason::Interrupted);
            }
        } else if running.may_begin_anew() {
            self.start_anew();
        }
    }

    pub(super) fn start_anew(&mut self) {
        let may = self.superseded < SUPERSEDE_MAX;
        // One that is ending already begins anew once: the words that come meanwhile are its next beginning's too.
        let may_end = |running: &&Running| {
            may && running.stop.reason().is_none() && running.repairs.is_none() && self.has_room_for(running)
        };
        if let Some(running) = self.running.as_ref().filter(may_end) {
            self.superseded += 1;
            // In a call others hear when somebody has finished, and every moment is heard.
            let floor = (running.modality == Modality::Text).then(|| running.began + RESTART_FLOOR);
            self.restarts_at = floor;
            running.stop.stop(CancelReason::Superseded);
        }
    }

    /// Whether it could begin anew: what could not is answered as it was asked.
    fn has_room_for(&self, running: &Running) -> bool {
        let author = running.author.as_ref().filter(|_| !running.call.joins_in());
        self.gate.has_room(&self.parts.config.current(), &self.place, author)
    }

    /// An answer is begun only where it would be given at once: nothing else is being answered, and the policy would let
    /// it speak.
    pub(super) async fn speculate(&mut self, speculation: u64, message: &InboundMessage) {
        let outbox = self.ways.to(&message.place);
        let refuse = || outbox.speculate(speculation, Speculated::NoMore { is_whole: false });
        if self.running.is_some() || self.waiting.is_called() || self.waits_until.is_some() {
            return refuse();
        }
        let recent = self.recent().await;
        let may =
            self.gate.has_room(&self.parts.config.current(), &self.place, Some(&message.author.account));
        let decision = self.decide(message, self.quiet_asked(message).as_ref(), &recent);
        if !may || !decision.is_awaited() {
            return refuse();
        }
        let (waiting, unsaid) = (&self.waiting, self.unsaid.clone());
        let early = Early { number: speculation, message, recent: &recent, waiting, unsaid, outbox };
        self.speculation = Some(Speculation::begin(&self.parts, &self.early, early));
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
