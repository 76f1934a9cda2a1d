//! The name under which a provider sees a conversation.

use sha2::{Digest, Sha256};

use crate::domain::{ChannelId, FamiliarId, Platform, Salt};

/// Keeps one conversation on one upstream provider, so that its cache stays warm. The same for as long as the
/// conversation lasts, and nobody can tell from it which it is, since it is hashed with the installation's salt: 32 hexadecimal digits, far fewer than the 256
/// characters OpenRouter takes (specs memory 3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey(String);

impl SessionKey {
    /// The key of a familiar's conversation in a channel.
    #[must_use]
    pub fn of(salt: &Salt, familiar: &FamiliarId, platform: Platform, channel: &ChannelId) -> Self {
        let words = format!("{familiar}/{}/{channel}", platform.as_str());
        Self::hashed(&[salt.as_bytes(), words.as_bytes()])
    }

    /// The key of something done about a conversation that must not move the conversation itself, such as a replay.
    #[must_use]
    pub fn beside(&self, what: &str) -> Self {
        Self::hashed(&[format!("{}/{what}", self.0).as_bytes()])
    }

    /// As sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn hashed(parts: &[&[u8]]) -> Self {
        let hash = parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize();
        Self(hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(familiar: &str, channel: &str) -> SessionKey {
        let familiar = FamiliarId::new(familiar).unwrap();
        SessionKey::of(&Salt::new([7; 16]), &familiar, Platform::Discord, &ChannelId::new(channel).unwrap())
    }

    #[test]
    fn a_key_is_constant_its_own_and_tells_nothing() {
        let here = key("mika", "123456789012345678");
        assert_eq!(here, key("mika", "123456789012345678"));
        let others = [key("mira", "123456789012345678"), key("mika", "2"), here.beside("replay")];
        assert!(others.iter().all(|other| *other != here));
        let elsewhere = |salt| {
            let (familiar, channel) =
                (FamiliarId::new("mika").unwrap(), ChannelId::from(123_456_789_012_345_678));
            SessionKey::of(&Salt::new(salt), &familiar, Platform::Discord, &channel)
        };
        assert_eq!(elsewhere([7; 16]), here);
        assert_ne!(elsewhere([8; 16]), here, "another installation's says nothing of this one");
        assert_eq!(here.as_str().len(), 32);
        assert!(here.as_str().chars().all(|letter| letter.is_ascii_hexdigit()));
    }
}
