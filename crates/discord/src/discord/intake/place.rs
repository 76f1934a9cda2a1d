//! Where a message was said and who could hear it there.
//!
//! The audience is what keeps a private word private, so every doubt is resolved towards the smaller circle.

use std::collections::{BTreeSet, HashMap, HashSet};

use serenity::all::{
    ChannelId, ChannelType, Guild, GuildChannel, GuildId, PermissionOverwriteType, Permissions, Role, RoleId,
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
    /// What the other roles add to that, without those that only one bot can have.
    pub roles: HashMap<RoleId, Permissions>,
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
            roles: HashMap::new(),
            bot_roles: HashSet::new(),
            bots: HashSet::new(),
            parents: HashMap::new(),
        }
    }

    /// The facts that matter for one channel.
    pub(super) fn about(guild: &Guild, channel: &GuildChannel) -> Self {
        let parent = channel.parent_id.and_then(|parent| guild.channels.get(&parent));
        let everyone = RoleId::new(guild.id.get());
        let is_bots = |role: &Role| role.managed && role.tags.bot_id.is_some();
        let roles = guild.roles.values();
        Self {
            id: guild.id,
            name: Some(guild.name.clone()),
            everyone: guild.roles.get(&everyone).map(|role| role.permissions),
            roles: roles
                .clone()
                .filter(|role| role.id != everyone && !is_bots(role))
                .map(|role| (role.id, role.permissions))
                .collect(),
            bot_roles: roles.filter(|role| is_bots(role)).map(|role| role.id).collect(),
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

/// The channel that a thread or forum post hangs on.
pub(in crate::discord) fn thread_parent(channel: Option<&GuildChannel>) -> Option<ChannelId> {
    channel.filter(|channel| is_thread(channel)).and_then(|channel| channel.parent_id)
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
        parent: thread_parent(Some(channel)).map(|parent| parent.get().into()),
        guild: Some(guild.id.get().into()),
        channel_name: Some(name),
        guild_name: guild.name.clone(),
        ..Place::new(Platform::Discord, channel.id.get().into(), kind, audience(guild, channel))
    }
}

/// A channel of which nothing but the id is known. Its audience is itself.
pub(super) fn unknown(guild: GuildId, channel: ChannelId) -> Place {
    Place {
        guild: Some(guild.get().into()),
        ..Place::new(
            Platform::Discord,
            channel.get().into(),
            PlaceKind::GuildText,
            Audience::Private(channel.get().into()),
        )
    }
}

/// The place of a direct message with one person.
pub(in crate::discord) fn dm_place(channel: ChannelId, with: UserId) -> Place {
    Place::new(
        Platform::Discord,
        channel.get().into(),
        PlaceKind::Dm,
        Audience::Dm(AccountId::discord(with.get())),
    )
}

/// Who can hear what is said in a channel. A public thread is heard by whoever sees its parent; a private thread
/// by its members only; a thread of an unknown parent counts as private. What is age-restricted stays where it is.
fn audience(guild: &GuildFacts, channel: &GuildChannel) -> Audience {
    let parent = guild.parent_of(channel).filter(|_| is_thread(channel));
    let heard_in = match parent {
        Some(parent) if channel.kind != ChannelType::PrivateThread => parent,
        _ => channel,
    };
    let id = heard_in.id.get().into();
    if channel.nsfw || parent.is_some_and(|parent| parent.nsfw) {
        Audience::Restricted(id)
    } else if !is_thread(heard_in) && everyone_sees(guild, heard_in) {
        Audience::Guild(guild.id.get().into())
    } else {
        Audience::Private(id)
    }
}

/// Who can see each channel of a guild that is no thread, from what is known of it with `any` of them.
pub(in crate::discord) fn audiences(guild: &Guild, any: &GuildChannel) -> impl Fn(&GuildChannel) -> Audience {
    let facts = GuildFacts::about(guild, any);
    move |channel| audience(&facts, channel)
}

/// Who can see a place of a guild now, and what else all of them could see: of the channels that are read those whose
/// viewers are these or more.
#[derive(Debug)]
pub(in crate::discord) struct PlaceViewers {
    pub audience: Audience,
    pub besides: Vec<Audience>,
}

pub(in crate::discord) fn seen_in(guild: &Guild, place: &Place, read: &[&GuildChannel]) -> PlaceViewers {
    let find = |id: &crate::domain::ChannelId| {
        let id = ChannelId::new(id.as_str().parse().ok().filter(|id| *id > 0)?);
        guild.channels.get(&id).or_else(|| guild.threads.iter().find(|thread| thread.id == id))
    };
    let here = find(&place.channel);
    // An archived thread may be in no cache; its channel is.
    let Some(deciding) = here.filter(|here| !is_thread(here)).or_else(|| find(place.parent.as_ref()?)) else {
        return PlaceViewers { audience: place.audience.clone(), besides: Vec::new() };
    };
    let facts = GuildFacts::about(guild, here.unwrap_or(deciding));
    let audience = here.map_or_else(|| place.audience.clone(), |here| audience(&facts, here));
    let private = |channel: &GuildChannel| Audience::Private(channel.id.get().into());
    let mut besides = Vec::new();
    // What fewer could see once is not for everybody.
    if !everyone_sees(&facts, deciding) {
        let here = viewers(&facts, deciding);
        let are_all_in = |channel: &&&GuildChannel| {
            let there = viewers(&facts, channel);
            here.as_ref().zip(there.as_ref()).is_some_and(|(here, there)| here.are_among(there))
        };
        let others = read.iter().filter(|channel| !channel.nsfw).filter(are_all_in).map(|one| private(one));
        // Whoever is in a thread sees the channel it hangs on.
        for one in [private(deciding)].into_iter().chain(others) {
            if one != audience && !besides.contains(&one) {
                besides.push(one);
            }
        }
    }
    PlaceViewers { audience, besides }
}

/// What a channel asks of whoever reads it. Text in a voice channel is read by those who may connect.
pub(in crate::discord) fn needed(channel: &GuildChannel) -> Permissions {
    match channel.kind {
        ChannelType::Voice | ChannelType::Stage => Permissions::VIEW_CHANNEL | Permissions::CONNECT,
        _ => Permissions::VIEW_CHANNEL,
    }
}

/// Whether every person in the guild can read a channel: @everyone is allowed to, and nobody but bots is shut out
/// by name or role.
fn everyone_sees(guild: &GuildFacts, channel: &GuildChannel) -> bool {
    matches!(viewers(guild, channel), Some(Viewers { everyone: true, shut_out, .. }) if shut_out.is_empty())
}

/// Who of a guild can read a channel, besides those who can read every channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Viewers {
    needed: Permissions,
    everyone: bool,
    /// Whoever has one of these roles.
    roles: BTreeSet<RoleId>,
    people: BTreeSet<UserId>,
    /// Roles and people that are shut out by name, of what; and roles that are let in over that.
    shut_out: BTreeSet<(u64, u64)>,
    let_in: BTreeSet<(RoleId, u64)>,
}

