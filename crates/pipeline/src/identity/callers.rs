//! Who a message's author is to the familiar (M10), and whether they are on a server.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::config::{Config, Strangers};
use crate::domain::{AccountId, Author, Caller, GuildId, Place, Platform};

/// Whom a message in a place comes from. What is not known for certain counts as nobody.
pub fn caller_in(config: &Config, place: &Place, author: Option<&Author>) -> Caller {
    let Some(author) = author else { return Caller::Anonymous };
    if author.is_bot {
        return Caller::Anonymous;
    }
    if is_operator(config, &author.account) {
        return Caller::Platform;
    }
    // What comes from a server comes from one that is read, and whoever wrote it is in it.
    if place.guild.is_some() {
        return Caller::Tenant;
    }
    if !place.is_one_to_one() {
        return Caller::Anonymous;
    }
    let is_listed = match author.account.platform() {
        Platform::Discord => {
            author.account.id().parse().is_ok_and(|id| config.discord.dm_allowlist.contains(&id))
        }
        Platform::Terminal => false,
    };
    // Where strangers are turned away at the door, whoever is inside was let in.
    if is_listed || config.discord.strangers != Strangers::SmallTalk {
        Caller::Tenant
    } else {
        Caller::Public
    }
}

/// Whether an account is that of whoever runs the familiar: the keyboard of its machine, or one that is named.
pub fn is_operator(config: &Config, account: &AccountId) -> bool {
    let is_named = |id: &str| id.parse().is_ok_and(|id| config.discord.operators.contains(&id));
    match account.platform() {
        Platform::Terminal => *account == AccountId::operator(),
        Platform::Discord => is_named(account.id()),
    }
}

/// Whoever can say who is where now. A platform's adapter is one.
#[async_trait]
pub trait Membership: Send + Sync + Debug {
    /// The place as it is now: who can see it, and [what else](Place::sees) all of them could see. What is not known for
    /// certain is left out.
    async fn place_now(&self, place: &Place) -> Place;

    /// Whether an account is in a guild. `None` where nobody can say.
    async fn is_in(&self, account: &AccountId, guild: &GuildId) -> Option<bool>;
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::config::settled;
    use crate::domain::{Audience, ChannelId, GuildId, PlaceKind};

    fn config(settings: &str) -> Arc<Config> {
        settled(settings).unwrap().1.current()
    }

    fn author(id: u64) -> Author {
        let account = AccountId::discord(id);
        Author::new(account)
    }

    #[test]
    fn m10_who_is_who() {
        let guild = Place {
            guild: Some(GuildId::from(7)),
            kind: PlaceKind::GuildText,
            audience: Audience::Guild(GuildId::from(7)),
            ..Place::terminal(ChannelId::from(1_u64))
        };
        let alone = Place { kind: PlaceKind::Dm, guild: None, ..guild.clone() };
        let open = config("[discord]\nstrangers = \"small_talk\"\ndm_allowlist = [1]\noperators = [9]\n");
        let closed = config("[discord]\ndm_allowlist = [1]\n");
        let bot = Author { is_bot: true, ..author(1) };
        let operator = Author { account: AccountId::operator(), ..author(1) };
        for (config, place, who, expected) in [
            (&open, &guild, Some(author(1)), Caller::Tenant),
            (&open, &alone, Some(author(1)), Caller::Tenant),
            (&open, &alone, Some(author(2)), Caller::Public),
            (&open, &guild, Some(author(9)), Caller::Platform),
            (&open, &alone, Some(author(9)), Caller::Platform),
            (&closed, &guild, Some(author(9)), Caller::Tenant),
            (&closed, &alone, Some(author(2)), Caller::Tenant),
            (&open, &guild, Some(bot.clone()), Caller::Anonymous),
            (&closed, &alone, Some(bot), Caller::Anonymous),
            (&closed, &alone, Some(operator), Caller::Platform),
            (&open, &guild, None, Caller::Anonymous),
        ] {
            assert_eq!(caller_in(config, place, who.as_ref()), expected, "{who:?} in {:?}", place.kind);
        }
    }
}
