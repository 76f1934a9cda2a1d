//! Somebody speaks while the familiar does.
//!
//! Owns the two steps of yielding: quieter at once, silent once it is meant, and back to normal if it was nothing
//! (voice 2.4, familiar-connect 1.10). What was meant is only known afterwards, so it first pauses, and gives the rest up
//! when the words are there. Whoever says something may want the floor, unless it is said to somebody else. Start reading
//! at [`TurnMachine::review_overlap`].

use std::time::Duration;

use super::addressing::{asks_for_hands, calls_family, turns_elsewhere};
use super::machine::{LEFT_OPEN, TurnMachine};
use super::reply::Paused;
use super::speaker::Utterance;
use super::{Effect, Moment, UtteranceId, Verdict};
use crate::endpoint::{Bid, bid, says_stop, substantial, takes_floor};
use familiar_chat::domain::AccountId;
use familiar_chat::text::names::names_whole_word;

/// Voiced so long over it, whoever is answered means it.
const PARTNER: Duration = Duration::from_millis(400);

/// Others who may stop it.
const OTHERS: Duration = Duration::from_millis(600);

/// A backchannel does not last this long; laughter does.
const NO_BACKCHANNEL: Duration = Duration::from_millis(1_800);

/// When it is first heard in a call, echo cancellation at the other end has still to learn its voice: for so long sound
/// without words does not stop it (LiveKit's and unmute's warm-up, voice 2.4).
const ECHO_WARM_UP: Duration = Duration::from_secs(3);

/// So many words that are no backchannel mean it.
const WORDS: usize = 2;

/// Not meant by then: as loud as before.
const RESTORE: Duration = Duration::from_millis(700);

/// Quiet again for so long: as loud as before.
const CALM: Duration = Duration::from_millis(150);

/// Two people talk over it for so long: it gives way.
const CROWDED: Duration = Duration::from_millis(1_500);

/// Silent for so long without knowing why: the rest is given up.
const PAUSED_MOST: Duration = Duration::from_secs(8);

/// Whoever it gave way to without being meant is taken to talk with somebody else for so long.
const CHATS: Duration = Duration::from_secs(120);

/// Whoever begins so soon behind talk to somebody else answers it.
const ANSWERS: Duration = Duration::from_secs(5);

/// No reply is spoken for longer; one that seems to be was lost.
const SPEAKS_MOST: Duration = Duration::from_secs(300);

/// How much a mood changes the chance to go on.
const MOOD: f64 = 0.15;

/// How much likelier it goes on with what nobody asked for (familiar-connect 1.10).
const UNASKED: f64 = 0.35;

/// Somebody who speaks over it.
struct Talker {
    who: AccountId,
    id: UtteranceId,
    text: String,
    voiced: Duration,
    /// Since they last paused.
    run: Duration,
    is_voiced: bool,
    quiet_since: Moment,
    /// They began while it spoke.
    is_over: bool,
    is_partner: bool,
    may_stop: bool,
    is_named: bool,
    /// They talk with somebody else.
    is_elsewhere: bool,
    /// No words of theirs will come.
    is_wordless: bool,
}

impl TurnMachine {
    pub(super) fn review_overlap(&mut self) {
        let talkers = self.talkers();
        let audible = self.reply.as_ref().and_then(|reply| reply.audible).unwrap_or(self.now);
        if self.due(audible + SPEAKS_MOST) {
            self.abandon();
            return;
        }
        if let Some(talker) = talkers.iter().find(|talker| self.orders_stop(talker)) {
            let by = talker.who.clone();
            tracing::debug!(%by, "told to stop");
            self.abandon();
            return;
        }
        if let Some(paused) = self.reply.as_ref().and_then(|reply| reply.paused.clone()) {
            self.review_pause(&paused, &talkers);
            return;
        }
        if self.is_crowded() {
            self.abandon();
            return;
        }
        let mut waits = false;
        for talker in &talkers {
            if !self.is_meant(talker) {
                continue;
            }
            if self.goes_on(talker) {
                waits = true;
            } else {
                self.pause(talker);
                return;
            }
        }
        self.loudness(&talkers, waits);
    }

