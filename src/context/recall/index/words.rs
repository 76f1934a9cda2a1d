//! From a word to its number.

use std::collections::HashMap;

use super::{Term, numbered};
use crate::text::keywords;
use crate::text::stem::stem;

/// Every stem that was ever used, and which words come to it. Stemming a word takes ten times as long as looking it up.
#[derive(Debug, Default)]
pub(super) struct Words {
    stems: HashMap<Box<str>, Term>,
    /// `None` for words that tell nothing.
    words: HashMap<Box<str>, Option<Term>>,
}

impl Words {
    /// The number of a stem.
    pub fn term(&self, stem: &str) -> Option<Term> {
        self.stems.get(stem).copied()
    }

    /// Hands over the number of each telling word of a text, repetitions included.
    pub fn each_term(&mut self, text: &str, mut take: impl FnMut(Term)) {
        keywords::each_word(text, |word| {
            let term = match self.words.get(word) {
                Some(known) => *known,
                None => self.learn(word),
            };
            if let Some(term) = term {
                take(term);
            }
        });
    }

    fn learn(&mut self, word: &str) -> Option<Term> {
        let term = (!keywords::is_stop_word(word)).then(|| {
            let next = numbered(self.stems.len());
            *self.stems.entry(stem(word).into_boxed_str()).or_insert(next)
        });
        self.words.insert(word.into(), term);
        term
    }
}
