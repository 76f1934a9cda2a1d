//! What becomes of a conversation once a turn is over.

use super::Conversation;
use super::running::Running;
use crate::domain::{CancelReason, Modality, Outcome, SilenceReason, StoredId};
use crate::session::turn::TurnEnd;
use crate::session::unsaid::Unsaid;

impl Conversation {
    pub(super) async fn after_turn(&mut self, ended: (Running, TurnEnd)) {
        let (mut running, end) = ended;
        if !running.gone.is_empty() {
            let now = self.parts.clock.now();
            self.deleted(&running.gone, now).await;
        }
        if let Some(repairs) = running.repairs.take() {
            return self.repaired(repairs, &end.outcome).await;
        }
        self.counts_turn(&running, &end).await;
        let is_restart = matches!(end.outcome, Outcome::Cancelled { reason: CancelReason::Superseded, .. });
        let said_nothing = matches!(
            end.outcome,
            Outcome::Cancelled { reason: CancelReason::Superseded | CancelReason::Withdrawn, messages: 0 }
        ) && !running.stop.has_acted();
        let is_broken_off =
            matches!(end.outcome, Outcome::Cancelled { reason: CancelReason::Interrupted, messages: 0 });
        let nothing_yet = || {
            let (audience, now) = (self.place.audience.clone(), self.parts.clock.now());
            let unsaid = Unsaid::of(String::new(), &end.outcome, audience, now);
            (is_broken_off && running.modality == Modality::Voice).then_some(unsaid)
        };
        let answered: Vec<StoredId> = running.answers.iter().map(|answered| answered.turn.id).collect();
        let asked_at = running.answers.iter().map(|answered| answered.turn.at).max();
        let begins_anew = said_nothing || end.waits.is_some();
        let replaced = self.replaced.as_ref().map(|replaced| replaced.asked);
        let asked = replaced.filter(|asked| answered.contains(asked) && !end.spoke && !begins_anew);
        self.unsaid = end.unsaid.or_else(nothing_yet).or(running.unsaid.filter(|_| said_nothing));
        if said_nothing {
            self.waiting.put_back(running.answers);
            self.unanswered = self.waiting.by_people();
        } else if let Some(wait) = end.waits {
            self.wait_for_the_rest(running.answers, wait);
        } else {
            // Also after a failure: a model that is down is not tried again with every word people say.
            self.unanswered = self.waiting.by_people();
        }
        if !(said_nothing && is_restart) {
            (self.superseded, self.took_its_time) = (0, None);
        }
        let found_nothing =
            matches!(end.outcome, Outcome::Silent { reason: SilenceReason::FoundNothingToSay });
        if found_nothing && running.modality == Modality::Text {
            // Whoever was not talking with it this time is not taken to be the next time.
            running.author.iter().for_each(|account| self.spoken_to.turns_away(account));
        }
        if end.spoke {
            self.passes = 0;
        } else if found_nothing && running.call.joins_in() && running.modality == Modality::Text {
            (self.passes, self.last_pass) = (self.passes.saturating_add(1), running.turn);
        }
        if let Some(account) = running.author.filter(|_| end.spoke) {
            let now = self.parts.clock.now();
            self.spoken_to.put(account, asked_at.unwrap_or(now), now);
        }
        if let Some(asked) = asked {
            self.stands_again(asked).await;
        }
        if !begins_anew {
            self.was_replaced(&answered).await;
        }
    }
}
