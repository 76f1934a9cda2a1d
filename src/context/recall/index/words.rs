//! From a word to its number, and what else there is to a word.

use std::collections::HashMap;

use super::super::person;
use super::super::time::is_time_word;
use super::{Term, numbered};
use crate::text::keywords;
use crate::text::stem::stem;

/// A word with this share of its pairs of letters in common with another may be the other, misspelt.
const RESEMBLES: f32 = 0.6;

/// And is at most so many letters longer or shorter.
const MISSPELT_BY: usize = 2;

/// What is known of a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// The number of its stem; `None` for words that tell nothing.
    pub term: Option<Term>,
    /// Means whoever speaks.
    pub is_first: bool,
    /// Means whoever hears it.
    pub is_second: bool,
    /// Is about time.
    pub is_time: bool,
}

/// Every stem that was ever used, and which words come to it. Looking into a word takes ten times as long as looking it
/// up.
#[derive(Debug, Default)]
pub(super) struct Words {
    stems: HashMap<Box<str>, Term>,
    words: HashMap<Box<str>, Known>,
}

impl Words {
    /// The number of a stem.
    pub fn term(&self, stem: &str) -> Option<Term> {
        self.stems.get(stem).copied()
    }

    /// The stems that are spelt nearly as this one, and how alike they are, 0 to 1: pairs of letters in common. Whoever
    /// mistypes a word rarely does so at its first letter.
    pub fn resembling(&self, stem: &str) -> impl Iterator<Item = (Term, f32)> + '_ {
        let (wanted, letters) = (stem.to_owned(), stem.chars().count());
        let is_near = move |known: &str| {
            known.chars().next() == wanted.chars().next()
                && known.chars().count().abs_diff(letters) <= MISSPELT_BY
        };
        let wanted = stem.to_owned();
        self.stems.iter().filter(move |(known, _)| is_near(known)).filter_map(move |(known, term)| {
            let alike = strsim::sorensen_dice(known, &wanted) as f32;
            (alike >= RESEMBLES).then_some((*term, alike))
        })
    }

    /// Hands over what is known of each word of a text, repetitions included.
    pub fn each(&mut self, text: &str, mut take: impl FnMut(Known)) {
        keywords::each_word(text, |word| {
            let known = match self.words.get(word) {
                Some(known) => *known,
                None => self.learn(word),
            };
            take(known);
        });
    }

    fn learn(&mut self, word: &str) -> Known {
        let term = (!keywords::is_stop_word(word)).then(|| {
            let next = numbered(self.stems.len());
            *self.stems.entry(stem(word).into_boxed_str()).or_insert(next)
        });
        let known = Known {
            term,
            is_first: person::is_first(word),
            is_second: person::is_second(word),
            is_time: is_time_word(word),
        };
        self.words.insert(word.into(), known);
        known
    }
}
