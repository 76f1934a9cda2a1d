//! Where the bot may speak, by what the gateway has told, and where it was refused all the same.
//!
//! Asked before a turn: an answer that cannot arrive is not worth a model, and Discord shuts out who goes on knocking.
//! Start reading at [`Refusals::may_speak`].

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serenity::all::{Cache, ChannelId, GuildChannel, GuildId, Permissions};

use super::intake;
use super::link::Connected;
use super::permissions::{InThread, missing};
use super::reading::parent;
use super::rim::cached_channel;

/// Channels whose refusal is remembered; beyond that all are forgotten, which costs one more refusal each.
const KEPT: usize = 1024;

/// How the bot stands in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub granted: Permissions,
    pub in_thread: InThread,
    /// Archived, locked.
    closed: (bool, bool),
}

impl Standing {
    /// By what is known without asking; `None` when that is not enough to tell.
    pub fn of(cache: &Cache, guild: GuildId, channel: &GuildChannel) -> Option<Self> {
        let guild = cache.guild(guild)?;
        let member = guild.members.get(&cache.current_user().id)?;
        // A thread has no overwrites of its own.
        let deciding = parent(Some(channel)).map_or(Some(channel), |id| guild.channels.get(&id))?;
        let thread = channel.thread_metadata.as_ref();
        Some(Self {
            granted: guild.user_permissions_in(deciding, member),
            in_thread: if intake::is_thread(channel) { InThread::Yes } else { InThread::No },
            closed: thread.map_or((false, false), |thread| (thread.archived, thread.locked)),
        })
    }

    fn of_cached(cache: &Cache, guild: GuildId, channel: ChannelId) -> Option<Self> {
        Self::of(cache, guild, &cached_channel(cache, guild, channel)?)
    }

    fn may_speak(self) -> bool {
        let needed = match self.in_thread {
            InThread::Yes => Permissions::SEND_MESSAGES_IN_THREADS,
            InThread::No => Permissions::SEND_MESSAGES,
        };
        self.granted.contains(needed | Permissions::VIEW_CHANNEL)
    }
}

/// Channels where Discord refused what was said, and how the bot stood there then.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<HashMap<ChannelId, Standing>>);

impl Refusals {
    /// Whether words can arrive in a channel: it has the permissions, and was not refused while it had just these.
    pub fn may_speak(&self, there: &Connected, guild: GuildId, channel: ChannelId) -> bool {
        let Some(standing) = Standing::of_cached(&there.cache, guild, channel) else { return true };
        if !standing.may_speak() {
            let lacking = missing(standing.granted, standing.in_thread).join(" and ");
            there.watch.refused(channel.get(), &format!("the bot lacks {lacking} there"));
        }
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !standing.may_speak() {
            // It will be another matter when that has changed.
            refused.remove(&channel);
            return false;
        }
        if refused.get(&channel) == Some(&standing) {
            return false;
        }
        refused.remove(&channel);
        there.watch.admitted(channel.get());
        true
    }

    /// Discord refused what was said there.
    pub fn refused(&self, there: &Connected, guild: GuildId, channel: ChannelId, why: &str) {
        let Some(standing) = Standing::of_cached(&there.cache, guild, channel) else { return };
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= KEPT {
            refused.clear();
        }
        refused.insert(channel, standing);
        there.watch.refused(channel.get(), why);
        tracing::warn!(%channel, why, "may not speak there; silent until permissions change");
    }
}
