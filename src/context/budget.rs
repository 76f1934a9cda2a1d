//! Eviction: whole chunks leave until the prompt fits; no text is ever cut (specs mechanisms 4 row 1).

use std::collections::{BTreeMap, BTreeSet};

use super::chunk::{Chunk, drop_repeats};
use super::contribution::{Importance, Placement};
use super::spillover::RETURNED;
use super::weed::Weeded;
use crate::domain::{ChunkFate, ChunkRecord, Layer, LayerFigures};

/// What a prompt may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetPlan {
    /// Cap of each layer in tokens; `None` = only the total counts; a layer that is absent gets nothing.
    pub layers: BTreeMap<Layer, Option<u32>>,
    /// The channel's total, in tokens.
    pub total: u32,
    /// The model's window, in tokens.
    pub window: u32,
    /// Kept free for the reply, in tokens.
    pub reserve: u32,
    /// History starts only at multiples of this many turns, so that its first message stays the same for a while and
    /// the provider's cache stays warm (specs memory 3.3). 1 = cut anywhere.
    pub history_block: u64,
}

impl BudgetPlan {
    /// The most a prompt may take: the channel's total, but never more than the window without the reserve.
    #[must_use]
    pub fn prompt_limit(&self) -> u32 {
        self.total.min(self.hard_limit())
    }

    /// What cannot be exceeded whatever the channel allows.
    #[must_use]
    pub fn hard_limit(&self) -> u32 {
        self.window.saturating_sub(self.reserve)
    }
}

/// What may never be evicted does not fit the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the character and the messages to answer take {needed} tokens, but the model leaves {limit} \
     (window {window}, {reserve} kept for the reply): shorten the card or choose a model with a larger window"
)]
pub struct PromptTooLarge {
    /// Tokens of everything that is never evicted.
    pub needed: u32,
    /// Tokens available.
    pub limit: u32,
    /// The model's window.
    pub window: u32,
    /// Kept for the reply.
    pub reserve: u32,
}

/// What survived, and what did not. Only this can be rendered.
#[derive(Debug)]
pub struct Budgeted {
    pub(super) kept: Vec<Chunk>,
    /// What was evicted; the spillover store takes it up.
    pub(super) spilled: Vec<Chunk>,
    pub(super) records: Vec<ChunkRecord>,
    pub(super) layers: Vec<LayerFigures>,
    pub(super) tokens: u32,
    pub(super) notes: Vec<String>,
}

impl Budgeted {
    /// The texts that were evicted, most important first.
    pub fn spilled_texts(&self) -> impl Iterator<Item = &str> {
        self.spilled.iter().map(|chunk| chunk.text.as_str())
    }

    /// What came back from the spillover stands in the tail only while it does not stand in its own place.
    pub(super) fn drop_doubles(&mut self) {
        let sources: BTreeSet<String> = self.kept.iter().map(|chunk| chunk.source.clone()).collect();
        let mut doubles = BTreeSet::new();
        self.kept.retain(|chunk| {
            let is_double = chunk.source.strip_prefix(RETURNED).is_some_and(|first| sources.contains(first));
            if is_double {
                self.tokens = self.tokens.saturating_sub(chunk.tokens);
                for layer in self.layers.iter_mut().filter(|figures| figures.layer == chunk.layer) {
                    layer.offered = layer.offered.saturating_sub(chunk.tokens);
                    layer.kept = layer.kept.saturating_sub(chunk.tokens);
                }
                doubles.insert(chunk.source.clone());
            }
            !is_double
        });
        for record in self.records.iter_mut().filter(|record| doubles.contains(&record.source)) {
            record.fate = ChunkFate::Duplicate;
        }
    }
}

/// Fits weeded chunks into the plan: first each layer into its cap, then everything into the total.
///
/// # Errors
/// [`PromptTooLarge`] when chunks of importance 5 alone exceed the window without the reserve.
pub fn fit(weeded: Weeded, plan: &BudgetPlan) -> Result<Budgeted, PromptTooLarge> {
    let Weeded { mut chunks, mut records, clipped } = weeded;
    chunks.sort_by(Chunk::keeps_before);
    let mut notes = Vec::new();
    let mut fates: Vec<ChunkFate> = vec![ChunkFate::Kept; chunks.len()];

    let mut by_layer: BTreeMap<Layer, Vec<usize>> = BTreeMap::new();
    for (index, chunk) in chunks.iter().enumerate() {
        by_layer.entry(chunk.layer).or_default().push(index);
    }
    for (&layer, members) in &by_layer {
        let cap = plan.layers.get(&layer).copied().unwrap_or(Some(0));
        if let Some(cap) = cap {
            fit_layer(layer, cap, members, &chunks, &mut fates, &mut notes);
        }
    }
    fit_total(plan, &chunks, &mut fates)?;
    align_history(plan.history_block, &chunks, &mut fates);
    drop_broken_groups(&chunks, &mut fates);
    drop_repeats(&chunks, &mut fates);

    let layers = by_layer
        .iter()
        .map(|(&layer, members)| LayerFigures {
            layer,
            cap: plan.layers.get(&layer).copied().unwrap_or(Some(0)),
            offered: sum(members.iter().map(|&i| chunks[i].tokens)),
            kept: sum(members.iter().filter(|&&i| fates[i] == ChunkFate::Kept).map(|&i| chunks[i].tokens)),
        })
        .collect();
    let mut kept = Vec::with_capacity(chunks.len());
    let mut spilled = clipped;
    for (chunk, fate) in chunks.into_iter().zip(fates) {
        records.push(chunk.record(fate.clone()));
        match fate {
            ChunkFate::Kept => kept.push(chunk),
            // What stands in the prompt as a turn need not come back.
            ChunkFate::Duplicate => {}
            _ => spilled.push(chunk),
        }
    }
    let tokens = sum(kept.iter().map(|chunk| chunk.tokens));
    if tokens > plan.prompt_limit() {
        notes.push(format!(
            "what may not be evicted takes {tokens} tokens, more than the channel's {} (the window still holds it)",
            plan.prompt_limit()
        ));
    }
    Ok(Budgeted { kept, spilled, records, layers, tokens, notes })
}

