//! What is said unasked: joining in, and showing that it listens.
//!
//! Owns when something about what was only overheard is welcome: in a longer quiet, by a chance that follows the
//! character's `interjection`, and once it has listened to as many messages as that says, in the next gap (voice 2.5,
//! familiar-connect 1.8). Never while anybody's microphone is open, rarely, and never twice without somebody else's turn in
//! between. Whether there is anything to say is the model's to find.
//!
//! Owns as well when "mm-hm" is welcome: rarely, in the pauses of somebody who tells it something long and is not finished
//! (voice 2.3, "Listener backchannel"). Start reading at [`TurnMachine::review_proactive`].

use std::time::Duration;

use super::machine::TurnMachine;
use super::{Effect, Moment};
use crate::endpoint::Completeness;
use familiar_chat::domain::AccountId;

/// At most once in this time.
const EVERY: Duration = Duration::from_secs(120);

/// A gap in the talk that is long enough to begin in, for whoever has listened long enough.
const GAP: Duration = Duration::from_millis(1_500);

/// The fewest messages between two times that it considers joining in, and by how many fewer each further time comes sooner
/// (familiar-connect 1.8).
const FEWEST: u32 = 3;
const STEP: u32 = 3;

/// So many messages sooner or later, by chance.
const JITTER: u32 = 2;

impl TurnMachine {
    pub(super) fn review_proactive(&mut self) {
        let is_talk = self.reply.is_some() || !self.held.is_empty() || self.talking().next().is_some();
        let is_open = self.speakers.values().any(|speaker| speaker.gate_open && !speaker.is_bot);
        let is_asked_only = self.is_quiet || self.settings.wake_window.is_some();
        if is_talk || is_open || is_asked_only || self.overheard.messages == 0 {
            return;
        }
        let Some(interjection) = self.settings.interjection else { return };
        let soonest = self.overheard.last_joined.map_or(Moment::ZERO, |last| last + EVERY);
        let has_listened = self.overheard.messages >= self.enough(interjection);
        if has_listened && self.due((self.overheard.last_sound + GAP).max(soonest)) {
            self.join_in(interjection);
            return;
        }
        let Some(quiet) = self.settings.joins_in_after else { return };
        if self.overheard.decided || !self.due((self.overheard.last_sound + quiet).max(soonest)) {
            return;
        }
        self.overheard.decided = true;
        // Each time that nobody took up what it said, half as likely.
        let falls = 0.5_f64.powi(self.overheard.joined.min(8).cast_signed());
        let eagerness = f64::from(FEWEST) / f64::from(interjection.max(FEWEST));
        if self.dice.roll() < eagerness * falls {
            self.join_in(interjection);
        }
    }

    fn join_in(&mut self, interjection: u32) {
        let overheard = &mut self.overheard;
        (overheard.last_joined, overheard.decided) = (Some(self.now), true);
        overheard.joined += 1;
        overheard.considered += 1;
        let heard = overheard.messages;
        overheard.enough = None;
        let more = self.enough(interjection);
        self.overheard.enough = Some(heard + more);
        self.effects.push(Effect::JoinIn);
    }

    /// At how many overheard messages it has listened long enough.
    fn enough(&mut self, interjection: u32) -> u32 {
        if let Some(enough) = self.overheard.enough {
            return enough;
        }
        let sooner = STEP.saturating_mul(self.overheard.considered);
        let usual = interjection.saturating_sub(sooner).max(FEWEST);
        let jitter = (self.dice.roll() * f64::from(2 * JITTER + 1)) as u32;
        let enough = (usual + jitter).saturating_sub(JITTER).max(FEWEST);
        self.overheard.enough = Some(enough);
        enough
    }
}

/// They must have had the floor for so long.
const HOLDS_FLOOR: Duration = Duration::from_secs(6);

/// At most once in this time.
const BACKCHANNEL_EVERY: Duration = Duration::from_secs(12);

/// So long a pause is a pause and no gap between words, and there is time left before they go on.
const PAUSE: Duration = Duration::from_millis(300);

impl TurnMachine {
    /// Somebody pauses: `began` to speak, was quiet since, and what they said so far is of this kind.
    pub(super) fn review_backchannel(
        &mut self,
        who: &AccountId,
        text: &str,
        class: Completeness,
        (began, quiet_since): (Moment, Moment),
    ) {
        let is_story = class == Completeness::Unfinished && quiet_since.saturating_sub(began) >= HOLDS_FLOOR;
        if !self.settings.backchannels || !is_story {
            return;
        }
        let is_alone = self.reply.is_none() && self.held.is_empty() && self.talking().count() == 1;
        let is_rare = self.backchannelled.is_none_or(|last| self.now >= last + BACKCHANNEL_EVERY);
        if is_alone && is_rare && self.judge(who, text).is_for_familiar() && self.due(quiet_since + PAUSE) {
            self.backchannelled = Some(self.now);
            self.effects.push(Effect::Backchannel);
        }
    }
}
