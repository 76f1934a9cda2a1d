//! Newtypes for everything that is identified, so that a channel can never be passed for a guild.

use std::fmt;
use std::str::FromStr;

use compact_str::{CompactString, ToCompactString as _};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An id had characters or a length that its kind does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} id {value:?} is not usable: {reason}")]
pub struct InvalidId {
    /// Which id was being read, in words.
    pub kind: &'static str,
    pub value: String,
    pub reason: &'static str,
}

/// Longest familiar id, in characters (cards-and-lore 1.5).
const FAMILIAR_ID_MAX_CHARS: usize = 64;

/// Names Windows reserves for devices; a folder of that name cannot be copied there.
const RESERVED_NAMES: [&str; 5] = ["con", "prn", "aux", "nul", "_default"];

// A snowflake of Discord fits into what a `CompactString` holds without the heap: ids are read and copied with every message.
macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(CompactString);

        impl $name {
            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;
            fn from_str(value: &str) -> Result<Self, InvalidId> {
                Self::new(value)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;
            fn try_from(value: String) -> Result<Self, InvalidId> {
                Self::new(value)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0.into()
            }
        }
    };
}

text_id! {
    /// The folder name of a familiar: a slug of letters and digits of any script, `-` and `_`.
    FamiliarId
}

impl FamiliarId {
    /// Checks a slug that already exists. Making one from a card's name is `familiar::slug`'s job.
    ///
    /// # Errors
    /// When it is empty, longer than 64 characters, reserved, or holds anything but letters, digits,
    /// `-` and `_` (so it can never climb out of its folder).
    pub fn new(value: impl Into<CompactString>) -> Result<Self, InvalidId> {
        let value = value.into();
        let reason = if value.is_empty() {
            "it is empty"
        } else if value.chars().count() > FAMILIAR_ID_MAX_CHARS {
            "it is longer than 64 characters"
        } else if RESERVED_NAMES.contains(&value.to_lowercase().as_str()) {
            "the name is reserved"
        } else if !value.chars().all(|c| c.is_alphanumeric() || is_mark(c) || c == '-' || c == '_') {
            "only letters, digits, - and _ may stand in it"
        } else {
            return Ok(Self(value));
        };
        Err(InvalidId { kind: "familiar", value: value.into(), reason })
    }
}

/// Combining marks belong to letters in many scripts (Devanagari, Thai), where dropping them changes the word.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

// An id of a platform; it names files (`channels/<id>.toml`), so it has only ASCII letters, digits, `-`, `_`.
macro_rules! key_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        text_id! { $(#[$doc])* $name }

        impl $name {
            /// Checks an id: only ASCII letters, digits, `-`, `_`.
            ///
            /// # Errors
            /// When it is empty, longer than 64 bytes or holds any other character.
            pub fn new(value: impl Into<CompactString>) -> Result<Self, InvalidId> {
                let value = value.into();
                check_key($kind, &value)?;
                Ok(Self(value))
            }
        }

        impl From<u64> for $name {
            fn from(snowflake: u64) -> Self {
                Self(snowflake.to_compact_string())
            }
        }
    };
}

key_id! {
    /// A conversation's place: a Discord channel, thread or DM channel (a snowflake), or `terminal`.
    ChannelId, "channel"
}

key_id! {
    /// A Discord guild ("server").
    GuildId, "guild"
}

key_id! {
    /// A message's id on its platform (a Discord snowflake).
    MessageId, "message"
}

fn check_key(kind: &'static str, value: &str) -> Result<(), InvalidId> {
    let reason = if value.is_empty() {
        "it is empty"
    } else if value.len() > 64 {
        "it is longer than 64 bytes"
    } else if !value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
        "only ASCII letters, digits, - and _ may stand in it"
    } else {
        return Ok(());
    };
    Err(InvalidId { kind, value: value.to_owned(), reason })
}

/// Where an account lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Platform {
    Discord,
    /// The terminal of the machine the familiar runs on: the operator.
    Terminal,
}

impl Platform {
    /// The lower-case name used in keys and file names.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One account on one platform. Several accounts may belong to one person (identity room).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AccountId {
    platform: Platform,
    id: CompactString,
}

impl AccountId {
    /// An account by its id on its platform.
    ///
    /// # Errors
    /// When the id is empty, longer than 64 bytes or not ASCII letters, digits, `-`, `_`.
    pub fn new(platform: Platform, id: impl Into<CompactString>) -> Result<Self, InvalidId> {
        let id = id.into();
        check_key("account", &id)?;
        Ok(Self { platform, id })
    }

    pub fn discord(user: u64) -> Self {
        Self { platform: Platform::Discord, id: user.to_compact_string() }
    }

