//! Words of calls, and small closed sets of them.
//!
//! Owns how words of calls are told apart. Must not know what they decide. Start reading at [`transcript_words`].

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use familiar_chat::text::names::is_unspaced;
use familiar_chat::text::phrases::listed_phrases;

/// The closed classes of words by which a sentence is told from a part of one, by their sections in `text/phrases`.
static CLASSES: LazyLock<HashMap<&'static str, HashSet<&'static str>>> = LazyLock::new(|| {
    let sections = [
        "sentence: numbers",
        "sentence: often open",
        "sentence: wanting",
        "sentence: giving",
        "sentence: to whom",
        "sentence: open pairs",
        "sentence: announcing",
        "sentence: asking for",
        "sentence: left at the end",
        "sentence: being",
        "sentence: towards",
        "sentence: half whole",
        "sentence: waits",
        "sentence: whole",
        "sentence: subjects",
        "sentence: finite",
        "sentence: requests",
        "sentence: leading up",
        "sentence: preparing",
    ];
    sections.map(|section| (section, listed_phrases(section).map(|(_, word)| word).collect())).into()
});

/// Whether a word or a phrase is of this class.
pub(super) fn is_in_class(section: &str, word: &str) -> bool {
    CLASSES.get(section).is_some_and(|words| words.contains(word))
}

/// Phrases of one kind. Found by their first word: there are thousands.
#[derive(Debug, Default)]
pub(super) struct PhraseList {
    /// Those that begin with a word, the longest first.
    by_first: HashMap<&'static str, Vec<Vec<&'static str>>>,
    longest: usize,
}

impl PhraseList {
    pub(super) fn of(phrases: impl Iterator<Item = &'static str>) -> Self {
        let mut known = Self::default();
        for phrase in phrases {
            let phrase: Vec<_> = phrase.split(' ').collect();
            known.longest = known.longest.max(phrase.len());
            known.by_first.entry(phrase.first().copied().unwrap_or_default()).or_default().push(phrase);
        }
        known.by_first.values_mut().for_each(|these| these.sort_by_key(|phrase| Reverse(phrase.len())));
        known
    }

    /// How many words the longest of them has that this begins with.
    pub(super) fn at_start(&self, said: &[String]) -> Option<usize> {
        self.begun_by(said.first()?)
            .find(|phrase| said.get(..phrase.len()).is_some_and(|these| these == *phrase))
            .map(<[_]>::len)
    }

    /// How many words the longest of them has that this ends with.
    pub(super) fn at_end(&self, said: &[String]) -> Option<usize> {
        (1..=self.longest.min(said.len())).rev().find(|length| {
            let last = &said[said.len() - length..];
            self.begun_by(&last[0]).any(|phrase| last == phrase)
        })
    }

    /// Those that begin with this word.
    pub(super) fn begun_by(&self, word: &str) -> impl Iterator<Item = &[&'static str]> {
        self.by_first.get(word).into_iter().flatten().map(Vec::as_slice)
    }
}

/// The words of a transcript, in small letters, without punctuation. Apostrophes inside words stay. A Turkish "İ" becomes an
/// "i" and no more: no list has the dot that is left above it.
pub fn transcript_words(text: &str) -> Vec<String> {
    let parts = ['-', '–', '—', '/', '…', '、', '。', '，', '？', '！'];
    text.split(|c: char| c.is_whitespace() || parts.contains(&c))
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
                .replace('’', "'")
                .replace('\u{307}', "")
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// The words of each part that stands between two commas.
pub fn between_commas(text: &str) -> Vec<Vec<String>> {
    text.split([',', '、', '，']).map(transcript_words).collect()
}

/// For how many words one counts: where no spaces set words apart, two letters are about one.
pub fn counts_for(word: &str) -> usize {
    let unspaced = word.chars().filter(|c| is_unspaced(*c)).count();
    unspaced.div_ceil(2).max(1)
}
