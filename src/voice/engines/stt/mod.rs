//! Transcribers: what turns samples into words.
//!
//! Two kinds. Live ones ([`live`]) hear while somebody speaks; batch ones ([`batch`]) get the whole utterance. Each
//! service is one file that knows its wire format and nothing else.

pub(super) mod batch;
pub(super) mod deepgram;
pub(super) mod flux;
pub(super) mod live;
pub(super) mod openai;
pub(super) mod openrouter;
pub(super) mod realtime;

use std::time::Duration;

use serde_json::Value;

use super::HeardWord;

/// Terms sent along at most; services refuse longer lists.
const KEYTERMS: usize = 100;
/// Longer terms are no names.
const KEYTERM_CHARS: usize = 50;

/// The terms that are worth sending: not blank, not long, each once.
pub(super) fn keyterms(terms: &[String]) -> Vec<&str> {
    let mut kept: Vec<&str> = Vec::new();
    for term in terms {
        let term = term.trim();
        let fits = !term.is_empty() && term.chars().count() <= KEYTERM_CHARS;
        if fits && !term.contains(char::is_control) && !kept.contains(&term) {
            kept.push(term);
        }
    }
    kept.truncate(KEYTERMS);
    kept
}

/// A list of words as most services write it: `word` or `punctuated_word`, `start` and `end` in seconds.
pub(super) fn words(list: Option<&Value>) -> Vec<HeardWord> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(word).collect()
}

fn word(value: &Value) -> Option<HeardWord> {
    let text = value.get("punctuated_word").or_else(|| value.get("word"))?.as_str()?.trim();
    let time = |key: &str| Duration::try_from_secs_f64(value.get(key)?.as_f64()?).ok();
    let sure = ["confidence", "probability"].iter().find_map(|key| value.get(key)?.as_f64());
    #[expect(clippy::cast_possible_truncation, reason = "a likelihood needs no more")]
    let confidence = sure.unwrap_or(1.0).clamp(0.0, 1.0) as f32;
    let start = time("start")?;
    Some(HeardWord { text: text.to_owned(), start, end: time("end").unwrap_or(start).max(start), confidence })
}
