//! Having it speak without saying anything to it: it answers what was left unanswered, else it goes on with what it said.
//! And how it begins by itself.

use super::Conversation;
use super::going_back::Exchange;
use super::requests::Repaired;
use crate::domain::{AccountId, Author, Modality, StoredTurn};
use crate::history::Visible;
use crate::session::own_messages::OF_ITS_OWN_ACCORD;
use crate::session::waiting::{Call, Unanswered};

/// What it does when it is to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpokeUp {
    /// It answers what was said last, or is answering it already.
    Answers,
    /// It goes on with what it said last.
    GoesOn,
    /// Nothing was said here.
    Nothing,
}

impl Conversation {
    pub(super) async fn speak_up(&mut self) -> SpokeUp {
        if self.running.is_some() || self.waiting.is_called() {
            return SpokeUp::Answers;
        }
        let Exchange { asked, reply, .. } = self.last_exchange().await;
        let asker = asked.iter().rev().find_map(|turn| turn.author.clone());
        match (asked.is_empty(), reply) {
            (_, Some(reply)) => {
                // It speaks to whoever it spoke to, and as their turn: who may be answered is asked of somebody.
                let reply = StoredTurn { author: asker, ..reply };
                self.wants_answered(vec![reply], Call::Addressed("somebody had it go on"));
                SpokeUp::GoesOn
            }
            (false, None) => {
                self.wants_answered(asked, Call::Addressed("somebody had it speak"));
                SpokeUp::Answers
            }
            (true, None) => SpokeUp::Nothing,
        }
    }

    /// It goes on with this reply for somebody, where that is the last word here.
    pub(super) async fn go_on_behind(&mut self, reply: &StoredTurn, by: &AccountId) -> Repaired {
        if self.running.is_some() || self.waiting.is_called() || self.waits_until.is_some() {
            return Repaired::Busy;
        }
        let Exchange { asked, reply: newest, .. } = self.last_exchange().await;
        if newest.map(|newest| newest.id) != Some(reply.id) {
            return Repaired::NotNewest;
        }
        // It counts as an answer to whoever asked.
        let asker = asked.iter().rev().find_map(|turn| turn.author.as_ref()).map(|author| &author.account);
        let config = self.parts.config.current();
        if [Some(by), asker].iter().any(|who| !self.gate.has_room(&config, &self.place, *who)) {
            return Repaired::TooMuch;
        }
        self.speak_up().await;
        Repaired::GoesOn
    }

    /// It begins to speak to somebody by itself, behind its own last words, unless something is under way here or somebody is
    /// in distress.
    pub(super) async fn begin(&mut self, whom: Author) {
        let is_at_rest = !self.waiting.is_called() && self.waits_until.is_none();
        if !is_at_rest || !self.may_speak_unasked() {
            return;
        }
        let here = Visible::at(&self.place);
        let seen = self.parts.history.seen_by(&here);
        let Ok(Some(last)) = seen.last_assistant(&self.place.channel, self.parts.encoding()).await else {
            return;
        };
        let last = StoredTurn { author: Some(whom), ..last };
        self.wants_answered(vec![last], Call::JoinIn(OF_ITS_OWN_ACCORD));
    }

    /// The newest of these is to be answered, together with the others.
    pub(super) fn wants_answered(&mut self, turns: Vec<StoredTurn>, call: Call) {
        let Some(newest) = turns.last().map(|turn| turn.id) else { return };
        let missing = turns.into_iter().filter(|turn| !self.waiting.holds(turn.id));
        let missing = missing.map(|turn| {
            // With its call it is no small talk that makes room for what was overheard since.
            let call = (turn.id == newest).then_some(call);
            Unanswered { turn, modality: Modality::Text, call, is_unsure: false }
        });
        let missing = missing.collect();
        self.waiting.call(newest, call);
        self.waiting.put_back(missing);
    }
}
