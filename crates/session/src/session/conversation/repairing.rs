//! Repairing a reply where people read it: another answer, one that was given before, other words, nothing. Whoever caused the
//! reply may, and whoever manages the place; where others read along, only the latter puts words of their own in its mouth.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::Conversation;
use super::going_back::{GoBack, WANTED_ANOTHER};
use super::requests::{RepairRequest, Repaired, Wanted};
use super::running::Repairs;
use crate::config::CrossingTalks;
use crate::domain::{AccountId, MessageId, Modality, Outcome, StoredId, StoredTurn, TurnTrace, Visible};
use crate::session::forget_barrier::ForgetBarrier;
use crate::session::in_place::{InPlace, NotPut, PutInPlace, StandingReply};
use crate::session::open_gate::is_unfit;
use crate::session::opening::Question;
use crate::session::replay;
use crate::session::stream::has_gone_as_file;
use crate::session::turn::TurnJob;
use crate::session::waiting::{Call, Unanswered};

/// A reply that is to be repaired.
struct FoundReply {
    turn: StoredTurn,
    reply: StandingReply,
    /// The record of how it was given, and what it answers, oldest first.
    answers: Option<(Arc<TurnTrace>, Vec<StoredTurn>, StoredTurn)>,
    cause: Option<AccountId>,
}

impl FoundReply {
    /// What its answers are known by: the newest of what was asked; itself where nobody asked.
    fn asked(&self) -> StoredId {
        let newest = self.answers.as_ref().and_then(|(_, pending, _)| pending.last());
        newest.map_or(self.reply.id, |newest| newest.id)
    }
}

/// Who caused a reply: whoever it answers, and where their message is gone, or it goes on behind its own words, whoever was the
/// only one it spoke to.
fn cause_of(trace: &TurnTrace, asking: Option<&StoredTurn>) -> Option<AccountId> {
    match asking.and_then(|asking| asking.author.as_ref()) {
        Some(author) => Some(author.account.clone()),
        None => match &trace.authors[..] {
            [only] => only.parse().ok(),
            _ => None,
        },
    }
}

impl Conversation {
    /// Another answer comes once it is there; everything else at once.
    pub(super) async fn repair(&mut self, request: RepairRequest, answer: oneshot::Sender<Repaired>) {
        self.recall_answers().await;
        let found = self.found(&request).await;
        let refused = self.refuses_words(&request);
        if let Ok(found) = &found
            && refused.is_none()
        {
            self.counts_repair_request(&found.turn, &request.by, &request.what).await;
        }
        let repaired = match (found, refused) {
            (Err(refusal), _) => refusal,
            (Ok(found), _)
                if request.what.gives_words()
                    && has_gone_as_file(&found.turn.content, self.ways.usual.style()) =>
            {
                Repaired::Unchanged(NotPut::IsFile)
            }
            (Ok(_), Some(why)) => Repaired::Unchanged(why),
            (Ok(found), None) => match request.what {
                Wanted::GoBack(GoBack::Again) => {
                    if let Some((refusal, answer)) = self.answer_in_place(found, &request.by, answer) {
                        let _unheard = answer.send(refusal);
                    }
                    return;
                }
                Wanted::Look => self.repair_now(found, Wanted::Look, &request.by).await,
                what => {
                    let asked = found.asked();
                    let repaired = self.repair_now(found, what, &request.by).await;
                    self.keep_answers(asked).await;
                    repaired
                }
            },
        };
        let _unheard = answer.send(repaired);
    }

    /// Why somebody's own words are not put there: others would take them for the familiar's.
    fn refuses_words(&self, request: &RepairRequest) -> Option<NotPut> {
        let Wanted::Words(words) = &request.what else { return None };
        if !request.manages && !self.place.is_one_to_one() {
            return Some(NotPut::NotManaging);
        }
        is_unfit(&self.parts, &self.place, words).then_some(NotPut::Unfit)
    }

