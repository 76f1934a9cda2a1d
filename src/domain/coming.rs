//! Who comes to a guild and who leaves.

use jiff::Timestamp;

use super::{AccountId, GuildId};

/// Which way somebody went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// They are a member from now on.
    Came,
    /// They are no longer.
    Left,
}

/// Somebody came to a guild, or left it. Everybody in the guild can see that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coming {
    /// Which guild.
    pub guild: GuildId,
    /// Who.
    pub account: AccountId,
    /// What they are called there.
    pub name: String,
    /// Which way.
    pub movement: Movement,
    /// When.
    pub at: Timestamp,
}
