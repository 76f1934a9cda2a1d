//! What searches found, cut down to what the question needs: the most relevant pieces stay (specs mechanisms A5, "budget
//! = min(model capacity, query need)").

use super::providers::Need;
use super::weed::Weeded;
use crate::domain::ChunkFate;

/// Keeps the best of what was found, up to `found_tokens`. The floor, the card and the conversation are not touched.
pub(super) fn keep_needed(weeded: Weeded, found_tokens: u32) -> Weeded {
    let Weeded { mut chunks, mut records, clipped } = weeded;
    let mut found: Vec<usize> = (0..chunks.len()).filter(|&at| chunks[at].need == Need::Search).collect();
    found.sort_by(|&a, &b| chunks[a].keeps_before(&chunks[b]));
    let mut used = 0_u32;
    let mut surplus = Vec::new();
    for at in found {
        let with = used.saturating_add(chunks[at].tokens);
        if with > found_tokens {
            surplus.push(at);
        } else {
            used = with;
        }
    }
    surplus.sort_unstable();
    for at in surplus.into_iter().rev() {
        records.push(chunks.remove(at).record(ChunkFate::NotNeeded));
    }
    Weeded { chunks, records, clipped }
}
