//! What the gateway and the commands share.
//!
//! Owns the facts about this connection and the look-ups both sides need. Start reading at [`Rim`].

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use serenity::all::{
    Cache, Channel, ChannelId, Context, CreateAllowedMentions, CreateMessage, GuildChannel, GuildId, Http,
    MessageFlags, UserId,
};
use tokio::time::{Instant, timeout};

use super::conversations::Conversations;
use super::intake::{self, Own};
use super::link::{CALL_DEADLINE, DiscordLink};
use super::members::Members;
use super::messages::Here;
use super::voice::{CallDeps, Calls};
use super::watch::Watch;
use crate::clock::{Clock as _, SystemClock};
use crate::config::{LiveConfig, Strangers};
use crate::domain::{AccountId, InboundEvent, Place};
use crate::erase::Eraser;
use crate::familiar::LiveCharacter;
use crate::identity::{Pairing, is_operator};
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

/// People whose refusal is remembered.
const KEPT_TOLD: usize = 4096;

/// What the bot works with.
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
    /// Who the familiar is.
    pub character: Arc<LiveCharacter>,
    pub pairing: Arc<Pairing>,
    /// What the gateway tells about who is where.
    pub world: Arc<World>,
    /// What is noted, for `/memory`.
    pub memory: Arc<Memory>,
    /// What forgets, for `/forget`.
    pub eraser: Arc<Eraser>,
    /// What `/status` says about the model.
    pub vitals: Arc<dyn Vitals>,
    /// What calls are held with; `None` where it joins none.
    pub calls: Option<CallDeps>,
}

/// What `/status` asks about the models, which this room must not know.
pub trait Vitals: Send + Sync + Debug {
    /// The model that answers now.
    fn model(&self) -> String;

    /// US dollars spent today; `None` where nothing is counted.
    fn spent_today_usd(&self) -> Option<f64>;

    /// Tokens of today, in and out, of models whose price is not known: they are in no figure of money.
    fn unpriced_tokens_today(&self) -> u64;
}

/// The state of this rim while the program runs, over all reconnections.
#[derive(Debug)]
pub(super) struct Rim {
    pub deps: DiscordDeps,
    pub started: Instant,
    pub order: intake::Order,
    pub watch: Watch,
    pub calls: Option<Arc<Calls>>,
    pub members: Arc<Members>,
    looked_up: Mutex<HashMap<ChannelId, GuildChannel>>,
    dm_people: Mutex<HashMap<ChannelId, UserId>>,
    dm_refusals: Mutex<HashMap<UserId, Instant>>,
    hints: Mutex<HashMap<UserId, Instant>>,
    registered: Mutex<std::collections::HashSet<GuildId>>,
    expected: Mutex<HashMap<(ChannelId, UserId), Instant>>,
}

impl Rim {
    pub fn new(deps: DiscordDeps) -> Self {
        let config = &deps.config;
        let watch = Watch::new(&config.home().connection_json());
        let calls = deps.calls.clone().map(|calls| Arc::new(Calls::new(calls, Arc::clone(config))));
        let members = Arc::new(Members::new(deps.link.clone(), Arc::clone(config)));
        Self {
            deps,
            calls,
            members,
            started: Instant::now(),
            order: intake::Order::default(),
            watch,
            looked_up: Mutex::default(),
            dm_people: Mutex::default(),
            dm_refusals: Mutex::default(),
            hints: Mutex::default(),
            registered: Mutex::default(),
            expected: Mutex::default(),
        }
    }

    /// Who the familiar is on Discord. The cache knows from the first event on.
    pub fn own(&self, cache: &Cache) -> Own {
        Own { user: cache.current_user().id, name: self.name() }
    }

    /// What the familiar is called.
    pub fn name(&self) -> String {
        self.deps.character.current().spoken_name().to_owned()
    }

    /// The day it is, by the clock times are told by.
    pub fn today(&self) -> jiff::civil::Date {
        SystemClock.now().to_zoned(self.deps.config.current().display_tz.clone()).date()
    }

    /// Hands an event to the sessions; a refusal is logged, there is nobody to tell.
    pub async fn submit(&self, event: InboundEvent) {
        let channel = event.place().channel.clone();
        if let Err(why) = self.deps.session.submit(event).await {
            tracing::warn!(%channel, why, "event not taken");
        }
    }

    /// A guild channel or thread: from the cache, else asked for once.
    pub async fn channel(&self, ctx: &Context, guild: GuildId, id: ChannelId) -> Option<GuildChannel> {
        if let Some(channel) = self.known_channel(&ctx.cache, guild, id) {
            return Some(channel);
        }
        // Archived threads are not in the cache until something happens in them.
        let channel = match self.look_up(&ctx.http, id).await? {
            Channel::Guild(channel) if channel.guild_id == guild => channel,
            _ => return None,
        };
        remember(&self.looked_up, KEPT_LOOK_UPS, id, channel.clone());
        Some(channel)
    }

    /// A guild channel or thread, without asking Discord.
    pub fn known_channel(&self, cache: &Cache, guild: GuildId, id: ChannelId) -> Option<GuildChannel> {
        let looked_up =
            || lock(&self.looked_up).get(&id).filter(|channel| channel.guild_id == guild).cloned();
        cached_channel(cache, guild, id).or_else(looked_up)
    }

    /// Forgets what was looked up: the gateway has told something newer.
    pub fn forget_channel(&self, id: ChannelId) {
        lock(&self.looked_up).remove(&id);
    }

