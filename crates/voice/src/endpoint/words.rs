//! Small closed sets of words that decide whose turn it is: "wait", "stop".
//!
//! Owns how words of calls are compared. Must not know time. Start reading at [`transcript_words`].

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::talk::TALK;
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
pub fn weight(word: &str) -> usize {
    let unspaced = word.chars().filter(|c| is_unspaced(*c)).count();
    unspaced.div_ceil(2).max(1)
}

/// A transcript as it is compared with another of the same speech: case, punctuation and hesitation do not matter.
pub fn normalized(text: &str) -> String {
    let mut kept = transcript_words(text);
    kept.retain(|word| !STOPPING.hesitations.contains(word.as_str()));
    kept.join(" ")
}

/// What tells a stop word from the same word in something else.
struct Stopping {
    /// Hesitation that carries nothing.
    hesitations: HashSet<&'static str>,
    /// May stand before a stop word.
    before: HashSet<&'static str>,
    /// Behind these a stop word at the end is none: "the bus stop".
    none_behind: HashSet<&'static str>,
    /// Stop words that mean much else beside other words: "para".
    alone: HashSet<&'static str>,
    /// At the end of more words these are none: "I can't wait", "fair enough".
    not_last: HashSet<&'static str>,
}

static STOPPING: LazyLock<Stopping> = LazyLock::new(|| {
    let all = |section: &str| listed_phrases(section).map(|(_, word)| word).collect();
    Stopping {
        hesitations: all("hesitation"),
        before: all("before a stop"),
        none_behind: all("no stop behind"),
        alone: all("stop alone"),
        not_last: all("no stop at the end"),
    }
});

/// Whether this, said over the familiar, tells it to stop: a stop word or phrase at the beginning or the end of little
/// else, or one that stands alone. "I could not stop laughing" does not.
pub fn says_stop(text: &str, names: &[String]) -> bool {
    let mut said = transcript_words(text);
    for name in names.iter().map(|name| name.to_lowercase()) {
        for word in &mut said {
            // "Pellさん", "Pell아"
            let rest = word.strip_prefix(&name).filter(|rest| rest.chars().all(is_unspaced));
            if let Some(rest) =
                rest.map(|rest| if TALK.suffix.is(Some(&rest.to_owned())) { "" } else { rest })
            {
                *word = rest.to_owned();
            }
        }
    }
    said.retain(|word| !word.is_empty());
    let from = said.iter().position(|word| !STOPPING.before.contains(word.as_str()));
    let said = &said[from.unwrap_or(said.len())..];
    let before = said.len().checked_sub(2).and_then(|at| said.get(at)).map_or("", String::as_str);
    let last = said.last().map_or("", String::as_str);
    let last_two = format!("{before} {last}");
    let is_part = STOPPING.none_behind.contains(before)
        || (said.len() > 1 && [last, &last_two].iter().any(|end| STOPPING.not_last.contains(end)));
    let ends = said.len() <= 4 && !is_part && TALK.stop.is(said.last());
    let is_alone = said.iter().all(|word| STOPPING.alone.contains(word.as_str())) && !said.is_empty();
    TALK.stop.is_first(said) || ends || is_alone
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
