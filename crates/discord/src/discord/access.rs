//! Whom and which places the settings let in: `[discord.only]` and `[discord.never]`.
//!
//! What is not let in is neither read nor answered; whoever is not let in can still have what is stored of them shown, copied
//! and forgotten. Start reading at [`Adapter::lets_in`].

use serenity::all::{Cache, ChannelId, GuildId, RoleId, UserId};

use super::adapter::{Adapter, Spot};
use super::intake::thread_parent;
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
        let discord = &config.discord;
        let lets_in = |roles: &[RoleId]| discord.lets_in(person.get(), &role_ids(roles));
        if discord.only.roles.is_empty() && discord.never.roles.is_empty() {
            return lets_in(&[]);
        }
        let Some(guild) = guild else { return lets_in(&[]) };
        if let Some(roles) = roles {
            return lets_in(roles);
        }
        let cached = cache.guild(guild).and_then(|guild| Some(guild.members.get(&person)?.roles.clone()));
        match cached {
            Some(roles) => lets_in(&roles),
            None => match self.members.member(guild, person).await {
                Some(member) => lets_in(&member.roles),
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
        let is_let_in = is_operator(&config, &AccountId::discord(person.get()))
            || config.discord.lets_in(person.get(), &role_ids(roles));
        self.has_opted_out(person) || !is_let_in
    }

    /// Whether the place is open to it where somebody did something.
    pub(super) fn is_open_at(&self, cache: &Cache, spot: Spot) -> bool {
        let Some(guild) = spot.guild else { return true };
        let channel = self.known_channel(cache, guild, spot.channel);
        self.is_open(Some(guild), spot.channel, thread_parent(channel.as_ref()))
    }

    /// Whether a place is open to it: the channel, or the one that a thread hangs on, and its server.
    pub(super) fn is_open(
        &self,
        guild: Option<GuildId>,
        channel: ChannelId,
        parent: Option<ChannelId>,
    ) -> bool {
        let config = self.deps.config.current();
        config.discord.is_open(guild.map(GuildId::get), channel.get(), parent.map(ChannelId::get))
    }
}

/// The roles somebody has in a server, as far as the gateway has told.
pub(super) fn roles_of(cache: &Cache, guild: GuildId, person: UserId) -> Vec<RoleId> {
    let Some(guild) = cache.guild(guild) else { return Vec::new() };
    let in_call = || guild.voice_states.get(&person)?.member.as_ref();
    let member = guild.members.get(&person).or_else(in_call);
    member.map(|member| member.roles.clone()).unwrap_or_default()
}

fn role_ids(roles: &[RoleId]) -> Vec<u64> {
    roles.iter().map(|role| role.get()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_theirs_is_for_everybody() {
        assert!(
            is_for_everybody("forget|soft|me") && is_for_everybody("privacy") && !is_for_everybody("status")
        );
    }
}
