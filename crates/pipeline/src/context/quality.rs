//! How good a prompt is by its own figures (A18).
//!
//! Owns the score from 0 to 1 and its parts. Must not know what a piece says.

use super::budget::{Budgeted, is_immune};
use super::chunk::{Chunk, score};
use crate::domain::{ChunkFate, Layer, ProviderOutcome, ProviderStatus, Quality};

/// What each part weighs in the score: what was left out although it mattered counts most.
const COVERAGE: f32 = 0.25;
const COMPLETENESS: f32 = 0.2;
const FRESHNESS: f32 = 0.1;
const RETENTION: f32 = 0.35;
const WHOLENESS: f32 = 0.1;

/// Judges what came out of the budget. `clipped` pieces were cut before they were offered.
pub(super) fn judge_context(budgeted: &Budgeted, providers: &[ProviderOutcome], clipped: u32) -> Quality {
    let coverage = coverage(providers);
    let completeness = completeness(budgeted);
    let freshness = kept_freshness(&budgeted.kept);
    let retention = retention(budgeted);
    let wholeness = ratio(budgeted.kept.len().saturating_sub(clipped as usize), budgeted.kept.len());
    let score = COVERAGE * coverage
        + COMPLETENESS * completeness
        + FRESHNESS * freshness
        + RETENTION * retention
        + WHOLENESS * wholeness;
    Quality { score: score.clamp(0.0, 1.0), coverage, completeness, freshness, retention, wholeness }
}

/// The room that stayed free although something was left out for want of room, as a share of `limit`, 0 to 1. Whole
/// pieces do not fill a prompt to the brim, a layer's cap holds while others have room, and a history is cut in steps.
pub(super) fn packing_waste(budgeted: &Budgeted, limit: u32) -> f32 {
    let had_no_room = budgeted.records.iter().any(|record| {
        use ChunkFate::{CutAhead, LayerFull, PromptFull, SectionFull, WithGroup};
        matches!(record.fate, CutAhead | LayerFull | PromptFull | SectionFull | WithGroup)
    });
    let free = limit.saturating_sub(budgeted.tokens);
    if had_no_room { ratio(free as usize, limit as usize) } else { 0.0 }
}

fn coverage(providers: &[ProviderOutcome]) -> f32 {
    let has_answered =
        |status: &ProviderStatus| matches!(status, ProviderStatus::Ok { .. } | ProviderStatus::Cached { .. });
    let answered = providers.iter().filter(|outcome| has_answered(&outcome.status)).count();
    ratio(answered, providers.len())
}

/// The history is left out: it is cut on purpose, and summaries stand for what is not shown.
fn completeness(budgeted: &Budgeted) -> f32 {
    let shares: Vec<f32> = budgeted
        .layers
        .iter()
        .filter(|layer| layer.layer != Layer::RecentHistory && layer.offered > 0)
        .map(|layer| ratio(layer.kept as usize, layer.offered as usize))
        .collect();
    mean(&shares)
}

fn kept_freshness(kept: &[Chunk]) -> f32 {
    let (mut fresh, mut all) = (0.0, 0.0);
    for chunk in kept {
        #[expect(clippy::cast_precision_loss, reason = "a share is wanted")]
        let tokens = chunk.tokens as f32;
        fresh += tokens * score::age_freshness(chunk.age);
        all += tokens;
    }
    if all > 0.0 { fresh / all } else { 1.0 }
}

fn retention(budgeted: &Budgeted) -> f32 {
    let worth = |chunks: &[Chunk]| -> f32 {
        chunks.iter().filter(|chunk| chunk.turn.is_none() && !is_immune(chunk)).map(score::chunk_score).sum()
    };
    let (kept, spilled) = (worth(&budgeted.kept), worth(&budgeted.spilled));
    if kept + spilled > 0.0 { kept / (kept + spilled) } else { 1.0 }
}

fn mean(shares: &[f32]) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "at most one share a layer")]
    let count = shares.len() as f32;
    if shares.is_empty() { 1.0 } else { shares.iter().sum::<f32>() / count }
}

#[expect(clippy::cast_precision_loss, reason = "a share is wanted")]
fn ratio(part: usize, of: usize) -> f32 {
    if of == 0 { 1.0 } else { part as f32 / of as f32 }
}
