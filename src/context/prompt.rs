//! The end of the pipeline: what is sent, and how it came about.

use super::chunk::Chunk;
use crate::domain::{AssemblyFigures, ChatMessage, Role};

/// A prompt, with its figures. Made only by the pipeline, from budgeted chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub(super) messages: Vec<ChatMessage>,
    pub(super) figures: AssemblyFigures,
}

impl Prompt {
    /// The messages, in order.
    #[must_use]
    pub fn messages(&self) -> &[ChatMessage] {
        &self.messages
    }

    /// How it came about.
    #[must_use]
    pub fn figures(&self) -> &AssemblyFigures {
        &self.figures
    }

    /// Takes it apart.
    #[must_use]
    pub fn into_parts(self) -> (Vec<ChatMessage>, AssemblyFigures) {
        (self.messages, self.figures)
    }
}

/// A stored turn as a chat message: people's lines carry their name in the text, because many providers drop the
/// `name` field (specs familiar-connect 1.6); the familiar's own carry nothing.
pub(super) fn turn_message(chunk: &Chunk) -> Option<ChatMessage> {
    let line = chunk.turn.as_ref()?;
    let words = chunk.text.trim();
    let content = match (&line.role, &line.label) {
        (Role::User, Some(label)) => format!("{}{label}: {}", line.prefix, set_in(words)),
        _ => format!("{}{words}", line.prefix),
    };
    let name = line.label.as_deref().and_then(crate::text::names::sanitize_api_name);
    Some(ChatMessage { name, ..ChatMessage::new(line.role, content) })
}

/// A person's words with every line after the first set in, so that none of them can pass for somebody else's: only a
/// line at the margin names a speaker (A16).
pub(super) fn set_in(words: &str) -> String {
    words
        .split('\n')
        .enumerate()
        .map(|(number, line)| match (number, line) {
            (0, line) => line.to_owned(),
            (_, "") => "\n".to_owned(),
            (_, line) => format!("\n  {line}"),
        })
        .collect()
}
