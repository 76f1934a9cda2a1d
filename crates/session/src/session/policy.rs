//! Speak or stay silent: a pure decision with a reason either way. No model is asked, so silence costs nothing and can
//! always be explained; a direct address is never refused (familiar-connect 1.8).

mod crossing;

use std::time::Duration;

use jiff::Timestamp;

pub(super) use self::crossing::{Parted, is_second_talk};
use super::waiting::Call;
use crate::config::Answers;
use crate::domain::{AccountId, InboundMessage, Modality, Role, SilenceReason, StoredTurn, TurnId};
use crate::text::keywords::{fold, is_stop_word, terms};
use crate::text::names::{
    Begins, begins_with_name, called_by, ends_with_name, names_whole_word, without_calls,
};
use crate::text::phrases::{asks, asks_behind_a_name};
use crate::text::quiet::QuietAsked;

/// How many turns back the policy looks to see who is present.
pub(super) const POLICY_WINDOW: u32 = 20;

/// A reply may be taken up without naming the familiar this long after it spoke to that person, and while others have
/// written no more than so often since.
const CONVERSATION_WINDOW: Duration = Duration::from_secs(90);
const BETWEEN_MAX: usize = 4;

/// The same of a reply that asked something: whoever was asked may still be typing, or look again after others.
const ASKED_WINDOW: Duration = Duration::from_secs(15 * 60);
const BETWEEN_ASKED_MAX: usize = 8;

/// The same of a reply of which they say a word again: that is what they come back to.
const TAKEN_UP_WINDOW: Duration = Duration::from_secs(5 * 60);

/// Where one person alone has written for this long, what they say may be for the familiar.
const SOLO_WINDOW: Duration = Duration::from_secs(3600);

/// Two bots that answer each other never stop by themselves: after this many bot messages without a person in between
/// it waits for a person.
const BOT_ROUNDS_MAX: usize = 3;

/// What the policy may look at.
#[derive(Debug)]
pub(super) struct Situation<'a> {
    /// The newest turns before this message, oldest first.
    pub recent: &'a [StoredTurn],
    /// Messages by people since the familiar last spoke, this one included.
    pub unanswered: u32,
    /// It joins in at this many (familiar-connect 1.3, `interjection`); `None` where it never does.
    pub threshold: Option<u32>,
    /// What it answers here, unless it is kept quiet.
    pub answers: Answers,
    /// Whether a novel is written here, in which people speak as characters.
    pub is_novel: bool,
    /// What the message asks of how much is said here, should it be said to the familiar.
    pub quiet_asked: Option<&'a QuietAsked>,
    /// When it was told to be quiet here, where it still is.
    pub kept_quiet_since: Option<Timestamp>,
    /// Until when it is; `None` also where it is until it is woken.
    pub quiet_until: Option<Timestamp>,
    /// Names it answers to.
    pub names: &'a [String],
    /// Whether bots are answered when they address it.
    pub answer_bots: bool,
    /// Whom the familiar spoke to.
    pub spoken_to: &'a SpokenTo,
    /// Whom it is about to answer and has said nothing to yet.
    pub is_answering: Option<&'a AccountId>,
}

/// Whom the familiar spoke to in a place: the newest last, everybody once.
#[derive(Debug, Default)]
pub(super) struct SpokenTo(Vec<Spoken>);

/// That it spoke to somebody.
#[derive(Debug)]
struct Spoken {
    account: AccountId,
    /// When that was said which it answered.
    asked: Timestamp,
    at: Timestamp,
    /// They have said something to others since.
    has_turned: bool,
}

impl SpokenTo {
    /// Those before them have long done something else.
    const MOST: usize = 8;

    /// It spoke to somebody at a moment, and answered what was said at another.
    pub(super) fn put(&mut self, account: AccountId, asked: Timestamp, at: Timestamp) {
        self.0.retain(|known| known.account != account);
        self.0.push(Spoken { account, asked, at, has_turned: false });
        self.0.drain(..self.0.len().saturating_sub(Self::MOST));
    }

