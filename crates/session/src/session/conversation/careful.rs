//! Where somebody says that they want to die, the model is asked though nobody called it, and nobody is joined in upon for a day:
//! not they, and not those who are with them.

use std::time::Duration;

use jiff::Timestamp;

use super::Conversation;
use crate::config::Distress;
use crate::domain::{InboundMessage, Modality, SilenceReason};
use crate::history::{RecentQuery, Visible};
use crate::session::policy::Decision;
use crate::session::waiting::Call;
use crate::text::distress::is_distress;

/// So long after somebody was in distress it is careful.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Messages that are looked through for it when a conversation wakes up.
const LOOKED_AT: u32 = 200;

impl Conversation {
    /// What would be said unasked is not, where somebody is in distress. They themselves are not passed over where they say so to
    /// nobody in particular: whether that is theirs to answer the model finds.
    pub(super) fn if_careful(&mut self, decision: Decision, message: &InboundMessage) -> Decision {
        let is_unasked = decision.is_unasked();
        if !message.author.is_bot && is_distress(&message.text) {
            self.distress = self.distress.max(Some(message.at));
            let is_to_nobody = is_unasked
                || matches!(
                    decision,
                    Decision::Silent(
                        SilenceReason::NotAddressed { .. }
                            | SilenceReason::OnlyWhenAddressed
                            | SilenceReason::KeptQuiet { .. }
                    )
                );
            if is_to_nobody && message.modality == Modality::Text && self.is_careful(message.at) {
                return Decision::MayPass(Call::Addressed("somebody may be in distress"));
            }
        }
        if is_unasked && self.is_careful(message.at) {
            return Decision::Silent(SilenceReason::SomebodyInDistress);
        }
        decision
    }

    /// Whether somebody was in distress here within the day before this.
    pub(super) fn is_careful(&self, now: Timestamp) -> bool {
        let is_recent =
            |at: Timestamp| Duration::try_from(now.duration_since(at)).is_ok_and(|age| age < A_DAY);
        self.distress.is_some_and(is_recent)
            && self.parts.config.current().safety.distress == Distress::Careful
    }

    /// A conversation that wakes up knows it from the history.
    pub(super) async fn remember_distress(&mut self) {
        let query =
            RecentQuery { mode: None, max_turns: LOOKED_AT, until: None, encoding: self.parts.encoding() };
        let here = Visible::at(&self.place);
        let recent = self.parts.history.seen_by(&here).recent(&self.place.channel, query).await;
        let since = self.parts.clock.now().checked_sub(A_DAY).unwrap_or(Timestamp::UNIX_EPOCH);
        self.distress = recent
            .unwrap_or_default()
            .iter()
            .filter(|turn| turn.at > since && turn.author.as_ref().is_some_and(|author| !author.is_bot))
            .filter(|turn| is_distress(&turn.content))
            .map(|turn| turn.at)
            .max();
    }
}
