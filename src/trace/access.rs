//! Who may read a trace.

use crate::domain::{AccountId, ChatMessage, ChunkFate, ChunkRecord, LAYER_MARKER, Layer, Role, TurnTrace};

/// What somebody is to this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Runs it: whoever sits at the machine, or is named its owner on the platform.
    Operator,
    /// Anybody else, who may also read the card and the lore.
    Reader,
    /// Anybody else.
    Person,
}

impl Standing {
    /// Whether they may read a message of the request. The card, the lore and what is looked up stand in system messages
    /// and under the prompt's own headings; the rest is the conversation that they took part in.
    #[must_use]
    pub(crate) fn may_read(self, message: &ChatMessage) -> bool {
        self != Self::Person || (message.role != Role::System && !message.content.contains(LAYER_MARKER))
    }

    /// Whether they may read a piece of what was gathered.
    #[must_use]
    pub(crate) fn may_read_piece(self, chunk: &ChunkRecord) -> bool {
        let is_authors = chunk.layer == Layer::Character || chunk.source.starts_with("lore");
        match self {
            Self::Operator => true,
            Self::Reader => !matches!(chunk.fate, ChunkFate::NotForHere { .. }),
            Self::Person => !is_authors && !matches!(chunk.fate, ChunkFate::NotForHere { .. }),
        }
    }
}

/// Whether `viewer` may read the trace: those whose words the turn answered, and the operator. Being in the channel
/// is not enough, for a trace also tells what the familiar remembers of the people it answered.
#[must_use]
pub fn may_see(trace: &TurnTrace, viewer: &AccountId, standing: Standing) -> bool {
    match standing {
        Standing::Operator => true,
        Standing::Reader | Standing::Person => trace.authors.contains(&viewer.to_string()),
    }
}
