//! One tool.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::Origin;
use crate::domain::{Author, Place, StoredId, TokenEncoding, ToolPass, ToolSpec, TurnId};
use crate::history::Visible;

/// The shelves tools stand on; their list is what a search starts from (specs mechanisms Y16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shelf {
    /// What was said and learnt before.
    Memory,
    /// What goes on in this channel.
    Channel,
    People,
    /// The world the character lives in.
    Lore,
    Time,
    Play,
    Tools,
}

impl Shelf {
    /// All of them with the names a search takes, in the order they are listed.
    pub(super) const ALL: [(Self, &str); 7] = [
        (Self::Memory, "memory"),
        (Self::Channel, "channel"),
        (Self::People, "people"),
        (Self::Lore, "lore"),
        (Self::Time, "time"),
        (Self::Play, "play"),
        (Self::Tools, "tools"),
    ];
}

/// For whom and where a tool runs. There is no default: a tool that does not know its caller sees nothing (specs
/// mechanisms 4 row 15).
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// Leave to do anything at all for whoever is answered.
    pub pass: ToolPass,
    /// The turn; seeds dice, so that a replay throws the same.
    pub turn: TurnId,
    pub place: Place,
    /// Whom the reply is for, where known.
    pub caller: Option<Author>,
    /// What may be looked up there.
    pub visible: Visible,
    /// The messages that are answered, which nobody has to look for.
    pub asked: Vec<StoredId>,
    pub now: Timestamp,
    /// The time zone in which the familiar tells the time.
    pub display_tz: TimeZone,
    /// How the model's tokens are counted.
    pub encoding: TokenEncoding,
    /// The skills that may be told there.
    pub skills: Vec<SkillText>,
}

/// A skill as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillText {
    /// Its name, as it stands in the list.
    pub name: Arc<str>,
    pub origin: Origin,
    /// Its words, within its cap.
    pub text: String,
}

/// Why a tool gave nothing. The model reads the words and may try again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The arguments cannot be used.
    #[error("the arguments cannot be used: {0}")]
    Arguments(String),
    /// It could not look.
    #[error("{0}")]
    Broken(String),
}

/// How a tool stands in the list.
#[derive(Debug, Clone)]
pub struct ToolEntry {
    /// By this name it is called.
    pub name: &'static str,
    /// Where a search finds it.
    pub shelf: Shelf,
    /// Whether it is offered without having been searched for.
    pub is_at_hand: bool,
    /// What the model is told.
    pub description: &'static str,
    /// Its arguments, as a JSON schema.
    pub parameters: Value,
}

impl ToolEntry {
    pub(super) fn spec(self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            parameters: self.parameters,
        }
    }
}

/// Something the familiar can do.
#[async_trait]
pub trait Tool: Send + Sync + Debug {
    /// How it stands in the list.
    fn entry(&self) -> ToolEntry;

    /// Whether there is anything for it to do; one that does not exist is neither offered nor found. May change when
    /// somebody edits a file, not from message to message.
    fn exists(&self) -> bool {
        true
    }

    /// Does it. Cancelled by dropping.
    ///
    /// # Errors
    /// See [`ToolError`].
    async fn run(&self, arguments: Value, context: &ToolContext) -> Result<String, ToolError>;
}

/// Reads a tool's arguments; unknown and missing ones are named.
pub(super) fn arguments<T: DeserializeOwned>(given: Value) -> Result<T, ToolError> {
    serde_json::from_value(given).map_err(|error| ToolError::Arguments(error.to_string()))
}
