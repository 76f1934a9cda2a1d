//! What is left out before the budget: what a slot's model does without (A26), and of what searches found all but what the
//! question needs (A5, "budget = min(model capacity, query need)").

use std::collections::BTreeSet;

use super::chunk::{Chunk, score};
use super::contribution::{Importance, Need};
use super::screen::Screened;
use crate::config::SlotPrompt;
use crate::domain::{ChunkFate, ChunkRecord, Slot};

/// Keeps the best of what was found, up to `found_tokens`, whole groups at a time. The floor, the card and the
/// conversation are not touched, nor is anything that may never be evicted.
pub(super) fn keep_needed(screened: Screened, found_tokens: u32) -> Screened {
    let chunks = &screened.chunks;
    let mut found: Vec<usize> = (0..chunks.len())
        .filter(|&at| chunks[at].need == Need::Search && chunks[at].importance != Importance::Axiom)
        .collect();
    found.sort_by(|&a, &b| score::keeps_before(&chunks[a], &chunks[b]));
    let mut used = 0_u32;
    let mut surplus = BTreeSet::new();
    for &at in &found {
        let with = used.saturating_add(chunks[at].tokens);
        if with > found_tokens {
            surplus.insert(at);
        } else {
            used = with;
        }
    }
    let broken: BTreeSet<&str> = surplus.iter().filter_map(|&at| chunks[at].group.as_deref()).collect();
    let with_group: Vec<usize> = found
        .into_iter()
        .filter(|&at| chunks[at].group.as_deref().is_some_and(|group| broken.contains(group)))
        .collect();
    surplus.extend(with_group);
    screened.without(|at, _| surplus.contains(&at).then_some(ChunkFate::NotNeeded))
}

/// Leaves out the sections that `slot` does without. What may never be evicted stays whatever a setting says: axioms,
/// identity, the note on whoever is answered, the question.
pub(super) fn leave_out(screened: Screened, slot: Slot, wanted: &SlotPrompt) -> Screened {
    if wanted.skip_layers.is_empty() {
        return screened;
    }
    let is_out = |chunk: &Chunk| {
        chunk.importance != Importance::Axiom && wanted.skip_layers.contains(&chunk.placement.section())
    };
    screened.without(|_, chunk| {
        let section = chunk.placement.section().as_str();
        let reason = || format!("`{slot}` does without `{section}`");
        is_out(chunk).then(|| ChunkFate::LeftOut { reason: reason() })
    })
}

/// Leaves out the pieces of these sources, for whoever wants to see what a prompt is without them. What may never be evicted
/// stays.
pub(super) fn leave_out_named(screened: Screened, sources: &[String]) -> Screened {
    let is_out = |chunk: &Chunk| chunk.importance != Importance::Axiom && sources.contains(&chunk.source);
    let reason = || "this was run again without it".to_owned();
    screened.without(|_, chunk| is_out(chunk).then(|| ChunkFate::LeftOut { reason: reason() }))
}

/// What leaving out spares, in tokens.
pub(super) fn spared(records: &[ChunkRecord]) -> u32 {
    let left = records.iter().filter(|record| matches!(record.fate, ChunkFate::LeftOut { .. }));
    left.fold(0, |sum, record| sum.saturating_add(record.tokens))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::contribution::{Contribution, TailPart};
    use crate::context::ingest::ingest;
    use crate::context::screen::screen;
    use crate::domain::{Audience, ChannelId, Place, RenderMode, TokenEncoding};
    use crate::llm::ModelDescription;

    fn piece(source: &str, need: Need, relevance: f32) -> Contribution {
        Contribution {
            need,
            relevance,
            // With a message's frame each of these is some more than a hundred tokens.
            tokens: Some(100),
            ..Contribution::looked_up(source, TailPart::Recalled, Audience::Canon, source)
        }
    }

    fn kept(pieces: Vec<Contribution>, found_tokens: u32) -> Vec<String> {
        let model = ModelDescription::plain("m", 10_000, TokenEncoding::CharsOver4);
        let place = Place::terminal(ChannelId::new("desk").unwrap());
        let screened = screen(ingest(pieces, &model, RenderMode::Layered), &place);
        let all = screened.chunks.len();
        let needed = keep_needed(screened, found_tokens);
        let cut = needed.records.iter().filter(|record| record.fate == ChunkFate::NotNeeded).count();
        assert_eq!(needed.chunks.len() + cut, all, "what is cut is recorded");
        needed.chunks.into_iter().map(|chunk| chunk.piece.source).collect()
    }

    #[test]
    fn a5_the_most_relevant_finds_stay_and_the_floor_is_not_touched() {
        let pieces = || {
            vec![
                piece("floor", Need::Floor, 0.0),
                piece("weak", Need::Search, 0.2),
                piece("strong", Need::Search, 0.9),
                piece("middle", Need::Search, 0.5),
                Contribution { importance: Importance::Axiom, ..piece("pinned", Need::Search, 0.1) },
            ]
        };
        assert_eq!(kept(pieces(), 240), ["floor", "strong", "middle", "pinned"]);
        assert_eq!(kept(pieces(), 0), ["floor", "pinned"]);
        assert_eq!(kept(pieces(), 10_000).len(), 5);
    }

    #[test]
    fn a5_a_group_of_finds_stays_or_goes_as_one() {
        let grouped = |source: &str, relevance: f32| Contribution {
            group: Some("exchange".to_owned()),
            ..piece(source, Need::Search, relevance)
        };
        let pieces =
            vec![grouped("question", 0.9), piece("other", Need::Search, 0.8), grouped("answer", 0.1)];
        assert_eq!(kept(pieces, 240), ["other"]);
    }
}

#[cfg(test)]
mod skip_tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::context::contribution::{Contribution, Placement, TailPart, Trust};
    use crate::context::ingest::ingest;
    use crate::context::screen::screen;
    use crate::domain::{ChannelId, Layer, Place, RenderMode, Section, TokenEncoding};
    use crate::llm::ModelDescription;

    fn piece(source: &str, placement: Placement, importance: Importance) -> Contribution {
        Contribution {
            importance,
            ..Contribution::anywhere(source, Layer::Content, placement, Trust::Canon, source)
        }
    }

    #[test]
    fn a26_whatever_is_skipped_what_may_never_leave_stays() {
        let model = ModelDescription::plain("m", 10_000, TokenEncoding::CharsOver4);
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
        let screened = || screen(ingest(pieces.clone(), &model, RenderMode::Layered), &place);
        let left = leave_out(screened(), Slot::MainProse, &everything);
        let kept: BTreeSet<_> = left.chunks.iter().map(|chunk| chunk.source.as_str()).collect();
        assert_eq!(kept, ["axioms", "identity", "pinned", "somebody else", "speaker"].into());
        let tokens: u32 = left.records.iter().map(|record| record.tokens).sum();
        assert_eq!((left.records.len(), spared(&left.records)), (2, tokens));
        assert_eq!(leave_out(screened(), Slot::MainProse, &SlotPrompt::default()).chunks.len(), pieces.len());
    }
}