    async fn found(&self, request: &RepairRequest) -> Result<FoundReply, Repaired> {
        let here = Visible::at(&self.place);
        let encoding = self.parts.encoding();
        let seen = self.parts.history.seen_by(&here);
        let found = seen.reply_of(&self.place.channel, &request.message, encoding).await;
        let Ok(Some((turn, messages))) = found else {
            // It may be part of what is being said just now.
            return Err(if self.running.is_some() { Repaired::Busy } else { Repaired::NotKnown });
        };
        let trace = match turn.turn {
            Some(turn) => self.parts.traces.whole().get(turn).await.ok().flatten(),
            None => None,
        };
        if trace.as_ref().is_some_and(|trace| trace.modality == Modality::Voice) {
            // Its words were spoken, and what is written of them is a transcript.
            return Err(Repaired::NotKnown);
        }
        let (answers, cause) = match trace {
            Some(trace) => {
                let seen = self.parts.history.seen_by(&here);
                let pending = seen.turns(&trace.pending, encoding).await.unwrap_or_default();
                let asking = replay::asking(&trace, &pending).cloned();
                let cause = cause_of(&trace, asking.as_ref());
                (asking.map(|asking| (trace, pending, asking)), cause)
            }
            None => (None, None),
        };
        let found = FoundReply { reply: StandingReply { id: turn.id, messages }, turn, answers, cause };
        let may = request.manages || self.place.is_one_to_one() || found.cause.as_ref() == Some(&request.by);
        if may { Ok(found) } else { Err(Repaired::NotTheirs) }
    }

    async fn repair_now(&mut self, found: FoundReply, what: Wanted, by: &AccountId) -> Repaired {
        let is_of_it = |repairs: &Repairs| repairs.in_place.reply.id == found.reply.id;
        let is_replaced =
            self.running.as_ref().and_then(|running| running.repairs.as_ref()).is_some_and(is_of_it);
        // The other answer would take the place of these words as well.
        if is_replaced && matches!(what, Wanted::Words(_) | Wanted::GoBack(GoBack::Earlier | GoBack::Later)) {
            return Repaired::Busy;
        }
        let asked = found.asked();
        let alternatives = self.answers.stands(asked, &found.turn.content);
        let put = match what {
            Wanted::Look | Wanted::GoBack(GoBack::Again) => {
                let Some(message) = found.reply.messages.into_iter().next() else {
                    return Repaired::NotKnown;
                };
                return Repaired::Stands { message, text: found.turn.content, alternatives, refused: None };
            }
            Wanted::GoBack(GoBack::Undo) => return self.take_exchange_back(&found).await,
            Wanted::GoOn => return self.go_on_behind(&found.turn, by).await,
            Wanted::GoBack(how) => match self.put_beside(&found.reply, asked, how).await {
                Some(put) => put,
                None => return Repaired::NoOther,
            },
            Wanted::Words(words) => {
                // The reply itself does not show whose words they are.
                tracing::info!(channel = %self.place.channel, reply = found.reply.id.0, %by, "somebody gives a reply other words");
                self.put(&found.reply, &words).await
            }
            Wanted::Delete => self.put(&found.reply, "").await,
        };
        self.told(asked, found.reply, put)
    }

    /// A reply was put in place: in words, and as the answer that stands.
    fn told(&mut self, asked: StoredId, reply: StandingReply, put: PutInPlace) -> Repaired {
        match (put, reply.messages.into_iter().next()) {
            (PutInPlace::Stands { text, refused }, Some(message)) if !text.is_empty() => {
                let alternatives = self.answers.stands(asked, &text);
                Repaired::Stands { message, text, alternatives, refused }
            }
            (PutInPlace::Stands { .. }, _) => {
                self.answers.let_go_of(&[asked]);
                Repaired::Gone { left: 0 }
            }
            (PutInPlace::Unchanged(why), _) => Repaired::Unchanged(why),
        }
    }

