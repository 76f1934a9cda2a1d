//! What was worked out about a text and comes again: most of a prompt stands in the next one too.
//!
//! Keeps no text, only its SHA-256, cut to 128 bits, and the answer. Start at [`Remembered::or_work_out`].

use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

/// Answers about the texts that were asked about last.
#[derive(Debug)]
pub struct Remembered<V>(Cache<u128, V>);

impl<V: Clone> Remembered<V> {
    /// Remembers at most so many answers; what is asked for again stays longest.
    pub fn new(most: usize) -> Self {
        Self(Cache::new(most))
    }

    /// The answer about `text` as seen `by`, worked out where it is not known.
    pub fn or_work_out(&self, by: u8, text: &str, work_out: impl FnOnce() -> V) -> V {
        let asked = text_hash(by, text);
        if let Some(known) = self.0.get(&asked) {
            return known;
        }
        // Not under the lock. Two at the same time come to the same answer.
        let answer = work_out();
        self.0.insert(asked, answer.clone());
        answer
    }

    /// What is known of `text` as seen `by`, or the place where what is found out about it is to be put.
    ///
    /// # Errors
    /// The place, where nothing is known.
    pub fn of(&self, by: u8, text: &str) -> Result<V, Unknown<'_, V>> {
        let asked = text_hash(by, text);
        self.0.get(&asked).ok_or(Unknown { kept: self, asked })
    }
}

/// Where the answer about a text is to be put.
#[derive(Debug)]
pub struct Unknown<'a, V> {
    kept: &'a Remembered<V>,
    asked: u128,
}

impl<V: Clone> Unknown<'_, V> {
    pub fn is(self, answer: V) {
        self.kept.0.insert(self.asked, answer);
    }
}

fn text_hash(by: u8, text: &str) -> u128 {
    let digest: [u8; 32] = Sha256::new().chain_update([by]).chain_update(text).finalize().into();
    digest.iter().take(16).fold(0, |key, byte| key << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worked_out_once_for_each_text_and_each_view_of_it() {
        let kept = Remembered::new(10);
        assert_eq!(kept.or_work_out(0, "a", || 1), 1);
        assert_eq!(kept.or_work_out(0, "a", || 2), 1);
        assert_eq!(kept.or_work_out(1, "a", || 3), 3);
        assert_eq!(kept.or_work_out(0, "b", || 4), 4);
        kept.of(0, "c").unwrap_err().is(5);
        assert_eq!(kept.of(0, "c").unwrap(), 5);
        assert_eq!(kept.or_work_out(0, "c", || 6), 5);
    }

    #[test]
    fn what_is_asked_for_again_stays_and_nothing_grows_beyond_its_bound() {
        let kept = Remembered::new(10);
        kept.or_work_out(0, "again", || 1);
        for number in 0..100 {
            assert_eq!(kept.or_work_out(0, "again", || 2), 1, "{number}");
            kept.or_work_out(0, &number.to_string(), || 3);
        }
        assert!(kept.0.len() <= 10);
    }
}
