//! Having it speak without saying anything to it: it answers what was left unanswered, else it goes on with what it said.

use super::Conversation;
use super::going_back::Exchange;
use crate::domain::{Modality, StoredTurn};
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

    /// The newest of these is to be answered, together with the others.
    pub(super) fn wants_answered(&mut self, turns: Vec<StoredTurn>, call: Call) {
        let Some(newest) = turns.last().map(|turn| turn.id) else { return };
        let missing = turns.into_iter().filter(|turn| !self.waiting.holds(turn.id));
        let missing =
            missing.map(|turn| Unanswered { turn, modality: Modality::Text, call: None, is_unsure: false });
        let missing = missing.collect();
        self.waiting.put_back(missing);
        self.waiting.call(newest, call);
    }
}
