//! The words by which people state things, in every language there is data for.
//!
//! Owns how the sections of `text/phrases` that begin with `said:` are read where they are lists of words, and which words of
//! any language are whose: a sister, a cat. Must not know the patterns that the words stand in. Start at [`said_words`].

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::text::phrases::{listed_phrases, section_lines};

/// Words of any language for somebody or something of theirs, by the word that stands in a fact.
static KIN: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let mut kin = HashMap::new();
    // The first language to say so keeps its word: "chat" is no dog.
    for (_, one, all) in section_lines("said: kin") {
        all.into_iter().for_each(|word| {
            kin.entry(word.to_lowercase()).or_insert(one);
        });
    }
    kin
});

pub(super) fn said_words(section: &str) -> Vec<&'static str> {
    listed_phrases(&format!("said: {section}")).map(|(_, word)| word).collect()
}

/// Whether a value begins with a word of a section. Scripts without capitals have no spaces to go by either.
pub(super) fn begins_with(value: &str, section: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default().to_lowercase();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric());
    said_words(section)
        .iter()
        .any(|word| *word == first || (!word.chars().any(char::is_lowercase) && value.starts_with(word)))
}

/// Words of any language for somebody or something of theirs, in lower case.
pub(super) fn kin_words() -> Vec<&'static str> {
    KIN.keys().map(String::as_str).collect()
}

/// The word of facts for somebody or something that is called by a name: "sister" for "ma grande sœur".
pub(super) fn kin(what: &str) -> Option<&'static str> {
    let what = what.to_lowercase();
    let whole = KIN.get(&what);
    whole.or_else(|| what.split_whitespace().rev().find_map(|word| KIN.get(word))).copied()
}

/// How a fact calls whoever or whatever has a name.
pub(super) fn called(what: &str) -> String {
    let is_english = what.split_whitespace().any(|word| kin(word) == Some(word));
    match kin(what) {
        Some(kin) if KIN.contains_key(what) || !is_english => kin.to_owned(),
        _ => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_meant_is_told_by_the_word_in_any_language() {
        assert_eq!(kin("little sister"), Some("sister"));
        assert_eq!(kin("妹"), Some("sister"));
        assert_eq!(kin("tortoise"), None);
    }
}