    /// They talk with others. Whoever was asked something may still come back to that, once.
    pub(super) fn turns_away(&mut self, account: &AccountId) {
        self.0.retain(|known| !known.has_turned || known.account != *account);
        self.0.iter_mut().filter(|known| known.account == *account).for_each(|known| known.has_turned = true);
    }

    /// When it last spoke to somebody.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        self.0.iter().map(|known| known.at).max()
    }

    fn of(&self, account: &AccountId) -> Option<&Spoken> {
        self.0.iter().find(|known| known.account == *account)
    }
}

/// What to do about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    Speak(Call),
    /// Answer, because …; but it may not have been meant, and the model may find so.
    MayPass(Call),
    Silent(SilenceReason),
    /// Say nothing now, but answer if it stays quiet after this.
    IfQuiet(SilenceReason),
}

impl Decision {
    /// Why an answer is wanted, where one is.
    pub(super) fn call(&self) -> Option<Call> {
        match self {
            Self::Speak(call) | Self::MayPass(call) => Some(*call),
            Self::Silent(_) | Self::IfQuiet(_) => None,
        }
    }

    /// Whether it was surely said to the familiar, and an answer is waited for.
    pub(super) fn is_awaited(&self) -> bool {
        matches!(self, Self::Speak(call) if call.is_awaited())
    }

    /// Whether nobody has asked for it: it would join in, or take to be for it what was said right behind its words. In a call
    /// the voice room has heard who may be meant.
    pub(super) fn is_unasked(&self) -> bool {
        matches!(self, Self::IfQuiet(_) | Self::Speak(Call::JoinIn(_)) | Self::MayPass(Call::TakenUp(_)))
    }
}

/// Decides about one message.
pub(super) fn decide(message: &InboundMessage, situation: &Situation<'_>) -> Decision {
    let decision = decide_about_answering(message, situation);
    // Alone with somebody there is nobody to be quiet for, and in a novel one character tells another.
    if message.place.is_one_to_one() || situation.is_novel {
        return decision;
    }
    match situation.quiet_asked {
        Some(QuietAsked::Quiet(_)) if is_for_it(message, situation, &decision) => {
            Decision::Silent(SilenceReason::ToldToBeQuiet)
        }
        // Where it is quiet, nobody has to call it to say that it may talk again, unless they say it to somebody else.
        Some(QuietAsked::Over)
            if situation.kept_quiet_since.is_some()
                && matches!(
                    decision,
                    Decision::Silent(SilenceReason::OnlyWhenAddressed | SilenceReason::KeptQuiet { .. })
                ) =>
        {
            Decision::MayPass(Call::Addressed("it was told that it may talk again"))
        }
        _ => decision,
    }
}

/// Whether it is the familiar who is told to be quiet.
fn is_for_it(message: &InboundMessage, situation: &Situation<'_>, decision: &Decision) -> bool {
    match decision {
        _ if message.author.is_bot => false,
        Decision::Speak(Call::Addressed(_)) | Decision::MayPass(_) => true,
        Decision::Silent(SilenceReason::AddressedToSomeoneElse) => false,
        // Who is tired of it says so behind what it said unasked.
        _ => message.modality == Modality::Text && spoke_last(message, situation.recent),
    }
}

