//! Is that all they wanted to say? By the words alone.
//!
//! Owns the rules that read a transcript, stable or not (specs voice 2.2 c). Must not know time or sound. Start reading
//! at [`completeness`].

use super::words::words;
use crate::text::names::names_whole_word;

/// How finished what was said sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// A question, an answer, a whole sentence.
    Finished,
    /// Cannot be told.
    Unknown,
    /// It breaks off in the middle.
    Unfinished,
    /// They asked for time.
    Wait,
}

/// Behind these something always comes.
const OPEN_ENDED: [&str; 34] = [
    "and", "but", "or", "because", "cause", "if", "when", "while", "although", "the", "a", "an", "my",
    "your", "our", "their", "to", "of", "from", "than", "into", "um", "uh", "uhm", "er", "erm", "und",
    "aber", "oder", "weil", "der", "die", "das", "äh",
];

/// Behind these something comes, unless the recogniser heard the end of a sentence.
const OFTEN_OPEN: [&str; 48] = [
    "in", "on", "at", "for", "with", "by", "about", "as", "is", "are", "was", "were", "am", "be", "like",
    "so", "well", "i", "we", "they", "he", "she", "you", "it's", "i'm", "you're", "that's", "would", "could",
    "should", "can", "will", "that", "which", "who", "then", "just", "really", "very", "his", "her", "its",
    "not", "also", "maybe", "actually", "hmm", "hm",
];

/// Two words behind which something comes.
const OPEN_PAIRS: [&str; 8] =
    ["you know", "i mean", "sort of", "kind of", "i think", "i guess", "going to", "want to"];

/// They ask for time.
const WAITS: [&str; 17] = [
    "wait",
    "hold on",
    "hang on",
    "let me think",
    "let me see",
    "let me check",
    "one second",
    "one sec",
    "one moment",
    "just a second",
    "just a sec",
    "just a moment",
    "give me a second",
    "give me a moment",
    "a moment please",
    "moment mal",
    "warte mal",
];

/// With these a question begins.
const ASKING: [&str; 36] = [
    "what", "what's", "who", "who's", "whose", "where", "where's", "when", "when's", "why", "how", "how's",
    "which", "do", "does", "did", "can", "could", "would", "will", "should", "is", "are", "was", "were",
    "have", "has", "am", "isn't", "aren't", "don't", "won't", "was", "wer", "wo", "wie",
];

/// Said alone they are an answer, a greeting or a farewell.
const WHOLE: [&str; 40] = [
    "yes",
    "yeah",
    "yep",
    "yup",
    "no",
    "nope",
    "nah",
    "okay",
    "ok",
    "sure",
    "thanks",
    "hello",
    "hi",
    "hey",
    "bye",
    "goodbye",
    "please",
    "never",
    "always",
    "maybe",
    "right",
    "exactly",
    "true",
    "correct",
    "fine",
    "good",
    "great",
    "nothing",
    "both",
    "neither",
    "later",
    "tomorrow",
    "today",
    "yesterday",
    "ja",
    "nein",
    "danke",
    "hallo",
    "stop",
    "really",
];

/// Judges a transcript. `names` are what the familiar is called: whoever ends with its name has handed over.
#[must_use]
pub fn completeness(text: &str, names: &[String]) -> Completeness {
    let said = words(text);
    let Some(last) = said.last().map(String::as_str) else { return Completeness::Unknown };
    if asks_for_time(&said) {
        return Completeness::Wait;
    }
    let end = text.trim_end().trim_end_matches(['"', '”', '\'', ')']);
    if end.ends_with(['…', ',', '-', '–', '—', ':', ';']) || end.ends_with("...") {
        return Completeness::Unfinished;
    }
    if said.len() > 1 && names.iter().any(|name| name.to_lowercase() == last) {
        return Completeness::Finished;
    }
    let has_end = end.ends_with(['?', '!', '.', '。', '？', '！']);
    if OPEN_ENDED.contains(&last) && !end.ends_with('?') {
        return Completeness::Unfinished;
    }
    if has_end {
        return Completeness::Finished;
    }
    if said.len() == 1 && (WHOLE.contains(&last) || names.iter().any(|name| names_whole_word(text, name))) {
        return Completeness::Finished;
    }
    let pair = said.len().checked_sub(2).and_then(|at| said.get(at)).map(|before| format!("{before} {last}"));
    if OFTEN_OPEN.contains(&last) || pair.is_some_and(|pair| OPEN_PAIRS.contains(&pair.as_str())) {
        return Completeness::Unfinished;
    }
    let asks = said.first().is_some_and(|first| ASKING.contains(&first.as_str()));
    if asks && said.len() >= 3 { Completeness::Finished } else { Completeness::Unknown }
}

fn asks_for_time(said: &[String]) -> bool {
    let all = said.join(" ");
    let stands = |phrase: &&str| {
        all == *phrase
            || all.ends_with(&format!(" {phrase}"))
            || (said.len() <= 5 && all.starts_with(&format!("{phrase} ")))
    };
    WAITS.iter().any(stands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Completeness {
        completeness(text, &["Mika".to_owned()])
    }

    #[test]
    fn whole_things_are_finished() {
        for text in [
            "What time is it?",
            "what time is it",
            "I went home.",
            "yes",
            "No!",
            "thanks",
            "could you tell me more mika",
            "Hello Mika",
            "how are you doing today",
            "今日は雨です。",
            "Mika",
        ] {
            assert_eq!(judged(text), Completeness::Finished, "{text}");
        }
    }

    #[test]
    fn what_breaks_off_is_unfinished() {
        for text in [
            "I went to the",
            "so I was thinking um",
            "we could go, but",
            "well...",
            "and then…",
            "I'd like to have a",
            "it is because.",
            "he said that",
            "I mean",
            "what about the",
        ] {
            assert_eq!(judged(text), Completeness::Unfinished, "{text}");
        }
    }

    #[test]
    fn who_asks_for_time_gets_it() {
        for text in ["wait", "Hold on.", "hmm let me think", "one second please", "Uh, give me a moment."] {
            assert_eq!(judged(text), Completeness::Wait, "{text}");
        }
        assert_ne!(judged("I had to wait for the bus yesterday evening again"), Completeness::Wait);
    }

    #[test]
    fn the_rest_cannot_be_told() {
        for text in ["the red one", "my brother came home late", ""] {
            assert_eq!(judged(text), Completeness::Unknown, "{text}");
        }
    }
}
