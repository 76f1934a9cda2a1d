//! What the gateway and the commands share.
//!
//! Owns the facts about this connection and the look-ups both sides need. Start reading at [`Adapter`].

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use quick_cache::sync::Cache;
use secrecy::SecretString;
use serenity::all::{
    Channel, ChannelId, Context, CreateAllowedMentions, CreateMessage, GuildChannel, GuildId, Http,
    MessageFlags, UserId,
};
use tokio::time::Instant;

use super::conversations::Conversations;
use super::intake::{self, Own, SpokenTongues};
use super::link::{CALL_DEADLINE, Connected, DiscordLink, if_answered};
use super::members::Members;
use super::messages::Here;
use super::voice::calls::{CallDeps, Calls};
use super::watch::ConnectionWatch;
use crate::clock::{Clock as _, SystemClock, Uses};
use crate::config::{LiveConfig, Strangers};
use crate::domain::{AccountId, InboundEvent, Place};
use crate::erase::Eraser;
use crate::familiar::LiveCharacter;
use crate::identity::{Pairing, is_operator};
use crate::llm::ModelSlots;
use crate::memory::Memory;
use crate::trace::TraceStore;
use crate::world::World;

/// How long a look-up that only improves an answer may take.
const LOOK_UP_DEADLINE: Duration = Duration::from_secs(10);

/// Channels looked up over REST that are remembered.
const KEPT_LOOK_UPS: usize = 1024;

/// A person is told once a day that DMs are not for them.
const TELL_AGAIN: Duration = Duration::from_secs(24 * 60 * 60);

/// Somebody who goes on typing is prepared for again after this.
const EXPECT_AGAIN: Duration = Duration::from_secs(10);

/// People who are remembered to have been told, or prepared for.
const KEPT_TOLD: usize = 4096;

#[derive(Debug)]
pub struct DiscordDeps {
    pub token: SecretString,
    /// The link that the outbox was made over.
    pub link: DiscordLink,
    pub api_base: Option<String>,
    pub session: Arc<dyn Conversations>,
    pub config: Arc<LiveConfig>,
    /// What turns left behind, for `/context` and `/status`.
    pub traces: Arc<TraceStore>,
    pub character: Arc<LiveCharacter>,
    pub pairing: Arc<Pairing>,
    /// What the gateway tells about who is where.
    pub world: Arc<World>,
    /// What is noted, for `/memory`.
    pub memory: Arc<Memory>,
    /// What forgets, for `/forget`.
    pub eraser: Arc<Eraser>,
    /// What answers and what it has cost, for `/status`.
    pub models: Arc<ModelSlots>,
    /// What calls are held with; `None` where it joins none.
    pub calls: Option<CallDeps>,
}

/// The state of this adapter while the program runs, over all reconnections.
#[derive(Debug)]
pub(super) struct Adapter {
    pub deps: DiscordDeps,
    pub started: Instant,
    pub order: intake::Order,
    pub watch: ConnectionWatch,
    pub calls: Option<Arc<Calls>>,
    pub members: Arc<Members>,
    pub tongues: SpokenTongues,
    looked_up: Cache<ChannelId, GuildChannel>,
    dm_people: Cache<ChannelId, UserId>,
    dm_refusals: Mutex<Uses<UserId, Instant>>,
    hints: Mutex<Uses<UserId, Instant>>,
    registered: Mutex<HashSet<GuildId>>,
    expected: Mutex<Uses<(ChannelId, UserId), Instant>>,
}

/// Where something happened on Discord, and who did it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub guild: Option<GuildId>,
    pub channel: ChannelId,
    pub user: UserId,
}

impl Adapter {
    pub(super) fn new(deps: DiscordDeps) -> Self {
        let config = &deps.config;
        let watch = ConnectionWatch::new(&config.home().connection_json());
        let calls = deps.calls.clone().map(|calls| Arc::new(Calls::new(calls, Arc::clone(config))));
        let members = Arc::new(Members::new(deps.link.clone(), Arc::clone(config)));
        Self {
            deps,
            calls,
            members,
            tongues: SpokenTongues::default(),
            started: Instant::now(),
            order: intake::Order::default(),
            watch,
            looked_up: Cache::new(KEPT_LOOK_UPS),
            dm_people: Cache::new(KEPT_LOOK_UPS),
            dm_refusals: Mutex::new(Uses::new(TELL_AGAIN, KEPT_TOLD)),
            hints: Mutex::new(Uses::new(TELL_AGAIN, KEPT_TOLD)),
            registered: Mutex::default(),
            expected: Mutex::new(Uses::new(EXPECT_AGAIN, KEPT_TOLD)),
        }
    }

