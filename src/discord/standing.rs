//! Where the bot may speak, by what the gateway has told, and where it was refused all the same.
//!
//! Asked before a turn: an answer that cannot arrive is not worth a model, and Discord shuts out who goes on knocking.
//! Start reading at [`Refusals::may_speak`].

use quick_cache::sync::Cache;
use serenity::all::{ChannelId, Guild, GuildChannel, GuildId, Member, Permissions};

use super::adapter::cached_channel;
use super::intake;
use super::link::Connected;
use super::permissions::{InThread, missing};
use super::reading::parent;

/// Channels whose refusal is remembered; what is forgotten costs one more refusal.
const KEPT: usize = 1024;

/// How the bot, or a member, stands in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub granted: Permissions,
    pub in_thread: InThread,
    closed: (bool, bool),
}

impl Standing {
    /// The bot's, by what is known without asking; `None` when that is not enough to tell.
    pub(super) fn of(cache: &serenity::all::Cache, guild: GuildId, channel: &GuildChannel) -> Option<Self> {
        let guild = cache.guild(guild)?;
        Self::of_member(&guild, guild.members.get(&cache.current_user().id)?, channel)
    }

    /// Somebody's; `None` where the channel is not known.
    pub(super) fn of_member(guild: &Guild, member: &Member, channel: &GuildChannel) -> Option<Self> {
        // A thread has no overwrites of its own.
        let deciding = parent(Some(channel)).map_or(Some(channel), |id| guild.channels.get(&id))?;
        let thread = channel.thread_metadata.as_ref();
        Some(Self {
            granted: guild.user_permissions_in(deciding, member),
            in_thread: if intake::is_thread(channel) { InThread::Yes } else { InThread::No },
            closed: thread.map_or((false, false), |thread| (thread.archived, thread.locked)),
        })
    }

    pub(super) fn of_cached(
        cache: &serenity::all::Cache,
        guild: GuildId,
        channel: ChannelId,
    ) -> Option<Self> {
        Self::of(cache, guild, &cached_channel(cache, guild, channel)?)
    }

    /// The names of what is not granted.
    pub(super) fn missing(self, wanted: &[(Permissions, &'static str)]) -> Vec<&'static str> {
        let missing = wanted.iter().filter(|(permission, _)| !self.granted.contains(*permission));
        missing.map(|(_, name)| *name).collect()
    }

    fn may_speak(self) -> bool {
        self.granted.contains(self.in_thread.to_speak().0 | Permissions::VIEW_CHANNEL)
    }
}

/// Channels where Discord refused what was said, and how the bot stood there then.
#[derive(Debug)]
pub(super) struct Refusals(Cache<ChannelId, Standing>);

impl Default for Refusals {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

impl Refusals {
    /// Whether words can arrive in a channel: it has the permissions, and was not refused while it had just these.
    pub(super) fn may_speak(&self, there: &Connected, guild: GuildId, channel: ChannelId) -> bool {
        let Some(standing) = Standing::of_cached(&there.cache, guild, channel) else { return true };
        if !standing.may_speak() {
            let lacking = missing(standing.granted, standing.in_thread).join(" and ");
            there.watch.refused(channel.get(), &format!("the bot lacks {lacking} there"));
            // It will be another matter when that has changed.
            self.0.remove(&channel);
            return false;
        }
        if self.0.get(&channel) == Some(standing) {
            return false;
        }
        self.0.remove(&channel);
        there.watch.admitted(channel.get());
        true
    }

    /// Discord refused what was said there.
    pub(super) fn refused(&self, there: &Connected, guild: GuildId, channel: ChannelId, why: &str) {
        let Some(standing) = Standing::of_cached(&there.cache, guild, channel) else { return };
        self.0.insert(channel, standing);
        there.watch.refused(channel.get(), why);
        tracing::warn!(%channel, why, "may not speak there; silent until permissions change");
    }
}
