//! `[limits]`: how many answers may be begun.

use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "limits.person_per_minute",
        kind: Kind::Count(0, 10_000),
        doc: "Answers that one person may have begun, at once and then in a minute; whoever goes on is told once. 0: no limit.",
    },
    Key {
        path: "limits.channel_per_minute",
        kind: Kind::Count(0, 10_000),
        doc: "The same for all of one channel together. 0: no limit.",
    },
    Key {
        path: "limits.guild_per_minute",
        kind: Kind::Count(0, 10_000),
        doc: "The same for all of one server together. 0: no limit.",
    },
];

/// How many answers may be begun; 0 is no limit. One that is begun anew because more was said counts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitsConfig {
    /// By one person.
    pub person_per_minute: u32,
    /// In one channel.
    pub channel_per_minute: u32,
    /// On one server.
    pub guild_per_minute: u32,
}

impl LimitsConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            person_per_minute: view.count("limits.person_per_minute")?,
            channel_per_minute: view.count("limits.channel_per_minute")?,
            guild_per_minute: view.count("limits.guild_per_minute")?,
        })
    }
}
