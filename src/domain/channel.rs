//! How a channel is to be talked in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The three channel modes of the seed (specs familiar-connect 1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelMode {
    /// Novel style, third person, long.
    FullRp,
    /// Chat-room style, a couple of short lines.
    TextConversationRp,
    /// One or two short sentences as if spoken.
    ImitateVoice,
}

impl ChannelMode {
    /// All modes, in the order they are documented.
    pub const ALL: [Self; 3] = [Self::FullRp, Self::TextConversationRp, Self::ImitateVoice];

    /// The name used in configuration files and for `modes/<mode>.md`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FullRp => "full_rp",
            Self::TextConversationRp => "text_conversation_rp",
            Self::ImitateVoice => "imitate_voice",
        }
    }
}

impl fmt::Display for ChannelMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ChannelMode {
    type Err = String;
    fn from_str(value: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == value).ok_or_else(|| {
            format!("{value:?} is not a channel mode; use full_rp, text_conversation_rp or imitate_voice")
        })
    }
}

/// Whether a turn is read or heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Modality {
    /// Written, in a channel, a DM or the terminal.
    Text,
    /// Spoken in a call.
    Voice,
}

/// The order in which a prompt is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RenderMode {
    /// One stable block, append-only history, volatile tail: keeps provider caches warm (specs memory 3.3).
    Layered,
    /// SillyTavern's order, message for message (specs cards-and-lore 5).
    St,
}

/// The budgeted layers of the seed (specs familiar-connect 1.4, 1.6). A layer says where a chunk's tokens are
/// accounted; how long the chunk survives there is its importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Axioms of the program itself: what holds for every familiar.
    Core,
    /// The card.
    Character,
    /// Found context: memories, lore, searches.
    Content,
    /// Summaries of older turns.
    HistorySummary,
    /// The newest turns, word for word.
    RecentHistory,
    /// Mode instructions, the channel's backdrop, the operator's sections and notes about places.
    AuthorNote,
    /// Text inserted a number of messages from the end.
    DepthInject,
}

impl Layer {
    /// All layers, in prompt order.
    pub const ALL: [Self; 7] = [
        Self::Core,
        Self::Character,
        Self::Content,
        Self::HistorySummary,
        Self::RecentHistory,
        Self::AuthorNote,
        Self::DepthInject,
    ];

    /// The name used in configuration files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Character => "character",
            Self::Content => "content",
            Self::HistorySummary => "history_summary",
            Self::RecentHistory => "recent_history",
            Self::AuthorNote => "author_note",
            Self::DepthInject => "depth_inject",
        }
    }
}
