//! The machine itself: what happens to what somebody says.
//!
//! Owns the state and the way of an utterance from its first sound to its outcome. The parts of a decision stand in the
//! files beside this one. Start reading at [`TurnMachine::handle`].

use std::collections::BTreeMap;
use std::time::Duration;

use super::addressing::{Verdict, is_echo};
use super::dice::Dice;
use super::overheard::Overheard;
use super::reply::Reply;
use super::speaker::{Speaker, SpeculationState, Utterance};
use super::speculation::SpeculationRecord;
use super::{
    DropReason, Effect, FinishedUtterance, Moment, SpeculationId, TurnEvent, TurnSettings, UtteranceId,
};
use crate::endpoint::{
    Bid, Completeness, bid, completeness, is_backchannel, is_murmur, normalized, says_stop, with_a_pause,
};
use familiar_chat::clock::whole_millis;
use familiar_chat::domain::AccountId;
use familiar_chat::text::names::names_whole_word;
use familiar_chat::text::punctuation::ends_as_question;

/// The first stage: after so much silence the recogniser is asked for everything (voice 2.2).
const FINALIZE_AFTER: Duration = Duration::from_millis(200);

/// Where the client has stopped sending, or the words so far sound finished, so much is enough: a recogniser takes longer
/// for its last words than such a turn is waited for.
const FINALIZE_SOON: Duration = Duration::from_millis(60);

/// An answer is begun early after so much silence, with words that have been the same for so long; words that sound
/// finished need not prove that.
const GUESS_AFTER: Duration = Duration::from_millis(150);
const STABLE_FOR: Duration = Duration::from_millis(80);

/// Early answers to one utterance, and how long that may be (LiveKit's limits, voice 2.3).
const GUESSES: u32 = 3;
const GUESS_LENGTH: Duration = Duration::from_secs(10);

/// Nobody hears it before its answer can be heard: until then they may go on, though not for longer than this after they
/// stopped, or a slow model would not be covered by a filler in time.
const UNDECIDED: Duration = Duration::from_secs(1);

/// How much longer than planned the answer of the recogniser is waited for: where all words so far are final, and where
/// some may still change or more may follow them.
const GRACE: Duration = Duration::from_millis(400);
const GRACE_FOR_PARTIALS: Duration = Duration::from_millis(2_500);

/// Where there are none before the end, the ear decides how long that is, and says when it is over
/// ([`TurnEvent::Deafened`]); it never takes longer than this.
pub const WHOLE_WITHIN: Duration = Duration::from_secs(6);

/// No word at all by then, and no answer of the recogniser: there was none. The slowest of them take up to 1.9 s for their
/// last words (voice 1).
const WORDLESS: Duration = Duration::from_millis(2_500);

/// Without a recogniser, or where it says that there were no words, what somebody says is over after so much silence.
const UNHEARD: Duration = Duration::from_millis(600);

/// Other people who speak are waited for this long, so that one answer can answer all (voice 2.5).
const TOGETHER: Duration = Duration::from_millis(400);

/// Whoever goes on so soon after they were taken to be finished was cut off.
const CUT_OFF: Duration = Duration::from_secs(1);

/// A voice of which nothing was heard for so long is a lost edge, not a voice.
const STUCK: Duration = Duration::from_secs(10);

/// What still sounds like a voice for so long after the recogniser ended the turn is something else.
const NOISY: Duration = Duration::from_millis(500);

/// A chain of decisions at one moment is shorter than this.
const REVIEWS: usize = 16;

/// A single word that nobody knows is a backchannel when it is said over the familiar and is shorter.
const SHORT: Duration = Duration::from_millis(700);

/// Where words are told while they are spoken and none came for so long without a break, it may be a laugh or a cough, and
/// where only "that's" did, a backchannel (voice 5.3).
pub(super) const LEFT_OPEN: Duration = Duration::from_millis(1_100);

/// Its own words may come back for so long after it spoke.
const ECHO_FOR: Duration = Duration::from_secs(3);

/// A murmur belongs to what it said until so long after (LiveKit's edges, voice 2.4).
const EDGE: Duration = Duration::from_secs(1);

