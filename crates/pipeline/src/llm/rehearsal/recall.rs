//! Finding what answers a question among what people said and what was put into the prompt. Start at [`recall`].

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::deed::asks_for_a_deed;
use super::heard::{SaidLine, is_injected};
use super::own_words::OwnWords;
use super::script::RehearsalScript;
use super::topic::{alike, asks_to_be_told, kin_in, said_in_passing, telling};
use crate::domain::{ChatMessage, Role};
use crate::memory::stated::{Nearness, Statement, correction, message_sentences, statements};
use crate::text::cues::Cues;
use crate::text::keywords::is_unspaced_letter;
use crate::text::phrases::{Folded, Phrases, asks, phrases};
use crate::text::short::one_line;

/// The longest quotation of somebody's words, in characters.
const QUOTE_CHARS: usize = 160;

/// The name a person gave in the conversation, in whichever language, else the one the platform gave.
pub(super) fn given_name(last: &SaidLine, earlier: &[SaidLine]) -> Option<String> {
    let own = earlier.iter().rev().filter(|said| said.who == last.who);
    let told = own.flat_map(|said| message_sentences(&said.words));
    let mut names = told.flat_map(|sentence| statements(&sentence)).filter_map(|one| one.name);
    names.next().or_else(|| last.who.clone())
}

/// A quotation that answers a question: the line of the conversation, or of what was put into the prompt, that
/// shares most telling words with it. The newest wins a tie. Of what others said, or of notes, one word of several is too
/// little; a line about a sister is no answer about a brother. Its own words, which are mostly an echo of somebody's, come
/// last; whoever asks for nothing in particular gets what they told it last.
pub(super) fn recall(
    script: &RehearsalScript,
    own_words: OwnWords,
    last: &SaidLine,
    earlier: &[SaidLine],
    messages: &[ChatMessage],
) -> Option<String> {
    let about = about(&last.words);
    let is_general = about.is_empty() && RECALLING.are_in(&Folded::of(&last.words));
    let asked_of = kin_in(&last.words);
    let is_of_own_birthday = |text: &str| Cues::of(text).any(phrases("own birthday"));
    let asks_of_own_birthday = is_of_own_birthday(&last.words);
    // A letter or two of a script without spaces stand in many words.
    let least = if last.words.contains(is_unspaced_letter) { 2 } else { 1 };
    // Of "猫の名前は何" too little is left to find anything by, so "名前" counts beside it.
    let wanted = if least > 1 || about.is_empty() { telling(&last.words) } else { about.clone() };
    let enough = least.max(wanted.len().min(2));
    let score = |text: &str| {
        let (told_of, words) = (kin_in(text), telling(text));
        let is_of_another = !told_of.is_empty()
            && asked_of.is_disjoint(&told_of)
            && (!asked_of.is_empty() || asks_of_own_birthday && !is_of_own_birthday(text));
        let is_beside_it = !about.is_empty() && alike(&about, &words) == 0;
        if is_of_another || is_beside_it { 0 } else { alike(&wanted, &words) }
    };
    let spoken = earlier
        .iter()
        .enumerate()
        .filter(|(_, said)| !asks(&said.words) && !asks_for_a_deed(&said.words))
        .map(|(at, said)| (score(&said.words), at))
        .filter(|(score, at)| *score >= if earlier[*at].who == last.who { least } else { enough })
        .fold(None, better)
        .map(|(score, at)| (score, attributed(own_words, as_it_is_now(&earlier[at..], &wanted), last)));
    let noted: Vec<NotedLine<'_>> = messages
        .iter()
        .filter(|message| message.role == Role::User && is_injected(&message.content))
        .flat_map(|message| noted_lines(script, &message.content))
        .collect();
    let injected = |is_own: bool| {
        noted
            .iter()
            .filter(|line| line.is_own == is_own)
            .map(|line| (score(line.words), line.words))
            .filter(|(score, _)| *score >= enough)
            .map(|(score, words)| (score, own_words.say("rehearsal: noted", &quote(words))))
            .fold(None, better)
    };
    let told = match (spoken, injected(false)) {
        (Some((near, line)), Some((far, _))) if near >= far => Some(line),
        (_, Some((_, line))) | (Some((_, line)), None) => Some(line),
        (None, None) => None,
    };
    told.or_else(|| match is_general {
        true => newest_told(script, last, earlier).map(|said| attributed(own_words, said, last)),
        false => injected(true).map(|(_, line)| line),
    })
}

