//! What the matcher is given to read.

use std::fmt;

use crate::TokenCount;

/// One message, as it is scanned: `Name: text` (names are included, as in SillyTavern's shipped settings).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneLine {
    /// Who said it; for telling where a key was found.
    pub speaker: String,
    /// The whole line, name included. Never expanded.
    pub line: String,
}

impl SceneLine {
    /// A message of somebody.
    #[must_use]
    pub fn said(speaker: &str, text: &str) -> Self {
        Self { speaker: speaker.to_owned(), line: format!("{speaker}: {text}") }
    }

    /// A line that holds its speaker already; without one the whole line is the words.
    #[must_use]
    pub fn written(line: &str) -> Self {
        let speaker = line.split_once(": ").map_or("", |(name, _)| name);
        Self { speaker: speaker.to_owned(), line: line.to_owned() }
    }
}

/// Fields of the card that an entry can ask to have read, macros filled in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CardTexts<'a> {
    /// What is known of the person spoken to.
    pub persona: &'a str,
    /// Who the character is.
    pub description: &'a str,
    /// The short form of who the character is.
    pub personality: &'a str,
    /// The text of SillyTavern's character note.
    pub depth_prompt: &'a str,
    /// Where and when the chat takes place.
    pub scenario: &'a str,
    /// What the card's maker tells people about it.
    pub creator_notes: &'a str,
}

/// A moment of a chat.
#[derive(Clone, Copy)]
pub struct LoreScene<'a> {
    /// The chat, newest first.
    pub messages: &'a [SceneLine],
    /// How many messages the chat has had in all; timed effects count by it.
    pub chat_length: u64,
    /// How many of them the character wrote.
    pub replies: u64,
    /// The kind of turn, in SillyTavern's words; `normal` for an ordinary reply.
    pub trigger: &'a str,
    /// What the character is called, for entries that are only for some.
    pub character: &'a [&'a str],
    /// What entries may read of the card.
    pub card: CardTexts<'a>,
    /// Names the turn: the same one draws the same again.
    pub seed: &'a str,
    /// What the lore may take, in tokens.
    pub budget: u32,
    /// How tokens are counted.
    pub tokens: TokenCount<'a>,
    /// Fills in macros of keys and contents.
    pub expand: &'a dyn Fn(&str) -> String,
}

impl fmt::Debug for LoreScene<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoreScene")
            .field("messages", &self.messages.len())
            .field("chat_length", &self.chat_length)
            .field("trigger", &self.trigger)
            .field("seed", &self.seed)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
