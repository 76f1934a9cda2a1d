//! A reply that would say for the third time in a row what was said twice.
//!
//! Owns when that is so, and holds back only what can still become it. Must not know what is done about it. Start reading
//! at [`SaidBefore::push`].

use crate::domain::{ChatMessage, Role};

/// A shorter answer may well be the same again, in letters and digits: "Good evening."
const LETTERS: usize = 12;

/// Watches one reply.
#[derive(Debug, Default)]
pub(super) struct SaidBefore {
    /// The letters of the two last replies, where they were the same.
    twice: Option<String>,
    held: String,
}

impl SaidBefore {
    /// For a reply to these messages.
    pub fn of(messages: &[ChatMessage]) -> Self {
        let mut own = messages.iter().rev().filter(|message| message.role == Role::Assistant);
        let newest = own.next().map(|message| letters(&message.content));
        let before = own.next().map(|message| letters(&message.content));
        let twice =
            newest.filter(|newest| newest.chars().count() >= LETTERS && before.as_ref() == Some(newest));
        Self { twice, held: String::new() }
    }

    /// Takes a piece of the reply, gives what is something new.
    pub fn push(&mut self, words: &str) -> String {
        let Some(twice) = &self.twice else { return words.to_owned() };
        self.held.push_str(words);
        if twice.starts_with(&letters(&self.held)) {
            return String::new();
        }
        self.twice = None;
        std::mem::take(&mut self.held)
    }

    /// The reply is over: what was held back is words, or `None` where all of it was said twice before.
    pub fn finish(self) -> Option<String> {
        let is_same = self.twice.is_some_and(|twice| twice == letters(&self.held));
        (!is_same).then_some(self.held)
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