fn decide_about_answering(message: &InboundMessage, situation: &Situation<'_>) -> Decision {
    let hints = message.hints;
    let addressed = hints.mentions_familiar || hints.replies_to_familiar;
    if message.author.is_bot && !(addressed && situation.answer_bots) {
        return Decision::Silent(SilenceReason::FromBot);
    }
    if message.author.is_bot && bots_in_a_row(situation.recent) >= BOT_ROUNDS_MAX {
        return Decision::Silent(SilenceReason::FromBot);
    }
    if message.modality == Modality::Voice {
        return decide_spoken(message, situation);
    }
    if message.place.is_one_to_one() {
        return Decision::Speak(Call::Addressed("a one-to-one conversation"));
    }
    if hints.mentions_familiar {
        return Decision::Speak(Call::Addressed("it was mentioned"));
    }
    if hints.replies_to_familiar {
        return Decision::Speak(Call::Addressed("its message was answered"));
    }
    match how_named(&message.text, situation.names) {
        Some(Named::Called) => return Decision::Speak(Call::Addressed("its name was said")),
        // "Ask Pell", "Pell said so", "hi Pell": said to it or about it, in whatever language, the model knows.
        Some(Named::InPassing) => return Decision::MayPass(Call::Addressed("its name was said")),
        None => {}
    }
    let turned = turned_to(message, situation.recent);
    if hints.addresses_someone_else || turned == Some(Turning::Plainly) {
        return Decision::Silent(SilenceReason::AddressedToSomeoneElse);
    }
    let talk = conversation_with(message, situation);
    if turned.is_some() {
        // "Hope you slept well", with a Hope in the room: one answer too many is forgiven sooner than deafness.
        return match situation.answers != Answers::Addressed && talk.is_some() {
            true => Decision::MayPass(Call::Addressed("they were just talking with it")),
            false => Decision::Silent(SilenceReason::AddressedToSomeoneElse),
        };
    }
    match situation.answers {
        Answers::Addressed => return Decision::Silent(SilenceReason::OnlyWhenAddressed),
        Answers::All if situation.kept_quiet_since.is_none() => {
            return Decision::Speak(Call::Addressed("it answers everything here"));
        }
        Answers::All | Answers::Conversation => {}
    }
    if adds_to_question(message, situation) {
        return Decision::Speak(Call::Addressed("they go on with what is being answered"));
    }
    match (is_alone_with(message, situation.recent), talk) {
        (true, Some(TalkRecency::Now)) => {
            return Decision::Speak(Call::Addressed("they were just talking with it"));
        }
        (_, Some(_)) => return Decision::MayPass(Call::Addressed("they were just talking with it")),
        // Whom it answered since it was told to be quiet had called it: they are still talking with it.
        (_, None) if situation.kept_quiet_since.is_some() => {
            return Decision::Silent(SilenceReason::KeptQuiet { until: situation.quiet_until });
        }
        (true, None) => return Decision::MayPass(Call::Addressed("only one person is writing here")),
        (false, None) if situation.threshold.is_some() && takes_up(message, situation.recent) => {
            return Decision::MayPass(Call::TakenUp("it had just spoken"));
        }
        (false, None) => {}
    }
    let count = situation.unanswered;
    let Some(threshold) = situation.threshold else {
        return Decision::Silent(SilenceReason::OnlyWhenAddressed);
    };
    if count >= threshold {
        return Decision::Speak(Call::JoinIn("it has listened long enough"));
    }
    let reason = SilenceReason::NotAddressed { count, threshold };
    // A question is worth waiting for its answer; anything else only once it has listened for a while.
    let has_listened = count >= JOIN_IN_MIN.max(threshold.div_ceil(2));
    if asks(&message.text) || has_listened { Decision::IfQuiet(reason) } else { Decision::Silent(reason) }
}

/// How a message turns to another who wrote here lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turning {
    /// Nothing sets the name apart: it may be spoken of.
    Perhaps,
    /// It is set apart as one that is called.
    Plainly,
}

/// Whether somebody turns to another who wrote here lately, by their name.
fn turned_to(message: &InboundMessage, recent: &[StoredTurn]) -> Option<Turning> {
    let how = |name: String| match begins_with_name(&message.text, &name) {
        Some(Begins::SetApart) => Some(Turning::Plainly),
        _ if ends_with_name(&message.text, &name) => Some(Turning::Plainly),
        Some(Begins::Sentence) => (!is_stop_word(&fold(&name))).then_some(Turning::Perhaps),
        None => None,
    };
    others_names(message, recent).filter_map(how).max()
}

