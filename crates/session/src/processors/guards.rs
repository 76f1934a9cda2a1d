//! What a recast text has to keep, or it is not taken (cards-and-lore 6.2): a polished reply that lost a link, a
//! number or a line of dialogue is worse than an unpolished one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::tags::holds_our_tags;
use crate::domain::LAYER_MARKER;
use crate::llm::TagFilter;
use crate::text::keywords;
use crate::text::names::strip_speaker_echo;
use crate::text::phrases::{Folded, Phrases};
use crate::text::short::one_line;

/// How much shorter or longer a text may become, by its letters.
const SHORTEST: f64 = 0.5;
const LONGEST: f64 = 1.8;

/// A text that shares less of its words with the one before is an answer to something else, in whatever language.
const LEAST_SHARED: f64 = 0.15;
const FEW_WORDS: u32 = 5;

/// How a text that talks about itself begins: with some words, or with others behind which a mark stands.
static OPENINGS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["meta opening", "meta agreeing"]));

/// How the paragraph that explains the changes begins: with some words, or with others that are its heading.
static ENDINGS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["meta ending", "meta heading"]));

/// How much of a beginning is looked at, in characters.
const BEGINNING: usize = 40;

/// What a pass over a reply is bound to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passing<'a> {
    /// Whether what is spoken has to stay.
    pub keeps_dialogue: bool,
    /// What the familiar is called.
    pub own_names: &'a [&'a str],
    /// What the others are called.
    pub other_names: &'a [&'a str],
}

/// Why `after` may not take the place of `before`; `None` when it may.
pub(super) fn refusal_of_guards(before: &str, after: &str, passing: Passing<'_>) -> Option<String> {
    if !after.chars().any(char::is_alphanumeric) {
        return Some("it is empty".to_owned());
    }
    if after.contains(LAYER_MARKER) {
        return Some("it holds a marker of the prompt".to_owned());
    }
    if leaks_tags(before, after) {
        return Some("it holds a tag of the request".to_owned());
    }
    if let Some(meta) = meta_commentary(before, after) {
        return Some(format!("it talks about itself: {meta:?}"));
    }
    let ratio = length_ratio(before, after);
    if !(SHORTEST..=LONGEST).contains(&ratio) {
        return Some(format!("it is {ratio:.2} times as long"));
    }
    if shared_words(before, after).is_some_and(|share| share < LEAST_SHARED) {
        return Some("it says something else".to_owned());
    }
    let (was, is) = (precious(before), precious(after));
    if let Some((lost, _)) = was.iter().find(|(what, count)| is.get(*what).copied().unwrap_or(0) < **count) {
        return Some(format!("{lost:?} is gone"));
    }
    if let Some((added, _)) = is.iter().find(|(what, count)| was.get(*what).copied().unwrap_or(0) < **count) {
        return Some(format!("{added:?} came from nowhere"));
    }
    if passing.keeps_dialogue && dialogue(before) != dialogue(after) {
        return Some("what is spoken was changed".to_owned());
    }
    let stripped = strip_speaker_echo(after, passing.own_names, passing.other_names);
    if stripped.trim() != after.trim() {
        return Some("it speaks for somebody".to_owned());
    }
    None
}

fn leaks_tags(before: &str, after: &str) -> bool {
    TagFilter::default().whole(after).trim() != after.trim()
        || (holds_our_tags(after) && !holds_our_tags(before))
}

fn meta_commentary(before: &str, after: &str) -> Option<String> {
    if let Some(opening) = opens(after)
        && opens(before).as_ref() != Some(&opening)
    {
        return Some(opening);
    }
    let ending = closing_phrase(after)?;
    (closing_phrase(before).as_ref() != Some(&ending)).then_some(ending)
}

/// With which words of the program's list a text begins.
fn opens(text: &str) -> Option<String> {
    let start = first_paragraph_words(text.trim_start_matches(|c: char| !c.is_alphanumeric()));
    first_phrase(&OPENINGS, &start, 0).or_else(|| first_phrase(&OPENINGS, start.split_once(MARKS)?.0, 1))
}

/// With which words of the program's list the last paragraph of a text begins.
fn closing_phrase(text: &str) -> Option<String> {
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    let last = first_paragraph_words(last.trim_start_matches(['*', '_', '-', ' ']));
    let is_heading = || last.split_once([':', '：']).map(|(heading, _)| heading);
    let heading = last.strip_prefix(['(', '（']).or_else(is_heading).unwrap_or_default();
    let words = Folded::of(heading).words();
    first_phrase(&ENDINGS, &last, 0)
        .or_else(|| first_phrase(&ENDINGS, &last, 1).filter(|found| found.split(' ').count() <= words))
}

/// What ends an agreement.
const MARKS: [char; 6] = [',', '!', '.', '，', '！', '。'];

fn first_paragraph_words(text: &str) -> String {
    text.chars().take(BEGINNING).collect()
}

/// The first phrase of a section, where a text begins with it.
fn first_phrase(phrases: &Phrases, text: &str, section: usize) -> Option<String> {
    let folded = Folded::of(text);
    let found =
        phrases.find(&folded).into_iter().find(|one| one.section == section && one.bytes.start == 1)?;
    Some(folded.text_of(&found).to_owned())
}

