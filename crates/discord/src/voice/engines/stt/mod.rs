//! Transcribers: what turns samples into words.
//!
//! Two kinds. Live ones ([`live`]) hear while somebody speaks, over one of the sockets in [`deepgram`] and [`realtime`];
//! others get the whole utterance ([`whole`]).

pub(super) mod deepgram;
pub(super) mod live;
pub(super) mod realtime;
pub(super) mod whole;

/// Terms sent along at most; services refuse longer lists.
const KEYTERMS: usize = 100;
/// Longer terms are no names.
const KEYTERM_CHARS: usize = 50;

/// How sure a recogniser is of all that somebody said, by how sure it is of the parts; `None` where it says of none.
fn mean_confidence(parts: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = parts.fold((0.0, 0_u32), |(sum, count), part| (sum + part, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// The terms that are worth sending: not blank, not long, each once.
fn keyterms(terms: &[String]) -> Vec<&str> {
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

/// Names as a text that could have come before: Whisper then writes them so.
fn name_prompt(terms: &[String]) -> Option<String> {
    let terms = keyterms(terms);
    if terms.is_empty() { None } else { Some(format!("{}.", terms.join(", "))) }
}
