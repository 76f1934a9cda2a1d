//! The words by which people state things, in every language there is data for.
//!
//! Owns how the sections of `text/phrases` that begin with `said:` are read where they are lists of words, and which words of
//! a language are whose: a sister, a cat. Must not know the patterns that the words stand in. Start at [`said_words`].

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::text::phrases::{Languages, listed_phrases, longest, section_lines};

/// Words for somebody or something of theirs, in lower case, each with the word that stands in a fact, language by language:
/// "prima" is a cousin in one and "first" in another.
static KIN: LazyLock<HashMap<String, Vec<(Languages, &str)>>> = LazyLock::new(|| {
    let mut kin: HashMap<String, Vec<(Languages, &str)>> = HashMap::new();
    for (language, one, word) in kin_phrases() {
        kin.entry(word.to_lowercase()).or_default().push((language, one));
    }
    kin
});

/// How people call somebody or something of theirs, each with its language and the word that stands in a fact. Who or what is
/// nobody's kin and has a word for kin in its name has a word of its own, so that it makes no relative.
pub fn kin_phrases() -> impl Iterator<Item = (Languages, &'static str, &'static str)> {
    let lines = section_lines("said: kin").chain(section_lines("said: not kin"));
    lines.flat_map(|(language, one, all)| all.into_iter().map(move |word| (language, one, word)))
}

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

/// Words of a language for somebody or something of theirs, in lower case.
pub(super) fn kin_words(language: Languages) -> Vec<&'static str> {
    KIN.keys().filter(|word| listed_kin(word, language).is_some()).map(String::as_str).collect()
}

/// The word of facts for what is listed so in a language, in lower case.
fn listed_kin(word: &str, language: Languages) -> Option<&'static str> {
    KIN.get(word)?.iter().find(|(of, _)| *of == language).map(|(_, one)| *one)
}

/// The words of facts for what a language calls so, in lower case: those of the longest phrases in it, as a "двоюродный брат"
/// is no brother.
fn kin_within(what: &str, language: Languages) -> Vec<&'static str> {
    let words: Vec<&str> = what.split_whitespace().collect();
    let of_length = |length: usize| {
        let phrases = (0..).zip(words.windows(length));
        phrases.filter_map(move |(at, one)| Some((at..at + length, listed_kin(&one.join(" "), language)?)))
    };
    let found: Vec<_> = (1..=words.len()).flat_map(of_length).collect();
    let mut kin: Vec<&str> = longest(&found).collect();
    kin.sort_unstable();
    kin.dedup();
    kin
}

/// The word for somebody or something that a fact calls so: "sister" for "little sister". Facts are in English.
pub(super) fn kin(what: &str) -> Option<&'static str> {
    match kin_within(&what.to_lowercase(), Languages::of("en")).as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// How a fact calls whoever or whatever has a name and is called so in a language, in lower case: "sister" for "grande sœur".
/// `None` where it may be either of two.
pub(super) fn called(what: &str, language: Languages) -> Option<String> {
    // English says more of them in a fact, too: "little sister".
    if language == Languages::of("en") && listed_kin(what, language).is_none() {
        return Some(what.to_owned());
    }
    match kin_within(what, language).as_slice() {
        [] => Some(what.to_owned()),
        [one] => Some((*one).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_meant_is_told_by_the_word_in_the_language_it_is_said_in() {
        let called_in = |language: &str, what: &str| called(what, Languages::of(language));
        for (language, what, fact) in [
            ("fr", "grande sœur", "sister"),
            ("ja", "妹", "sister"),
            ("zh", "妹", "sister"),
            ("zh", "娘", "娘"),
            ("ja", "娘", "daughter"),
            ("tr", "patron", "boss"),
            ("pl", "patron", "patron"),
            ("en", "mum", "mother"),
            ("en", "step mum", "step mum"),
            ("en", "sister's cat", "sister's cat"),
            ("tr", "kız kardeş", "sister"),
            ("de", "Tortoise", "Tortoise"),
        ] {
            assert_eq!(called_in(language, what).as_deref(), Some(fact), "{language}: {what}");
        }
        for either in ["freund und chef", "ex frau und chef"] {
            assert_eq!(called_in("de", either), None, "which of the two, nothing tells: {either}");
        }
    }

    #[test]
    fn no_word_is_for_two_in_a_language() {
        let is_for_two = |of: &[(Languages, &str)]| {
            of.iter().any(|(one, _)| of.iter().filter(|(other, _)| other == one).count() > 1)
        };
        let twice: Vec<&String> = KIN.iter().filter(|(_, of)| is_for_two(of)).map(|(word, _)| word).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn what_is_nobodys_kin_though_its_name_holds_a_word_for_kin_has_a_word_of_its_own() {
        for (language, one, all) in section_lines("said: not kin") {
            assert!(section_lines("said: kin").all(|(_, kin, _)| kin != one), "{one}");
            for phrase in all {
                let mut words = phrase.split([' ', '-']);
                assert!(words.any(|word| listed_kin(word, language).is_some()), "{phrase} needs no line");
                assert_eq!(called(phrase, language).as_deref(), Some(one), "{phrase}");
            }
        }
        assert_eq!(called("femme de ménage", Languages::of("fr")).as_deref(), Some("cleaner"));
    }

    #[test]
    fn a_fact_is_read_in_english() {
        assert_eq!((kin("little sister"), kin("mum")), (Some("sister"), Some("mother")));
        assert_eq!(
            (kin("second cousin"), kin("mother in law")),
            (Some("second cousin"), Some("mother-in-law"))
        );
        assert_eq!((kin("tortoise"), kin("妹")), (None, None));
    }
}