    fn talkers(&self) -> Vec<Talker> {
        let Some(reply) = &self.reply else { return Vec::new() };
        let Some(audible) = reply.audible else { return Vec::new() };
        let now = self.now;
        self.talking()
            .filter_map(|(who, utterance)| {
                let text = utterance.text();
                let is_named = self.settings.names.iter().any(|name| names_whole_word(&text, name));
                // What did not matter matters again once it says the familiar's name.
                if reply.harmless.contains(&utterance.id) && !is_named {
                    return None;
                }
                let is_partner = self.is_partner(who, reply.whom.as_ref());
                let can_stop = self.speakers.get(who).is_some_and(|speaker| speaker.can_stop);
                Some(Talker {
                    who: who.clone(),
                    id: utterance.id,
                    voiced: utterance.voiced_since(audible, now),
                    run: utterance
                        .voiced_since
                        .map_or(Duration::ZERO, |since| now.saturating_sub(since.max(audible))),
                    is_voiced: utterance.is_voiced(),
                    quiet_since: utterance.quiet_since,
                    is_over: utterance.over,
                    is_partner,
                    may_stop: is_partner || is_named || can_stop,
                    is_named,
                    is_elsewhere: self.is_elsewhere(who, &text, utterance.began, self.judge(who, &text)),
                    is_wordless: utterance.deaf
                        || !self.settings.hears_words
                        || !self.settings.hears_partials,
                    text,
                })
            })
            .collect()
    }

    /// A stop word counts from whoever is answered, and from others who name it or say nothing else.
    fn orders_stop(&self, talker: &Talker) -> bool {
        let alone = substantial(&talker.text) <= 2;
        says_stop(&talker.text, &self.settings.names) && (talker.may_stop || talker.is_named || alone)
    }

    /// Whether they want the floor.
    fn is_meant(&mut self, talker: &Talker) -> bool {
        if talker.is_elsewhere {
            return false;
        }
        if !talker.may_stop {
            // Whoever began before it was interrupted by it, not the other way round.
            return talker.is_over && takes_floor(&talker.text);
        }
        if substantial(&talker.text) >= WORDS {
            return true;
        }
        let warm = self.first_spoke.unwrap_or_default() + ECHO_WARM_UP;
        if talker.text.is_empty() && !self.due(warm) {
            return false;
        }
        let usual = if talker.is_partner { PARTNER } else { OTHERS };
        let (voiced, needed) = match bid(&talker.text) {
            None if talker.is_wordless => (talker.voiced, usual),
            None => (talker.run, LEFT_OPEN),
            Some(Bid::Backchannel | Bid::Comment) => (talker.voiced, NO_BACKCHANNEL),
            Some(Bid::Open) => (talker.voiced, LEFT_OPEN),
            // A name that is called may stand alone before a comma.
            Some(Bid::Lone) if talker.text.trim_end().ends_with([',', '，', '、']) => {
                (talker.voiced, LEFT_OPEN)
            }
            Some(Bid::Lone | Bid::Clear) => (talker.voiced, usual),
        };
        if talker.is_voiced && voiced < needed {
            self.due(self.now + (needed - voiced));
        }
        voiced >= needed
    }

    /// Whether it talks on although somebody seems to want the floor: a matter of character, only for a while, and only as
    /// long as no word is known. Whoever says something has not to be lucky to be let.
    fn goes_on(&mut self, talker: &Talker) -> bool {
        if !talker.text.is_empty() {
            return false;
        }
        let most = self.settings.min_interruption;
        let goes_on = talker.voiced < most && self.holds_its_ground(talker.id);
        if goes_on && talker.is_voiced {
            self.due(self.now + (most - talker.voiced));
        }
        goes_on
    }

    /// Decided once for each interruption.
    fn holds_its_ground(&mut self, id: UtteranceId) -> bool {
        let chance = self.settings.tolerance - MOOD * self.mood;
        let Some(reply) = &mut self.reply else { return false };
        let chance = if reply.unasked { chance + UNASKED } else { chance };
        let roll = self.dice.roll();
        *reply.rolled.entry(id).or_insert(roll < chance.clamp(0.0, 0.9))
    }

    fn pause(&mut self, talker: &Talker) {
        let now = self.now;
        if let Some(reply) = &mut self.reply {
            tracing::debug!(by = %talker.who, "pausing");
            reply.paused = Some(Paused { since: now, utterance: talker.id });
            self.effects.push(Effect::Pause);
            self.due(now + PAUSED_MOST);
        }
    }

    fn review_pause(&mut self, paused: &Paused, talkers: &[Talker]) {
        let Some(talker) = talkers.iter().find(|talker| talker.id == paused.utterance) else {
            // Its outcome came without one for the pause: nothing is in the way any more.
            self.resume();
            return;
        };
        let most = self.settings.min_interruption.max(PARTNER);
        if talker.is_elsewhere {
            self.resume();
            return;
        }
        // Of others all they say is waited for: whom it was said to may come last.
        let is_long = talker.may_stop && talker.voiced >= most;
        if talker.may_stop && talker.is_voiced && !is_long {
            self.due(self.now + (most - talker.voiced));
        }
        if is_long || self.due(paused.since + PAUSED_MOST) {
            self.abandon();
        }
    }

