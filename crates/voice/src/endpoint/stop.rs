//! Words that stop the familiar: "wait", "stop".
//!
//! Owns when a stop word is meant as one. Must not know time. Start reading at [`says_stop`].

use std::collections::HashSet;
use std::sync::LazyLock;

use super::talk::TALK;
use super::words::transcript_words;
use familiar_chat::text::names::is_unspaced;
use familiar_chat::text::phrases::listed_phrases;

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
