//! How alike two texts are as a whole. The encoder here needs no model: it counts runs of letters, so that misspelt
//! and inflected words still meet. An embedding model takes its place by implementing [`Encoder`].

use std::collections::HashMap;
use std::fmt::Debug;

/// Letters in a run (specs memory 2.3, "char 4-gram TF-IDF cosine").
const RUN: usize = 4;

/// Of a long text only so much is looked at, in characters.
const TEXT_MAX: usize = 600;

/// Compares a question with texts.
pub trait Encoder: Send + Sync + Debug {
    /// The cosine between the question and each text, 0 to 1, in the texts' order. May take milliseconds; never
    /// called on an async thread.
    fn similarities(&self, question: &str, texts: &[&str]) -> Vec<f32>;
}

/// TF-IDF vectors over runs of four letters, weighed against the texts that are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct CharacterGrams;

type Counts = HashMap<u64, f32>;

impl Encoder for CharacterGrams {
    fn similarities(&self, question: &str, texts: &[&str]) -> Vec<f32> {
        let counted: Vec<Counts> = texts.iter().map(|text| runs(text)).collect();
        let mut standing_in: HashMap<u64, f32> = HashMap::new();
        for run in counted.iter().flat_map(HashMap::keys) {
            *standing_in.entry(*run).or_default() += 1.0;
        }
        let total = counted.len() as f32 + 1.0;
        let weigh = |counts: &Counts| -> Counts {
            counts
                .iter()
                .map(|(run, count)| {
                    let rarity = (total / (1.0 + standing_in.get(run).copied().unwrap_or(0.0))).ln() + 1.0;
                    (*run, (1.0 + count.ln()) * rarity)
                })
                .collect()
        };
        let asked = weigh(&runs(question));
        let asked_length = length(&asked);
        counted
            .iter()
            .map(|counts| {
                let weighed = weigh(counts);
                let both = asked_length * length(&weighed);
                let dot: f32 = asked
                    .iter()
                    .filter_map(|(run, weight)| weighed.get(run).map(|other| weight * other))
                    .sum();
                if both > 0.0 { (dot / both).clamp(0.0, 1.0) } else { 0.0 }
            })
            .collect()
    }
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
    let mut counts = Counts::new();
    for run in letters.windows(RUN) {
        // Sixteen bits of each letter: whole for every script in everyday use.
        let packed =
            run.iter().fold(0_u64, |packed, letter| (packed << 16) | u64::from(u32::from(*letter) & 0xffff));
        *counts.entry(packed).or_default() += 1.0;
    }
    counts
}

fn length(weighed: &Counts) -> f32 {
    weighed.values().map(|weight| weight * weight).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y11_alike_texts_are_near_whatever_their_endings_and_slips() {
        let texts = ["the lighthouse keeper retired", "a lihgthouse and its keepers", "tea with lemon", ""];
        let near = CharacterGrams.similarities("lighthouse keepers", &texts);
        assert!(near[0] > 0.3 && near[1] > 0.3, "{near:?}");
        assert!(near[2] < 0.05, "{near:?}");
        assert_eq!(near[3], 0.0);
        assert!(near.iter().all(|one| (0.0..=1.0).contains(one)));
    }
}
