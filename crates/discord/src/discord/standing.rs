//! Where the bot may speak, by what the gateway has told, and where it was refused all the same.
//!
//! Asked before a turn: an answer that cannot arrive is not worth a model, and Discord shuts out who goes on knocking.
//! Start reading at [`Refusals::may_speak`].

use std::time::Duration;

use quick_cache::sync::Cache;
use serenity::all::{ChannelId, Guild, GuildChannel, GuildId, Member, Permissions, Timestamp};
use tokio::time::Instant;

use super::adapter::cached_channel;
use super::intake::{is_thread, thread_parent};
use super::link::Connected;
use super::permissions::{InThread, lacking, missing};

/// Channels whose refusal is remembered; what is forgotten costs one more refusal.
const KEPT: usize = 1024;

/// So long it is silent after a refusal that its permissions do not explain, then twice as long each time, up to an hour: it
/// may have been a proxy's, or have ended unseen.
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(60 * 60);

/// How the bot, or a member, stands in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub granted: Permissions,
    pub in_thread: InThread,
    closed: (bool, bool),
    is_timed_out: bool,
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
        let deciding = thread_parent(Some(channel)).map_or(Some(channel), |id| guild.channels.get(&id))?;
        let thread = channel.thread_metadata.as_ref();
        Some(Self {
            granted: guild.user_permissions_in(deciding, member),
            in_thread: if is_thread(channel) { InThread::Yes } else { InThread::No },
            closed: thread.map_or((false, false), |thread| (thread.archived, thread.locked)),
            is_timed_out: member.communication_disabled_until.is_some_and(|until| until > Timestamp::now()),
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
        lacking(self.granted, wanted)
    }

    /// Why no words of the bot's can arrive.
    pub(super) fn silenced(self) -> Option<String> {
        if !self.granted.contains(self.in_thread.to_speak().0 | Permissions::VIEW_CHANNEL) {
            let missing = missing(self.granted, self.in_thread).join(" and ");
            return Some(format!("the bot lacks {missing} there"));
        }
        self.is_timed_out.then(|| "the bot is timed out there".to_owned())
    }
}

/// How the bot stood where it was refused, and how long it rests there.
#[derive(Debug, Clone, Copy)]
struct KnownRefusal {
    standing: Standing,
    until: Instant,
    rest: Duration,
}

/// Channels where Discord refused what was said.
#[derive(Debug)]
pub(super) struct Refusals(Cache<ChannelId, KnownRefusal>);

impl Default for Refusals {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

impl Refusals {
    /// Whether words can arrive in a channel: nothing known is against it, and they were not refused there just now while it
    /// stood as it does.
    pub(super) fn may_speak(&self, there: &Connected, guild: GuildId, channel: ChannelId) -> bool {
        let Some(standing) = Standing::of_cached(&there.cache, guild, channel) else { return true };
        if let Some(why) = standing.silenced() {
            there.watch.refused(channel.get(), &why);
            // It will be another matter when that has changed.
            self.0.remove(&channel);
            return false;
        }
        match self.0.get(&channel) {
            Some(refusal) if refusal.standing == standing => refusal.until <= Instant::now(),
            _ => {
                self.0.remove(&channel);
                there.watch.admitted(channel.get());
                true
            }
        }
    }

    /// Discord refused what was said there.
    pub(super) fn refused(&self, there: &Connected, guild: GuildId, channel: ChannelId, why: &str) {
        let Some(standing) = Standing::of_cached(&there.cache, guild, channel) else { return };
        let before = self.0.get(&channel).filter(|before| before.standing == standing);
        let rest = rest_after(before.map(|before| (before.rest, before.until.elapsed())));
        self.0.insert(channel, KnownRefusal { standing, until: Instant::now() + rest, rest });
        there.watch.refused(channel.get(), why);
        tracing::warn!(%channel, why, rest_s = rest.as_secs(), "may not speak there; silent for a while, or until permissions change");
    }

    /// Something that was said there arrived.
    pub(super) fn arrived(&self, there: &Connected, channel: ChannelId) {
        if self.0.remove(&channel).is_some() {
            there.watch.admitted(channel.get());
        }
    }
}

/// How long it rests after a refusal; `before` is how long it rested after the last, and how long that has been over.
fn rest_after(before: Option<(Duration, Duration)>) -> Duration {
    match before {
        Some((rest, over)) if over < rest => (2 * rest).min(LONGEST_REST),
        _ => FIRST_REST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rests_longer_each_time_it_is_refused_at_once_again_and_never_for_good() {
        let minute = FIRST_REST;
        assert_eq!(rest_after(None), minute);
        assert_eq!(rest_after(Some((minute, Duration::ZERO))), 2 * minute);
        assert_eq!(rest_after(Some((LONGEST_REST, minute))), LONGEST_REST);
        assert_eq!(rest_after(Some((minute, 10 * minute))), minute, "it had been let in meanwhile");
    }
}
