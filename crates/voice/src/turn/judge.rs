//! What of a call tells for whom something is: who is there, who spoke when, what the familiar said last.
//!
//! Owns what the rules of `addressing.rs` are told. Must not know the words themselves. Start reading at
//! [`TurnMachine::judge`].

use std::time::Duration;

use super::Moment;
use super::addressing::{Company, Verdict, verdict};
use super::machine::TurnMachine;
use super::speaker::Utterance;
use familiar_chat::domain::AccountId;
use familiar_chat::text::punctuation::ends_as_question;

impl TurnMachine {
    /// For whom this is, said or typed now. What counts is who had spoken when they began, not who does meanwhile.
    pub fn judge(&self, who: &AccountId, text: &str) -> Verdict {
        let utterance = self.speakers.get(who).and_then(|speaker| speaker.utterance.as_ref());
        let then = utterance.map_or(self.now, |utterance| utterance.began);
        let other_spoke =
            utterance.map_or_else(|| self.last_sound_but_of(who), |utterance| utterance.others_spoke);
        let others: Vec<String> = self
            .speakers
            .iter()
            .filter(|(other, _)| *other != who)
            .map(|(_, speaker)| speaker.name.clone())
            .collect();
        let speaking = self.reply.as_ref().filter(|reply| reply.audible.is_some_and(|since| since <= then));
        let (spoke, own) = match (speaking, &self.own) {
            (Some(reply), _) => (Some(Duration::ZERO), reply.saying.as_str()),
            (None, Some((ended, own))) => (Some(then.saturating_sub(*ended)), own.as_str()),
            (None, None) => (None, ""),
        };
        let speaker = self.speakers.get(who);
        // Whoever is being answered is in the middle of talking with it.
        let is_answered = speaking.is_some_and(|reply| self.is_partner(who, reply.whom.as_ref()));
        let answered = if is_answered {
            Some((then, ends_as_question(own)))
        } else {
            speaker.and_then(|speaker| speaker.answered)
        };
        let spoke_before = match utterance {
            Some(utterance) => utterance.spoke_before,
            None => speaker.and_then(|speaker| speaker.last_spoke),
        };
        let verdict = verdict(
            text,
            &Company {
                people: self.people(),
                names: &self.settings.names,
                others: &others,
                answered: answered.map(|(at, asked)| (then.saturating_sub(at), asked)),
                is_first: answered.is_some_and(|(at, _)| spoke_before.is_none_or(|before| before <= at)),
                is_side_talk: self.is_side_talk(who, text, then),
                other_spoke: other_spoke.map(|at| then.saturating_sub(at)),
                spoke,
                own,
                told: &self.told,
            },
        );
        if let Some(window) = self.settings.wake_window {
            let woke = self.speakers.get(who).and_then(|speaker| speaker.woke);
            let is_answered = self.reply.as_ref().is_some_and(|reply| reply.whom.as_ref() == Some(who));
            let is_awake = is_answered || woke.is_some_and(|at| then.saturating_sub(at) <= window);
            return verdict.when_woken(is_awake);
        }
        // Whoever asked for quiet does not want it to wonder.
        if verdict == Verdict::Perhaps && self.is_quiet { Verdict::Unclear } else { verdict }
    }

    /// A laugh or a backchannel between two turns of others does not part them.
    pub(super) fn was_no_talk(&mut self, who: &AccountId, utterance: &Utterance) {
        if let Some(speaker) = self.speakers.get_mut(who) {
            speaker.last_spoke = utterance.spoke_before;
        }
    }

    /// When somebody else who is no bot last made a sound.
    pub(super) fn last_sound_but_of(&self, who: &AccountId) -> Option<Moment> {
        let others = self.speakers.iter().filter(|(other, speaker)| *other != who && !speaker.is_bot);
        others.filter_map(|(_, speaker)| speaker.last_spoke).max()
    }
}