impl Viewers {
    /// Whether whoever is among these is among the others too. Who is shut out by name may still be let in by another
    /// role, so where anybody is, only the same set is taken for certain.
    pub(super) fn are_among(&self, others: &Self) -> bool {
        let plain = self.shut_out.is_empty() && others.shut_out.is_empty();
        self == others
            || plain
                && (others.everyone
                    || !self.everyone
                        && self.roles.is_subset(&others.roles)
                        && self.people.is_subset(&others.people))
    }
}

/// `None` where too little is known of the guild, or where it takes several roles to get in.
pub(super) fn viewers(guild: &GuildFacts, channel: &GuildChannel) -> Option<Viewers> {
    let needed = needed(channel);
    let all = RoleId::new(guild.id.get());
    let overwrites = || channel.permission_overwrites.iter();
    let everyone = overwrites()
        .find(|overwrite| overwrite.kind == PermissionOverwriteType::Role(all))
        .map_or((Permissions::empty(), Permissions::empty()), |one| (one.allow, one.deny));
    let after = |may: Permissions, (allow, deny): (Permissions, Permissions)| (may & !deny) | allow;
    let base = guild.everyone?;
    let usual = after(base, everyone) & needed;
    // Half of what it takes, which somebody else's half may make whole.
    let is_half = |may: Permissions| !may.contains(needed) && may & needed != usual;
    let mut found = Viewers {
        needed,
        everyone: usual == needed || base.contains(Permissions::ADMINISTRATOR),
        roles: BTreeSet::new(),
        people: BTreeSet::new(),
        shut_out: BTreeSet::new(),
        let_in: BTreeSet::new(),
    };
    let mut own: HashMap<RoleId, (Permissions, Permissions)> = HashMap::new();
    for overwrite in overwrites() {
        let (allow, deny) = (overwrite.allow, overwrite.deny);
        match overwrite.kind {
            PermissionOverwriteType::Role(role) if role == all || guild.bot_roles.contains(&role) => {}
            PermissionOverwriteType::Role(role) => {
                if deny.intersects(needed) {
                    found.shut_out.insert((role.get(), (deny & needed).bits()));
                }
                if allow.intersects(needed) {
                    found.let_in.insert((role, (allow & needed).bits()));
                }
                own.insert(role, (allow, deny));
            }
            PermissionOverwriteType::Member(user) if guild.bots.contains(&user) => {}
            PermissionOverwriteType::Member(user) if deny.intersects(needed) => {
                found.shut_out.insert((user.get(), (deny & needed).bits()));
            }
            PermissionOverwriteType::Member(user) => {
                let may = after(after(base, everyone), (allow, deny));
                if is_half(may) {
                    return None;
                }
                if may.contains(needed) {
                    found.people.insert(user);
                }
            }
            _ => return None,
        }
    }
    for (role, may) in guild.roles.iter().filter(|(_, may)| !may.contains(Permissions::ADMINISTRATOR)) {
        let own = own.get(role).copied().unwrap_or_default();
        let may = after(after(base | *may, everyone), own);
        // What is taken away is in the other list.
        if is_half(may) && !own.1.intersects(needed) {
            return None;
        }
        if may.contains(needed) {
            found.roles.insert(*role);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests;