    /// The person at the keyboard of the machine.
    pub fn operator() -> Self {
        Self { platform: Platform::Terminal, id: CompactString::const_new("operator") }
    }

    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// The id on the platform.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The file-name form, `discord-123` (`people/<slug>.md`).
    pub fn slug(&self) -> String {
        format!("{}-{}", self.platform.as_str(), self.id.to_ascii_lowercase())
    }

    /// The account that a file is about, by its [slug](Self::slug).
    pub fn of_slug(slug: &str) -> Option<Self> {
        let (platform, id) = slug.split_once('-')?;
        format!("{platform}:{id}").parse().ok()
    }
}

impl fmt::Display for AccountId {
    /// The key form, `discord:123`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.platform.as_str(), self.id)
    }
}

impl FromStr for AccountId {
    type Err = InvalidId;
    fn from_str(value: &str) -> Result<Self, InvalidId> {
        let invalid = |reason| InvalidId { kind: "account", value: value.to_owned(), reason };
        let (platform, id) = value.split_once(':').ok_or_else(|| invalid("it has no platform: prefix"))?;
        let platform =
            platform.parse().map_err(|_| invalid("its platform is neither discord nor terminal"))?;
        Self::new(platform, id)
    }
}

/// One pass from "something was said" to its outcome. Shown to people as `t42`, so that a failure line in a
/// channel can be looked up with `familiar context t42`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TurnId(pub u64);

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

impl FromStr for TurnId {
    type Err = InvalidId;
    fn from_str(value: &str) -> Result<Self, InvalidId> {
        value.strip_prefix('t').unwrap_or(value).parse().map(Self).map_err(|_| InvalidId {
            kind: "turn",
            value: value.to_owned(),
            reason: "it is not t followed by a number",
        })
    }
}

/// The row of one stored message in `history.db`; grows with time, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StoredId(pub i64);

/// The account that wrote a message, with the names it had at that moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The stable identity; names change, this does not.
    pub account: AccountId,
    /// The name shown in the channel (guild nickname, else the account's display name).
    pub display_name: Option<String>,
    /// The account's own handle.
    pub username: Option<String>,
    pub is_bot: bool,
}

impl Author {
    /// A person of whom no name is known.
    pub fn new(account: AccountId) -> Self {
        Self { account, display_name: None, username: None, is_bot: false }
    }

    /// A person who is shown by a name, and whose handle is not known.
    pub fn called(account: AccountId, display_name: impl Into<String>) -> Self {
        Self { display_name: Some(display_name.into()), ..Self::new(account) }
    }

    /// The names it went by: the one shown, then the handle.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [self.display_name.as_deref(), self.username.as_deref()].into_iter().flatten()
    }

    /// The name to call this person in a prompt: display name, else handle, else account id
    /// (familiar-connect 1.11).
    pub fn label(&self) -> &str {
        self.names().find(|name| !name.trim().is_empty()).unwrap_or_else(|| self.account.id())
    }
}

/// 16 random bytes, drawn once per installation. Whoever does not have them cannot tell what was hashed with them, not
/// even by trying every channel there is. Kept out of logs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt([u8; 16]);

impl Salt {
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(…)")
    }
}

/// Milliseconds since 1970 when Discord began to count.
const DISCORD_EPOCH_MS: i64 = 1_420_070_400_000;

/// When Discord gave out an id, of a message, a channel or a thread: its number says so. `None` for what is no number of
/// Discord's.
pub fn made_on_discord(id: &str) -> Option<Timestamp> {
    let number: u64 = id.parse().ok()?;
    Timestamp::from_millisecond(i64::try_from(number >> 22).ok()?.checked_add(DISCORD_EPOCH_MS)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn familiar_ids_keep_scripts_and_refuse_paths() {
        for good in ["ada", "爱", "new-tsf", "Zoë", "नमस्ते", "a_b"] {
            assert!(FamiliarId::new(good).is_ok(), "{good}");
        }
        for bad in ["", "..", "a/b", "a\\b", ".hidden", "a b", "nul", "_default", &"x".repeat(65)] {
            assert!(FamiliarId::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn account_keys_round_trip() {
        let account = AccountId::discord(42);
        assert_eq!(account.to_string(), "discord:42");
        assert_eq!(account.slug(), "discord-42");
        assert_eq!("discord:42".parse::<AccountId>(), Ok(account));
        assert!("42".parse::<AccountId>().is_err());
        assert!("irc:x".parse::<AccountId>().is_err());
    }

    #[test]
    fn turn_ids_read_with_and_without_prefix() {
        assert_eq!("t42".parse::<TurnId>(), Ok(TurnId(42)));
        assert_eq!("42".parse::<TurnId>(), Ok(TurnId(42)));
        assert!("forty".parse::<TurnId>().is_err());
        assert_eq!(TurnId(7).to_string(), "t7");
    }
}
