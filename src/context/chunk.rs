//! Ingest: contributions become chunks, the unit of eviction. Counts what is not counted yet and drops exact doubles.

use std::collections::HashMap;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::contribution::{Contribution, Importance, Placement, Quoted, Trust, TurnLine};
use super::providers::Need;
use super::{layered, live_st};
use crate::domain::{Audience, ChunkFate, ChunkRecord, EXCERPT_CHARS, Layer, RenderMode};
use crate::llm::ModelDescription;
use crate::text::tokens;

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
    pub(super) source: String,
    pub(super) layer: Layer,
    pub(super) placement: Placement,
    pub(super) importance: Importance,
    pub(super) relevance: f32,
    pub(super) trust: Trust,
    pub(super) audience: Audience,
    pub(super) text: String,
    pub(super) tokens: u32,
    pub(super) turn: Option<TurnLine>,
    pub(super) group: Option<String>,
    pub(super) quoted: Option<Quoted>,
    pub(super) age: Option<Duration>,
    pub(super) uses: u32,
    pub(super) need: Need,
}

impl Chunk {
    pub(super) fn record(&self, fate: ChunkFate) -> ChunkRecord {
        ChunkRecord {
            source: self.source.clone(),
            layer: self.layer,
            importance: self.importance.level(),
            tokens: self.tokens,
            excerpt: (fate != ChunkFate::Kept)
                .then(|| self.text.trim().chars().take(EXCERPT_CHARS).collect()),
            fate,
        }
    }

    /// How an eviction orders chunks: (importance, relevance, newer history first).
    pub(super) fn keeps_before(&self, other: &Self) -> std::cmp::Ordering {
        other
            .importance
            .cmp(&self.importance)
            .then_with(|| other.relevance.total_cmp(&self.relevance))
            .then_with(|| match (&self.placement, &other.placement) {
                (Placement::Turn(a), Placement::Turn(b)) => b.cmp(a),
                (a, b) => a.cmp(b),
            })
            .then_with(|| self.source.cmp(&other.source))
    }
}

/// The result of ingest.
#[derive(Debug)]
pub struct Chunks {
    pub(super) chunks: Vec<Chunk>,
    pub(super) dropped: Vec<ChunkRecord>,
}

/// Turns contributions into chunks for `model` (A15), each with the tokens it takes in a prompt laid out as `layout`:
/// its words, and the headings, names and message frames that come with them. Of two identical texts of one kind the more important stays;
/// chat turns are never doubles of each other, people do say the same thing twice.
#[must_use]
pub fn ingest(contributions: Vec<Contribution>, model: &ModelDescription, layout: RenderMode) -> Chunks {
    let mut short: HashMap<String, u32> = HashMap::new();
    let mut seen: HashMap<[u8; 32], usize> = HashMap::new();
    let mut chunks: Vec<Chunk> = Vec::with_capacity(contributions.len());
    let mut dropped = Vec::new();
    for contribution in contributions {
        if contribution.text.trim().is_empty() {
            continue;
        }
        let chunk = measure(contribution, model, layout, &mut short);
        if chunk.turn.is_none() {
            let hash: [u8; 32] = Sha256::digest(chunk.text.trim().as_bytes()).into();
            if let Some(&at) = seen.get(&hash) {
                let loser = if chunk.importance > chunks[at].importance {
                    std::mem::replace(&mut chunks[at], chunk)
                } else {
                    chunk
                };
                dropped.push(loser.record(ChunkFate::Duplicate));
                continue;
            }
            seen.insert(hash, chunks.len());
        }
        chunks.push(chunk);
    }
    Chunks { chunks, dropped }
}

fn measure(
    from: Contribution,
    model: &ModelDescription,
    layout: RenderMode,
    short: &mut HashMap<String, u32>,
) -> Chunk {
    let words = from.tokens.unwrap_or_else(|| tokens::count(model.encoding, &from.text));
    // Names and headings come again and again.
    let mut count = |text: &str| match short.get(text) {
        Some(&known) => known,
        None => {
            let counted = tokens::count(model.encoding, text);
            short.insert(text.to_owned(), counted);
            counted
        }
    };
    let around = dressing(&from, layout, &mut count);
    Chunk {
        source: from.source,
        layer: from.layer,
        placement: from.placement,
        importance: from.importance,
        relevance: from.relevance,
        trust: from.trust,
        audience: from.audience,
        tokens: model.scale(words.saturating_add(around)),
        text: from.text,
        turn: from.turn,
        group: from.group,
        quoted: from.quoted,
        age: from.age,
        uses: from.uses,
        need: from.need,
    }
}

/// What is sent with a contribution besides its words, in tokens, at most.
pub(in crate::context) fn dressing(
    of: &Contribution,
    layout: RenderMode,
    count: &mut dyn FnMut(&str) -> u32,
) -> u32 {
    let Some(line) = &of.turn else {
        return match layout {
            RenderMode::Layered => layered::dressing(&of.placement, count),
            RenderMode::St => live_st::dressing(&of.placement, &of.text, count),
        };
    };
    // The name stands before the words, and in the message's own `name` where the provider takes one.
    let label = line.label.as_deref().map_or(0, |label| 2 * (count(label) + 1));
    let prefix = if line.prefix.is_empty() { 0 } else { count(&line.prefix) };
    MESSAGE_OVERHEAD_TOKENS + label + prefix
}

#[cfg(test)]
mod tests;
