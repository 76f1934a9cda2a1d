//! Who speaks.

use serde::{Deserialize, Serialize};

/// Who speaks in a prompt, in the words of every chat-completion interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Instructions.
    System,
    /// A person.
    User,
    /// The character.
    Assistant,
}

impl Role {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