/// So many replies before the last one may be come back to.
const TOLD: usize = 3;

/// Decides whose turn it is.
#[derive(Debug)]
pub struct TurnMachine {
    pub(super) settings: TurnSettings,
    pub(super) now: Moment,
    pub(super) speakers: BTreeMap<AccountId, Speaker>,
    pub(super) reply: Option<Reply>,
    /// Finished, but somebody else still speaks.
    pub(super) held: Vec<FinishedUtterance>,
    held_until: Moment,
    /// When something was last submitted that wants an answer.
    pub(super) submitted: Option<Moment>,
    /// That may get no answer.
    pub(super) is_unsure: bool,
    /// When it was first heard in this call.
    pub(super) first_spoke: Option<Moment>,
    /// When it last let hear that it listens.
    pub(super) backchannelled: Option<Moment>,
    /// The last reply had a filler.
    pub(super) filled_last: bool,
    /// Who last talked to somebody else over it, and until when.
    pub(super) side_talk: Option<(AccountId, Moment)>,
    /// Its own last words, and when they ended.
    pub(super) own: Option<(Moment, String)>,
    /// What it said before that.
    pub(super) told: Vec<String>,
    pub(super) overheard: Overheard,
    speculation_record: SpeculationRecord,
    pub(super) mood: f64,
    /// It was asked to speak only when spoken to.
    pub(super) is_quiet: bool,
    pub(super) dice: Dice,
    next_utterance: u64,
    next_speculation: u64,
    wake: Option<Moment>,
    pub(super) effects: Vec<Effect>,
}

impl TurnMachine {
    /// A call in which nobody has said anything. `seed` decides what is left to chance.
    pub fn new(settings: TurnSettings, seed: u64) -> Self {
        Self {
            settings,
            now: Moment::ZERO,
            speakers: BTreeMap::new(),
            reply: None,
            held: Vec::new(),
            held_until: Moment::ZERO,
            submitted: None,
            is_unsure: false,
            first_spoke: None,
            backchannelled: None,
            filled_last: false,
            side_talk: None,
            own: None,
            told: Vec::new(),
            overheard: Overheard::default(),
            speculation_record: SpeculationRecord::default(),
            mood: 0.0,
            is_quiet: false,
            dice: Dice::of(seed),
            next_utterance: 0,
            next_speculation: 0,
            wake: None,
            effects: Vec::new(),
        }
    }

    /// Something happened at `now`.
    pub fn handle(&mut self, now: Moment, event: TurnEvent) -> Vec<Effect> {
        self.now = self.now.max(now);
        self.take(event);
        self.review()
    }

    /// Time passed. To be called at [`Self::next_deadline`]; other calls do no harm.
    pub fn tick(&mut self, now: Moment) -> Vec<Effect> {
        self.now = self.now.max(now);
        self.review()
    }

    /// When something is to be decided if nothing happens before.
    pub fn next_deadline(&self) -> Option<Moment> {
        self.wake
    }

    /// Settings hold from now on.
    pub fn configure(&mut self, settings: TurnSettings) {
        self.settings = settings;
    }

    /// The call is over: everything gets its outcome.
    pub fn close(&mut self) -> Vec<Effect> {
        let people: Vec<AccountId> = self.speakers.keys().cloned().collect();
        for who in people {
            self.drop_utterance(&who, DropReason::CallEnded);
        }
        self.flush_held();
        self.abandon();
        std::mem::take(&mut self.effects)
    }

    /// Whether nothing is going on.
    pub fn is_idle(&self) -> bool {
        self.reply.is_none() && self.held.is_empty() && self.talking().next().is_none()
    }

    /// Early answers that were kept, and all of them.
    pub fn speculations(&self) -> (u64, u64) {
        self.speculation_record.figures()
    }

    /// Whether a moment has come; if not, it is waited for.
    pub(super) fn due(&mut self, at: Moment) -> bool {
        if at <= self.now {
            return true;
        }
        self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
        false
    }