    /// The reply goes, and what of the messages it answered whoever caused it had said.
    async fn take_exchange_back(&mut self, found: &FoundReply) -> Repaired {
        let asked = found.asked();
        let put = self.put(&found.reply, "").await;
        let repaired = self.told(asked, found.reply.clone(), put);
        let (Repaired::Gone { .. }, Some((_, pending, _))) = (&repaired, &found.answers) else {
            return repaired;
        };
        let theirs = |turn: &&StoredTurn| turn.author.as_ref().map(|by| &by.account) == found.cause.as_ref();
        let said: Vec<MessageId> =
            pending.iter().filter(theirs).filter_map(|turn| turn.message.clone()).collect();
        let stands = said
            .last()
            .map_or_else(|| self.place.clone(), |newest| self.place.of_message(newest).into_owned());
        let gone = self.ways.usual.take_away(&stands, &said).await;
        if !gone.is_empty() {
            let at = self.parts.clock.now();
            self.deleted_in(&stands.channel, &gone, at).await;
        }
        Repaired::Gone { left: said.len() - gone.len() }
    }

    /// Begins another answer in the place of a reply; what keeps it from that, and who is to be told.
    fn answer_in_place(
        &mut self,
        found: FoundReply,
        by: &AccountId,
        answer: oneshot::Sender<Repaired>,
    ) -> Option<(Repaired, oneshot::Sender<Repaired>)> {
        let asked = found.asked();
        let FoundReply { turn: replaced, reply, answers, .. } = found;
        let Some((trace, pending, asking)) = answers else { return Some((Repaired::NoOther, answer)) };
        if self.running.is_some() || self.waits_until.is_some() {
            return Some((Repaired::Busy, answer));
        }
        if self.gate.take(&self.parts.config.current(), &self.place, Some(by)).is_err() {
            return Some((Repaired::TooMuch, answer));
        }
        let outbox = Arc::new(InPlace::new(Arc::clone(&self.ways.usual), reply));
        let question = replay::question(&trace, &pending, &asking);
        let call = Call::Addressed(WANTED_ANOTHER);
        let answered = |turn: &StoredTurn| Unanswered {
            turn: turn.clone(),
            modality: Modality::Text,
            call: (turn.id == asking.id).then_some(call),
            is_unsure: false,
        };
        let answers = pending.iter().map(answered).collect();
        let job = TurnJob {
            turn: self.parts.traces.next_turn(),
            place: self.place.clone(),
            // Whoever asks for other words does not want done once more what was done.
            actions: None,
            unsaid: None,
            late: None,
            speculation: None,
            forget_barrier: ForgetBarrier::default(),
            apart: CrossingTalks::Mixed,
            in_place: Some((Arc::clone(&outbox), trace.opened_at)),
            question: Question { may_pass: false, ..question },
            asking,
            pending,
            call,
            speakers: self.speakers.clone(),
        };
        let repairs = Repairs { in_place: Arc::clone(&outbox), asked, before: replaced.content, answer };
        self.runs(job, outbox, answers, Some(repairs));
        None
    }

    /// The turn of another answer is over.
    pub(super) async fn repaired(&mut self, repairs: Repairs, outcome: &Outcome) {
        let Repairs { in_place, asked, before, answer } = repairs;
        let repaired = match in_place.became() {
            Some(put) => {
                if matches!(&put, PutInPlace::Stands { refused: None, .. }) {
                    self.answers.stands(asked, &before);
                    self.answers.wants_another(asked);
                }
                let told = self.told(asked, in_place.reply.clone(), put);
                self.keep_answers(asked).await;
                told
            }
            None => {
                tracing::info!(?outcome, "no other answer takes the place of the one that stands");
                Repaired::NoAnswer(in_place.notice_taken())
            }
        };
        let _unheard = answer.send(repaired);
    }
}
