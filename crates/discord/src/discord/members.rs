//! Who is in which server now, and what of it they see: asked of Discord when it matters, remembered for a minute.
//!
//! Nobody tells the bot when somebody leaves or loses a role, unless it has a privileged intent. So whatever is used by
//! right of membership is asked for by name. Must not know what is paired or said. Start reading at [`Members`].

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;
use quick_cache::sync::Cache;
use serenity::all::{ChannelId, Guild, GuildChannel, GuildId, HttpError, Member, UserId};
use tokio::time::{Instant, timeout};

use super::intake;
use super::link::DiscordLink;
use crate::config::{LiveConfig, SubscriptionKind};
use crate::domain::{AccountId, Audience, GuildId as DomainGuild, Place, Platform};
use crate::identity::Membership;

/// How long an answer holds.
const REMEMBERED: Duration = Duration::from_secs(60);

/// How long Discord may take to answer. Who is not found by then is not there this time.
const LOOK_UP: Duration = Duration::from_secs(3);

/// Answers that are remembered.
const KEPT: usize = 4096;

/// Servers in which somebody is looked for who writes a direct message.
const SERVERS: usize = 16;

/// Discord's codes for somebody who is not there, or not at all.
const NOBODY: [isize; 2] = [10_007, 10_013];

/// What Discord said about somebody in a server.
#[derive(Debug, Clone)]
enum Answer {
    In(Arc<Member>),
    Out,
}

#[derive(Debug)]
pub(super) struct Members {
    link: DiscordLink,
    config: Arc<LiveConfig>,
    known: Cache<(GuildId, UserId), (Instant, Answer)>,
}

impl Members {
    pub(super) fn new(link: DiscordLink, config: Arc<LiveConfig>) -> Self {
        Self { link, config, known: Cache::new(KEPT) }
    }

    /// The gateway has told something newer.
    pub(super) fn forget(&self, guild: GuildId, user: UserId) {
        self.known.remove(&(guild, user));
    }

    /// Whether somebody is in a server in which it reads or listens.
    pub(super) async fn is_in_any(&self, user: UserId) -> bool {
        !self.memberships(user).await.is_empty()
    }

    /// As whom somebody is in a server; `None` where they are not, or Discord did not say.
    pub(super) async fn member(&self, guild: GuildId, user: UserId) -> Option<Arc<Member>> {
        match self.ask(guild, user).await? {
            Answer::In(member) => Some(member),
            Answer::Out => None,
        }
    }

    /// `None` where Discord did not say.
    async fn ask(&self, guild: GuildId, user: UserId) -> Option<Answer> {
        if let Some((_, answer)) = self.known.get(&(guild, user)).filter(|(at, _)| at.elapsed() < REMEMBERED)
        {
            return Some(answer);
        }
        let http = self.link.http()?;
        let answer = match timeout(LOOK_UP, http.get_member(guild, user)).await {
            Ok(Ok(member)) => Answer::In(Arc::new(member)),
            Ok(Err(serenity::Error::Http(HttpError::UnsuccessfulRequest(response))))
                if NOBODY.contains(&response.error.code) =>
            {
                Answer::Out
            }
            Ok(Err(error)) => {
                tracing::debug!(%guild, %error, "who is in a server could not be asked");
                return None;
            }
            Err(_) => return None,
        };
        self.known.insert((guild, user), (Instant::now(), answer.clone()));
        Some(answer)
    }

    /// The servers it reads or listens in, and as whom somebody is in them.
    async fn memberships(&self, user: UserId) -> Vec<(GuildId, Arc<Member>)> {
        let Some(cache) = self.link.cache() else { return Vec::new() };
        let mut guilds = self.guilds(&cache);
        // Whoever is looked for in too many is looked for first where they have been seen.
        guilds
            .sort_by_key(|guild| !cache.guild(*guild).is_some_and(|guild| guild.members.contains_key(&user)));
        guilds.truncate(SERVERS);
        let asked =
            guilds.into_iter().map(|guild| async move { Some((guild, self.member(guild, user).await?)) });
        join_all(asked).await.into_iter().flatten().collect()
    }

    fn guilds(&self, cache: &serenity::all::Cache) -> Vec<GuildId> {
        let has_read =
            |guild: &GuildId| cache.guild(*guild).is_some_and(|guild| !self.read(&guild).is_empty());
        cache.guilds().into_iter().filter(has_read).collect()
    }

    /// The channels of a guild that are read or listened in; of a thread, the channel it hangs on.
    fn read<'g>(&self, guild: &'g Guild) -> Vec<&'g GuildChannel> {
        let subscriptions = self.config.subscriptions();
        let rows = subscriptions.iter().filter(|row| row.kind != SubscriptionKind::Muted);
        let ids = rows.filter_map(|row| row.channel.as_str().parse().ok()).filter(|id: &u64| *id > 0);
        let mut channels: Vec<&GuildChannel> = Vec::new();
        for id in ids.map(ChannelId::new) {
            let thread = || guild.threads.iter().find(|thread| thread.id == id)?.parent_id;
            let channel = guild.channels.get(&id).or_else(|| guild.channels.get(&thread()?));
            channels.extend(channel.filter(|channel| channels.iter().all(|known| known.id != channel.id)));
        }
        channels
    }

    /// What somebody alone with the familiar sees of a server: what is open to all of it, and what is open to them. What
    /// is age-restricted stays where it is.
    fn seen_alone(&self, cache: &serenity::all::Cache, id: GuildId, member: &Member) -> Vec<Audience> {
        let Some(guild) = cache.guild(id) else { return Vec::new() };
        let may_see = |channel: &&GuildChannel| {
            guild.user_permissions_in(channel, member).contains(intake::needed(channel))
        };
        let open = self.read(&guild).into_iter().filter(may_see);
        let channels =
            open.filter(|channel| !channel.nsfw).map(|channel| Audience::Private(channel.id.get().into()));
        [Audience::Guild(id.get().into())].into_iter().chain(channels).collect()
    }
}

#[async_trait]
impl Membership for Members {
    async fn place_now(&self, place: &Place) -> Place {
        if place.platform != Platform::Discord {
            return place.clone();
        }
        let Some(cache) = self.link.cache() else {
            return Place { sees: Vec::new(), ..place.clone() };
        };
        if let Some(id) = place.guild.as_ref().and_then(guild_number) {
            let Some(guild) = cache.guild(id) else { return Place { sees: Vec::new(), ..place.clone() } };
            let seen = intake::seen_in(&guild, place, &self.read(&guild));
            return Place { sees: seen.besides, audience: seen.audience, ..place.clone() };
        }
        let Audience::Dm(account) = &place.audience else { return place.clone() };
        let Some(user) = user(account) else { return place.clone() };
        let memberships = self.memberships(user).await;
        let sees = memberships.iter().flat_map(|(guild, member)| self.seen_alone(&cache, *guild, member));
        Place { sees: sees.collect(), ..place.clone() }
    }

    async fn is_in(&self, account: &AccountId, guild: &DomainGuild) -> Option<bool> {
        let (user, guild) = (user(account)?, guild_number(guild)?);
        Some(matches!(self.ask(guild, user).await?, Answer::In(_)))
    }
}

/// Whose account it is on Discord; `None` for other platforms.
pub(super) fn user(account: &AccountId) -> Option<UserId> {
    let id = (account.platform() == Platform::Discord).then(|| account.id().parse().ok())??;
    (id > 0).then(|| UserId::new(id))
}

fn guild_number(guild: &DomainGuild) -> Option<GuildId> {
    guild.as_str().parse().ok().filter(|id| *id > 0).map(GuildId::new)
}