    /// People who are no bots.
    pub(super) fn people(&self) -> usize {
        self.speakers.values().filter(|speaker| !speaker.is_bot).count()
    }

    /// Who is saying something, the pauses in it included.
    pub(super) fn talking(&self) -> impl Iterator<Item = (&AccountId, &Utterance)> {
        self.speakers.iter().filter_map(|(who, speaker)| Some((who, speaker.utterance.as_ref()?)))
    }

    fn utterance(&mut self, who: &AccountId) -> Option<&mut Utterance> {
        self.speakers.get_mut(who)?.utterance.as_mut()
    }

    fn take(&mut self, event: TurnEvent) {
        let now = self.now;
        match event {
            TurnEvent::Joined { who, name, is_bot, can_stop } => {
                let speaker = self.speakers.entry(who).or_default();
                (speaker.name, speaker.is_bot, speaker.can_stop) = (name, is_bot, can_stop);
            }
            TurnEvent::Withdrew { who } => {
                self.drop_utterance(&who, DropReason::Gone);
                // What they had said to the end, while they agreed, is not lost.
                if self.held.iter().any(|said| said.who == who) {
                    self.flush_held();
                }
                self.speakers.remove(&who);
            }
            TurnEvent::Left { who } => {
                // Whoever leaves in the middle of a sentence has said half of it.
                match self.utterance(&who).map(|utterance| utterance.text()) {
                    Some(text) if !text.is_empty() => self.commit(&who),
                    _ => self.drop_utterance(&who, DropReason::Gone),
                }
                // What they had said to the end is not lost with them.
                if self.held.iter().any(|said| said.who == who) {
                    self.flush_held();
                }
                self.speakers.remove(&who);
            }
            TurnEvent::Voice { who, on: true, at } => self.voice_on(&who, at),
            TurnEvent::Voice { who, on: false, at } => {
                if let Some(utterance) = self.utterance(&who) {
                    utterance.goes_quiet(at.min(now));
                    utterance.touched = now;
                    self.made_a_sound(&who);
                }
            }
            TurnEvent::Gate { who, open, pushes_to_talk } => {
                let Some(speaker) = self.speakers.get_mut(&who) else { return };
                let pushes_to_talk = pushes_to_talk && self.settings.notices_buttons;
                (speaker.pushes_to_talk, speaker.gate_open) = (pushes_to_talk, open);
                if let Some(utterance) = &mut speaker.utterance {
                    utterance.gate_open = open;
                    if !open {
                        utterance.goes_quiet(now);
                    }
                }
            }
            TurnEvent::Partial { who, text } => {
                if !self.is_old_answer(&who, false)
                    && let Some(utterance) = self.utterance(&who)
                {
                    utterance.heard_partial(&text, now);
                    // More came than it took for the end.
                    utterance.is_ended &= text.trim().is_empty();
                    // It failed before, and hears them again.
                    utterance.deaf = false;
                    // Words behind the last answer: they are asked for too, or they would come as a turn of their own.
                    utterance.asked &= utterance.outstanding > 0;
                }
            }
            TurnEvent::Final { who, text, answers } => {
                if !self.is_old_answer(&who, answers)
                    && let Some(utterance) = self.utterance(&who)
                {
                    utterance.heard_final(&text, now);
                    if answers {
                        utterance.outstanding = utterance.outstanding.saturating_sub(1);
                    }
                }
            }
            TurnEvent::Sounds { who, finished } => {
                // Whoever lets go of a button has said that they were finished.
                let speaker = self.speakers.get_mut(&who).filter(|speaker| !speaker.pushes_to_talk);
                let utterance = speaker.and_then(|speaker| speaker.utterance.as_mut());
                if let Some(utterance) = utterance.filter(|utterance| !utterance.is_voiced()) {
                    utterance.ends_by_sound = Some(finished);
                }
            }
            TurnEvent::Eager { who, text } => {
                if let Some(utterance) = self.utterance(&who) {
                    utterance.heard_partial(&text, now);
                    utterance.is_eager = true;
                }
            }
            TurnEvent::Resumed { who } => {
                if let Some(utterance) = self.utterance(&who) {
                    (utterance.is_eager, utterance.is_ended) = (false, false);
                }
                self.drop_speculation(&who);
            }
            TurnEvent::Ended { who, text } => {
                if let Some(utterance) = self.utterance(&who) {
                    utterance.heard_final(&text, now);
                    utterance.is_ended = true;
                }
            }
            TurnEvent::Deafened { who } => {
                if let Some(utterance) = self.utterance(&who) {
                    // Nothing that was asked for will come.
                    (utterance.deaf, utterance.asked, utterance.outstanding) = (true, false, 0);
                }
                if let Some(speaker) = self.speakers.get_mut(&who) {
                    speaker.owed = 0;
                }
            }
            TurnEvent::Typed { who, text } => {
                self.made_a_sound(&who);
                self.overheard.heard(true, now);
                (self.submitted, self.is_unsure) = (Some(now), false);
                let may_stop = self.reply.as_ref().is_some_and(|reply| reply.audible.is_some());
                if may_stop && says_stop(&text, &self.settings.names) {
                    self.abandon();
                }
            }
            TurnEvent::Ready { speculation } => {
                let speculations =
                    self.speakers.values_mut().filter_map(|one| one.utterance.as_mut()?.speculation.as_mut());
                for known in speculations.filter(|known| known.id == speculation) {
                    known.is_ready = true;
                }
            }
            TurnEvent::Opened { reply, whom, unasked } => {
                if let Some(before) = self.reply.as_ref().map(|before| before.id) {
                    self.reply_closed(before);
                }
                self.reply = Some(Reply::opened(reply, whom, unasked, now));
            }
            TurnEvent::Saying { reply, text } => {
                if let Some(current) = self.reply.as_mut().filter(|current| current.id == reply) {
                    if !current.saying.is_empty() {
                        current.saying.push(' ');
                    }
                    current.saying.push_str(&text);
                }
            }
            TurnEvent::Audible { reply } => {
                if let Some(current) = self.reply.as_mut().filter(|current| current.id == reply) {
                    current.audible.get_or_insert(now);
                    current.held = false;
                    self.first_spoke.get_or_insert(now);
                }
            }
            TurnEvent::Works { reply, on } => {
                if let Some(current) = self.reply.as_mut().filter(|current| current.id == reply) {
                    current.works = on.then_some(now);
                }
            }
            TurnEvent::Closed { reply } => self.reply_closed(reply),
            TurnEvent::Quiet(is_quiet) => self.is_quiet = is_quiet,
            TurnEvent::Mood(mood) => self.mood = mood.clamp(-1.0, 1.0),
        }
    }

