//! What the model of a slot does without: one that was trained on the character, or is small (specs mechanisms A26).

use super::contribution::Importance;
use super::weed::Weeded;
use crate::config::SlotPrompt;
use crate::domain::{ChunkFate, ChunkRecord, Slot};

/// Leaves out the sections that `slot` does without. What may never be evicted stays whatever a setting says: axioms,
/// identity, the note on whoever is answered, the question.
pub(super) fn leave_out(weeded: Weeded, slot: Slot, wanted: &SlotPrompt) -> Weeded {
    if wanted.skip_layers.is_empty() {
        return weeded;
    }
    let Weeded { chunks, mut records, clipped } = weeded;
    let (left, kept): (Vec<_>, Vec<_>) = chunks.into_iter().partition(|chunk| {
        chunk.importance != Importance::Axiom && wanted.skip_layers.contains(&chunk.placement.section())
    });
    records.extend(left.iter().map(|chunk| {
        let section = chunk.placement.section().as_str();
        chunk.record(ChunkFate::LeftOut { reason: format!("`{slot}` does without `{section}`") })
    }));
    Weeded { chunks: kept, records, clipped }
}

/// What that spares, in tokens.
pub(super) fn spared(records: &[ChunkRecord]) -> u32 {
    let left = records.iter().filter(|record| matches!(record.fate, ChunkFate::LeftOut { .. }));
    left.fold(0, |sum, record| sum.saturating_add(record.tokens))
}
