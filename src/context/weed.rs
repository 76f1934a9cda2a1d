//! Weeding: what must not reach a prompt is taken out, and everything that passes has been looked at (A16).
//!
//! In this order: the audience gate, hidden characters, secrets, what means something to Discord. Fails closed. Nobody's
//! own message is blocked or reworded, and nothing is left out for what it says: who may instruct is decided by where a
//! text stands. Start reading at [`weed`].

use super::chunk::{Chunk, Chunks};
use crate::domain::{Audience, ChunkFate, ChunkRecord, Place};
use crate::history::Visible;

mod screens;

/// Chunks that passed the audience gate and were screened. Only these can be budgeted.
#[derive(Debug, Clone)]
pub struct Weeded {
    pub(super) chunks: Vec<Chunk>,
    pub(super) records: Vec<ChunkRecord>,
    /// Screened like the others, but cut off at ingest: for the spillover only.
    pub(super) clipped: Vec<Chunk>,
}

impl Weeded {
    /// The same without some pieces, and those: what was weeded can only become less. `out` says, by a piece's number and
    /// itself, why it goes.
    pub(super) fn without(
        self,
        mut out: impl FnMut(usize, &Chunk) -> Option<ChunkFate>,
    ) -> (Self, Vec<Chunk>) {
        let Self { chunks, mut records, clipped } = self;
        let (mut kept, mut left) = (Vec::with_capacity(chunks.len()), Vec::new());
        for (at, chunk) in chunks.into_iter().enumerate() {
            match out(at, &chunk) {
                Some(fate) => {
                    records.push(chunk.record(fate));
                    left.push(chunk);
                }
                None => kept.push(chunk),
            }
        }
        (Self { chunks: kept, records, clipped }, left)
    }
}

/// Passes chunks that may be used in `place`, screened.
#[must_use]
pub fn weed(ingested: Chunks, place: &Place) -> Weeded {
    let Chunks { chunks, dropped: mut records, clipped, model, .. } = ingested;
    let visible = Visible::at(place);
    let mut pass = |mut chunk: Chunk| {
        if !visible.includes(&chunk.audience) {
            let audience = chunk.audience.clone();
            records.push(chunk.record(ChunkFate::NotForHere { audience }));
            return None;
        }
        match screens::screen(&mut chunk, &model) {
            Ok(()) => Some(chunk),
            Err(reason) => {
                records.push(chunk.record(ChunkFate::Weeded { reason }));
                None
            }
        }
    };
    let chunks = chunks.into_iter().filter_map(&mut pass).collect();
    let clipped: Vec<Chunk> = clipped.into_iter().filter_map(&mut pass).collect();
    records.extend(clipped.iter().map(|chunk| chunk.record(ChunkFate::Clipped)));
    Weeded { chunks, records, clipped }
}

/// Whether something learnt before `audience` may be said in `place`: the rule of [`Visible::at`].
#[must_use]
pub fn may_be_used(audience: &Audience, place: &Place) -> bool {
    Visible::at(place).includes(audience)
}

#[cfg(test)]
mod tests;
