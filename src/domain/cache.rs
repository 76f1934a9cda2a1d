//! What a provider can have kept of a request from the one before it.

use serde::{Deserialize, Serialize};

/// What of a request comes again, and what its provider is told about it (specs memory 3.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheFigures {
    /// Who decides what is kept.
    pub by: CachedBy,
    /// Tokens up to and with each marker that was sent, by our count, in order.
    pub marked: Vec<u32>,
    /// Tokens of the beginning that the next request repeats, by our count.
    pub repeatable_tokens: u32,
    /// The shortest beginning this model keeps, in tokens; 0 where its provider names none.
    pub minimum_tokens: u32,
}

/// Who decides what a provider keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CachedBy {
    /// Whoever asks: what is marked is kept.
    Markers,
    /// The provider: whatever it has seen before.
    Itself,
}