/// How many of the words of the text with fewer of them are in the other one too; `None` where they are too few to tell.
fn shared_words(before: &str, after: &str) -> Option<f64> {
    let words = |text: &str| -> BTreeSet<String> { keywords::words(text).collect() };
    let (was, is) = (words(before), words(after));
    let fewer = u32::try_from(was.len().min(is.len())).ok().filter(|fewer| *fewer >= FEW_WORDS)?;
    let shared = u32::try_from(was.intersection(&is).count()).unwrap_or(u32::MAX);
    Some(f64::from(shared) / f64::from(fewer))
}

fn length_ratio(before: &str, after: &str) -> f64 {
    let letters = |text: &str| {
        let count = text.chars().filter(|c| !c.is_whitespace()).count();
        f64::from(u32::try_from(count).unwrap_or(u32::MAX))
    };
    letters(after) / letters(before).max(1.0)
}

/// Links, as they begin.
const SCHEMES: [&str; 2] = ["https://", "http://"];

/// Mentions that reach everybody.
const EVERYBODY: [&str; 2] = ["@everyone", "@here"];

/// Every mention, link, piece of code, emoji code and number of a text, with how often it stands there. Numbers inside
/// one of the others count as part of it.
fn precious(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut rest = text;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let length = code(rest)
            .or_else(|| in_angle_brackets(rest))
            .or_else(|| link(rest))
            .or_else(|| EVERYBODY.iter().find(|name| rest.starts_with(**name)).map(|name| name.len()))
            .or_else(|| shortcode(rest))
            .or_else(|| number(rest, before));
        let length = match length {
            Some(length) if length > 0 => {
                *found.entry(rest[..length].to_owned()).or_insert(0) += 1;
                length
            }
            _ => first.len_utf8(),
        };
        before = rest[..length].chars().last();
        rest = &rest[length..];
    }
    found
}

/// A code block or a piece of inline code, backticks included.
fn code(rest: &str) -> Option<usize> {
    let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
    if ticks == 0 {
        return None;
    }
    let fence = &rest[..ticks];
    match rest[ticks..].find(fence) {
        Some(at) => Some(ticks + at + ticks),
        // A block that is never closed goes to the end.
        None if ticks >= 3 => Some(rest.len()),
        None => None,
    }
}

/// Discord's `<@1>`, `<@&1>`, `<#1>`, `<:name:1>`, `<a:name:1>`, `<t:1:R>`, `</command:1>`, `<id:guide>`.
fn in_angle_brackets(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('<')?;
    let end = inside.find('>')?;
    let inside = &inside[..end];
    let known = ["@", "#", ":", "a:", "t:", "/", "id:"].iter().any(|start| inside.starts_with(start));
    let digits = inside.chars().any(|c| c.is_ascii_digit()) || inside.starts_with("id:");
    (known && digits && !inside.contains(char::is_whitespace)).then_some(end + 2)
}

fn link(rest: &str) -> Option<usize> {
    let scheme = SCHEMES
        .iter()
        .find(|scheme| rest.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | ')' | ']'));
    let whole = &rest[..end.unwrap_or(rest.len())];
    // What ends a sentence does not belong to the link.
    let link = whole.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\'', '’', '”']);
    Some(link.len().max(scheme.len()))
}

fn shortcode(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix(':')?;
    let end = inside.find(':')?;
    let name = &inside[..end];
    let named = name.len() >= 2
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+'))
        && name.bytes().any(|byte| byte.is_ascii_alphabetic());
    named.then_some(end + 2)
}

/// A number with what stands inside it: `1,234.50`, `20:15`, `3/4`.
fn number(rest: &str, before: Option<char>) -> Option<usize> {
    if before.is_some_and(char::is_numeric) || !rest.starts_with(char::is_numeric) {
        return None;
    }
    let mut end = 0;
    let mut characters = rest.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let inner = matches!(character, '.' | ',' | ':' | '/')
            && characters.peek().is_some_and(|(_, next)| next.is_numeric());
        if character.is_numeric() {
            end = at + character.len_utf8();
        } else if !inner {
            break;
        }
    }
    Some(end)
}

/// What is spoken, piece by piece: what stands in quotation marks; where nothing does and actions stand between
/// asterisks, what stands outside them. Which marks are used does not matter.
fn dialogue(text: &str) -> Vec<String> {
    let spoken = quotations(text);
    if !spoken.is_empty() {
        return spoken;
    }
    outside_actions(text)
}

fn quotations(text: &str) -> Vec<String> {
    let mut spoken = Vec::new();
    let mut closing = None;
    let mut current = String::new();
    for character in text.chars() {
        match closing {
            Some(end) if character == end => {
                spoken.push(squeezed(&current));
                current.clear();
                closing = None;
            }
            Some(_) => current.push(character),
            None => {
                closing = match character {
                    '"' => Some('"'),
                    '“' => Some('”'),
                    '„' => Some('“'),
                    '«' => Some('»'),
                    '»' => Some('«'),
                    '「' => Some('」'),
                    _ => None,
                }
            }
        }
    }
    if closing.is_some() && !current.trim().is_empty() {
        spoken.push(squeezed(&current));
    }
    spoken
}

fn outside_actions(text: &str) -> Vec<String> {
    let plain = text.replace("**", "");
    let pieces: Vec<&str> = plain.split('*').collect();
    if pieces.len() < 3 {
        return Vec::new();
    }
    let spoken = pieces.iter().step_by(2).map(|piece| squeezed(piece));
    spoken.filter(|piece| piece.chars().any(char::is_alphanumeric)).collect()
}

/// Words with single spaces and plain apostrophes.
fn squeezed(text: &str) -> String {
    one_line(text).replace('’', "'")
}

#[cfg(test)]
mod tests;
