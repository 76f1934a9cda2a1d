//! What goes into the history.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Author, ChannelMode, MessageId, Modality, Place, Role, StoredTurn, TurnId};

/// One message to be stored: something a person said, or a reply as it was really delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewTurn {
    /// Where. Its audience travels with the words for good.
    pub place: Place,
    /// `User` for people, `Assistant` for the familiar.
    pub role: Role,
    /// Who, for people.
    pub author: Option<Author>,
    /// The words, attachments appended as lines.
    pub content: String,
    /// When it was said.
    pub at: Timestamp,
    /// The mode the channel had.
    pub mode: ChannelMode,
    /// Its ids on the platform: one for people, one per message sent for a long reply, none for a terminal.
    pub messages: Vec<MessageId>,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// The turn that produced it, for the familiar's own.
    pub turn: Option<TurnId>,
    /// Written or heard.
    pub modality: Modality,
}

/// What storing came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Appended {
    /// It was new.
    New(StoredTurn),
    /// A message of that id was already stored in that channel (a gateway replays what it sent when a connection
    /// is resumed); this is the stored one, as it reads now. Do not answer it again.
    Known(StoredTurn),
}

impl Appended {
    /// The stored turn, new or known.
    #[must_use]
    pub fn into_turn(self) -> StoredTurn {
        match self {
            Self::New(turn) | Self::Known(turn) => turn,
        }
    }
}