    fn voice_on(&mut self, who: &AccountId, at: Moment) {
        let now = self.now;
        let is_audible = self.reply.as_ref().is_some_and(|reply| reply.audible.is_some());
        let id = UtteranceId(self.next_utterance);
        let others_spoke = self.last_sound_but_of(who);
        let Some(speaker) = self.speakers.get_mut(who).filter(|speaker| !speaker.is_bot) else { return };
        let spoke_before = speaker.last_spoke.replace(now);
        self.overheard.last_sound = now;
        if let Some(utterance) = &mut speaker.utterance {
            utterance.touched = now;
            if !utterance.is_voiced() {
                let at = at.min(now).max(utterance.quiet_since);
                speaker.pauses.went_on_after(at - utterance.quiet_since);
                (utterance.voiced_since, utterance.ends_by_sound) = (Some(at), None);
                (utterance.is_eager, utterance.is_ended) = (false, false);
                // Whether what comes now is understood, the recogniser says when it is asked. One that failed may have been
                // given whole utterances: it tells no word that would show that it hears again.
                utterance.deaf = false;
                self.drop_speculation(who);
            }
            return;
        }
        match speaker.last_commit {
            Some(last) if now.saturating_sub(last) <= CUT_OFF && !is_audible => speaker.pauses.was_cut_off(),
            Some(_) => speaker.pauses.was_finished(),
            None => {}
        }
        let mut utterance = Utterance::begun(id, at.min(now), now);
        (utterance.over, utterance.others_spoke) = (is_audible, others_spoke);
        utterance.spoke_before = spoke_before;
        speaker.utterance = Some(utterance);
        self.next_utterance += 1;
        self.effects.push(Effect::Listen { who: who.clone() });
        self.effects.push(Effect::Expect { who: who.clone() });
    }