    /// Who the familiar is on Discord. The cache knows from the first event on.
    pub(super) fn own(&self, cache: &serenity::all::Cache) -> Own {
        Own { user: cache.current_user().id, name: self.name() }
    }

    /// What the familiar is called.
    pub(super) fn name(&self) -> String {
        self.deps.character.current().spoken_name().to_owned()
    }

    /// The day it is, by the clock times are told by.
    pub(super) fn today(&self) -> jiff::civil::Date {
        SystemClock.now().to_zoned(self.deps.config.current().display_tz.clone()).date()
    }

    /// Hands an event to the sessions; a refusal is logged, there is nobody to tell.
    pub(super) async fn submit(&self, event: InboundEvent) {
        if let InboundEvent::Message(message) = &event {
            self.hears_tongue(message);
        }
        let channel = event.place().channel.clone();
        if let Err(why) = self.deps.session.submit(event).await {
            tracing::warn!(%channel, why, "event not taken");
        }
    }

    /// A guild channel or thread: from the cache, else asked for once.
    pub(super) async fn channel(&self, ctx: &Context, guild: GuildId, id: ChannelId) -> Option<GuildChannel> {
        if let Some(channel) = self.known_channel(&ctx.cache, guild, id) {
            return Some(channel);
        }
        // Archived threads are not in the cache until something happens in them.
        let channel = match self.look_up(&ctx.http, id).await? {
            Channel::Guild(channel) if channel.guild_id == guild => channel,
            _ => return None,
        };
        self.looked_up.insert(id, channel.clone());
        Some(channel)
    }

    /// A guild channel or thread, without asking Discord.
    pub(super) fn known_channel(
        &self,
        cache: &serenity::all::Cache,
        guild: GuildId,
        id: ChannelId,
    ) -> Option<GuildChannel> {
        let looked_up = || self.looked_up.get(&id).filter(|channel| channel.guild_id == guild);
        cached_channel(cache, guild, id).or_else(looked_up)
    }

    /// Forgets what was looked up: the gateway has told something newer.
    pub(super) fn forget_channel(&self, id: ChannelId) {
        self.looked_up.remove(&id);
    }

    async fn look_up(&self, http: &Http, id: ChannelId) -> Option<Channel> {
        if_answered(LOOK_UP_DEADLINE, http.get_channel(id), ("channel not found", id.get())).await
    }

    /// The person behind a DM channel.
    pub(super) async fn dm_person(&self, http: &Http, id: ChannelId) -> Option<UserId> {
        if let Some(person) = self.dm_people.get(&id) {
            return Some(person);
        }
        let person = match self.look_up(http, id).await? {
            Channel::Private(dm) => dm.recipient.id,
            _ => return None,
        };
        self.is_dm_with(id, person);
        Some(person)
    }

    /// Learnt from a message: this DM channel is with this person.
    pub(super) fn is_dm_with(&self, id: ChannelId, person: UserId) {
        self.dm_people.insert(id, person);
    }

    /// The place of a guild channel.
    pub(super) async fn guild_place(&self, ctx: &Context, guild: GuildId, id: ChannelId) -> (Place, Here) {
        let channel = self.channel(ctx, guild, id).await;
        let place = intake::guild_place(&ctx.cache, guild, id, channel.as_ref());
        (place, self.reading(id, channel.as_ref()))
    }

    /// Where somebody did something.
    pub(super) async fn place_of(&self, ctx: &Context, spot: Spot) -> Place {
        match spot.guild {
            Some(guild) => self.guild_place(ctx, guild, spot.channel).await.0,
            None => intake::dm_place(spot.channel, spot.user),
        }
    }

