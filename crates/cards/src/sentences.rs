//! Where sentences begin: the rules of Unicode, and what readers know besides.

use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations whose full stop ends no sentence even before a capital: a name or a number follows.
const ABBREVIATIONS: &str = include_str!("abbreviations.txt");

/// The sentences of a text, which together are the text. What has no letters is no sentence.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    sentences_by(text, |before, after| goes_on(before, after, is_abbreviation))
}

/// The same, where somebody else says which boundaries of the Unicode rules are none, by what stands before and behind them.
#[must_use]
pub fn sentences_by(text: &str, is_none: impl Fn(&str, &str) -> bool) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut done = 0;
    for start in starts(text, is_none).filter(|start| text[*start..].chars().any(char::is_alphabetic)) {
        sentences.push(&text[done..start]);
        done = start;
    }
    if done < text.len() {
        sentences.push(&text[done..]);
    }
    sentences
}

/// Where sentences begin in a text, the first one left out, in bytes.
pub fn starts(text: &str, is_none: impl Fn(&str, &str) -> bool) -> std::vec::IntoIter<usize> {
    let mut starts = Vec::new();
    let mut current = 0;
    // Carried along, since a long text without letters would be looked through again for every segment.
    let mut has_letters = false;
    for (at, segment) in text.split_sentence_bound_indices() {
        // White space belongs to the sentence before it; what has no letters yet is not a sentence.
        if has_letters && !segment.trim().is_empty() && !is_none(&text[current..at], segment) {
            starts.push(at);
            current = at;
            has_letters = false;
        }
        has_letters = has_letters || segment.chars().any(char::is_alphabetic);
    }
    starts.into_iter()
}

fn is_abbreviation(word: &str) -> bool {
    ABBREVIATIONS.split_whitespace().any(|known| known == word.to_lowercase())
}

/// Whether a boundary of the Unicode rules is none for a reader; `is_abbreviation` says of which words the full stop ends
/// no sentence.
#[must_use]
pub fn goes_on(before: &str, after: &str, is_abbreviation: impl FnOnce(&str) -> bool) -> bool {
    let said = before.trim_end();
    if before[said.len()..].contains('\n') {
        return false;
    }
    // `"Stop!" she said` is one sentence.
    let quoted = said.ends_with(['"', '”', '’', '»', ')', '*', '_']);
    if quoted && after.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_lowercase) {
        return true;
    }
    let Some(stem) = said.strip_suffix('.') else { return false };
    let word = stem.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“' | '*' | '_')).next();
    let word = word.unwrap_or_default();
    // `J.` in a name; "I" is a word.
    let is_initial = word.chars().count() == 1 && word.starts_with(|c: char| c.is_uppercase() && c != 'I');
    // `1.` at the start of a line. Looked at from its end on, since whoever cuts a long line asks at every full stop.
    let lead = stem[..stem.len() - word.len()].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
    let is_in_front = lead.is_empty() || lead.ends_with('\n');
    let is_number = is_in_front && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    is_initial || is_number || is_abbreviation(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        for (text, expected) in [
            ("So do I. Then we go! Really?", vec!["So do I. ", "Then we go! ", "Really?"]),
            ("Dr. Smith met J. R. Tolkien. He bowed.", vec!["Dr. Smith met J. R. Tolkien. ", "He bowed."]),
            ("\"Stop!\" she said.", vec!["\"Stop!\" she said."]),
            ("今日は雨です。明日は晴れます。", vec!["今日は雨です。", "明日は晴れます。"]),
            ("1. Wash the dishes", vec!["1. Wash the dishes"]),
            ("", vec![]),
        ] {
            assert_eq!(sentences(text), expected);
        }
    }
}
