//! Showing that it listens while somebody holds the floor: "mm-hm".
//!
//! Owns when that is welcome: rarely, in the pauses of somebody who tells it something long and is not finished (specs
//! voice 2.3, "Listener backchannel"). Must not know the words. Start reading at [`TurnMachine::review_nod`].

use std::time::Duration;

use super::machine::TurnMachine;
use super::{Effect, Moment};
use crate::domain::AccountId;
use crate::voice::endpoint::Completeness;

/// They must have had the floor for so long.
const HOLDS_FLOOR: Duration = Duration::from_secs(6);

/// At most once in this time.
const EVERY: Duration = Duration::from_secs(12);

/// So long a pause is a pause and no gap between words, and there is time left before they go on.
const PAUSE: Duration = Duration::from_millis(300);

impl TurnMachine {
    /// Somebody pauses: `began` to speak, was quiet since, and what they said so far is of this kind.
    pub(super) fn review_nod(
        &mut self,
        who: &AccountId,
        text: &str,
        class: Completeness,
        (began, quiet_since): (Moment, Moment),
    ) {
        let is_story = class == Completeness::Unfinished && quiet_since.saturating_sub(began) >= HOLDS_FLOOR;
        if !self.settings.nods || !is_story {
            return;
        }
        let is_alone = self.reply.is_none() && self.held.is_empty() && self.talking().count() == 1;
        let is_rare = self.nodded.is_none_or(|last| self.now >= last + EVERY);
        if is_alone && is_rare && self.judge(who, text).is_for_familiar() && self.due(quiet_since + PAUSE) {
            self.nodded = Some(self.now);
            self.effects.push(Effect::Nod);
        }
    }
}
