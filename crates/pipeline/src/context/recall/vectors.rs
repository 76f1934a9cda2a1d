//! How alike two texts are as a whole, without a model: by runs of letters, so that misspelt and inflected words still meet.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Letters in a run (memory 2.3, "char 4-gram TF-IDF cosine").
const RUN: usize = 4;

/// Of a long text only so much is looked at, in characters.
const TEXT_MAX: usize = 600;

type Counts = HashMap<u64, f32, BuildHasherDefault<RunHasher>>;

/// Runs are numbers and their map lasts one question, so that a multiplication spreads them well enough.
#[derive(Debug, Default)]
struct RunHasher(u64);

impl Hasher for RunHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// The cosine between the question and each text, 0 to 1, in the texts' order: TF-IDF over runs of four letters, weighed
/// against the texts that are compared. May take milliseconds; never called on an async thread.
pub(super) fn letters_in_common(question: &str, texts: &[&str]) -> Vec<f32> {
    let counted: Vec<Counts> = texts.iter().map(|text| runs(text)).collect();
    let mut standing_in = Counts::default();
    for run in counted.iter().flat_map(HashMap::keys) {
        *standing_in.entry(*run).or_default() += 1.0;
    }
    let total = counted.len() as f32 + 1.0;
    for standing_in in standing_in.values_mut() {
        *standing_in = (total / (1.0 + *standing_in)).ln() + 1.0;
    }
    let (rarities, unknown) = (standing_in, total.ln() + 1.0);
    let weight = |run: &u64, count: f32| {
        let often = if count > 1.0 { 1.0 + count.ln() } else { 1.0 };
        often * rarities.get(run).copied().unwrap_or(unknown)
    };
    let asked: Counts = runs(question).into_iter().map(|(run, count)| (run, weight(&run, count))).collect();
    let asked_length = asked.values().map(|weight| weight * weight).sum::<f32>().sqrt();
    counted
        .iter()
        .map(|counts| {
            let (mut dot, mut squares) = (0.0_f32, 0.0_f32);
            for (run, count) in counts {
                let weight = weight(run, *count);
                squares += weight * weight;
                dot += weight * asked.get(run).copied().unwrap_or(0.0);
            }
            let both = asked_length * squares.sqrt();
            if both > 0.0 { (dot / both).clamp(0.0, 1.0) } else { 0.0 }
        })
        .collect()
}

fn runs(text: &str) -> Counts {
    let mut letters = vec![' '];
    for word in text.split_whitespace() {
        letters.extend(word.chars().flat_map(char::to_lowercase));
        letters.push(' ');
        if letters.len() > TEXT_MAX {
            break;
        }
    }
    let mut counts = Counts::default();
    for run in letters.windows(RUN) {
        // Sixteen bits of each letter: whole for every script in everyday use.
        let packed =
            run.iter().fold(0_u64, |packed, letter| (packed << 16) | u64::from(u32::from(*letter) & 0xffff));
        *counts.entry(packed).or_default() += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y11_alike_texts_are_near_whatever_their_endings_and_slips() {
        let texts = ["the lighthouse keeper retired", "a lihgthouse and its keepers", "tea with lemon", ""];
        let near = letters_in_common("lighthouse keepers", &texts);
        assert!(near[0] > 0.3 && near[1] > 0.3, "{near:?}");
        assert!(near[2] < 0.05, "{near:?}");
        assert_eq!(near[3], 0.0);
        assert!(near.iter().all(|one| (0.0..=1.0).contains(one)));
    }
}
