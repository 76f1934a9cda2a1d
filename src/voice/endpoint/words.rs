//! Small closed sets of words that decide whose turn it is: "wait", "stop".
//!
//! Owns the lists and how words are compared. Must not know time. Start reading at [`words`].

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::talk::TALK;
use crate::text::names::is_unspaced;

/// The words of one kind in a data file, those of all languages: a line there is a kind, a language and its words.
pub(super) fn listed(data: &'static str, kind: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = data.lines().filter(|line| !line.starts_with('#')).map(str::split_whitespace);
    lines.filter_map(move |mut fields| (fields.next()? == kind).then(|| fields.skip(1))).flatten()
}

/// The closed classes of `sentence.txt`, by their names.
static CLASSES: LazyLock<HashMap<&'static str, HashSet<String>>> = LazyLock::new(|| {
    let mut classes: HashMap<&'static str, HashSet<String>> = HashMap::new();
    for line in include_str!("sentence.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split_whitespace();
        let class = classes.entry(fields.next().unwrap_or_default()).or_default();
        class.extend(fields.skip(1).map(|word| word.replace('_', " ")));
    }
    classes
});

/// Whether a word or a phrase is of this class.
pub(super) fn is_of(class: &str, word: &str) -> bool {
    CLASSES.get(class).is_some_and(|words| words.contains(word))
}

/// All of a class.
pub(super) fn all_of(class: &str) -> impl Iterator<Item = &'static str> {
    CLASSES.get(class).into_iter().flatten().map(String::as_str)
}

/// Phrases of one kind, words joined by `_` in the data file. Found by their first word: there are thousands.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    /// Those that begin with a word, the longest first.
    by_first: HashMap<&'static str, Vec<Vec<&'static str>>>,
    longest: usize,
}

impl Phrases {
    pub(super) fn of(phrases: impl Iterator<Item = &'static str>) -> Self {
        let mut known = Self::default();
        for phrase in phrases {
            let phrase: Vec<_> = phrase.split('_').collect();
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
pub fn words(text: &str) -> Vec<String> {
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
    text.split([',', '、', '，']).map(words).collect()
}

/// For how many words one counts: where no spaces set words apart, two letters are about one.
pub fn weight(word: &str) -> usize {
    let unspaced = word.chars().filter(|c| is_unspaced(*c)).count();
    unspaced.div_ceil(2).max(1)
}

/// A transcript as it is compared with another of the same speech: case, punctuation and hesitation do not matter.
pub fn normalized(text: &str) -> String {
    let mut kept = words(text);
    kept.retain(|word| !is_of("fillers", word));
    kept.join(" ")
}

/// Whether this, said over the familiar, tells it to stop: a stop word or phrase at the beginning or the end of little
/// else, or one that stands alone. "I could not stop laughing" does not.
pub fn says_stop(text: &str, names: &[String]) -> bool {
    let mut said = words(text);
    said.retain(|word| !names.iter().any(|name| name.to_lowercase() == *word));
    while said
        .first()
        .is_some_and(|word| ["hey", "no", "oh", "okay", "ok", "please", "but"].contains(&word.as_str()))
    {
        said.remove(0);
    }
    // "I can't wait", "the bus stop", "fair enough".
    let before = said.len().checked_sub(2).and_then(|at| said.get(at)).map_or("", String::as_str);
    let last = said.last().map_or("", String::as_str);
    let is_part = is_of("no_stops_behind", before) || last == "enough" || (before == "to" && last == "wait");
    let ends = said.len() <= 4 && !is_part && TALK.stop.is(said.last());
    TALK.stop.is_first(&said) || ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_word_within_another_is_none() {
        for text in ["停车场在哪里", "这里很安静", "그만큼 좋아"] {
            assert!(!says_stop(text, &[]), "{text}");
        }
        for text in ["停", "安静", "그만", "やめて。"] {
            assert!(says_stop(text, &[]), "{text}");
        }
    }

    #[test]
    fn stop_is_heard_where_it_is_meant() {
        let names = ["Mika".to_owned()];
        for stop in [
            "Stop.",
            "Mika, wait!",
            "hold on a second",
            "no stop",
            "okay that's enough",
            "Please stop",
            "Hey Mika shut up",
            "you need to stop",
        ] {
            assert!(says_stop(stop, &names), "{stop}");
        }
        for other in [
            "I could not stop laughing at the bus",
            "the train has a long stop there you know",
            "yeah",
            "quietly, of course",
            "I can't wait",
            "we have to wait",
            "fair enough",
            "that's the bus stop",
            "don't stop",
        ] {
            assert!(!says_stop(other, &names), "{other}");
        }
    }

    #[test]
    fn transcripts_that_differ_only_in_writing_are_the_same() {
        assert_eq!(normalized("Um, what’s the time?"), normalized("what's the time"));
        assert_ne!(normalized("what is the time"), normalized("what was the time"));
    }
}
