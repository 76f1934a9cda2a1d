//! What a text is like as a whole, as numbers, without any model: runs of letters and words, folded into a few hundred
//! (feature hashing), so that other endings and slips still meet.

use std::hash::Hasher as _;

use super::node::NodeKind;
use crate::text::keywords;

/// Numbers of a vector.
pub(super) const DIMS: usize = 128;

/// Letters in a run (specs memory 2.3).
const RUN: usize = 4;

/// A whole word counts so many times a run.
const WORD: f32 = 2.0;

/// Of a long text only so much is looked at, in characters.
const TEXT_MAX: usize = 600;

/// Kinds that are looked up by likeness: what is remembered in words.
pub(super) fn is_for(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Fact | NodeKind::Lore | NodeKind::Learning | NodeKind::Heading | NodeKind::Note)
}

/// The length of every vector: half of what fits, so that a product of two numbers never runs over.
const LENGTH: f32 = 16_384.0;

/// A text's vector; all zeros for a text without words. Whole numbers: half the memory, and twice as quick to compare.
pub(super) fn vector(text: &str) -> Box<[i16]> {
    let mut sums = vec![0.0_f32; DIMS];
    let beginning: String = text.chars().take(TEXT_MAX).collect();
    for term in keywords::terms(&beginning) {
        add(&mut sums, &term, WORD);
        let letters: Vec<char> = format!(" {term} ").chars().collect();
        for run in letters.windows(RUN.min(letters.len())) {
            add(&mut sums, &run.iter().collect::<String>(), 1.0);
        }
    }
    let length = sums.iter().map(|one| one * one).sum::<f32>().sqrt();
    let scale = if length > 0.0 { LENGTH / length } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "at most 16,384")]
    let whole = |sum: f32| (sum * scale).round() as i16;
    sums.into_iter().map(whole).collect()
}

fn add(sums: &mut [f32], what: &str, weight: f32) {
    // Fixed keys: the same text has the same vector in every run.
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    hasher.write(what.as_bytes());
    let hash = hasher.finish();
    let at = usize::try_from(hash % (DIMS as u64)).unwrap_or(0);
    let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
    if let Some(sum) = sums.get_mut(at) {
        *sum += sign * weight;
    }
}

/// How alike two are, -1 to 1.
pub(super) fn cosine(a: &[i16], b: &[i16]) -> f32 {
    let sum: i32 = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    #[expect(clippy::cast_precision_loss, reason = "a cosine needs no more than 24 bits")]
    let sum = sum as f32;
    sum / (LENGTH * LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g1_texts_that_say_alike_are_near_and_others_are_not() {
        let near = |a: &str, b: &str| cosine(&vector(a), &vector(b));
        assert!(near("Ana keeps bees in the garden", "bees are kept by Ana in her gardens") > 0.65);
        assert!(near("Ana keeps bees in the garden", "the ferry to Ruk is late again") < 0.3);
        assert!((near("Ben likes tea", "Ben likes tea") - 1.0).abs() < 1e-3);
        assert_eq!(near("", "Ben likes tea"), 0.0);
    }
}
