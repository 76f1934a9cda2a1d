//! What a job around a reply or behind the scenes asked its model, and what it was answered: for whoever asks why later.
//!
//! Owns how much of it is kept. Must not know who asks or where it is shown. Start at [`Exchange`].

use serde::{Deserialize, Serialize};

use super::ChatMessage;

/// So many bytes of what one request sent are kept.
pub const ASKED_BYTES: usize = 32_000;

/// So many bytes of what it was answered.
pub const ANSWERED_BYTES: usize = 8_000;

/// What a message takes beside its words.
const MESSAGE_BYTES: usize = 64;

/// One question to a side model and its answer. A reply's own request stands in its turn's record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Exchange {
    /// The messages that were sent, in their order.
    pub asked: Vec<ChatMessage>,
    /// Empty where no answer came.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answered: String,
    /// Whether there was more than is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

impl Exchange {
    /// A question that has no answer yet.
    pub fn asks(messages: &[ChatMessage]) -> Self {
        let mut exchange = Self::default();
        let mut room = ASKED_BYTES;
        for message in messages {
            let kept = whole_words(&message.content, room.saturating_sub(MESSAGE_BYTES));
            exchange.is_cut |= kept.len() < message.content.len();
            if exchange.is_cut && kept.is_empty() {
                break;
            }
            room = room.saturating_sub(kept.len() + MESSAGE_BYTES);
            exchange
                .asked
                .push(ChatMessage { name: message.name.clone(), ..ChatMessage::new(message.role, kept) });
        }
        exchange
    }

    /// Its answer, as far as it came.
    pub fn hears(&mut self, answer: &str) {
        let kept = whole_words(answer, ANSWERED_BYTES);
        self.is_cut |= kept.len() < answer.len();
        kept.clone_into(&mut self.answered);
    }

    /// That there was one, and none of it is kept.
    pub fn left_out() -> Self {
        Self { is_cut: true, ..Self::default() }
    }

    /// With so much for each message besides its words.
    pub fn bytes(&self) -> usize {
        let asked: usize = self.asked.iter().map(|message| message.content.len() + MESSAGE_BYTES).sum();
        asked + self.answered.len()
    }
}

/// The beginning of a text, at most so many bytes, up to white space: half a key would no longer be known for one, and not
/// be taken out.
fn whole_words(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let head = &text[..text.floor_char_boundary(most)];
    head.rfind(char::is_whitespace).map_or("", |end| &head[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Role;

    #[test]
    fn what_is_small_is_kept_whole() {
        let messages = [ChatMessage::new(Role::System, "Think."), ChatMessage::new(Role::User, "")];
        let mut exchange = Exchange::asks(&messages);
        exchange.hears("I do.");
        assert_eq!((exchange.asked.as_slice(), exchange.answered.as_str()), (&messages[..], "I do."));
        assert!(!exchange.is_cut);
    }

    #[test]
    fn what_is_kept_has_a_bound_and_no_word_is_cut_in_two() {
        let long = "wort für wort ".repeat(4_000);
        let mut exchange =
            Exchange::asks(&[Role::System, Role::User].map(|role| ChatMessage::new(role, long.as_str())));
        exchange.hears(&long);
        assert!(exchange.is_cut && exchange.bytes() <= ASKED_BYTES + ANSWERED_BYTES, "{}", exchange.bytes());
        assert_eq!(exchange.asked.len(), 1, "there was no room for the second");
        for kept in [&exchange.asked[0].content, &exchange.answered] {
            assert!(kept.ends_with("wort") || kept.ends_with("für"), "{kept}");
        }
        let endless = "x".repeat(ASKED_BYTES + 1);
        assert!(Exchange::asks(&[ChatMessage::new(Role::User, endless)]).asked.is_empty());
    }
}
