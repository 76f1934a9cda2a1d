//! Where something was said, and who could hear it there.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{AccountId, BondId, ChannelId, GuildId, InvalidId, MessageId, Paired, Platform};

/// What sort of place a conversation happens in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PlaceKind {
    GuildText,
    /// A thread under a text channel.
    Thread,
    /// A post in a forum channel.
    ForumPost,
    /// A direct message with one person.
    Dm,
    /// The terminal of the machine itself.
    Terminal,
}

impl PlaceKind {
    pub const ALL: [Self; 5] = [Self::GuildText, Self::Thread, Self::ForumPost, Self::Dm, Self::Terminal];

    /// Whether it is in a guild.
    pub fn is_in_guild(self) -> bool {
        matches!(self, Self::GuildText | Self::Thread | Self::ForumPost)
    }
}

/// Who was present when something was learnt; it may be used only where everyone present could already see
/// its source (design, audience rule; contradiction 8).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "of")]
pub enum Audience {
    /// The card and its lore: known to everyone.
    Canon,
    /// Everybody of one guild.
    Guild(GuildId),
    /// The members of one channel that not everyone in its guild can see.
    Private(ChannelId),
    /// Whoever can see one age-restricted channel: what is said there is known nowhere else, not even to the same people.
    Restricted(ChannelId),
    /// One person, alone with the familiar.
    Dm(AccountId),
    /// Said alone with the familiar by somebody who had paired: whoever is in the places that this bond joins
    /// (M14). Which those are is asked anew in every place, see [`Paired`].
    Shared(BondId),
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Canon => f.write_str("canon"),
            Self::Guild(guild) => write!(f, "guild:{guild}"),
            Self::Private(channel) => write!(f, "private:{channel}"),
            Self::Restricted(channel) => write!(f, "restricted:{channel}"),
            Self::Dm(account) => write!(f, "dm:{account}"),
            Self::Shared(bond) => write!(f, "shared:{bond}"),
        }
    }
}

impl FromStr for Audience {
    type Err = InvalidId;

    /// Reads what [`Display`](fmt::Display) writes: `canon`, `guild:7`, `private:41`, `restricted:41`, `dm:discord:42`, `shared:3`.
    fn from_str(value: &str) -> Result<Self, InvalidId> {
        match value.split_once(':') {
            None if value == "canon" => Ok(Self::Canon),
            Some(("guild", guild)) => GuildId::new(guild).map(Self::Guild),
            Some(("private", channel)) => ChannelId::new(channel).map(Self::Private),
            Some(("restricted", channel)) => ChannelId::new(channel).map(Self::Restricted),
            Some(("dm", account)) => account.parse().map(Self::Dm),
            Some(("shared", bond)) => bond.parse().map(Self::Shared),
            _ => Err(InvalidId {
                kind: "audience",
                value: value.to_owned(),
                reason: "it is not canon, guild:…, private:…, restricted:…, dm:… or shared:…",
            }),
        }
    }
}

impl Audience {
    /// Whether only adults are there, as the platform has it.
    pub fn is_age_restricted(&self) -> bool {
        matches!(self, Self::Restricted(_))
    }

    /// Whether it is talk of the window that is not to be remembered: nothing may be learnt from it, and as no place but
    /// that talk is of this audience, it is found from nowhere else.
    pub fn is_off_the_record(&self) -> bool {
        matches!(self, Self::Private(channel) if channel.as_str() == WINDOW)
    }
}

/// One conversation's place. The audience is decided where the event enters, from the platform's own
/// permissions, and travels with everything that is learnt there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub platform: Platform,
    /// The channel, thread or DM.
    pub channel: ChannelId,
    /// The channel or forum that a thread or post belongs to, whose settings it shares; `None` for every other place
    /// and where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ChannelId>,
    /// The guild, when there is one.
    pub guild: Option<GuildId>,
    pub kind: PlaceKind,
    /// For people: `#parent -> thread`, `forum:parent -> post`, `#general`.
    pub channel_name: Option<String>,
    /// For people: the guild's name.
    pub guild_name: Option<String>,
    /// Who can see what is said here.
    pub audience: Audience,
    /// What else everybody who can see this place could see by themselves: other channels that are open to all of them,
    /// and in a direct message the servers somebody is in. Asked anew of the platform for every event and every turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sees: Vec<Audience>,
    /// What people paired with this place; filled in where an event enters the sessions.
    #[serde(default, skip_serializing_if = "Paired::is_empty")]
    pub paired: Paired,
}

/// The channel of the page in a browser.
const WINDOW: &str = "window";

impl Place {
    /// A place of which nothing else is known: in no guild, without names, with nothing in view but what is said there.
    pub fn new(platform: Platform, channel: ChannelId, kind: PlaceKind, audience: Audience) -> Self {
        Self {
            platform,
            channel,
            parent: None,
            guild: None,
            kind,
            channel_name: None,
            guild_name: None,
            audience,
            sees: Vec::new(),
            paired: Paired::default(),
        }
    }

    /// The terminal, where only the operator is.
    pub fn terminal(channel: ChannelId) -> Self {
        Self::new(Platform::Terminal, channel, PlaceKind::Terminal, Audience::Dm(AccountId::operator()))
    }

    /// The window, where only the operator is: a page in a browser of the machine.
    ///
    /// # Errors
    /// None that happens: the name of its channel is a usable one.
    pub fn window() -> Result<Self, InvalidId> {
        Ok(Self::terminal(ChannelId::new(WINDOW)?))
    }

    /// The same for talk that is not to be remembered: known in it alone, with all in view that is known here otherwise.
    #[must_use]
    pub fn off_the_record(self) -> Self {
        Self { audience: Audience::Private(self.channel.clone()), sees: vec![self.audience], ..self }
    }

    /// Whether it is a page in a browser; everything else that holds for the terminal holds there.
    pub fn is_window(&self) -> bool {
        self.kind == PlaceKind::Terminal && self.channel.as_str() == WINDOW
    }

    /// Who may learn what a person says here; what the familiar answers is for [`Self::audience`] alone, since it may
    /// draw on everything that was said here before.
    pub fn told_to(&self) -> &Audience {
        self.paired.tells.as_ref().unwrap_or(&self.audience)
    }

    /// Where a message that is meant here stands: what a thread hangs on stands in the channel above, and the thread goes by its
    /// number. The first message of a post stands in the post.
    pub fn of_message(&self, message: &MessageId) -> Cow<'_, Self> {
        match &self.parent {
            Some(parent) if self.kind == PlaceKind::Thread && message.as_str() == self.channel.as_str() => {
                let (channel, kind) = (parent.clone(), PlaceKind::GuildText);
                Cow::Owned(Self { channel, parent: None, kind, channel_name: None, ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// Whether only one person besides the familiar can be here.
    pub fn is_one_to_one(&self) -> bool {
        matches!(self.kind, PlaceKind::Dm | PlaceKind::Terminal)
    }
}
