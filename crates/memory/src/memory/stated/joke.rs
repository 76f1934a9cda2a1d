//! A joke that is taken back: "just kidding", "war nur Spaß", "lol jk".
//!
//! Must not know what was said before. Start at [`is_taken_back`].

use std::sync::LazyLock;

use regex::Regex;

use super::said::Sentence;
use super::words::said_words;
use crate::text::phrases::either;
use crate::text::unicode::lowered;

/// For what is in lower case.
struct Jokes {
    whole: Regex,
    /// The end of one.
    end: Regex,
}

static JOKES: LazyLock<Option<Jokes>> = LazyLock::new(|| {
    let (marked, at_once) = (said_words("taken back"), said_words("taken back at once"));
    let all = either(&[marked, at_once.clone()].concat());
    let laughs = either(&said_words("laughs"));
    // Behind it only laughter: "jk lol :D".
    let rest = format!(r"(?:[^\p{{L}}\p{{N}}]*(?:{laughs}|(?-u:\b)[dp]))*[^\p{{L}}\p{{N}}]*$");
    let mark = r"\s*[,;.…()\-–—、，。]+\s*";
    Some(Jokes {
        whole: Regex::new(&format!(r"^(?:{all}){rest}")).ok()?,
        end: Regex::new(&format!(
            r"(?:{mark}(?:(?:{laughs})\s+)?(?:{all})|\s(?:{})){rest}",
            either(&at_once)
        ))
        .ok()?,
    })
});

/// Whether a sentence takes back, as a joke, what the same person said just before it.
pub fn is_taken_back(sentence: &Sentence) -> bool {
    JOKES.as_ref().is_some_and(|jokes| jokes.whole.is_match(&lowered(&sentence.body)))
}

/// Whether a sentence ends by taking itself back: "I live on Mars, just kidding".
pub(super) fn is_joke(sentence: &Sentence) -> bool {
    JOKES.as_ref().is_some_and(|jokes| jokes.end.is_match(&lowered(&sentence.body)))
}

#[cfg(test)]
mod tests {
    use super::super::sentence::message_sentences;
    use super::*;

    #[test]
    fn a_joke_is_taken_back_only_by_who_says_so_plainly() {
        let taken = |text: &str| message_sentences(text).iter().any(is_taken_back);
        for text in [
            "jk",
            "lol jk",
            "jk lol :D",
            "no, just kidding!",
            "War nur Spaß 😂",
            "haha, шучу",
            "冗談です",
            "开玩笑的",
        ] {
            assert!(taken(text), "{text}");
        }
        for text in [
            "I'm not kidding",
            "no kidding",
            "just kidding around with my sister",
            "jk?",
            "> jk",
            "kidding is fun",
        ] {
            assert!(!taken(text), "{text}");
        }
        let joke = |text: &str| is_joke(&message_sentences(text)[0]);
        for text in ["I live on Mars lol jk", "I live on Mars, war nur Spaß", "I live on Mars (joking)"] {
            assert!(joke(text), "{text}");
        }
        for text in [
            "my dog is called Kidding",
            "I live in Ghent",
            "I thought it was a joke",
            "I'm allergic to jokes",
        ] {
            assert!(!joke(text), "{text}");
        }
    }
}