    fn made_a_sound(&mut self, who: &AccountId) {
        self.overheard.last_sound = self.now;
        if let Some(speaker) = self.speakers.get_mut(who) {
            speaker.last_spoke = Some(self.now);
        }
    }

    /// Whether words belong to an utterance that is over.
    fn is_old_answer(&mut self, who: &AccountId, answers: bool) -> bool {
        let now = self.now;
        let Some(speaker) = self.speakers.get_mut(who) else { return true };
        if speaker.owed == 0 || speaker.owed_until <= now {
            speaker.owed = 0;
            return false;
        }
        speaker.owed -= u32::from(answers);
        true
    }

    fn reply_closed(&mut self, id: u64) {
        let now = self.now;
        let Some(mut reply) = self.reply.take_if(|reply| reply.id == id) else { return };
        self.effects.extend(reply.let_go());
        self.filled_last = reply.filler;
        // What it answered is answered.
        self.submitted.take_if(|submitted| *submitted <= reply.opened);
        if let Some(speaker) = reply.whom.as_ref().and_then(|whom| self.speakers.get_mut(whom)) {
            speaker.woke = Some(now);
        }
        if reply.audible.is_none() {
            if reply.unasked {
                self.overheard.declined();
            }
            return;
        }
        self.overheard.spoke();
        if let Some(speaker) = reply.whom.as_ref().and_then(|whom| self.speakers.get_mut(whom)) {
            speaker.answered = Some((now, ends_as_question(&reply.saying)));
        }
        self.overheard.last_sound = now;
        if let Some((_, before)) = self.own.replace((now, reply.saying)) {
            self.told.push(before);
            if self.told.len() > TOLD {
                self.told.remove(0);
            }
        }
    }

    /// Decides what is due. One decision may make another one due, or move the next deadline: it ends once nothing more
    /// follows.
    fn review(&mut self) -> Vec<Effect> {
        for _ in 0..REVIEWS {
            let before = self.effects.len();
            self.wake = None;
            let people: Vec<AccountId> = self.talking().map(|(who, _)| who.clone()).collect();
            for who in &people {
                self.review_utterance(who);
            }
            self.review_held();
            self.review_floor();
            self.review_proactive();
            if self.effects.len() == before {
                break;
            }
        }
        std::mem::take(&mut self.effects)
    }