/// The better of two lines, the later where they are as good.
fn better<T>(found: Option<(usize, T)>, (score, line): (usize, T)) -> Option<(usize, T)> {
    Some(found.filter(|(top, _)| *top > score).unwrap_or((score, line)))
}

/// Where somebody said last what the first of these lines says of what is asked: "I moved to Porto" or "no, it's Braga" behind
/// "I live in Lisbon".
fn as_it_is_now<'s>(said: &'s [SaidLine], wanted: &BTreeSet<String>) -> &'s SaidLine {
    let first = &said[0];
    let who = first.who.as_deref().unwrap_or("who");
    let stated = |line: &SaidLine| -> Vec<Statement> {
        let all = message_sentences(&line.words);
        // Names are asked for otherwise.
        all.iter().flat_map(statements).filter(|one| one.name.is_none()).collect()
    };
    let all = stated(first);
    let is_wanted = |one: &&Statement| alike(wanted, &telling(&one.words(who))) > 0;
    let only = all.first().filter(|_| all.len() == 1);
    let asked = all.iter().find(is_wanted).or(only);
    let Some((slot, mut fact)) = asked.and_then(|one| Some((one.slot.clone()?, one.words(who)))) else {
        return first;
    };
    // A correction means what was stated last.
    let (mut newest, mut is_meant) = (first, true);
    for line in said[1..].iter().filter(|line| line.who == first.who) {
        let restated = stated(line);
        let same = restated.iter().find(|one| one.slot.as_ref() == Some(&slot)).map(|one| one.words(who));
        let set_right = message_sentences(&line.words).iter().find_map(correction);
        let corrected = set_right.filter(|_| is_meant && restated.is_empty());
        match same.or_else(|| corrected?.applied(&fact, Nearness::Near)) {
            Some(now) => (newest, fact, is_meant) = (line, now, true),
            None => is_meant &= restated.is_empty(),
        }
    }
    newest
}

/// What whoever asks told it last.
fn newest_told<'s>(
    script: &RehearsalScript,
    last: &SaidLine,
    earlier: &'s [SaidLine],
) -> Option<&'s SaidLine> {
    let tells = |words: &str| {
        let asks = asks(words) || asks_to_be_told(words) || asks_for_a_deed(words);
        !asks && said_in_passing(script, words).is_none()
    };
    earlier.iter().rev().find(|said| said.who == last.who && tells(&said.words))
}

/// A line of what was put into the prompt.
#[derive(Debug)]
struct NotedLine<'m> {
    /// It said so itself.
    is_own: bool,
    /// Without marks of a list or a quotation, and without whose words they are where they are its own.
    words: &'m str,
}

/// The lines of a block. Of several lines of a quotation the first says whose they are.
fn noted_lines<'m>(script: &RehearsalScript, block: &'m str) -> Vec<NotedLine<'m>> {
    let mut is_own = false;
    let mut lines = Vec::new();
    for line in block.lines() {
        let words = unmarked(line);
        // "you, quay, 3 May 2026: words"
        let labelled =
            words.split_once(": ").and_then(|(label, rest)| Some((label.split(',').next()?, rest)));
        is_own = match labelled {
            Some((who, _)) => who == "you" || who == script.name,
            None => is_own && line.starts_with("> "),
        };
        let words = labelled.filter(|_| is_own).map_or(words, |(_, rest)| rest);
        lines.push(NotedLine { is_own, words });
    }
    lines
}

/// A line of a note without marks of a list or a quotation.
fn unmarked(line: &str) -> &str {
    let mut words = line.trim();
    while let Some(rest) = ["- ", "* ", "> "].iter().find_map(|mark| words.strip_prefix(mark)) {
        words = rest.trim_start();
    }
    words
}

/// What only makes a question one about what is remembered.
static RECALLING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["recall"]));

/// What a question is about, without such words.
fn about(question: &str) -> BTreeSet<String> {
    telling(&RECALLING.replaced(&Folded::of(question), |_| ""))
}

fn attributed(own_words: OwnWords, said: &SaidLine, listener: &SaidLine) -> String {
    let words = quote(&said.words);
    match &said.who {
        Some(who) if Some(who) != listener.who.as_ref() => format!("{who}: “{words}”"),
        _ => own_words.say("rehearsal: told", &words),
    }
}

/// A line shortened for quoting: whitespace folded, cut at a word.
pub(super) fn quote(text: &str) -> String {
    let folded = one_line(text);
    if folded.chars().count() <= QUOTE_CHARS {
        return folded;
    }
    let cut: String = folded.chars().take(QUOTE_CHARS).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head);
    format!("{whole}…")
}
