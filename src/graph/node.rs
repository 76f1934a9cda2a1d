//! What hangs together: people, channels, topics, notes and their lines, messages.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::domain::{AccountId, ChannelId, StoredId};

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$one:meta])+ $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$one])+ $variant,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// As it is written in logs and for the operator.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = InvalidNode;
            fn from_str(word: &str) -> Result<Self, InvalidNode> {
                let known = Self::ALL.iter().copied().find(|kind| kind.as_str() == word);
                known.ok_or_else(|| InvalidNode(word.to_owned()))
            }
        }
    };
}
pub(super) use kinds;

/// Something that is no kind of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is nothing the graph knows")]
pub struct InvalidNode(pub(super) String);

kinds! {
    /// What sort of thing a node is (specs mechanisms G2 to G6).
    NodeKind {
        /// Somebody, by the file name of their note: `discord-42`.
        Person = "person",
        /// Where things are said.
        Channel = "channel",
        /// What is talked about, by the stem of a word.
        Topic = "topic",
        /// What was said in a channel on one day.
        Episode = "episode",
        /// A note.
        Note = "note",
        /// A heading in a note.
        Heading = "heading",
        /// A line of a note, with or without an id.
        Fact = "fact",
        /// An entry of a lorebook.
        Lore = "lore",
        /// A stored message.
        Message = "message",
        /// A name, folded.
        Alias = "alias",
        /// Something to do better, or what several of these came to.
        Learning = "learning",
    }
}

/// What a node is called: the same in every graph made of the same history and notes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    /// What sort of thing.
    pub kind: NodeKind,
    /// Which one.
    pub key: Arc<str>,
}

impl NodeId {
    /// Any node by its key.
    #[must_use]
    pub fn new(kind: NodeKind, key: impl Into<Arc<str>>) -> Self {
        Self { kind, key: key.into() }
    }

    /// Somebody, by their account.
    #[must_use]
    pub fn person(account: &AccountId) -> Self {
        Self::new(NodeKind::Person, account.slug())
    }

    /// A channel.
    #[must_use]
    pub fn channel(channel: &ChannelId) -> Self {
        Self::new(NodeKind::Channel, channel.as_str())
    }

    /// A stored message.
    #[must_use]
    pub fn message(turn: StoredId) -> Self {
        Self::new(NodeKind::Message, turn.0.to_string())
    }

    /// What is talked about, by a stem ([`crate::text::keywords::terms`]).
    #[must_use]
    pub fn topic(stem: &str) -> Self {
        Self::new(NodeKind::Topic, stem)
    }

    /// A name, folded.
    #[must_use]
    pub fn alias(name: &str) -> Self {
        Self::new(NodeKind::Alias, name)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.key)
    }
}

impl FromStr for NodeId {
    type Err = InvalidNode;

    /// Reads what [`Display`](fmt::Display) writes: `person/discord-42`.
    fn from_str(text: &str) -> Result<Self, InvalidNode> {
        let (kind, key) = text.split_once('/').ok_or_else(|| InvalidNode(text.to_owned()))?;
        if key.is_empty() {
            return Err(InvalidNode(text.to_owned()));
        }
        Ok(Self::new(kind.parse()?, key))
    }
}
