//! A reply that says for the third time what the last two said, word for word, and what becomes of it.
//!
//! Owns when two replies are the same. Start reading at [`SaidBefore`].

use crate::domain::{ChatMessage, ProcessorSide, Role};
use crate::llm::ModelDescription;
use crate::processors::RunLog;

/// What a model is told that was about to say the same for the third time.
pub(super) const THRICE: &str = "⟦fc: Your last two answers⟧\nThey were the same, word for word, and so was the one you were \
                                 about to give. Say something else now.";

/// How a run of this is called in the record of a turn.
const SAID_BEFORE: &str = "said_before";

/// A shorter answer may well be the same again, in letters and digits: "Good evening."
const LETTERS: usize = 12;

#[derive(Debug, Default)]
pub(super) struct SaidBefore {
    /// The letters of the two last replies, where they were the same.
    twice: Option<String>,
    held: String,
}

impl SaidBefore {
    /// For a reply of this model to these messages. The stand-in for a model would find no other words.
    pub(super) fn of(model: &ModelDescription, messages: &[ChatMessage]) -> Self {
        if model.is_rehearsal() {
            return Self::default();
        }
        let mut own = messages.iter().rev().filter(|message| message.role == Role::Assistant);
        let newest = own.next().map(|message| letters(&message.content));
        let before = own.next().map(|message| letters(&message.content));
        let twice =
            newest.filter(|newest| newest.chars().count() >= LETTERS && before.as_ref() == Some(newest));
        Self { twice, held: String::new() }
    }

    /// Takes a piece of the reply, gives what is something new.
    pub(super) fn push(&mut self, words: &str) -> String {
        let Some(twice) = &self.twice else { return words.to_owned() };
        self.held.push_str(words);
        if twice.starts_with(&letters(&self.held)) {
            return String::new();
        }
        self.twice = None;
        std::mem::take(&mut self.held)
    }

    /// The reply is over: what was held back is words, or `None` where all of it was said twice before.
    pub(super) fn finish(self) -> Option<String> {
        let is_same = self.twice.is_some_and(|twice| twice == letters(&self.held));
        (!is_same).then_some(self.held)
    }
}

/// Notes in the record of the turn why the model was asked once more.
pub(super) fn repeated(log: &RunLog) {
    log.refuse(SAID_BEFORE, ProcessorSide::After, "it was the same for the third time, word for word");
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TokenEncoding;

    #[test]
    fn the_stand_in_for_a_model_is_not_asked_for_other_words_than_it_has() {
        let own = || ChatMessage::new(Role::Assistant, "The lamp is lit tonight.");
        let said = |model: &str| {
            let model = ModelDescription::plain(model, 1_000, TokenEncoding::Estimate);
            let mut before = SaidBefore::of(&model, &[own(), own()]);
            let begun = before.push("The lamp is lit tonight.");
            before.finish().map(|rest| begun + &rest)
        };
        assert_eq!(said("some/model"), None, "said a third time");
        assert_eq!(said("rehearsal").as_deref(), Some("The lamp is lit tonight."));
    }
}