    /// The same, and how it is read there.
    pub(super) async fn place_read_of(&self, ctx: &Context, spot: Spot) -> (Place, Here) {
        if let Some(guild) = spot.guild {
            return self.guild_place(ctx, guild, spot.channel).await;
        }
        let here = if self.may_dm(spot.user).await { Here::Dm } else { Here::NotRead };
        (intake::dm_place(spot.channel, spot.user), here)
    }

    /// The place of a guild channel, without asking Discord.
    pub(super) fn known_place(&self, cache: &serenity::all::Cache, guild: GuildId, id: ChannelId) -> Place {
        intake::guild_place(cache, guild, id, self.known_channel(cache, guild, id).as_ref())
    }

    /// Whether DMs of this person are read.
    pub(super) async fn may_dm(&self, person: UserId) -> bool {
        let config = self.deps.config.current();
        let is_listed = config.discord.dm_allowlist.contains(&person.get())
            || is_operator(&config, &AccountId::discord(person.get()));
        is_listed
            || match config.discord.strangers {
                Strangers::Members => self.members.is_in_any(person).await,
                Strangers::SmallTalk => true,
                Strangers::Refuse => false,
            }
    }

    /// Whether to tell this person that DMs are not for them; true once in 24 hours.
    pub(super) fn refuse_dm_now(&self, person: UserId) -> bool {
        self.dm_refusals.lock().is_first(person, Instant::now())
    }

    /// Whether to tell this person that a channel is not read in which they mentioned it; true once in 24 hours.
    pub(super) fn hint_now(&self, person: UserId) -> bool {
        self.hints.lock().is_first(person, Instant::now())
    }

    /// Whether somebody wants nothing of theirs read.
    pub(super) fn has_opted_out(&self, person: UserId) -> bool {
        self.deps.pairing.has_opted_out(&AccountId::discord(person.get()))
    }

    /// Says something of the program's own in a channel, without a notification. What cannot be said is left.
    pub(super) async fn remark(&self, http: &Http, channel: ChannelId, words: String) {
        self.remark_with(http, channel, CreateMessage::new().content(words)).await;
    }

    /// The same with more than words.
    pub(super) async fn remark_with(&self, http: &Http, channel: ChannelId, message: CreateMessage) {
        // The familiar's name is a card's, and a card's words may ping nobody either.
        let message = message
            .flags(MessageFlags::SUPPRESS_NOTIFICATIONS)
            .allowed_mentions(CreateAllowedMentions::new().replied_user(false));
        let sends = channel.send_message(http, message);
        if_answered(CALL_DEADLINE, sends, ("a remark was not delivered", channel.get())).await;
    }

    /// Whether to prepare for this person's message there; true once in ten seconds, which is how long one report of
    /// typing holds.
    pub(super) fn expect_now(&self, channel: ChannelId, person: UserId) -> bool {
        self.expected.lock().is_first((channel, person), Instant::now())
    }

    /// True the first time it is asked for a guild.
    pub(super) fn register_now(&self, guild: GuildId) -> bool {
        self.registered.lock().insert(guild)
    }

    /// Registering failed; the next chance is to be taken.
    pub(super) fn register_again(&self, guild: GuildId) {
        self.registered.lock().remove(&guild);
    }
}

impl Connected {
    pub(super) fn new(http: Arc<Http>, cache: Arc<serenity::all::Cache>, adapter: &Arc<Adapter>) -> Self {
        let holder = Arc::downgrade(adapter);
        Self { http, cache, watch: adapter.watch.clone(), holder }
    }

    /// Who holds the link, while it lives.
    pub(super) fn adapter(&self) -> Option<Arc<Adapter>> {
        self.holder.upgrade()?.downcast().ok()
    }
}

impl DiscordLink {
    /// What there is once the bot is connected, and who holds the link.
    pub(super) fn there(&self) -> Option<(Arc<Connected>, Arc<Adapter>)> {
        let there = self.connected()?;
        let adapter = there.adapter()?;
        Some((there, adapter))
    }
}

/// A guild channel or thread, as the gateway has told of it.
pub(super) fn cached_channel(
    cache: &serenity::all::Cache,
    guild: GuildId,
    id: ChannelId,
) -> Option<GuildChannel> {
    let guild = cache.guild(guild)?;
    let thread = || guild.threads.iter().find(|thread| thread.id == id);
    guild.channels.get(&id).or_else(thread).cloned()
}
