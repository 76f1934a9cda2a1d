//! What it had still wanted to say where a reply broke off.
//!
//! Owns in which words that is told, before whom and for how long. Must not know what breaks a reply off. Start reading at
//! [`Unsaid`].

use std::time::Duration;

use jiff::Timestamp;

use crate::domain::{Audience, Outcome};

/// So long it is worth telling: later than that people talk about something else.
const TOLD_FOR: Duration = Duration::from_secs(10 * 60);

/// The rest of a reply that broke off.
#[derive(Debug, Clone)]
pub(super) struct Unsaid {
    words: String,
    /// Who could see what it was made of.
    pub audience: Audience,
    at: Timestamp,
    /// Somebody broke in; else it could not be had or delivered.
    is_interrupted: bool,
}

impl Unsaid {
    /// Of a reply that ended so, before these people at this time. Without words it was still forming an answer.
    pub(super) fn of(words: String, outcome: &Outcome, audience: Audience, at: Timestamp) -> Self {
        let is_interrupted = matches!(outcome, Outcome::Cancelled { .. });
        Self { words, audience, at, is_interrupted }
    }

    /// Whether it is worth telling by now.
    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        now <= self.at + TOLD_FOR
    }

    /// So that it can go on when it is asked to (voice 2.4, familiar-connect 1.10).
    pub(super) fn told(&self) -> String {
        let words = &self.words;
        if words.is_empty() {
            return "You were interrupted while you were still forming an answer; nobody heard any of it. Answer what still \
                    matters of what was said before and what was said then."
                .to_owned();
        }
        let what_happened = if self.is_interrupted {
            "You were just interrupted. Nobody heard the rest of what you were about to say. Answer what was said instead;"
        } else {
            "Your last message broke off, and not because of anybody here. Its rest never arrived. Answer what is said now;"
        };
        format!(
            "{what_happened} come back to it only if you are asked to go on or it still matters. The rest was:\n{words}"
        )
    }
}
