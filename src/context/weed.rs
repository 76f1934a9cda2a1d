//! Weeding: what must not reach a prompt is taken out, and everything that passes has been looked at. Fails closed.

use super::chunk::{Chunk, Chunks};
use super::contribution::Trust;
use crate::domain::{Audience, ChunkFate, ChunkRecord, LAYER_MARKER, Place};

/// Chunks that passed the audience gate and carry nothing invisible. Only these can be budgeted.
#[derive(Debug)]
pub struct Weeded {
    pub(super) chunks: Vec<Chunk>,
    pub(super) records: Vec<ChunkRecord>,
}

/// Passes chunks that may be used in `place`, cleaned.
#[must_use]
pub fn weed(ingested: Chunks, place: &Place) -> Weeded {
    let Chunks { chunks, dropped: mut records } = ingested;
    let mut kept = Vec::with_capacity(chunks.len());
    for mut chunk in chunks {
        if !may_be_used(&chunk.audience, place) {
            let audience = chunk.audience.clone();
            records.push(chunk.record(ChunkFate::NotForHere { audience }));
            continue;
        }
        if chunk.trust == Trust::Chat {
            clean_chat(&mut chunk.text);
            if let Some(line) = &mut chunk.turn {
                // What is answered is quoted here.
                clean_chat(&mut line.prefix);
            }
        }
        if chunk.text.trim().is_empty() {
            let reason = "nothing visible in it".to_owned();
            records.push(chunk.record(ChunkFate::Weeded { reason }));
            continue;
        }
        kept.push(chunk);
    }
    Weeded { chunks: kept, records }
}

/// The audience rule (specs mechanisms 4 row 8), as far as a place alone can decide it: canon everywhere, anything
/// else only where it was learnt. Cross-place sharing (a guild's talk in a member's DM) needs membership and comes
/// with recall; until then the rule errs on the side of silence.
#[must_use]
pub fn may_be_used(audience: &Audience, place: &Place) -> bool {
    matches!(audience, Audience::Canon) || *audience == place.audience
}

fn clean_chat(text: &mut String) {
    if let std::borrow::Cow::Owned(visible) = crate::text::unicode::visible(text) {
        *text = visible;
    }
    if text.contains(LAYER_MARKER) {
        *text = text.replace(LAYER_MARKER, "[");
    }
}
