//! The answer to "why did you say that" and "why did you not remember", in words.

use std::fmt::Write as _;

use super::figures::{cell, thousands};
use super::sections;
use crate::domain::{Role, TurnTrace};
use crate::text::short::counted;
use crate::trace::Why;

/// Something that was said, is kept, and was not in a turn's prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Who, when and where, for people.
    pub told: String,
    /// The words.
    pub words: String,
}

/// A turn that asked no model was told nothing: what the words are to it is no question.
#[must_use]
pub fn asked_nobody(trace: &TurnTrace) -> String {
    format!(
        "# {}\n\nThis turn asked no model ({}; {}), so it was told nothing. `/context` and `familiar context --list` name \
         the turns that did.\n",
        trace.id,
        cell(&trace.trigger),
        cell(&trace.outcome.summary())
    )
}

/// Says what a turn did with `words`. `stored` is what the history holds and the turn could have used; `hidden`
/// counts, for the operator alone, what it holds and the turn may not use.
#[must_use]
pub fn why(trace: &TurnTrace, words: &str, found: &Why<'_>, stored: &[Stored], hidden: usize) -> String {
    let mut text = format!("# {} and \u{201c}{}\u{201d}\n", trace.id, cell(words));
    if !found.sent.is_empty() {
        text.push_str("\n## It was told\n\nThe words stand in what was sent to the model:\n\n");
        for sent in &found.sent {
            let role = match sent.role {
                Role::System => "the character and its rules",
                Role::User => "what people said, or what was looked up",
                Role::Assistant => "what it said itself",
            };
            let _ = writeln!(text, "- message {} ({role}): {}", sent.message, cell(&sent.excerpt));
        }
    }
    if !found.left_out.is_empty() {
        text.push_str("\n## It was left out\n\nThese pieces hold the words and were not sent:\n\n");
        for chunk in &found.left_out {
            let _ = writeln!(
                text,
                "- {} ({}, importance {}, {} tokens): {}",
                cell(&chunk.source),
                chunk.layer.as_str(),
                chunk.importance,
                thousands(chunk.tokens.into()),
                sections::fate(&chunk.fate),
            );
        }
    }
    if !stored.is_empty() {
        text.push_str(
            "\n## It is kept, but was not looked up\n\nNo search of this turn brought these up, and they are older \
             than the messages shown word for word:\n\n",
        );
        for stored in stored {
            let _ = writeln!(text, "- {}: {}", cell(&stored.told), cell(&stored.words));
        }
    }
    if hidden > 0 {
        let _ = writeln!(
            text,
            "\n## It is kept where this turn may not look\n\nIn places that not everyone here can see, the words stand \
             in {}. Only you are told so.",
            counted(hidden as u64, "stored message")
        );
    }
    sections::in_call(&mut text, trace);
    if found.sent.is_empty() && found.left_out.is_empty() && stored.is_empty() && hidden == 0 {
        text.push_str("\nNothing it was told, and nothing it keeps and may use there, holds these words.\n");
    }
    text
}