    async fn look_up(&self, http: &Http, id: ChannelId) -> Option<Channel> {
        match timeout(LOOK_UP_DEADLINE, http.get_channel(id)).await {
            Ok(Ok(channel)) => Some(channel),
            Ok(Err(error)) => {
                tracing::debug!(channel = %id, %error, "channel not found");
                None
            }
            Err(_) => {
                tracing::debug!(channel = %id, "channel look-up timed out");
                None
            }
        }
    }

    /// The person behind a DM channel.
    pub async fn dm_person(&self, http: &Http, id: ChannelId) -> Option<UserId> {
        if let Some(person) = lock(&self.dm_people).get(&id) {
            return Some(*person);
        }
        let person = match self.look_up(http, id).await? {
            Channel::Private(dm) => dm.recipient.id,
            _ => return None,
        };
        self.is_dm_with(id, person);
        Some(person)
    }

    /// Learnt from a message: this DM channel is with this person.
    pub fn is_dm_with(&self, id: ChannelId, person: UserId) {
        remember(&self.dm_people, KEPT_LOOK_UPS, id, person);
    }

    /// The place of a guild channel.
    pub async fn guild_place(&self, ctx: &Context, guild: GuildId, id: ChannelId) -> (Place, Here) {
        let channel = self.channel(ctx, guild, id).await;
        let place = intake::guild_place(&ctx.cache, guild, id, channel.as_ref());
        (place, self.reading(id, channel.as_ref()))
    }

    /// The place of a guild channel, without asking Discord.
    pub fn known_place(&self, cache: &Cache, guild: GuildId, id: ChannelId) -> Place {
        intake::guild_place(cache, guild, id, self.known_channel(cache, guild, id).as_ref())
    }

    /// Whether DMs of this person are read.
    pub async fn may_dm(&self, person: UserId) -> bool {
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
    pub fn refuse_dm_now(&self, person: UserId) -> bool {
        once_a_day(&self.dm_refusals, person)
    }

    /// Whether to tell this person that a channel is not read in which they mentioned it; true once in 24 hours.
    pub fn hint_now(&self, person: UserId) -> bool {
        once_a_day(&self.hints, person)
    }

    /// Says something of the program's own in a channel, without a notification. What cannot be said is left.
    pub async fn remark(&self, http: &Http, channel: ChannelId, words: String) {
        self.remark_with(http, channel, CreateMessage::new().content(words)).await;
    }

    /// The same with more than words.
    pub async fn remark_with(&self, http: &Http, channel: ChannelId, message: CreateMessage) {
        // The familiar's name is a card's, and a card's words may ping nobody either.
        let message = message
            .flags(MessageFlags::SUPPRESS_NOTIFICATIONS)
            .allowed_mentions(CreateAllowedMentions::new().replied_user(false));
        match timeout(CALL_DEADLINE, channel.send_message(http, message)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(%channel, %error, "a remark was not delivered"),
            Err(_) => tracing::debug!(%channel, "a remark was not delivered in time"),
        }
    }

    /// Whether to prepare for this person's message there; true once in ten seconds, which is how long one report of
    /// typing holds.
    pub fn expect_now(&self, channel: ChannelId, person: UserId) -> bool {
        let now = Instant::now();
        let mut expected = lock(&self.expected);
        if expected.get(&(channel, person)).is_some_and(|last| now.duration_since(*last) < EXPECT_AGAIN) {
            return false;
        }
        if expected.len() >= KEPT_LOOK_UPS {
            expected.retain(|_, last| now.duration_since(*last) < EXPECT_AGAIN);
        }
        if expected.len() >= KEPT_LOOK_UPS {
            return false;
        }
        expected.insert((channel, person), now);
        true
    }

    /// True the first time it is asked for a guild.
    pub fn register_now(&self, guild: GuildId) -> bool {
        lock(&self.registered).insert(guild)
    }

    /// Registering failed; the next chance is to be taken.
    pub fn register_again(&self, guild: GuildId) {
        lock(&self.registered).remove(&guild);
    }
}

/// True once in 24 hours for each person.
fn once_a_day(told: &Mutex<HashMap<UserId, Instant>>, person: UserId) -> bool {
    let now = Instant::now();
    let mut told = lock(told);
    if told.get(&person).is_some_and(|last| now.duration_since(*last) < TELL_AGAIN) {
        return false;
    }
    told.retain(|_, last| now.duration_since(*last) < TELL_AGAIN);
    if told.len() >= KEPT_TOLD {
        // Somebody is knocking with thousands of accounts; silence is the better answer.
        return false;
    }
    told.insert(person, now);
    true
}

/// A guild channel or thread, as the gateway has told of it.
pub(super) fn cached_channel(cache: &Cache, guild: GuildId, id: ChannelId) -> Option<GuildChannel> {
    let guild = cache.guild(guild)?;
    let thread = || guild.threads.iter().find(|thread| thread.id == id);
    guild.channels.get(&id).or_else(thread).cloned()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A bounded memory: when full it starts anew, which costs one look-up each.
fn remember<K: std::hash::Hash + Eq, V>(memory: &Mutex<HashMap<K, V>>, most: usize, key: K, value: V) {
    let mut memory = lock(memory);
    if memory.len() >= most && !memory.contains_key(&key) {
        memory.clear();
    }
    memory.insert(key, value);
}