/// What the others are called who wrote here lately.
fn others_names(message: &InboundMessage, recent: &[StoredTurn]) -> impl Iterator<Item = String> {
    let others = recent.iter().filter_map(|turn| turn.author.as_ref());
    let others = others.filter(move |author| author.account != message.author.account);
    others.flat_map(|author| {
        let shown = author.display_name.as_deref().map(called_by).unwrap_or_default();
        shown.into_iter().chain(author.username.clone())
    })
}

/// How its name stands in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// Set apart, as one that is called, or first in what asks something.
    Called,
    InPassing,
}

fn how_named(text: &str, names: &[String]) -> Option<Named> {
    let how = |name: &String| match begins_with_name(text, name) {
        Some(Begins::SetApart) => Some(Named::Called),
        _ if ends_with_name(text, name) => Some(Named::Called),
        Some(Begins::Sentence) if asks(text) || asks_behind_a_name(&without_calls(text, names)) => {
            Some(Named::Called)
        }
        Some(Begins::Sentence) => Some(Named::InPassing),
        None => names_whole_word(text, name).then_some(Named::InPassing),
    };
    let mut found = names.iter().filter_map(how);
    let first = found.next()?;
    Some(if found.any(|named| named == Named::Called) { Named::Called } else { first })
}

/// How somebody talks with the familiar, where they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TalkRecency {
    /// It spoke to them a moment ago, and nobody else has written since.
    Now,
    /// Others have written since, or it is longer ago that it asked them something.
    Still,
}

/// Talks from before it was told to be quiet are over: whoever was in one calls it again.
fn conversation_with(message: &InboundMessage, situation: &Situation<'_>) -> Option<TalkRecency> {
    let Spoken { asked, at, has_turned, .. } = *situation.spoken_to.of(&message.author.account)?;
    if situation.kept_quiet_since.is_some_and(|since| asked <= since) {
        return None;
    }
    let reply = situation.recent.iter().rposition(|turn| turn.role == Role::Assistant && turn.at <= at);
    let since = situation.recent.get(reply.map_or(0, |reply| reply + 1)..).unwrap_or_default();
    let people = since.iter().filter_map(|turn| turn.author.as_ref()).filter(|author| !author.is_bot);
    let (own, others): (Vec<_>, Vec<_>) = people.partition(|author| author.account == message.author.account);
    let is_recent = !has_turned && is_within(at, message.at, CONVERSATION_WINDOW);
    if is_recent && others.is_empty() {
        return Some(TalkRecency::Now);
    }
    let asked = || {
        let reply = situation.recent.get(reply?)?;
        asks(&reply.content).then_some(())
    };
    let is_awaited = || {
        // Whoever has written twice since has answered, or does not mean to.
        own.len() <= 1
            && is_within(at, message.at, ASKED_WINDOW)
            && others.len() <= BETWEEN_ASKED_MAX
            && asked().is_some()
    };
    let is_taken_up = || {
        is_within(at, message.at, TAKEN_UP_WINDOW)
            && others.len() <= BETWEEN_MAX
            && reply.and_then(|reply| situation.recent.get(reply)).is_some_and(|reply| {
                !names_another(message, situation.recent) && says_again(&message.text, &reply.content)
            })
    };
    let goes_on = is_recent && others.len() <= BETWEEN_MAX || is_awaited() || is_taken_up();
    goes_on.then_some(TalkRecency::Still)
}

/// Whether somebody to whom it did not speak takes up what it said a moment ago: it asked something, which anybody may answer, or
/// they ask, or say a word of it again. What names somebody else who is here is theirs.
fn takes_up(message: &InboundMessage, recent: &[StoredTurn]) -> bool {
    let Some(reply) = recent.last().filter(|_| spoke_last(message, recent)) else { return false };
    let is_taken_up =
        asks(&reply.content) || asks(&message.text) || says_again(&message.text, &reply.content);
    is_taken_up && !names_another(message, recent)
}

/// Whether a text has a word of another that says something. A single letter does not, nor do two of Hiragana, which are endings
/// more often than words.
fn says_again(text: &str, before: &str) -> bool {
    let is_word = |term: &&String| {
        term.chars().nth(1).is_some() && !term.chars().all(|c| matches!(c, '\u{3040}'..='\u{309f}'))
    };
    let before = terms(before);
    terms(text).iter().filter(is_word).any(|term| before.contains(term))
}

