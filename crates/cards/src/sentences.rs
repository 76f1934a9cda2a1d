//! Where sentences begin: the rules of Unicode, and what readers know besides.

use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations whose full stop ends no sentence even before a capital: a name or a number follows.
const ABBREVIATIONS: &str = include_str!("abbreviations.txt");

/// The sentences of a text, which together are the text. What has no letters is no sentence.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let has_letters = |text: &str| text.chars().any(char::is_alphabetic);
    let mut found = Vec::new();
    let mut begun = 0;
    for (at, segment) in text.split_sentence_bound_indices().skip(1) {
        let (before, rest) = (&text[begun..at], &text[at..]);
        let is_one = has_letters(before) && has_letters(rest) && !segment.trim().is_empty();
        if is_one && !goes_on(before, segment, is_abbreviation) {
            found.push(before);
            begun = at;
        }
    }
    found.extend(Some(&text[begun..]).filter(|last| !last.is_empty()));
    found
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
