//! Whom and which places the settings let in: `[discord.only]` and `[discord.never]`.
//!
//! What is not let in is neither read nor answered; whoever is not let in can still have what is stored of them shown, copied
//! and forgotten. Start reading at [`Adapter::lets_in`].

use serenity::all::{Cache, ChannelId, GuildId, RoleId, UserId};

use super::adapter::{Adapter, Spot};
use super::reading::parent;
use crate::config::{AccessList, DiscordConfig};
use crate::domain::AccountId;
use crate::identity::is_operator;

/// What is for everybody: what is theirs.
const FOR_EVERYBODY: [&str; 3] = ["privacy", "forget", "help"];

/// Whether a command, or a button or form by its id, is for everybody.
pub(super) fn is_for_everybody(id: &str) -> bool {
    FOR_EVERYBODY.contains(&id.split('|').next().unwrap_or_default())
}

impl Adapter {
    /// Whether what somebody does is taken in. `roles` are those they are known to have there.
    pub(super) async fn lets_in(
        &self,
        cache: &Cache,
        guild: Option<GuildId>,
        person: UserId,
        roles: Option<&[RoleId]>,
    ) -> bool {
        let config = self.deps.config.current();
        if is_operator(&config, &AccountId::discord(person.get())) {
            return true;
        }
        let DiscordConfig { only, never, .. } = &config.discord;
        if only.roles.is_empty() && never.roles.is_empty() {
            return lets_in(only, never, person, &[]);
        }
        let Some(guild) = guild else { return lets_in(only, never, person, &[]) };
        if let Some(roles) = roles {
            return lets_in(only, never, person, roles);
        }
        let cached = cache.guild(guild).and_then(|guild| Some(guild.members.get(&person)?.roles.clone()));
        match cached {
            Some(roles) => lets_in(only, never, person, &roles),
            None => match self.members.member(guild, person).await {
                Some(member) => lets_in(only, never, person, &member.roles),
                // Who cannot be known to be let in is not.
                None => false,
            },
        }
    }

    /// Whether anything is taken in that somebody wrote, wherever it turns up.
    pub(super) async fn takes_in(&self, cache: &Cache, guild: Option<GuildId>, person: UserId) -> bool {
        !self.has_opted_out(person) && self.lets_in(cache, guild, person, None).await
    }

    /// Whether nothing of somebody is taken in who has these roles where they are.
    pub(super) fn is_left_out(&self, person: UserId, roles: &[RoleId]) -> bool {
        let config = self.deps.config.current();
        let DiscordConfig { only, never, .. } = &config.discord;
        let is_let_in =
            is_operator(&config, &AccountId::discord(person.get())) || lets_in(only, never, person, roles);
        self.has_opted_out(person) || !is_let_in
    }

    /// Whether the place is open to it where somebody did something.
    pub(super) fn is_open_at(&self, cache: &Cache, spot: Spot) -> bool {
        let Some(guild) = spot.guild else { return true };
        let channel = self.known_channel(cache, guild, spot.channel);
        self.is_open(Some(guild), spot.channel, parent(channel.as_ref()))
    }

    /// Whether a place is open to it: the channel, or the one that a thread hangs on, and its server.
    pub(super) fn is_open(
        &self,
        guild: Option<GuildId>,
        channel: ChannelId,
        parent: Option<ChannelId>,
    ) -> bool {
        let config = self.deps.config.current();
        let DiscordConfig { only, never, .. } = &config.discord;
        let has_channel = |list: &AccessList| {
            list.channels.contains(&channel.get())
                || parent.is_some_and(|parent| list.channels.contains(&parent.get()))
        };
        let has_server = |list: &AccessList| guild.is_some_and(|guild| list.servers.contains(&guild.get()));
        let is_let_in = (only.channels.is_empty() || has_channel(only))
            && (only.servers.is_empty() || guild.is_none() || has_server(only));
        is_let_in && !has_channel(never) && !has_server(never)
    }
}

/// The roles somebody has in a server, as far as the gateway has told.
pub(super) fn roles_of(cache: &Cache, guild: GuildId, person: UserId) -> Vec<RoleId> {
    let Some(guild) = cache.guild(guild) else { return Vec::new() };
    let in_call = || guild.voice_states.get(&person)?.member.as_ref();
    let member = guild.members.get(&person).or_else(in_call);
    member.map(|member| member.roles.clone()).unwrap_or_default()
}

fn lets_in(only: &AccessList, never: &AccessList, person: UserId, roles: &[RoleId]) -> bool {
    let is_in = |list: &AccessList| {
        list.users.contains(&person.get()) || roles.iter().any(|role| list.roles.contains(&role.get()))
    };
    let is_free = only.users.is_empty() && only.roles.is_empty();
    (is_free || is_in(only)) && !is_in(never)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(users: &[u64], roles: &[u64]) -> AccessList {
        AccessList { users: users.to_vec(), roles: roles.to_vec(), ..AccessList::default() }
    }

    #[test]
    fn whoever_is_listed_by_account_or_role_is_let_in_and_never_wins() {
        let none = AccessList::default();
        let may = |only: &AccessList, never: &AccessList, person: u64, roles: &[u64]| {
            let roles: Vec<RoleId> = roles.iter().copied().map(RoleId::new).collect();
            lets_in(only, never, UserId::new(person), &roles)
        };
        assert!(may(&none, &none, 1, &[]));
        assert!(may(&list(&[1], &[]), &none, 1, &[]) && !may(&list(&[1], &[]), &none, 2, &[7]));
        assert!(may(&list(&[], &[7]), &none, 2, &[7]) && !may(&list(&[], &[7]), &none, 2, &[8]));
        assert!(!may(&list(&[1], &[]), &list(&[], &[9]), 1, &[9]) && !may(&none, &list(&[1], &[]), 1, &[]));
        assert!(
            is_for_everybody("forget|soft|me") && is_for_everybody("privacy") && !is_for_everybody("status")
        );
    }
}
