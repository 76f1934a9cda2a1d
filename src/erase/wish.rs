//! What somebody wants forgotten, and how much that is.

use serde::{Deserialize, Serialize};

use crate::domain::{AccountId, ChannelId};

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A person: all they said, all that was answered to it, all that is noted of it and of them.
    Person(AccountId),
    /// A channel: all that was said there, and what was learnt from it.
    Channel(ChannelId),
    /// A fact by its id, those whose place it took, and the messages they were learnt from.
    Fact(String),
    /// A note about a topic by its name, and the messages its facts were learnt from.
    Topic(String),
    /// What one person said that holds all these words, and the facts that do and are by or about them.
    Words {
        /// Whose.
        person: AccountId,
        /// Which words.
        words: String,
    },
}

/// Who wishes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asker {
    /// Whoever runs the program: may wish for anything.
    Operator,
    /// Somebody: may wish for what is theirs.
    Person(AccountId),
}

impl Asker {
    /// Whether they may wish for it. What is by or about somebody else is not theirs.
    #[must_use]
    pub fn may_wish(&self, what: &What) -> bool {
        match (self, what) {
            (Self::Operator, _) => true,
            (Self::Person(asker), What::Person(person) | What::Words { person, .. }) => asker == person,
            // Whose a fact is, is looked at when it is looked up.
            (Self::Person(_), What::Fact(_)) => true,
            (Self::Person(_), What::Channel(_) | What::Topic(_)) => false,
        }
    }
}

/// Whether a copy is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// Sealed, for seven days, so that it can be undone.
    SevenDays,
    /// None.
    Nothing,
}

/// One wish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// What.
    pub what: What,
    /// Whose wish.
    pub by: Asker,
    /// Whether it can be undone.
    pub keep: Keep,
}

/// How much a wish covers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// Messages.
    pub messages: usize,
    /// The familiar's own, in answer to them.
    pub replies: usize,
    /// Facts in the notes.
    pub facts: usize,
    /// Whole notes.
    pub notes: usize,
    /// Of a person whatever else there is: reactions, that they came or left, what is felt towards them, names they go by.
    pub traces: usize,
    /// Messages on the platform that hold transcripts. These do not come back.
    pub transcripts: usize,
    /// Sealed copies of what was forgotten before that hold some of it: of a wish for good only.
    pub copies: usize,
}

impl Plan {
    /// Whether there is nothing to forget.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is still there: without what was forgotten before.
    #[must_use]
    pub fn besides_copies(self) -> Self {
        Self { copies: 0, ..self }
    }
}
