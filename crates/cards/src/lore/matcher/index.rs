//! The words of all entries, to be searched: titles, keys and texts (Y14).
//!
//! Okapi BM25 in memory, read sentence by sentence and put on a scale from 0 to 1: the share of what a sentence is
//! about that an entry covers. Words that no entry has count as not covered, and one word alone has to be in a title or
//! key, so a passing word calls up nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

use super::entry::PreparedEntry;
use crate::sentences::sentences;
use crate::text::is_unspaced;

/// BM25's usual constants (Y14).
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// A word of a title or key weighs as much as so many of the text.
const HEADING_WEIGHT: f32 = 3.0;

/// Entries that are there to be searched: SillyTavern's threshold for vectors (cards-and-lore 4.2.11).
pub(super) const WANTED: f32 = 0.25;

/// Words of one sentence that are looked at.
const SENTENCE_WORDS: usize = 64;

/// Words that are in every sentence and say nothing, in the languages people chat in.
static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("stop_words.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// The words of a text that say something, each with the forms by which it is found, such as its stem.
pub type WordForms = fn(&str) -> Vec<Vec<String>>;

#[derive(Debug)]
pub(super) struct Index {
    words: WordForms,
    /// Word → entries that have it, with its weight there.
    postings: HashMap<String, Vec<(u32, f32)>>,
    lengths: Vec<f32>,
    average: f32,
}

impl Index {
    pub(super) fn new(entries: &[PreparedEntry], words: WordForms) -> Self {
        let mut index = Self { words, postings: HashMap::new(), lengths: Vec::new(), average: 0.0 };
        for (number, entry) in (0_u32..).zip(entries) {
            let mut weights: BTreeMap<String, f32> = BTreeMap::new();
            let mut length = 0.0;
            let heading =
                entry.keys.primary.iter().map(|key| key.written.as_str()).chain([entry.name.as_str()]);
            let heading = heading.map(|text| (text, HEADING_WEIGHT));
            for (text, weight) in heading.chain([(entry.fields.content.as_str(), 1.0)]) {
                for forms in words(text) {
                    length += weight;
                    forms.into_iter().for_each(|form| *weights.entry(form).or_default() += weight);
                }
            }
            index.lengths.push(length);
            for (word, weight) in weights {
                index.postings.entry(word).or_default().push((number, weight));
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "at most some thousand entries")]
        let number = index.lengths.len().max(1) as f32;
        index.average = (index.lengths.iter().sum::<f32>() / number).max(1.0);
        index
    }

    /// How much of what `text` is about each entry covers, 0 to 1, best sentence first. Entries below every threshold
    /// are left out.
    pub(super) fn scores(&self, text: &str) -> BTreeMap<usize, f32> {
        let mut best: BTreeMap<usize, f32> = BTreeMap::new();
        for sentence in text.lines().flat_map(sentences) {
            // In order: sums of floats depend on it, and the same words have to give the same sum.
            let asked: BTreeSet<Vec<String>> =
                (self.words)(sentence).into_iter().take(SENTENCE_WORDS).collect();
            let everything: f32 = asked.iter().map(|forms| self.rarity(forms)).sum();
            if everything <= 0.0 {
                continue;
            }
            // What is covered, and how many words it took; one of a title or key speaks for two.
            let mut covered: BTreeMap<usize, (f32, u32)> = BTreeMap::new();
            for forms in &asked {
                for (entry, weight) in self.weights(forms) {
                    let entry = entry as usize;
                    let length = self.lengths.get(entry).copied().unwrap_or(0.0) / self.average;
                    let saturated = weight * (K1 + 1.0) / (weight + K1 * (1.0 - B + B * length));
                    let known = covered.entry(entry).or_default();
                    known.0 += self.rarity(forms) * saturated.min(1.0);
                    known.1 += if weight >= HEADING_WEIGHT { 2 } else { 1 };
                }
            }
            for (entry, (sum, _)) in covered.into_iter().filter(|(_, (_, words))| *words > 1) {
                let score = (sum / everything).clamp(0.0, 1.0);
                let known = best.entry(entry).or_default();
                *known = known.max(score);
            }
        }
        best.retain(|_, score| *score >= WANTED);
        best
    }

    /// The entries that have a word in any of its forms, with its greatest weight there.
    fn weights(&self, forms: &[String]) -> BTreeMap<u32, f32> {
        let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
        for (entry, weight) in forms.iter().filter_map(|form| self.postings.get(form)).flatten() {
            let known = weights.entry(*entry).or_default();
            *known = known.max(*weight);
        }
        weights
    }

    /// BM25's weight of a word: the fewer entries have it, the more it says. One that none has says as much as one that
    /// a single entry has.
    fn rarity(&self, forms: &[String]) -> f32 {
        let having = forms.iter().filter_map(|form| self.postings.get(form)).map(Vec::len).max();
        #[expect(clippy::cast_precision_loss, reason = "at most some thousand entries")]
        let (all, having) = (self.lengths.len() as f32, having.unwrap_or(1) as f32);
        ((all - having + 0.5) / (having + 0.5) + 1.0).ln()
    }
}

/// Words that say something, in small letters; of scripts without spaces every two neighbours. One form of each.
pub(super) fn search_words(text: &str) -> Vec<Vec<String>> {
    let folded = text.to_lowercase();
    let mut words = Vec::new();
    let mut run: Vec<char> = Vec::new();
    for word in folded.unicode_words() {
        if word.chars().any(is_unspaced) {
            run.extend(word.chars());
            continue;
        }
        neighbouring_letters(&mut run, &mut words);
        if !STOP_WORDS.contains(word) && word.len() > 1 {
            words.push(singular(word).to_owned());
        }
    }
    neighbouring_letters(&mut run, &mut words);
    words.into_iter().map(|word| vec![word]).collect()
}

fn neighbouring_letters(run: &mut Vec<char>, words: &mut Vec<String>) {
    if run.len() == 1 {
        words.extend(run.iter().map(char::to_string));
    }
    words.extend(run.windows(2).map(|pair| pair.iter().collect()));
    run.clear();
}

/// English plurals and possessives, roughly: "gates" is about "gate".
fn singular(word: &str) -> &str {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_small_singular_and_say_something() {
        let found = search_words("The Gates of Glass, Ada's 玄天宗!");
        assert_eq!(found.concat(), ["gate", "glass", "ada", "玄天", "天宗"]);
    }
}