    /// What was said over it is known now, and was something: unless it was said to somebody else, it is a turn of its own, and
    /// the rest of what it was saying comes too late.
    pub(super) fn settle_overlap(&mut self, who: &AccountId, utterance: &Utterance, verdict: Verdict) {
        let Some(reply) = self.reply.as_ref().filter(|reply| reply.audible.is_some()) else { return };
        let is_partner = self.is_partner(who, reply.whom.as_ref());
        let may_stop = is_partner || self.speakers.get(who).is_some_and(|speaker| speaker.can_stop);
        let text = utterance.text();
        let is_elsewhere = self.is_elsewhere(who, &text, utterance.began, verdict);
        let is_meant = (verdict.is_for_familiar() || may_stop || takes_floor(&text)) && !is_elsewhere;
        if is_elsewhere && utterance.over {
            self.side_talk = Some((who.clone(), utterance.quiet_since));
        }
        let is_paused = self.is_paused_by(utterance.id);
        if is_meant && (is_paused || utterance.over) {
            if !is_partner
                && !verdict.is_for_familiar()
                && let Some(speaker) = self.speakers.get_mut(who)
            {
                speaker.gave_way = Some(self.now);
            }
            self.abandon();
        } else if is_paused {
            self.resume();
        }
    }

    fn is_elsewhere(&self, who: &AccountId, text: &str, began: Moment, verdict: Verdict) -> bool {
        verdict == Verdict::SomeoneElse
            || (verdict == Verdict::Unclear && self.is_side_talk(who, text, began))
    }

    /// Whether this, said over it, is for somebody else, as far as can be told. Whoever speaks behind another one who talked
    /// to somebody else over it answers them, and whoever it gave way to without being meant has to call it the next time.
    pub(super) fn is_side_talk(&self, who: &AccountId, text: &str, began: Moment) -> bool {
        let Some(reply) = self.reply.as_ref().filter(|reply| reply.audible.is_some()) else { return false };
        let Some(speaker) = self.speakers.get(who) else { return false };
        // What they say is for it, unless they turn to somebody by a name, or to family.
        if self.is_partner(who, reply.whom.as_ref()) || speaker.can_stop {
            return calls_family(text) || asks_for_hands(text);
        }
        let answers =
            self.side_talk.as_ref().is_some_and(|(by, ended)| by != who && *ended + ANSWERS >= began);
        let chats = speaker.gave_way.is_some_and(|at| {
            at + CHATS > self.now && speaker.answered.is_none_or(|(answered, _)| answered < at)
        });
        // Where it answers only to its name, only that stops it as well.
        let wakes = self.settings.wake_window.is_some();
        wakes || chats || answers || turns_elsewhere(text)
    }

    /// Goes on where it fell silent.
    pub(super) fn resume(&mut self) {
        if let Some(reply) = &mut self.reply
            && let Some(paused) = reply.paused.take()
        {
            reply.harmless.insert(paused.utterance);
            self.effects.push(Effect::Resume);
            if reply.ducked.take().is_some() {
                self.effects.push(Effect::Duck(false));
            }
        }
    }

    fn is_crowded(&mut self) -> bool {
        let now = self.now;
        let crowd = self.talking().filter(|(_, utterance)| utterance.is_voiced()).count() >= 2;
        let Some(reply) = &mut self.reply else { return false };
        if !crowd {
            reply.crowded = None;
            return false;
        }
        let since = *reply.crowded.get_or_insert(now);
        self.due(since + CROWDED)
    }

    /// `waits`: it talks on, but lets itself be talked over.
    fn loudness(&mut self, talkers: &[Talker], waits: bool) {
        let now = self.now;
        let Some(reply) = &mut self.reply else { return };
        let speaking = talkers.iter().any(|talker| talker.is_voiced);
        let is_new = talkers.iter().any(|talker| talker.is_voiced && !reply.heard_out.contains(&talker.id));
        match reply.ducked {
            None if is_new => {
                reply.ducked = Some(now);
                self.effects.push(Effect::Duck(true));
                self.due(now + RESTORE);
            }
            None => {}
            Some(since) => {
                let newest = talkers.iter().map(|talker| talker.quiet_since).max().unwrap_or(now);
                let over =
                    if speaking { !waits && self.due(since + RESTORE) } else { self.due(newest + CALM) };
                if !over {
                    return;
                }
                let Some(reply) = &mut self.reply else { return };
                reply.ducked = None;
                // Whoever may stop it still can, by going on, but it is not quiet for them a second time.
                reply.heard_out.extend(talkers.iter().map(|talker| talker.id));
                reply
                    .harmless
                    .extend(talkers.iter().filter(|talker| talker.is_elsewhere).map(|talker| talker.id));
                self.effects.push(Effect::Duck(false));
            }
        }
    }
}