/// Whether somebody else who wrote here lately is named, wherever in the message.
fn names_another(message: &InboundMessage, recent: &[StoredTurn]) -> bool {
    let mut names = others_names(message, recent).filter(|name| !is_stop_word(&fold(name)));
    names.any(|name| names_whole_word(&message.text, &name))
}

/// Whether somebody adds to what they asked before they have an answer: nobody else has written in between.
fn adds_to_question(message: &InboundMessage, situation: &Situation<'_>) -> bool {
    let before = situation.recent.iter().rev().find(|turn| turn.author.as_ref().is_some_and(|by| !by.is_bot));
    let is_theirs = |turn: &StoredTurn| {
        turn.author.as_ref().is_some_and(|author| author.account == message.author.account)
            && is_within(turn.at, message.at, CONVERSATION_WINDOW)
    };
    situation.is_answering == Some(&message.author.account) && before.is_some_and(is_theirs)
}

/// The fewest messages between two moments at which it might join in.
const JOIN_IN_MIN: u32 = 3;

/// At how many messages it joins in unasked, when it found nothing to say that often since it last spoke: each time it
/// looks again sooner, and not to the message (familiar-connect 1.8). What it was first told to wait for is kept
/// to. `last` is the turn in which it found nothing.
pub(super) fn join_in_at(start: u32, passes: u32, last: TurnId) -> u32 {
    if passes == 0 {
        return start;
    }
    let interval = start.saturating_sub(passes.saturating_mul(3)).max(JOIN_IN_MIN);
    // -2 to 2, the same whenever it is asked.
    let spread = (last.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % 5;
    let spread = u32::try_from(spread).unwrap_or(2);
    (interval + spread).saturating_sub(2).max(JOIN_IN_MIN)
}

/// In a call the voice room has heard who was meant; names, company and who spoke last are its business.
fn decide_spoken(message: &InboundMessage, situation: &Situation<'_>) -> Decision {
    if message.hints.mentions_familiar {
        Decision::Speak(Call::Addressed("it was spoken to"))
    } else if message.hints.addresses_someone_else {
        Decision::Silent(SilenceReason::AddressedToSomeoneElse)
    } else if message.hints.is_unsure {
        Decision::Speak(Call::Perhaps("it may have been spoken to"))
    } else {
        // Gaps and quiet in a call are heard there: whoever hears them says when to join in.
        let count = situation.unanswered;
        Decision::Silent(situation.threshold.map_or(SilenceReason::OnlyWhenAddressed, |threshold| {
            SilenceReason::NotAddressed { count, threshold }
        }))
    }
}

/// Whether nobody has written since it last spoke, a moment ago.
fn spoke_last(message: &InboundMessage, recent: &[StoredTurn]) -> bool {
    let last = recent.last().filter(|turn| turn.role == Role::Assistant);
    last.is_some_and(|turn| is_within(turn.at, message.at, CONVERSATION_WINDOW))
}

fn is_alone_with(message: &InboundMessage, recent: &[StoredTurn]) -> bool {
    recent
        .iter()
        .filter(|turn| is_within(turn.at, message.at, SOLO_WINDOW))
        .filter_map(|turn| turn.author.as_ref())
        .filter(|author| !author.is_bot)
        .all(|author| author.account == message.author.account)
}

/// Bot messages since a person last wrote.
fn bots_in_a_row(recent: &[StoredTurn]) -> usize {
    let authors = recent.iter().rev().filter_map(|turn| turn.author.as_ref());
    authors.take_while(|author| author.is_bot).count()
}

fn is_within(earlier: Timestamp, later: Timestamp, window: Duration) -> bool {
    Duration::try_from(later.duration_since(earlier)).is_ok_and(|gap| gap <= window) || later <= earlier
}

#[cfg(test)]
mod tests;
