//! Whether a text repeats what was said elsewhere: what somebody wants forgotten stands in prompts, summaries and
//! answers too.
//!
//! Owns runs of words as numbers, so that the words themselves need not be kept. Must not know where texts come from.
//! Start at [`Echoes`].

use std::collections::HashSet;

use super::fixed_hash::fixed_hash;
use super::keywords::{is_stop_word, words};

/// So many words one after the other are no chance.
const RUN: usize = 5;

/// A single word tells something from so many letters on.
const TELLING: usize = 5;

/// Texts by their runs of words. Numbers only: no word can be read from it, and it holds for one run of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Echoes {
    /// Runs of [`RUN`] words.
    runs: HashSet<u64>,
    /// Those of them of which most words tell something.
    telling: HashSet<u64>,
    /// Whole texts of fewer words.
    short: HashSet<u64>,
}

impl Echoes {
    /// Takes a text in. Texts of nothing but everyday words are passed over: everybody says them.
    pub fn take(&mut self, text: &str) {
        let words: Vec<String> = words(text).collect();
        if words.len() < RUN {
            let tells = match words.as_slice() {
                [] => false,
                [word] => word.chars().count() >= TELLING && !is_stop_word(word),
                several => tells(several),
            };
            if tells {
                self.short.insert(fixed_hash(&words));
            }
        }
        for run in words.windows(RUN) {
            match run.iter().filter(|word| !is_stop_word(word)).count() {
                0 => {}
                telling => {
                    let number = fixed_hash(run);
                    self.runs.insert(number);
                    if telling * 2 > RUN {
                        self.telling.insert(number);
                    }
                }
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.short.is_empty()
    }

    /// Whether a text holds any of it: a run of five words, or a whole shorter text.
    pub fn are_in(&self, text: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let words: Vec<String> = words(text).collect();
        let shorter = |length| words.windows(length).any(|run| self.short.contains(&fixed_hash(run)));
        words.windows(RUN).any(|run| self.runs.contains(&fixed_hash(run)))
            || (!self.short.is_empty() && (1..RUN).any(shorter))
    }

    /// Whether a text holds a run of five words of it of which most tell something: more than chance, for what nobody
    /// else has a copy of.
    pub fn are_repeated_in(&self, text: &str) -> bool {
        if self.telling.is_empty() {
            return false;
        }
        let words: Vec<String> = words(text).collect();
        words.windows(RUN).any(|run| self.telling.contains(&fixed_hash(run)))
    }
}

fn tells(run: &[String]) -> bool {
    run.iter().any(|word| !is_stop_word(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(texts: &[&str]) -> Echoes {
        let mut echoes = Echoes::default();
        texts.iter().for_each(|text| echoes.take(text));
        echoes
    }

    #[test]
    fn a_text_is_found_whatever_stands_around_it_and_however_it_is_set() {
        let said = of(&["My cat is called Biscuit,\nand she bites."]);
        assert!(said.are_in("Alice: my cat is called BISCUIT\n    and she bites. (yesterday)"));
        assert!(said.are_in("… called Biscuit and she bites …"), "a part of it is enough");
        assert!(!said.are_in("My dog is called Crumb and he sleeps."));
    }

    #[test]
    fn a_short_text_is_found_whole_and_small_talk_not_at_all() {
        let said = of(&["zebrafinch", "lol ok", "the blue rope"]);
        assert!(said.are_in("so: Zebrafinch!") && said.are_in("is it the blue rope then?"));
        assert!(!said.are_in("the red rope") && !said.are_in("a blue one"));
        assert!(of(&["yes", "and then I was", ""]).is_empty());
        assert!(!said.are_repeated_in("the blue rope"), "three words are chance");
        let said = of(&["my cat is called Biscuit", "so that is what you were told and what is it to me"]);
        assert!(said.are_repeated_in("Ah, my cat is called biscuit too."));
        assert!(!said.are_repeated_in("What you were told and what is it?"), "anybody may say that");
    }

    proptest! {
        #[test]
        fn every_text_of_telling_words_is_found_in_what_holds_it(
            text in proptest::collection::vec("[a-z]{6,9}", 2..12), before in "[a-z ]{0,20}", after in "[a-z ]{0,20}"
        ) {
            let text = text.join(" ");
            let around = [before.as_str(), &text, &after].join(" ");
            prop_assert!(of(&[&text]).are_in(&around));
        }

        #[test]
        fn what_shares_no_word_is_no_echo(
            said in proptest::collection::vec("[a-m]{5,8}", 1..20), other in proptest::collection::vec("[n-z]{5,8}", 1..20)
        ) {
            prop_assert!(!of(&[&said.join(" ")]).are_in(&other.join(" ")));
        }
    }
}
