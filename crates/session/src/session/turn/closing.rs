//! The end of a turn: what really arrived is stored, and a trace is left.

use super::{Run, TurnEnd, TurnJob, shown_with};
use crate::clock::whole_micros;
use crate::domain::{CancelReason, Outcome, Place, QuestionRecord, SilenceReason, TurnTrace};
use crate::history::{Appended, Thoughts};
use crate::session::outbox::{DeliveryStyle, Settled};
use crate::session::pre_reply::PreReply;
use crate::session::replay;
use crate::session::underway::HandedOver;
use crate::session::unsaid::Unsaid;
use crate::text::names::prompt_label;

impl Run<'_> {
    /// What was thought before something was said is thought on from.
    async fn keep_thoughts(&self, job: &TurnJob) {
        let Some((content, audience)) = self.pre_reply.as_ref().and_then(PreReply::thoughts) else { return };
        let answered = job.asking.author.as_ref().map(|author| prompt_label(author.label()));
        let thoughts = Thoughts { turn: job.turn, answered, content };
        let place = Place { audience, ..job.place.clone() };
        let keep = self.parts.config.current().thinking.keep;
        let (history, now) = (&self.parts.history, self.parts.clock.now());
        if let Err(error) = history.keep_thoughts(&place, thoughts, now, keep).await {
            tracing::warn!(turn = %job.turn, %error, "its thoughts could not be kept");
        }
    }

    /// Waits until what was handed over has arrived; where the turn is ended meanwhile, that is.
    async fn settle(&self, handed_over: bool) -> Settled {
        let finished = self.outbox.finish(self.to, handed_over);
        tokio::pin!(finished);
        tokio::select! {
            biased;
            settled = &mut finished => return settled,
            _ = self.stop.stopped() => self.outbox.break_off(self.to),
        }
        finished.await
    }

    /// What really arrived, what became of the turn by that, and what was left unsaid.
    fn arrived(
        &self,
        mut said: HandedOver,
        outcome: Outcome,
        settled: Settled,
    ) -> (HandedOver, Outcome, Option<String>) {
        let Settled::Instead { text, unsaid, messages } = settled else {
            let words = self.unsaid.join("\n\n");
            let unsaid = Some(words.trim().to_owned()).filter(|words| said.count > 0 && !words.is_empty());
            return (said, outcome, unsaid);
        };
        said.count = messages.len().max(usize::from(!text.trim().is_empty()));
        (said.text, said.messages, said.begins) = (text, messages, Vec::new());
        let count = said.count;
        let outcome = match outcome {
            Outcome::Replied { .. } if unsaid.is_none() && count > 0 => Outcome::Replied { messages: count },
            Outcome::Replied { .. } => {
                let reason = self.stop.reason().unwrap_or(CancelReason::Interrupted);
                Outcome::Cancelled { reason, messages: count }
            }
            Outcome::Cancelled { reason, .. } => Outcome::Cancelled { reason, messages: count },
            Outcome::Undelivered { error, .. } => Outcome::Undelivered { messages: count, error },
            other => other,
        };
        (said, outcome, unsaid)
    }

    /// Stores the reply as it was really delivered, then leaves the trace. Of what was forgotten meanwhile nothing is kept.
    pub(super) async fn close(mut self, job: TurnJob, outcome: Outcome) -> TurnEnd {
        let forget_barrier = job.forget_barrier.clone();
        let handed_over = std::mem::take(&mut self.delivered);
        let settled = self.settle(handed_over.count > 0).await;
        let (said, outcome, unsaid) = self.arrived(handed_over, outcome, settled);
        let spoke = said.count > 0;
        let answers: Vec<_> = job.pending.iter().map(|turn| turn.id).collect();
        let look = forget_barrier.look().await;
        // An emoji that is the whole answer is remembered as one.
        let has_reacted = matches!(outcome, Outcome::Silent { reason: SilenceReason::Reacted });
        let kept = match self.reacted_with().filter(|_| has_reacted) {
            Some(emoji) => Some((emoji, Vec::new())),
            None => spoke.then(|| (said.text.trim().to_owned(), said.messages)),
        };
        let kept = kept.filter(|(text, _)| look.may_keep(&answers, text));
        if let Some((in_place, _)) = &job.in_place {
            // What broke off takes no whole answer's place.
            if kept.is_some() && matches!(outcome, Outcome::Replied { .. }) {
                in_place.put(self.parts, &job.place, &said.text).await;
            }
        } else if let Some((text, messages)) = kept {
            let reply = self.underway.reply(text, messages, self.parts.clock.now());
            match self.parts.history.store_reply(reply, said.begins).await {
                Ok(Appended::New(_)) => {}
                Ok(Appended::Known(known)) => {
                    let known = known.id;
                    tracing::error!(turn = %job.turn, ?known, "the reply has the number of a known message: not stored");
                }
                Err(error) => tracing::error!(turn = %job.turn, %error, "the reply could not be stored"),
            }
        } else {
            self.underway.is_dropped().await;
        }
        if spoke && look.is_clear() && job.in_place.is_none() {
            self.keep_thoughts(&job).await;
            self.parts.pipeline.answered(job.turn).await;
        }
        self.stage("stored");
        let tools = self.used_tools();
        let mut background = self.parts.upkeep.workers.take_runs(&job.place.channel);
        background.extend(self.parts.documents.take_looks(&shown_with(&job.pending)));
        if spoke {
            self.parts.upkeep.wake(&job.place);
        }
        if let Some(pre_reply) = &self.pre_reply {
            self.processing.runs = pre_reply.log().close();
            self.calls.extend(pre_reply.log().take_calls());
        }
        let mut authors: Vec<String> =
            job.pending.iter().filter_map(|t| t.author.as_ref()).map(|a| a.account.to_string()).collect();
        authors.sort();
        authors.dedup();
        let trace = TurnTrace {
            mode: self.channel.mode,
            modality: job.question.modality,
            pending: answers,
            question: Some(QuestionRecord {
                asking: job.asking.id,
                addressed: job.question.addressed.clone(),
                may_pass: self.may_pass,
            }),
            authors,
            opened_at: self.opened_at,
            total_us: whole_micros(self.started.elapsed()),
            stages: self.stages,
            assembly: self.assembly,
            request: self.request,
            parameters: self.parameters,
            calls: self.calls,
            processing: self.processing,
            reply: spoke.then(|| said.text.trim().to_owned()),
            in_call: self.outbox.moments(job.turn),
            background,
            ..replay::without_model(self.parts, &job.place, job.turn, &job.why(), outcome.clone())
        };
        if self.outbox.style() == DeliveryStyle::Spoken {
            tell_decision(&trace);
        }
        if look.is_clear()
            && let Some(trace) = self.parts.traces.redacted(trace.without_exchanges())
        {
            replay::write_last_context(self.parts.config.home(), &trace).await;
        }
        let unsaid = unsaid.filter(|_| look.is_clear());
        let (audience, now) = (job.place.audience, self.parts.clock.now());
        let unsaid = unsaid.map(|words| Unsaid::of(words, &outcome, audience, now));
        drop(look);
        self.parts.traces.record(trace).await;
        TurnEnd { outcome, spoke, unsaid, waits: self.waits, tools }
    }
}

/// One line for each turn in a call (familiar-connect 2.5).
fn tell_decision(trace: &TurnTrace) {
    let decision = match trace.outcome {
        Outcome::Replied { .. } => "respond",
        Outcome::Silent { .. } => "silent",
        Outcome::Cancelled { .. } => "preempted",
        Outcome::Failed { .. } | Outcome::Undelivered { .. } => "failed",
    };
    let moments: Vec<String> =
        trace.in_call.iter().map(|moment| format!("{}={}ms", moment.stage, moment.us / 1_000)).collect();
    tracing::info!(turn = %trace.id, decision, moments = moments.join(" "), "a turn in a call");
}
