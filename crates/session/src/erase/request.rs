//! What somebody wants forgotten, and how much that is.

use serde::{Deserialize, Serialize};

use crate::domain::{AccountId, ChannelId};
use crate::memory::store::NotePath;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgetWhat {
    /// A person: all they said, all that was answered to it, all that is noted of it and of them.
    Person(AccountId),
    /// A channel: all that was said there, and what was learnt from it.
    Channel(ChannelId),
    /// A fact by its id, those whose place it took, and the messages they were learnt from. What else these held stays noted
    /// where it holds none of the same words.
    Fact(String),
    /// A note about a topic by its name, and the messages its facts were learnt from.
    Topic(String),
    /// Any note by its path, and the messages its facts were learnt from.
    Note(NotePath),
    /// What one person said that holds all these words, and the facts that do and are by or about them.
    Words { person: AccountId, words: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asker {
    /// Whoever runs the program: may ask for anything.
    Operator,
    /// Somebody: may ask for what is theirs.
    Person(AccountId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepCopy {
    /// Sealed, for seven days, so that it can be undone.
    SevenDays,
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetRequest {
    pub what: ForgetWhat,
    pub by: Asker,
    pub keep: KeepCopy,
}

impl ForgetRequest {
    /// Whether whoever asks may. What is by or about somebody else is not theirs; whose a fact is, is looked at when it is
    /// looked up.
    pub(super) fn is_allowed(&self) -> bool {
        match (&self.by, &self.what) {
            (Asker::Operator, _) | (_, ForgetWhat::Fact(_)) => true,
            (Asker::Person(asker), ForgetWhat::Person(person) | ForgetWhat::Words { person, .. }) => {
                asker == person
            }
            (Asker::Person(_), ForgetWhat::Channel(_) | ForgetWhat::Topic(_) | ForgetWhat::Note(_)) => false,
        }
    }

    /// The person whose it is that is asked for, or who asks.
    pub(super) fn whose(&self) -> Option<&AccountId> {
        match (&self.what, &self.by) {
            (ForgetWhat::Person(person) | ForgetWhat::Words { person, .. }, _)
            | (ForgetWhat::Fact(_), Asker::Person(person)) => Some(person),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    pub messages: usize,
    /// The familiar's own, in answer to them.
    pub replies: usize,
    /// Facts in the notes.
    pub facts: usize,
    pub notes: usize,
    /// Answers of models that nobody could read, and that mention it.
    pub unread: usize,
    /// Of a person whatever else there is: reactions, that they came or left, what is felt towards them, names they go by.
    pub traces: usize,
    /// Messages on the platform that hold transcripts. These do not come back.
    pub transcripts: usize,
    /// Sealed copies of what was forgotten before that hold some of it: of what goes for good only.
    pub copies: usize,
}

impl Plan {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is still there: without what was forgotten before.
    pub fn besides_copies(self) -> Self {
        Self { copies: 0, ..self }
    }
}