    fn review_utterance(&mut self, who: &AccountId) {
        let now = self.now;
        let Some(utterance) = self.utterance(who) else { return };
        if utterance.is_voiced() {
            // Who was finished, says the recogniser, and brought no word since, is in a noisy room.
            let stuck_at = utterance.touched + if utterance.is_ended { NOISY } else { STUCK };
            if !self.due(stuck_at) {
                return;
            }
            if let Some(utterance) = self.utterance(who) {
                utterance.goes_quiet(now);
            }
        }
        let Some(speaker) = self.speakers.get(who) else { return };
        let Some(utterance) = &speaker.utterance else { return };
        let (began, quiet_since, changed, gate_open) =
            (utterance.began, utterance.quiet_since, utterance.changed, utterance.gate_open);
        let (deaf, asked, is_ended) =
            (utterance.deaf || !self.settings.hears_words, utterance.asked, utterance.is_ended);
        let (text, is_settled) = (utterance.text(), utterance.asked && utterance.outstanding == 0);
        let (is_partial, sounds) = (utterance.is_partial(), utterance.ends_by_sound);
        // Who listens to the familiar will not go on.
        let listens = self.reply.is_some() && is_backchannel(&text);
        let read = |read: fn(&str, &[String]) -> Completeness| {
            if listens {
                Completeness::Finished
            } else {
                read(&text, &self.settings.names).and_sounds(sounds)
            }
        };
        let (class, paused) = (read(completeness), read(with_a_pause));
        let wait = speaker.pauses.wait(paused, speaker.pushes_to_talk);
        if let Some(utterance) = self.utterance(who) {
            utterance.wait = if is_ended || deaf { Duration::ZERO } else { wait };
        }

        if deaf {
            if self.due(quiet_since + UNHEARD) {
                let why = DropReason::NoRecogniser;
                if text.is_empty() { self.drop_utterance(who, why) } else { self.commit(who) }
            }
            return;
        }
        let is_soon = !gate_open || (self.settings.hears_partials && class == Completeness::Finished);
        let first_stage = if is_soon { FINALIZE_SOON } else { FINALIZE_AFTER };
        // A recogniser that knows itself when a turn is over is asked only once it has had the time for that.
        let finalize_at =
            quiet_since + if self.settings.ends_turns { wait.max(first_stage) } else { first_stage };
        if !asked && self.due(finalize_at) {
            if let Some(utterance) = self.utterance(who) {
                utterance.asked = true;
                utterance.outstanding += 1;
            }
            self.effects.push(Effect::Finalize { who: who.clone() });
        }
        if is_ended {
            self.commit(who);
            return;
        }
        // Final words that are others than the partial ones come when their turn is all but over.
        let sounds_finished = class == Completeness::Finished && !is_settled;
        let stable = if sounds_finished { changed } else { changed + STABLE_FOR };
        self.review_speculation(who, &text, class, (quiet_since + GUESS_AFTER).max(stable));
        self.review_backchannel(who, &text, class, (began, quiet_since));
        let grace = match (self.settings.hears_partials, is_partial) {
            (false, _) => WHOLE_WITHIN,
            (true, true) => GRACE_FOR_PARTIALS,
            (true, false) => GRACE,
        };
        if text.is_empty() {
            let least = if is_settled { UNHEARD } else { WORDLESS.max(grace) };
            if self.due(quiet_since + least) {
                self.drop_utterance(who, DropReason::NoWords);
            }
            return;
        }
        if self.due(quiet_since + wait)
            && (is_settled || self.due(quiet_since + wait + grace))
            && (!self.may_go_on(who, &text) || self.due(quiet_since + UNDECIDED))
        {
            self.commit(who);
        }
    }

    /// Whether nobody loses anything if they are waited for: the answer to exactly this is not ready. Who pushes a button to
    /// talk has said that they were finished.
    fn may_go_on(&self, who: &AccountId, text: &str) -> bool {
        let Some(speaker) = self.speakers.get(who).filter(|speaker| !speaker.pushes_to_talk) else {
            return false;
        };
        let speculation = speaker.utterance.as_ref().and_then(|utterance| utterance.speculation.as_ref());
        speculation.is_some_and(|speculation| !speculation.is_ready && speculation.words == normalized(text))
    }

    fn review_speculation(&mut self, who: &AccountId, text: &str, class: Completeness, at: Moment) {
        let now = self.now;
        let may = self.settings.speculations && self.speculation_record.may(now) && !text.is_empty();
        let Some(utterance) = self.utterance(who) else { return };
        let is_likely = utterance.is_eager || class <= Completeness::Unknown;
        let is_new =
            utterance.speculation.as_ref().is_none_or(|speculation| speculation.words != normalized(text));
        let (is_eager, fits) =
            (utterance.is_eager, utterance.speculations < GUESSES && now - utterance.began <= GUESS_LENGTH);
        if !(may && is_likely && is_new && fits) || self.would_not_answer(who, text) {
            return;
        }
        if !(is_eager || self.due(at)) {
            return;
        }
        self.drop_speculation(who);
        let is_unsure = self.is_unsure(self.judge(who, text), class, is_eager);
        let speculation = SpeculationId(self.next_speculation);
        self.next_speculation += 1;
        self.speculation_record.begun();
        if let Some(utterance) = self.utterance(who) {
            utterance.speculations += 1;
            utterance.speculation =
                Some(SpeculationState { id: speculation, words: normalized(text), is_ready: false });
        }
        self.effects.push(Effect::Speculate {
            speculation,
            who: who.clone(),
            text: text.to_owned(),
            is_unsure,
        });
    }

