//! A chunk: a piece of context as the stages after ingest know it, the unit of eviction.

use std::ops::Deref;

use super::contribution::Contribution;
use crate::domain::{ChunkFate, ChunkRecord, EXCERPT_CHARS};
use crate::llm::ModelDescription;
use crate::text::unicode::visible;
use crate::text::{secrets, tokens};

pub(super) mod score;

/// What a chat message costs besides its words: role markers and separators. Four is OpenAI's published figure for
/// its chat format and close to the others'.
pub(crate) const MESSAGE_OVERHEAD_TOKENS: u32 = 4;

/// A blank line between two texts, or the brackets around one.
pub(super) const SEPARATOR_TOKENS: u32 = 1;

/// The words around an instruction among the chat where system messages are merged.
pub(super) const NOTE_TOKENS: u32 = 4;

/// One piece of context with everything the later stages decide by.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// As it was contributed, or as screening left it.
    pub(super) piece: Contribution,
    /// What it takes of the prompt, in the model's tokens.
    pub(super) tokens: u32,
    /// Tokens of what is sent with the words, before they are scaled to the model.
    pub(super) around: u32,
    /// What ingest and screening did to it, for people.
    pub(super) altered: Vec<String>,
    /// The turns whose words it repeats, by ordinal. With all of them in the prompt it says nothing new.
    pub(super) repeats: Vec<u64>,
}

impl Deref for Chunk {
    type Target = Contribution;

    fn deref(&self) -> &Contribution {
        &self.piece
    }
}

impl Chunk {
    pub(super) fn record(&self, fate: ChunkFate) -> ChunkRecord {
        ChunkRecord {
            source: self.source.clone(),
            layer: self.layer,
            importance: self.importance.level(),
            tokens: self.tokens,
            score: score::chunk_score(self),
            excerpt: (fate != ChunkFate::Kept).then(|| self.excerpt()),
            altered: self.altered.clone(),
            audience: Some(self.audience.clone()),
            fate,
        }
    }

    /// How it begins. A record outlives the prompt, and some are made before screening: no secret goes into one.
    fn excerpt(&self) -> String {
        let words = visible(&self.text);
        secrets::redact(words.trim()).text.chars().take(EXCERPT_CHARS).collect()
    }

    /// Counts it anew after its words were changed.
    pub(super) fn measure(&mut self, model: &ModelDescription) {
        self.tokens = model.scale(tokens::count(model.encoding, &self.text).saturating_add(self.around));
    }
}

/// The result of ingest.
#[derive(Debug)]
pub struct Chunks {
    pub(super) chunks: Vec<Chunk>,
    pub(super) dropped: Vec<ChunkRecord>,
    /// What was cut off texts that were longer than their source allows; goes to the spillover.
    pub(super) clipped: Vec<Chunk>,
    pub(super) clips: u32,
    /// For which model the tokens were counted.
    pub(super) model: ModelDescription,
}
