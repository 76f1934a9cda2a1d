//! The name under which a provider sees a conversation.

use sha2::{Digest, Sha256};

use crate::domain::{ChannelId, FamiliarId, Platform};

/// Keeps one conversation on one upstream provider, so that its cache stays warm. The same for as long as the
/// conversation lasts, and nobody can tell from it which it is: 32 hexadecimal digits, far fewer than the 256
/// characters OpenRouter takes (specs memory 3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey(String);

impl SessionKey {
    /// The key of a familiar's conversation in a channel.
    #[must_use]
    pub fn of(familiar: &FamiliarId, platform: Platform, channel: &ChannelId) -> Self {
        Self::from_words(&format!("{familiar}/{}/{channel}", platform.as_str()))
    }

    /// The key of something done about a conversation that must not move the conversation itself, such as a replay.
    #[must_use]
    pub fn beside(&self, what: &str) -> Self {
        Self::from_words(&format!("{}/{what}", self.0))
    }

    /// As sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn from_words(words: &str) -> Self {
        Self(Sha256::digest(words).iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(familiar: &str, channel: &str) -> SessionKey {
        let familiar = FamiliarId::new(familiar).unwrap();
        SessionKey::of(&familiar, Platform::Discord, &ChannelId::new(channel).unwrap())
    }

    #[test]
    fn a_key_is_constant_its_own_and_tells_nothing() {
        let here = key("mika", "123456789012345678");
        assert_eq!(here, key("mika", "123456789012345678"));
        let others = [key("mira", "123456789012345678"), key("mika", "2"), here.beside("replay")];
        assert!(others.iter().all(|other| *other != here));
        assert_eq!(here.as_str().len(), 32);
        assert!(here.as_str().chars().all(|letter| letter.is_ascii_hexdigit()));
    }
}