fn fit_layer(
    layer: Layer,
    cap: u32,
    members: &[usize],
    chunks: &[Chunk],
    fates: &mut [ChunkFate],
    notes: &mut Vec<String>,
) {
    let immune = sum(members.iter().map(|&i| &chunks[i]).filter(|c| is_immune(c)).map(|c| c.tokens));
    if immune > cap && cap > 0 {
        notes.push(format!("{}: what may not be evicted takes {immune} of {cap} tokens", layer.as_str()));
    }
    let mut used = immune;
    let mut history_is_full = false;
    // Members are sorted from the one to keep longest; history comes newest first and must stay without holes, so
    // the first turn that does not fit ends it.
    for &index in members {
        let chunk = &chunks[index];
        if is_immune(chunk) {
            continue;
        }
        let is_turn = chunk.turn.is_some();
        if (is_turn && history_is_full) || used.saturating_add(chunk.tokens) > cap {
            fates[index] = ChunkFate::LayerFull;
            history_is_full |= is_turn;
        } else {
            used += chunk.tokens;
        }
    }
}

fn fit_total(plan: &BudgetPlan, chunks: &[Chunk], fates: &mut [ChunkFate]) -> Result<(), PromptTooLarge> {
    let mut total = sum(kept_indices(fates).map(|i| chunks[i].tokens));
    let limit = plan.prompt_limit();
    for index in (0..chunks.len()).rev() {
        if total <= limit {
            break;
        }
        if fates[index] == ChunkFate::Kept && !is_immune(&chunks[index]) {
            fates[index] = ChunkFate::PromptFull;
            total -= chunks[index].tokens;
        }
    }
    if total > plan.hard_limit() {
        return Err(PromptTooLarge {
            needed: total,
            limit: plan.hard_limit(),
            window: plan.window,
            reserve: plan.reserve,
        });
    }
    Ok(())
}

/// When history had to be cut, moves its start forward to the next multiple of the block, so that the start stays put
/// for a while. A block that would cost more than half of what fits is halved first: context is worth more than cache.
fn align_history(block: u64, chunks: &[Chunk], fates: &mut [ChunkFate]) {
    let was_cut = chunks.iter().zip(fates.iter()).any(|(c, f)| c.turn.is_some() && *f != ChunkFate::Kept);
    if !was_cut {
        return;
    }
    let kept: Vec<(usize, u64)> = kept_indices(fates)
        .filter(|&i| !is_immune(&chunks[i]))
        .filter_map(|i| ordinal(&chunks[i]).map(|ordinal| (i, ordinal)))
        .collect();
    let Some(first) = kept.iter().map(|&(_, ordinal)| ordinal).min() else { return };
    let fits = sum(kept.iter().map(|&(i, _)| chunks[i].tokens));
    let mut block = block;
    while block > 1 {
        let start = first.next_multiple_of(block);
        let before: Vec<usize> = kept.iter().filter(|&&(_, o)| o < start).map(|&(i, _)| i).collect();
        if sum(before.iter().map(|&i| chunks[i].tokens)) <= fits / 2 {
            for index in before {
                fates[index] = ChunkFate::LayerFull;
            }
            return;
        }
        block /= 2;
    }
}

fn drop_broken_groups(chunks: &[Chunk], fates: &mut [ChunkFate]) {
    let broken: BTreeSet<&str> = chunks
        .iter()
        .zip(fates.iter())
        .filter(|(_, fate)| **fate != ChunkFate::Kept)
        .filter_map(|(chunk, _)| chunk.group.as_deref())
        .collect();
    for (chunk, fate) in chunks.iter().zip(fates.iter_mut()) {
        let in_broken = chunk.group.as_deref().is_some_and(|group| broken.contains(group));
        if in_broken && *fate == ChunkFate::Kept && !is_immune(chunk) {
            *fate = ChunkFate::WithGroup;
        }
    }
}

fn ordinal(chunk: &Chunk) -> Option<u64> {
    match chunk.placement {
        Placement::Turn(ordinal) => Some(ordinal),
        _ => None,
    }
}

fn is_immune(chunk: &Chunk) -> bool {
    chunk.importance == Importance::Axiom
}

fn kept_indices(fates: &[ChunkFate]) -> impl Iterator<Item = usize> + '_ {
    fates.iter().enumerate().filter(|(_, fate)| **fate == ChunkFate::Kept).map(|(index, _)| index)
}

fn sum(tokens: impl Iterator<Item = u32>) -> u32 {
    tokens.fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests;
