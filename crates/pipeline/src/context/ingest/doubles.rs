//! One of several texts that say the same (A15).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::Chunk;
use crate::context::contribution::{Contribution, Need, Placement, Trust};
use crate::domain::{Audience, ChunkFate, ChunkRecord};
use crate::text::likeness::{Likeness, shingles_of_line};

/// From this share of a looked-up text on that stands in turns, it repeats them.
const REPEATED: f64 = 0.8;

/// Takes doubles out of `chunks` and gives their records. Equal texts are told by SHA-256; of looked-up texts also
/// those that differ in a few words. The survivor keeps its own place and takes the better importance, relevance and
/// use. Two texts are doubles only where one may be used wherever the other may, and never when different people
/// said them.
pub(super) fn drop_doubles(chunks: &mut Vec<Chunk>) -> Vec<ChunkRecord> {
    let mut losers = BTreeSet::new();
    exact(chunks, &mut losers);
    let likenesses: BTreeMap<usize, Likeness> = (0..)
        .zip(chunks.iter())
        .filter(|(index, chunk)| {
            chunk.trust == Trust::Held
                && chunk.turn.is_none()
                && chunk.stands.is_none()
                && !losers.contains(index)
        })
        .map(|(index, chunk)| (index, Likeness::of(&chunk.text)))
        .collect();
    near(chunks, &likenesses, &mut losers);
    note_repeats(chunks, &likenesses);

    let mut dropped = Vec::with_capacity(losers.len());
    let mut index = 0;
    chunks.retain(|chunk| {
        let is_lost = losers.contains(&index);
        index += 1;
        if is_lost {
            dropped.push(chunk.record(ChunkFate::Duplicate));
        }
        !is_lost
    });
    dropped
}

fn exact(chunks: &mut [Chunk], losers: &mut BTreeSet<usize>) {
    let mut seen: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
    for index in 0..chunks.len() {
        // Summaries of the same turns are alike; which of them is shown the cut of the history decides.
        if chunks[index].turn.is_some() || chunks[index].stands.is_some() {
            continue;
        }
        let hash: [u8; 32] = Sha256::digest(chunks[index].text.trim().as_bytes()).into();
        let equal = seen.entry(hash).or_default();
        let mut is_lost = false;
        for at in equal.iter_mut() {
            if let Some((winner, loser)) = settle(&chunks[*at], &chunks[index]).pick(*at, index) {
                merge(chunks, winner, loser);
                losers.insert(loser);
                *at = winner;
                is_lost = true;
                break;
            }
        }
        if !is_lost {
            equal.push(index);
        }
    }
}

fn near(chunks: &mut [Chunk], likenesses: &BTreeMap<usize, Likeness>, losers: &mut BTreeSet<usize>) {
    let mut by_shingle: HashMap<u64, Vec<usize>> = HashMap::new();
    for (&index, likeness) in likenesses {
        let alike: BTreeSet<usize> = likeness
            .shingles()
            .iter()
            .filter_map(|shingle| by_shingle.get(shingle))
            .flatten()
            .copied()
            .collect();
        for other in alike {
            if losers.contains(&other) || losers.contains(&index) {
                continue;
            }
            let Some(theirs) = likenesses.get(&other) else { continue };
            let settled = settle(&chunks[other], &chunks[index]);
            let picked = if likeness.begins(theirs) && settled.first_can_win {
                Some((other, index))
            } else if theirs.begins(likeness) && settled.second_can_win {
                Some((index, other))
            } else if likeness.is_double_of(theirs) {
                settled.pick(other, index)
            } else {
                None
            };
            if let Some((winner, loser)) = picked {
                merge(chunks, winner, loser);
                losers.insert(loser);
            }
        }
        for &shingle in likeness.shingles() {
            by_shingle.entry(shingle).or_default().push(index);
        }
    }
}

/// Which of two doubles may stay. Both must where neither may be used everywhere the other may, or different people said
/// them.
struct DoubleSettled {
    first_can_win: bool,
    second_can_win: bool,
    prefers_second: bool,
}

impl DoubleSettled {
    fn pick(&self, first: usize, second: usize) -> Option<(usize, usize)> {
        if self.second_can_win && (self.prefers_second || !self.first_can_win) {
            return Some((second, first));
        }
        self.first_can_win.then_some((first, second))
    }
}

fn settle(first: &Chunk, second: &Chunk) -> DoubleSettled {
    let author = |chunk: &Chunk| chunk.quoted.as_ref().and_then(|quoted| quoted.author.clone());
    let is_by_one = author(first).zip(author(second)).is_none_or(|(one, other)| one == other);
    let covers = |wide: &Chunk, narrow: &Chunk| {
        is_by_one && (wide.audience == Audience::Canon || wide.audience == narrow.audience)
    };
    // The operator's own words are not crowded out by somebody who repeats them.
    let prefers_second = first
        .trust
        .cmp(&second.trust)
        .then(second.importance.cmp(&first.importance))
        .then(second.relevance.total_cmp(&first.relevance))
        // What was learnt or confirmed last.
        .then(first.age.cmp(&second.age))
        .is_gt();
    DoubleSettled {
        first_can_win: covers(first, second),
        second_can_win: covers(second, first),
        prefers_second,
    }
}

fn merge(chunks: &mut [Chunk], winner: usize, loser: usize) {
    let Contribution { importance, relevance, need, .. } = chunks[loser].piece;
    let winner = &mut chunks[winner].piece;
    winner.importance = winner.importance.max(importance);
    winner.relevance = winner.relevance.max(relevance);
    if need == Need::Floor {
        winner.need = need;
    }
}

/// Writes down which turns a looked-up text repeats.
fn note_repeats(chunks: &mut [Chunk], likenesses: &BTreeMap<usize, Likeness>) {
    if likenesses.is_empty() {
        return;
    }
    let wanted: HashSet<u64> = likenesses.values().flat_map(|one| one.shingles().iter().copied()).collect();
    let mut said: HashMap<u64, u64> = HashMap::new();
    for chunk in chunks.iter() {
        let (Some(line), Placement::Turn(ordinal)) = (&chunk.turn, &chunk.placement) else { continue };
        for &shingle in shingles_of_line(line.label.as_deref(), &chunk.text).iter() {
            if wanted.contains(&shingle) {
                said.insert(shingle, *ordinal);
            }
        }
    }
    for (&index, likeness) in likenesses {
        let found: Vec<u64> =
            likeness.shingles().iter().filter_map(|shingle| said.get(shingle)).copied().collect();
        #[expect(clippy::cast_precision_loss, reason = "texts have far fewer than 2^52 words")]
        let share = found.len() as f64 / likeness.shingles().len().max(1) as f64;
        if share >= REPEATED {
            chunks[index].repeats = found.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        }
    }
}

impl Chunk {
    /// Whether this is a looked-up text all of whose turns are among those that are `shown`, by their ordinals.
    pub(in crate::context) fn repeats_shown(&self, shown: &BTreeSet<u64>) -> bool {
        !self.repeats.is_empty() && self.repeats.iter().all(|turn| shown.contains(turn))
    }
}

#[cfg(test)]
mod tests;
