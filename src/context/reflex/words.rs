//! Letters and words: what models count badly.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Fact, ReflexInput};
use crate::text::names::prompt_label;

pub(super) const LETTERS: &[&str] = &[
    "how many letters",
    "how many characters",
    "count the letters",
    "how many times does the letter",
    "wie viele buchstaben",
    "wie viele zeichen",
];

/// "How many letters are in strawberry?"
pub(super) fn letters(input: &ReflexInput<'_>) -> Option<Fact> {
    let word = subject(input)?;
    let letters = word.graphemes(true).filter(|grapheme| grapheme.chars().any(char::is_alphanumeric)).count();
    Fact::quoting(format!("“{word}” has {letters} letters."))
}

/// "How many r's are in strawberry?"
pub(super) fn one_letter(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after(&["how many", "wie viele", "wie oft kommt"])?;
    let letter = words.first()?;
    let letter = match letter.chars().collect::<Vec<_>>().as_slice() {
        [letter] | [letter, 's'] => *letter,
        _ => return None,
    };
    let is_in = words.iter().any(|word| matches!(*word, "in" | "does" | "hat"));
    if !letter.is_alphabetic() || !is_in {
        return None;
    }
    let word = subject(input)?;
    let count = word.to_lowercase().chars().filter(|c| *c == letter).count();
    Fact::quoting(format!("“{word}” has the letter {letter} {count} times.").replace(" 1 times", " once"))
}

pub(super) const WORDS: &[&str] = &["how many words", "word count", "count the words", "wie viele wörter"];

/// "How many words: “…”"
pub(super) fn words(input: &ReflexInput<'_>) -> Option<Fact> {
    let text =
        quoted(input.utterance).or_else(|| input.utterance.split_once(':').map(|(_, text)| text.trim()))?;
    let count = text.unicode_words().count();
    (count > 0).then_some(())?;
    Fact::of(format!(
        "The text asked about has {count} words and {} characters.",
        text.graphemes(true).count()
    ))
}

pub(super) const BACKWARDS: &[&str] =
    &["backwards", "backward", "in reverse", "reverse the word", "rückwärts"];

/// "Spell strawberry backwards."
pub(super) fn backwards(input: &ReflexInput<'_>) -> Option<Fact> {
    let word = match quoted(input.utterance) {
        Some(word) => label(word)?,
        None => {
            let before = input.cues.before(&["backwards", "backward", "in reverse", "rückwärts"]);
            let behind = input.cues.after(&["reverse the word"]);
            let word = behind
                .and_then(|words| words.split(' ').next())
                .or_else(|| before?.split(' ').next_back())?;
            let asks = input.cues.any(&[
                "spell",
                "say",
                "write",
                "what is",
                "whats",
                "reverse",
                "buchstabiere",
                "schreib",
                "was ist",
            ]);
            if !asks || matches!(word, "it" | "that" | "this" | "es" | "das") {
                return None;
            }
            label(word)?
        }
    };
    let turned: String = word.graphemes(true).rev().collect();
    Fact::quoting(format!("“{word}” backwards is “{turned}”."))
}

/// The word a question is about: in quotation marks, else behind "in" or "does … have", else the last one.
fn subject(input: &ReflexInput<'_>) -> Option<String> {
    if let Some(word) = quoted(input.utterance) {
        return label(word);
    }
    let words = input.words();
    let behind = |link: &str| {
        let at = words.iter().rposition(|word| *word == link)?;
        let rest: Vec<&str> = words
            .get(at + 1..)?
            .iter()
            .copied()
            .filter(|word| !matches!(*word, "the" | "word" | "dem" | "wort" | "does" | "have" | "das"))
            .collect();
        match rest.as_slice() {
            [word] => Some((*word).to_owned()),
            _ => None,
        }
    };
    let word =
        behind("in").or_else(|| behind("does")).or_else(|| behind("word")).or_else(|| behind("hat"))?;
    let is_vague =
        matches!(word.as_str(), "it" | "this" | "that" | "there" | "here" | "english" | "total" | "german");
    (!is_vague).then(|| label(&word)).flatten()
}

/// What stands in quotation marks.
fn quoted(text: &str) -> Option<&str> {
    const MARKS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];
    MARKS.iter().find_map(|(open, close)| {
        let start = text.find(*open)? + open.len_utf8();
        let rest = text.get(start..)?;
        rest.find(*close).map(|end| rest[..end].trim()).filter(|inside| !inside.is_empty())
    })
}

/// Safe to repeat in quotation marks of ours; nothing for what is no word.
fn label(word: &str) -> Option<String> {
    (word.chars().count() <= 60 && word.chars().any(char::is_alphanumeric))
        .then(|| prompt_label(word).replace(['“', '”', '"'], ""))
}
