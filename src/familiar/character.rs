//! The prompting view of a familiar: what its card says, field by field, macros still raw.

use serde::{Deserialize, Serialize};

use crate::domain::Role;

/// A character as the context pipeline needs it. Loaded from `memory/self/*.md` (hand edits included), or straight
/// from a card for `familiar prompt`. Empty strings mean "the card says nothing here".
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Character {
    /// The card's name: the identity.
    pub name: String,
    /// V3 `nickname`; what `{{char}}` becomes where present (specs cards-and-lore 2.3).
    pub nickname: Option<String>,
    /// Replaces the default main prompt; may hold `{{original}}`.
    pub system_prompt: String,
    /// Who the character is.
    pub description: String,
    /// The short form of who the character is.
    pub personality: String,
    /// Where and when.
    pub scenario: String,
    /// Example dialogue, `<START>` blocks.
    pub mes_example: String,
    /// Instructions after the history; may hold `{{original}}`.
    pub post_history_instructions: String,
    /// ST's character note.
    pub depth_prompt: Option<DepthPrompt>,
    /// `first_mes`, then `alternate_greetings`.
    pub greetings: Vec<String>,
    /// V3 `group_only_greetings`.
    pub group_greetings: Vec<String>,
    /// For `{{charVersion}}`.
    pub version: String,
}

/// `extensions.depth_prompt`: a note inserted `depth` messages from the end (0 = after the last).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthPrompt {
    /// The note.
    pub prompt: String,
    /// Messages from the end.
    pub depth: u32,
    /// As whom.
    pub role: Role,
}

impl Character {
    /// What the character is called in prompts: the nickname, else the name.
    #[must_use]
    pub fn spoken_name(&self) -> &str {
        self.nickname.as_deref().map(str::trim).filter(|name| !name.is_empty()).unwrap_or(&self.name)
    }
}
