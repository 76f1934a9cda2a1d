//! Letters and words: what models count badly.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Fact, ReflexInput};
use crate::text::names::prompt_label;

/// "How many letters are in strawberry?"
pub(super) fn letters(input: &ReflexInput<'_>) -> Option<Fact> {
    let word = subject(input)?;
    let letters = word.graphemes(true).filter(|grapheme| grapheme.chars().any(char::is_alphanumeric)).count();
    Fact::quoting(format!("“{word}” has {letters} letters."))
}

/// "How many r's are in strawberry?"
pub(super) fn one_letter(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after("how many")?;
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
