//! Ingest: contributions become chunks, the unit of eviction. Counts what is not counted yet, cuts what its source
//! allows to be cut, drops doubles, and keeps people's words out of the places where instructions stand.

use std::collections::HashMap;
use std::time::Duration;

use super::budget::score;
use super::contribution::{Contribution, Importance, Placement, Quoted, Share, Stands, Trust, TurnLine};
use super::providers::Need;
use super::{layered, live_st};
use crate::domain::{Audience, ChunkFate, ChunkRecord, EXCERPT_CHARS, Layer, RenderMode};
use crate::llm::ModelDescription;
use crate::text::secrets;
use crate::text::tokens;
use crate::text::unicode::visible;

mod clipping;
mod doubles;
mod footing;

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
    pub(super) share: Option<Share>,
    pub(super) quoted: Option<Quoted>,
    pub(super) age: Option<Duration>,
    pub(super) stands: Option<Stands>,
    pub(super) need: Need,
    /// Tokens of what is sent with the words, before they are scaled to the model.
    pub(super) around: u32,
    /// What ingest and weeding did to it, for people.
    pub(super) altered: Vec<String>,
    /// The turns whose words it repeats, by ordinal. With all of them in the prompt it says nothing new.
    pub(super) repeats: Vec<u64>,
}

impl Chunk {
    pub(super) fn record(&self, fate: ChunkFate) -> ChunkRecord {
        ChunkRecord {
            source: self.source.clone(),
            layer: self.layer,
            importance: self.importance.level(),
            tokens: self.tokens,
            score: score::of(self),
            excerpt: (fate != ChunkFate::Kept).then(|| self.excerpt()),
            altered: self.altered.clone(),
            fate,
        }
    }

    /// How it begins. A record outlives the prompt, and some are made before weeding: no secret goes into one.
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
    /// How many texts were cut.
    pub(super) clips: u32,
    /// For which model the tokens were counted.
    pub(super) model: ModelDescription,
}

/// Turns contributions into chunks for `model` (A15), each with the tokens it takes in a prompt laid out as `layout`:
/// its words, and the headings, names and message frames that come with them.
///
/// Of doubles one stays, with the importance and the relevance of the better. Chat turns are never doubles of each
/// other, people do say the same thing twice. A text longer than its source's clip is cut, and the rest is kept apart.
/// Looked-up text and talk that ask for a place among instructions get one in the tail.
#[must_use]
pub fn ingest(contributions: Vec<Contribution>, model: &ModelDescription, layout: RenderMode) -> Chunks {
    let mut short: HashMap<String, u32> = HashMap::new();
    let mut chunks: Vec<Chunk> = Vec::with_capacity(contributions.len());
    let mut clipped = Vec::new();
    let mut clips = 0;
    for mut contribution in contributions {
        if contribution.text.trim().is_empty() {
            continue;
        }
        let moved = footing::keep_among_the_quoted(&mut contribution);
        let rest = clipping::clip(&mut contribution, model);
        let mut chunk = measure(contribution, model, layout, &mut short);
        chunk.altered.extend(moved);
        if !rest.is_empty() {
            clips += 1;
            chunk.altered.push(format!("cut, {} more pieces kept aside", rest.len()));
        }
        chunks.push(chunk);
        clipped.extend(rest.into_iter().map(|piece| measure(piece, model, layout, &mut short)));
    }
    let dropped = doubles::drop_doubles(&mut chunks);
    Chunks { chunks, dropped, clipped, clips, model: model.clone() }
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
        share: from.share,
        quoted: from.quoted,
        age: from.age,
        stands: from.stands,
        need: from.need,
        around,
        altered: Vec::new(),
        repeats: Vec::new(),
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
            RenderMode::Layered => layered::dressing(of, count),
            RenderMode::St => live_st::dressing(of, count),
        };
    };
    // The name stands before the words, and in the message's own `name` where the provider takes one.
    let label = line.label.as_deref().map_or(0, |label| 2 * (count(label) + 1));
    let prefix = if line.prefix.is_empty() { 0 } else { count(&line.prefix) };
    // Every further line of a turn is set in.
    let lines = u32::try_from(of.text.matches('\n').count()).unwrap_or(u32::MAX);
    (MESSAGE_OVERHEAD_TOKENS + label + prefix).saturating_add(lines)
}

#[cfg(test)]
mod tests;
