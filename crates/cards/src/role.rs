//! Who speaks.

use serde::{Deserialize, Serialize};

/// Who speaks in a prompt, in the words of every chat-completion interface; ordered as SillyTavern orders notes of one depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// The character.
    Assistant,
    /// A person.
    User,
    /// Instructions.
    System,
}

impl Role {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
