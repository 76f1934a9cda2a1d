//! What somebody has not finished saying: it waits for its rest.

use std::time::Duration;

use tokio::time::Instant;

use super::Conversation;
use crate::domain::StoredId;
use crate::session::waiting::{Call, Unanswered, newest_call};

/// What waits for its rest.
pub(super) struct Unfinished {
    /// When it is answered if nothing more of it comes.
    pub until: Instant,
    pub turn: StoredId,
    /// What else was to be answered with it, and why.
    pub calls: Vec<(StoredId, Call)>,
}

impl Conversation {
    /// What was found unfinished is answered with the rest of it, or by itself if none comes.
    pub(super) fn wait_for_the_rest(&mut self, mut answers: Vec<Unanswered>, wait: Duration) {
        let Some((asking, _)) = newest_call(&answers) else { return };
        let (until, turn) = (Instant::now() + wait, asking.turn.id);
        let calls = answers.iter_mut().filter_map(|one| Some((one.turn.id, one.call.take()?))).collect();
        self.unfinished = Some(Unfinished { until, turn, calls });
        self.waiting.put_back(answers);
    }

    pub(super) fn no_rest_came(&mut self) {
        // What may not even have been meant for it, and was not finished, stays overheard.
        let is_expected = |(_, call): &(_, Call)| call.is_awaited();
        if let Some(unfinished) = self.unfinished.take().filter(|one| one.calls.iter().any(is_expected)) {
            let why = "it had waited for the rest, and none came";
            self.waiting.call(unfinished.turn, Call::Addressed(why));
            self.waiting.restore(&unfinished.calls);
        }
    }

    /// Nobody is waited for whose words are gone; what others wanted is answered now.
    pub(super) fn unless_it_is_gone(&mut self) {
        if self.unfinished.as_ref().is_some_and(|unfinished| !self.waiting.holds(unfinished.turn)) {
            self.no_rest_came();
        }
    }
}
