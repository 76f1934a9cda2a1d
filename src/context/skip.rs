//! What the model of a slot does without: one that was trained on the character, or is small (specs mechanisms A26).

use super::chunk::Chunk;
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
    let is_out = |chunk: &Chunk| {
        chunk.importance != Importance::Axiom && wanted.skip_layers.contains(&chunk.placement.section())
    };
    let (kept, _) = weeded.without(|_, chunk| {
        let section = chunk.placement.section().as_str();
        let reason = || format!("`{slot}` does without `{section}`");
        is_out(chunk).then(|| ChunkFate::LeftOut { reason: reason() })
    });
    kept
}

/// What that spares, in tokens.
pub(super) fn spared(records: &[ChunkRecord]) -> u32 {
    let left = records.iter().filter(|record| matches!(record.fate, ChunkFate::LeftOut { .. }));
    left.fold(0, |sum, record| sum.saturating_add(record.tokens))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::context::chunk::ingest;
    use crate::context::contribution::{Contribution, Placement, TailPart, Trust};
    use crate::context::weed::weed;
    use crate::domain::{Audience, ChannelId, Layer, Place, RenderMode, Section, TokenEncoding};
    use crate::llm::ModelDescription;

    fn piece(source: &str, placement: Placement, importance: Importance) -> Contribution {
        Contribution {
            importance,
            ..Contribution::new(source, Layer::Content, placement, Trust::Canon, Audience::Canon, source)
        }
    }

    #[test]
    fn a26_whatever_is_skipped_what_may_never_leave_stays() {
        let model = ModelDescription {
            model: "m".to_owned(),
            context_window: 10_000,
            encoding: TokenEncoding::CharsOver4,
            token_ratio: 1.0,
            reasons_natively: false,
            takes_tools: false,
        };
        let pieces = vec![
            piece("axioms", Placement::Axioms, Importance::Axiom),
            piece("identity", Placement::Description, Importance::Axiom),
            piece("speaker", Placement::Tail(TailPart::People), Importance::Axiom),
            piece("somebody else", Placement::Tail(TailPart::People), Importance::Normal),
            piece("pinned", Placement::Tail(TailPart::Recalled), Importance::Axiom),
            piece("found", Placement::Tail(TailPart::Recalled), Importance::High),
            piece("mood", Placement::Tail(TailPart::Mood), Importance::Low),
        ];
        let everything = SlotPrompt {
            skip_layers: Section::ALL.iter().copied().filter(|it| *it != Section::People).collect(),
            ..SlotPrompt::default()
        };
        let place = Place::terminal(ChannelId::new("desk").unwrap());
        let weeded = || weed(ingest(pieces.clone(), &model, RenderMode::Layered), &place);
        let left = leave_out(weeded(), Slot::MainProse, &everything);
        let kept: BTreeSet<_> = left.chunks.iter().map(|chunk| chunk.source.as_str()).collect();
        assert_eq!(kept, ["axioms", "identity", "pinned", "somebody else", "speaker"].into());
        let tokens: u32 = left.records.iter().map(|record| record.tokens).sum();
        assert_eq!((left.records.len(), spared(&left.records)), (2, tokens));
        assert_eq!(leave_out(weeded(), Slot::MainProse, &SlotPrompt::default()).chunks.len(), pieces.len());
    }
}