    /// Whether the model is to look first whether this wants an answer. `is_over`: the recogniser says that it is.
    fn is_unsure(&self, verdict: Verdict, class: Completeness, is_over: bool) -> bool {
        verdict.may_be_for_familiar() && !verdict.is_certain(is_over || class == Completeness::Finished)
    }

    /// Whether no answer would be begun for this, as far as can be told.
    fn would_not_answer(&self, who: &AccountId, text: &str) -> bool {
        let is_busy =
            self.reply.as_ref().is_some_and(|reply| reply.audible.is_some() && reply.ending.is_none());
        is_busy || is_backchannel(text) && self.reply.is_some() || !self.judge(who, text).is_for_familiar()
    }

    fn drop_speculation(&mut self, who: &AccountId) {
        if let Some(speculation) = self.utterance(who).and_then(|utterance| utterance.speculation.take()) {
            self.effects.push(Effect::DropSpeculation { speculation: speculation.id });
        }
    }

    /// What they said is over, and is to be stored and perhaps answered.
    fn commit(&mut self, who: &AccountId) {
        let Some(text) = self.utterance(who).map(|utterance| utterance.text()) else { return };
        if let Some(why) = self.reason_to_drop(who, &text) {
            self.drop_utterance(who, why);
            return;
        }
        let verdict = self.judge(who, &text);
        let now = self.now;
        let Some(mut utterance) = self.end(who) else { return };
        let class = completeness(&text, &self.settings.names).and_sounds(utterance.ends_by_sound);
        let is_unsure = self.is_unsure(verdict, class, utterance.is_ended);
        let same = normalized(&text);
        let speculation = match utterance.speculation.take() {
            Some(speculation) if speculation.words == same && verdict.is_for_familiar() => {
                Some(speculation.id)
            }
            Some(speculation) => {
                self.effects.push(Effect::DropSpeculation { speculation: speculation.id });
                None
            }
            None => None,
        };
        if utterance.speculations > 0 {
            self.speculation_record.ended(speculation.is_some(), now);
        }
        tracing::debug!(
            %who,
            wait_ms = whole_millis(utterance.wait),
            quiet_ms = whole_millis(now.saturating_sub(utterance.quiet_since)),
            ahead = speculation.is_some(),
            "their turn is over"
        );
        if let Some(speaker) = self.speakers.get_mut(who) {
            speaker.last_commit = Some(now);
            if verdict.names_it() {
                speaker.woke = Some(now);
            }
        }
        if is_backchannel(&text) {
            self.was_no_talk(who, &utterance);
        }
        self.settle_overlap(who, &utterance, verdict);
        let over = (utterance.quiet_since + utterance.wait).min(now);
        if self.held.is_empty() {
            self.held_until = over + TOGETHER;
        }
        self.held.push(FinishedUtterance {
            utterance: utterance.id,
            who: who.clone(),
            text,
            began: utterance.began,
            ended: utterance.quiet_since,
            settled: utterance.changed,
            over,
            verdict,
            is_unsure,
            speculation,
        });
    }

    fn reason_to_drop(&self, who: &AccountId, text: &str) -> Option<DropReason> {
        let utterance = self.speakers.get(who)?.utterance.as_ref()?;
        let own_now =
            self.reply.as_ref().filter(|reply| reply.audible.is_some()).map(|reply| reply.saying.as_str());
        let own_before = self
            .own
            .as_ref()
            .filter(|(ended, _)| utterance.began <= *ended + ECHO_FOR)
            .map(|(_, said)| said.as_str());
        if own_now.into_iter().chain(own_before).any(|said| is_echo(text, said)) {
            return Some(DropReason::Echo);
        }
        let listens = match bid(text) {
            // Over a reply that may never come, "yes" may be somebody else's answer.
            Some(Bid::Backchannel) => {
                self.reply.as_ref().is_some_and(|reply| reply.audible.is_some() || !self.is_unsure)
                    || (is_murmur(text) && self.has_just_told(utterance.began))
            }
            // Spoken over it and over at once: most likely a reaction that is on no list.
            Some(Bid::Lone) => self.is_short_reaction(utterance, text, SHORT),
            Some(Bid::Comment | Bid::Open) => self.is_short_reaction(utterance, text, LEFT_OPEN),
            _ => false,
        };
        (listens && !says_stop(text, &self.settings.names)).then_some(DropReason::Backchannel)
    }

