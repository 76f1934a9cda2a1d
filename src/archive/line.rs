//! One line.

use serde::{Deserialize, Serialize};

use crate::history::{KeptChannel, KeptComing, KeptFeeling, KeptMark, KeptPassedOver, KeptTurn};

/// The form's number; a reader refuses a higher one.
pub(super) const VERSION: u32 = 2;

/// One line of an export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first line: which form it is.
    FamiliarMemory {
        /// Its number.
        version: u32,
    },
    /// A channel.
    Channel(KeptChannel),
    /// A turn, in the order in which they came.
    Turn(Box<KeptTurn>),
    /// How far a job had come.
    Mark(KeptMark),
    /// A feeling.
    Feeling(KeptFeeling),
    /// A stretch that a job passed over and still wants to read.
    PassedOver(KeptPassedOver),
    /// Somebody who came to a guild, or left.
    Coming(KeptComing),
    /// A note.
    Note(NoteLine),
}

/// A note as it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteLine {
    /// Its path in the memory folder.
    pub path: String,
    /// Byte for byte.
    pub text: String,
}
