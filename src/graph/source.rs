//! What an edge or a name was read from.

use std::fmt;
use std::sync::Arc;

use crate::domain::StoredId;

/// Something that says what hangs together, and takes it all back when it goes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceId {
    /// A stored message.
    Turn(StoredId),
    /// A note, by its path.
    Note(Arc<str>),
    /// A channel's day: derived from the turns of it.
    Day(Arc<str>),
    /// A fact among those around it: derived from the notes.
    Beside(Arc<str>),
}

impl fmt::Display for SourceId {
    /// As provenance is written everywhere: `t:1841`, `people/discord-42.md`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(StoredId(turn)) => write!(f, "t:{turn}"),
            Self::Note(path) => f.write_str(path),
            Self::Day(day) => write!(f, "day {day}"),
            Self::Beside(fact) => write!(f, "beside {fact}"),
        }
    }
}
