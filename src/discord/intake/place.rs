//! Where a message was said and who could hear it there.
//!
//! The audience is what keeps a private word private, so every doubt is resolved towards the smaller circle.

use std::collections::{HashMap, HashSet};

use serenity::all::{
    ChannelId, ChannelType, Guild, GuildChannel, GuildId, PermissionOverwriteType, Permissions, RoleId,
    UserId,
};

use crate::domain::{AccountId, Audience, Place, PlaceKind, Platform};

/// What of a guild decides who can see a channel. Copied out of the cache, so that no cache lock is held.
#[derive(Debug, Clone)]
pub(super) struct GuildFacts {
    pub id: GuildId,
    pub name: Option<String>,
    /// What everyone may do anywhere; `None` when not known.
    pub everyone: Option<Permissions>,
    /// Roles that only one bot can have.
    pub bot_roles: HashSet<RoleId>,
    /// Members known to be bots.
    pub bots: HashSet<UserId>,
    /// The parents of threads: their channels.
    pub parents: HashMap<ChannelId, GuildChannel>,
}

impl GuildFacts {
    /// Of a guild nothing is known about.
    pub(super) fn unknown(id: GuildId) -> Self {
        Self {
            id,
            name: None,
            everyone: None,
            bot_roles: HashSet::new(),
            bots: HashSet::new(),
            parents: HashMap::new(),
        }
    }

    /// The facts that matter for one channel.
    pub(super) fn about(guild: &Guild, channel: &GuildChannel) -> Self {
        let parent = channel.parent_id.and_then(|parent| guild.channels.get(&parent));
        Self {
            id: guild.id,
            name: Some(guild.name.clone()),
            everyone: guild.roles.get(&RoleId::new(guild.id.get())).map(|role| role.permissions),
            bot_roles: guild
                .roles
                .values()
                .filter(|role| role.managed && role.tags.bot_id.is_some())
                .map(|role| role.id)
                .collect(),
            bots: guild
                .members
                .values()
                .filter(|member| member.user.bot)
                .map(|member| member.user.id)
                .collect(),
            parents: parent.map(|parent| (parent.id, parent.clone())).into_iter().collect(),
        }
    }

    fn parent_of(&self, channel: &GuildChannel) -> Option<&GuildChannel> {
        channel.parent_id.and_then(|parent| self.parents.get(&parent))
    }
}

/// Whether a channel is a thread or forum post.
pub(in crate::discord) fn is_thread(channel: &GuildChannel) -> bool {
    matches!(channel.kind, ChannelType::PublicThread | ChannelType::PrivateThread | ChannelType::NewsThread)
}

/// A guild channel, thread or forum post as a place.
pub(super) fn in_guild(guild: &GuildFacts, channel: &GuildChannel) -> Place {
    let parent = guild.parent_of(channel);
    let is_forum = parent.is_some_and(|parent| parent.kind == ChannelType::Forum);
    let parent_name = parent.map_or("unknown", |parent| parent.name.as_str());
    let (kind, name) = match (is_thread(channel), is_forum) {
        (true, true) => (PlaceKind::ForumPost, format!("forum:{parent_name} -> {}", channel.name)),
        (true, false) => (PlaceKind::Thread, format!("#{parent_name} -> {}", channel.name)),
        (false, _) => (PlaceKind::GuildText, format!("#{}", channel.name)),
    };
    Place {
        platform: Platform::Discord,
        channel: channel.id.get().into(),
        parent: channel.parent_id.filter(|_| is_thread(channel)).map(|parent| parent.get().into()),
        guild: Some(guild.id.get().into()),
        kind,
        channel_name: Some(name),
        guild_name: guild.name.clone(),
        audience: audience(guild, channel),
        paired: Default::default(),
    }
}

/// A channel of which nothing but the id is known. Its audience is itself.
pub(super) fn unknown(guild: GuildId, channel: ChannelId) -> Place {
    Place {
        platform: Platform::Discord,
        channel: channel.get().into(),
        parent: None,
        guild: Some(guild.get().into()),
        kind: PlaceKind::GuildText,
        channel_name: None,
        guild_name: None,
        audience: Audience::Private(channel.get().into()),
        paired: Default::default(),
    }
}

/// A direct message with one person.
pub(super) fn dm(channel: ChannelId, with: UserId) -> Place {
    Place {
        platform: Platform::Discord,
        channel: channel.get().into(),
        parent: None,
        guild: None,
        kind: PlaceKind::Dm,
        channel_name: None,
        guild_name: None,
        audience: Audience::Dm(AccountId::discord(with.get())),
        paired: Default::default(),
    }
}

/// Who can hear what is said in a channel. A public thread is heard by whoever sees its parent; a private thread
/// by its members only; a thread of an unknown parent counts as private.
fn audience(guild: &GuildFacts, channel: &GuildChannel) -> Audience {
    if !is_thread(channel) {
        return channel_audience(guild, channel);
    }
    match guild.parent_of(channel) {
        Some(parent) if channel.kind != ChannelType::PrivateThread => channel_audience(guild, parent),
        _ => Audience::Private(channel.id.get().into()),
    }
}

fn channel_audience(guild: &GuildFacts, channel: &GuildChannel) -> Audience {
    if everyone_sees(guild, channel) {
        Audience::Guild(guild.id.get().into())
    } else {
        Audience::Private(channel.id.get().into())
    }
}

/// Whether every person in the guild can read a channel: @everyone is allowed to, and nobody but bots is shut out
/// by name or role. Text in a voice channel is read by those who may connect.
fn everyone_sees(guild: &GuildFacts, channel: &GuildChannel) -> bool {
    let Some(mut everyone) = guild.everyone else { return false };
    let mut needed = Permissions::VIEW_CHANNEL;
    if matches!(channel.kind, ChannelType::Voice | ChannelType::Stage) {
        needed |= Permissions::CONNECT;
    }
    let everyone_role = RoleId::new(guild.id.get());
    for overwrite in &channel.permission_overwrites {
        let denies = overwrite.deny.intersects(needed);
        match overwrite.kind {
            PermissionOverwriteType::Role(role) if role == everyone_role => {
                everyone = (everyone & !overwrite.deny) | overwrite.allow;
            }
            PermissionOverwriteType::Role(role) if denies && !guild.bot_roles.contains(&role) => {
                return false;
            }
            PermissionOverwriteType::Member(user) if denies && !guild.bots.contains(&user) => return false,
            PermissionOverwriteType::Role(_) | PermissionOverwriteType::Member(_) => {}
            _ => return false,
        }
    }
    everyone.contains(needed) || everyone.contains(Permissions::ADMINISTRATOR)
}

#[cfg(test)]
mod tests;
