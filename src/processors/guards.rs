//! What a recast text has to keep, or it is not taken (specs cards-and-lore 6.2): a polished reply that lost a link, a
//! number or a line of dialogue is worse than an unpolished one.

mod kept;

use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation as _;

use super::marked::holds_our_tags;
use super::tags::TagFilter;
use crate::domain::LAYER_MARKER;
use crate::text::names::strip_speaker_echo;

use kept::{dialogue, precious};

/// How much shorter or longer a text may become, by its letters.
const SHORTEST: f64 = 0.5;
const LONGEST: f64 = 1.8;

/// A text that shares less of its words with the one before is an answer to something else, in whatever language.
const LEAST_SHARED: f64 = 0.15;
const FEW_WORDS: u32 = 5;

/// How a text that talks about itself begins. Compared in lower case, letters only at the start of the text.
const META_OPENINGS: &[&str] = &[
    "here is",
    "here's",
    "here are",
    "sure,",
    "sure!",
    "sure.",
    "certainly",
    "of course, here",
    "okay, here",
    "ok, here",
    "revised",
    "rewritten",
    "rewrite:",
    "edited",
    "corrected",
    "transformed",
    "polished",
    "improved",
    "the revised",
    "the rewritten",
    "the text",
    "this text",
    "i've",
    "i have rewritten",
    "i have revised",
    "no changes",
    "as an ai",
];

/// How the paragraph that explains the changes begins.
const META_ENDINGS: &[&str] = &[
    "note:",
    "(note",
    "notes:",
    "changes:",
    "changes made",
    "explanation",
    "i changed",
    "i have changed",
    "i kept",
];

/// What a pass over a reply is bound to.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    /// Whether what is spoken may change.
    pub keeps_dialogue: bool,
    /// What the familiar is called.
    pub own_names: &'a [&'a str],
    /// What the others are called.
    pub other_names: &'a [&'a str],
}

/// Why `after` may not take the place of `before`; `None` when it may.
#[must_use]
pub fn refusal_of_guards(before: &str, after: &str, passing: Passing<'_>) -> Option<String> {
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
    let ratio = ratio(before, after);
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
    let mut filter = TagFilter::default();
    let mut shown = filter.push(after);
    shown.push_str(&filter.finish());
    shown.trim() != after.trim() || (holds_our_tags(after) && !holds_our_tags(before))
}

fn meta_commentary(before: &str, after: &str) -> Option<String> {
    let opens = |text: &str| {
        let start: String =
            text.trim_start_matches(|c: char| !c.is_alphanumeric()).chars().take(40).collect::<String>();
        let start = start.to_lowercase().replace('’', "'");
        META_OPENINGS.iter().find(|opening| start.starts_with(**opening)).copied()
    };
    if let Some(opening) = opens(after)
        && opens(before) != Some(opening)
    {
        return Some(opening.to_owned());
    }
    let closes = |text: &str| {
        let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
        let start: String = last.trim_start_matches(['*', '_', '-', ' ']).chars().take(40).collect();
        let start = start.to_lowercase();
        META_ENDINGS.iter().find(|ending| start.starts_with(**ending)).copied()
    };
    let ending = closes(after)?;
    (closes(before) != Some(ending)).then(|| ending.to_owned())
}

/// How many of the words of the text with fewer of them are in the other one too; `None` where they are too few to tell.
fn shared_words(before: &str, after: &str) -> Option<f64> {
    let words = |text: &str| -> BTreeSet<String> { text.unicode_words().map(str::to_lowercase).collect() };
    let (was, is) = (words(before), words(after));
    let fewer = u32::try_from(was.len().min(is.len())).ok().filter(|fewer| *fewer >= FEW_WORDS)?;
    let shared = u32::try_from(was.intersection(&is).count()).unwrap_or(u32::MAX);
    Some(f64::from(shared) / f64::from(fewer))
}

fn ratio(before: &str, after: &str) -> f64 {
    let letters = |text: &str| {
        let count = text.chars().filter(|c| !c.is_whitespace()).count();
        f64::from(u32::try_from(count).unwrap_or(u32::MAX))
    };
    letters(after) / letters(before).max(1.0)
}

#[cfg(test)]
mod tests;
