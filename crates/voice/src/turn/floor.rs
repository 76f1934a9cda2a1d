//! What happens before the familiar's own reply can be heard: waiting for a gap, a filler while a model is slow. What is
//! known of the reply stands in `reply.rs`. Must not know sound. Start reading at [`TurnMachine::review_floor`].

use std::time::Duration;

use super::Effect;
use super::machine::TurnMachine;
use familiar_chat::domain::AccountId;

/// Somebody else's talk keeps a finished answer back for this long; then it takes its turn like anybody would.
const GAP_WAIT: Duration = Duration::from_millis(1_500);

/// Nothing to be heard for this long after they were finished: a filler (voice 2.3).
const FILLER_AFTER: Duration = Duration::from_millis(1_200);

/// And in any case: whoever hears nothing for so long thinks that nothing will come (voice 6, "outage").
const GONE_AFTER: Duration = Duration::from_millis(2_500);

/// What is looked up or done before more is said is covered by a filler after this.
const WORK_FILLER_AFTER: Duration = Duration::from_millis(700);

/// An answer that takes longer than this to be heard is lost; the session's own deadlines are shorter.
const LOST_AFTER: Duration = Duration::from_secs(120);

/// An answer that was broken off is over after this, told or not.
const ENDING: Duration = Duration::from_secs(5);

impl TurnMachine {
    pub(super) fn review_floor(&mut self) {
        let Some(reply) = &self.reply else { return };
        if let Some(since) = reply.ending {
            if self.due(since + ENDING)
                && let Some(mut reply) = self.reply.take()
            {
                self.effects.extend(reply.let_go());
            }
        } else if reply.audible.is_some() {
            self.review_overlap();
            self.cover_work();
        } else {
            self.review_preparing();
            self.cover_work();
        }
    }

    /// A filler for what takes its time while the reply waits for it, once for each.
    fn cover_work(&mut self) {
        let Some(reply) = &self.reply else { return };
        let Some(since) = reply.works else { return };
        let may_fill = self.settings.fillers
            && !reply.unasked
            && !reply.held
            && reply.paused.is_none()
            && reply.ending.is_none()
            && !self.is_unsure
            && self.talking().next().is_none();
        // Not right behind one for a slow model.
        let at = reply
            .filled
            .map_or(since + WORK_FILLER_AFTER, |filled| (since + WORK_FILLER_AFTER).max(filled + GONE_AFTER));
        if may_fill && self.due(at) {
            self.fill();
            if let Some(reply) = &mut self.reply {
                reply.works = None;
            }
        }
    }

    fn fill(&mut self) {
        let now = self.now;
        self.effects.push(Effect::Filler);
        if let Some(reply) = &mut self.reply {
            (reply.filler, reply.filled) = (true, Some(now));
        }
    }

    fn review_preparing(&mut self) {
        let Some(reply) = &self.reply else { return };
        let (opened, whom, filler, unasked) = (reply.opened, reply.whom.clone(), reply.filler, reply.unasked);
        let is_silent = reply.saying.is_empty();
        if self.due(opened + LOST_AFTER) {
            self.abandon();
            return;
        }
        let mut hold = false;
        let now = self.now;
        let talking: Vec<_> =
            self.talking().map(|(who, u)| (who.clone(), u.began, u.voiced(now), u.is_voiced())).collect();
        for (who, began, voiced, is_voiced) in talking {
            if self.is_partner(&who, whom.as_ref()) {
                hold = true;
                let boundary = self.settings.short_long_boundary;
                if voiced >= boundary {
                    // What they say now is a turn of its own; an answer to what they said before comes too late.
                    self.abandon();
                    return;
                }
                if is_voiced {
                    self.due(now + (boundary - voiced));
                }
            } else if is_voiced && !self.due(began.max(opened) + GAP_WAIT) {
                hold = true;
            }
        }
        if self.reply.as_ref().is_some_and(|reply| reply.held != hold) {
            self.effects.push(Effect::Hold(hold));
            if let Some(reply) = &mut self.reply {
                reply.held = hold;
            }
        }
        let may_fill = self.settings.fillers
            && !hold
            && !filler
            && !unasked
            // Whoever says "hm" has begun to answer.
            && !self.is_unsure
            && is_silent
            && self.submitted.is_some();
        let asked = self.submitted.unwrap_or(opened);
        // Not twice in a row, unless it would seem to be gone.
        let patience = if self.filled_last { GONE_AFTER } else { FILLER_AFTER };
        if may_fill && self.due(asked.min(opened) + patience) {
            self.fill();
        }
    }

    /// Breaks the reply off for good.
    pub(super) fn abandon(&mut self) {
        let now = self.now;
        if let Some(reply) = self.reply.as_mut().filter(|reply| reply.ending.is_none()) {
            reply.ending = Some(now);
            // What goes on sounding is thrown away with it, and with that the pause.
            (reply.paused, reply.held) = (None, false);
            self.effects.push(Effect::Abandon { reply: reply.id });
        }
    }

    /// Whether this is who the reply is for.
    pub(super) fn is_partner(&self, who: &AccountId, whom: Option<&AccountId>) -> bool {
        whom.is_none_or(|whom| whom == who) || self.people() <= 1
    }
}