    /// Whether it told something, and asked nothing, over this moment or right before it.
    fn has_just_told(&self, then: Moment) -> bool {
        let own = self.own.as_ref();
        own.is_some_and(|(ended, said)| then <= *ended + EDGE && !ends_as_question(said))
    }

    fn is_short_reaction(&self, utterance: &Utterance, text: &str, most: Duration) -> bool {
        let is_named = self.settings.names.iter().any(|name| names_whole_word(text, name));
        self.reply.is_some() && utterance.over && utterance.voiced(self.now) < most && !is_named
    }

    pub(super) fn is_paused_by(&self, id: UtteranceId) -> bool {
        let paused = self.reply.as_ref().and_then(|reply| reply.paused.as_ref());
        paused.is_some_and(|paused| paused.utterance == id)
    }

    /// Takes the utterance out; nothing more is recognised for it.
    fn end(&mut self, who: &AccountId) -> Option<Utterance> {
        let now = self.now;
        let grace = if self.settings.hears_partials { Duration::from_secs(2) } else { WHOLE_WITHIN };
        let speaker = self.speakers.get_mut(who)?;
        let utterance = speaker.utterance.take()?;
        if utterance.outstanding > 0 && !utterance.deaf {
            speaker.owed += utterance.outstanding;
            speaker.owed_until = now + grace;
        }
        self.effects.push(Effect::StopListening { who: who.clone() });
        Some(utterance)
    }

    fn drop_utterance(&mut self, who: &AccountId, why: DropReason) {
        self.drop_speculation(who);
        let Some(utterance) = self.end(who) else { return };
        if utterance.speculations > 0 {
            self.speculation_record.ended(false, self.now);
        }
        if matches!(why, DropReason::NoWords | DropReason::Backchannel | DropReason::Echo) {
            self.was_no_talk(who, &utterance);
        }
        self.effects.push(Effect::Dropped { utterance: utterance.id, who: who.clone(), why });
        if self.is_paused_by(utterance.id) {
            self.resume();
        }
    }

    fn review_held(&mut self) {
        if self.held.is_empty() {
            return;
        }
        // Who pauses may be finished as well: their words are on their way.
        if self.talking().next().is_none() || self.due(self.held_until) {
            self.flush_held();
        }
    }

    fn flush_held(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let mut said = std::mem::take(&mut self.held);
        said.sort_by_key(|one| one.utterance);
        for one in &said {
            self.overheard.heard(one.verdict.is_for_familiar(), self.now);
        }
        let wanted: Vec<&FinishedUtterance> =
            said.iter().filter(|one| one.verdict.may_be_for_familiar()).collect();
        let over = said.iter().map(|one| one.over).max().unwrap_or(self.now);
        let is_certain = wanted.iter().any(|one| one.verdict.is_for_familiar());
        // What may be meant for it takes nothing from an answer that is being made.
        if !wanted.is_empty() && (is_certain || self.reply.is_none()) {
            (self.submitted, self.is_unsure) = (Some(over), wanted.iter().all(|one| one.is_unsure));
        }
        // Only what is for it has an answer that was begun. For one of them alone it stays good if the others come behind.
        let is_one_begun = matches!(wanted.as_slice(), [one] if one.speculation.is_some());
        let (first, rest) = said.into_iter().partition(|one| !is_one_begun || one.speculation.is_some());
        let submits = [first, rest].into_iter().filter(|said: &Vec<FinishedUtterance>| !said.is_empty());
        self.effects.extend(submits.map(|said| Effect::Submit { said }));
    }
}
