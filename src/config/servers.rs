//! The `[[server]]` rows of `subscriptions.toml`: what holds in every call of a server (specs voice 2.6, "Server switch").
//!
//! Owns their keys and how they are written. Must not know the other rows. Start reading at [`ServerTerms`].

use toml_edit::Value;

use super::edit::ids;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};
use crate::domain::GuildId;

/// The key of the rows.
pub(super) const SERVERS: &str = "server";

/// The keys of one row.
pub(super) const KEYS: &[Key] = &[
    Key { path: "guild_id", kind: Kind::Id, doc: "The server. Required." },
    Key {
        path: "hears_everybody",
        kind: Kind::Flag,
        doc: "Whether in every call there people are heard who were told so and have not declined.",
    },
    Key {
        path: "declined",
        kind: Kind::Ids,
        doc: "The people who do not want to be heard in any call there.",
    },
];

/// The keys that go when there is nothing to say.
pub(super) const CLEARABLE: [&str; 2] = ["hears_everybody", "declined"];

/// What holds in every call of a server. Ids are of Discord's users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTerms {
    /// The server.
    pub guild: GuildId,
    /// Whether people are heard once they were told so.
    pub hears_everybody: bool,
    /// Who does not want that.
    pub declined: Vec<u64>,
}

impl ServerTerms {
    /// A server about which nothing was said.
    #[must_use]
    pub fn of(guild: GuildId) -> Self {
        Self { guild, hears_everybody: false, declined: Vec::new() }
    }

    /// Whether nothing is said that is not so anyway.
    pub(super) fn says_nothing(&self) -> bool {
        !self.hears_everybody && self.declined.is_empty()
    }

    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            guild: view.id("guild_id")?.into(),
            hears_everybody: view.optional_flag("hears_everybody")?.unwrap_or_default(),
            declined: view.optional_ids("declined")?,
        })
    }

    pub(super) fn fields(&self) -> Vec<(&'static str, Value)> {
        let mut fields = vec![("guild_id", Value::from(self.guild.as_str()))];
        if self.hears_everybody {
            fields.push(("hears_everybody", Value::from(true)));
        }
        if !self.declined.is_empty() {
            fields.push(("declined", ids(&self.declined)));
        }
        fields
    }
}
