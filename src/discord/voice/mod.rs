//! Calls on Discord: the bridge between its voice channels and the voice room.
//!
//! Owns joining, following and leaving, who may be heard, and the way of packets and samples between songbird and a
//! [`CallPort`]. Must not know what is heard or said, nor how a turn is taken; that is whoever [`CallHost`] is. Nothing
//! outside this room names songbird. Start reading at [`Calls::call_in`].

mod call;
mod connection;
mod consent_filter;
mod following;
mod notices;
mod seat;
mod source;
mod taking_back;
mod terms;
mod transcript;

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serenity::all::{
    Cache, ChannelId, ChannelType, Context, EventHandler, Guild, GuildId, UserId, VoiceState,
};
use serenity::async_trait;
use songbird::Songbird;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

pub(super) use self::call::CallStatus;
use self::call::{Ask, Attendance, Keep};
use self::taking_back::Unwanted;
use self::terms::{Standpoint, Terms};
use super::adapter::Adapter;
use super::link::DiscordLink;
use super::messages::{self, Tongue};
use super::permissions::missing_in_call;
use crate::config::{LiveConfig, SubscriptionKind};
use crate::domain::{AccountId, InboundMessage, Place};
use crate::voice::CallPort;

pub(super) use self::call::CalledIn;
pub use self::connection::{dave_works, track_works};
pub use self::consent_filter::PacketCounts;
pub use self::following::CallTimes;
pub(super) use self::notices::consent_of;
pub(super) use self::seat::call_of;
pub(super) use self::terms::Hears;

/// Events of one guild that may wait for its call.
const ASKS: usize = 64;

/// How long calls may take to end when the program does.
const ENDING: Duration = Duration::from_secs(8);

/// Who listens and speaks in a call once it is joined.
pub trait CallHost: Send + Sync + Debug {
    /// A call has begun in this place. It lasts until its events end, or [`CallEvent::Close`](crate::voice::CallEvent)
    /// comes.
    fn begins(&self, place: Place, port: CallPort);

    /// What turns sound into text in the next call; `None` where nothing does.
    fn recogniser(&self) -> Option<Recogniser> {
        None
    }
}

/// What turns sound into text, as people in a call are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recogniser {
    /// Its name; `None` for a server of the owner's that has none.
    pub name: Option<String>,
    /// Whether it is on the machine that the program runs on.
    pub is_here: bool,
}

/// What calls are held with.
#[derive(Debug, Clone)]
pub struct CallDeps {
    /// Who listens and speaks.
    pub host: Arc<dyn CallHost>,
    /// How long things take, where that is not as in the settings.
    pub times: Option<CallTimes>,
}

/// The calls of all guilds, over all reconnections. At most one per guild: that is Discord's own limit.
#[derive(Debug)]
pub(super) struct Calls {
    host: Arc<dyn CallHost>,
    times: Option<CallTimes>,
    config: Arc<LiveConfig>,
    songbird: Arc<Songbird>,
    forgotten: broadcast::Sender<Unwanted>,
    guilds: Mutex<HashMap<GuildId, Arc<GuildCalls>>>,
}

#[derive(Debug, Default)]
struct GuildCalls {
    /// Where the bot is, as Discord says.
    own: watch::Sender<Option<ChannelId>>,
    live: Mutex<Option<Live>>,
    /// Held while a call begins, so that two people cannot call it in at once.
    beginning: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Live {
    ask: mpsc::Sender<Ask>,
    standpoint: watch::Receiver<Standpoint>,
    _task: AbortOnDropHandle<()>,
}

impl GuildCalls {
    /// Discord has said something about where the bot is. Events are handled side by side, but the cache has them in order:
    /// it is read while nobody can write down what they read there before.
    fn is_seen(&self, there: impl FnOnce() -> Option<ChannelId>) {
        self.own.send_if_modified(|known| {
            let now = there();
            std::mem::replace(known, now) != now
        });
    }
}

/// How it behaves among people who do not speak to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// It speaks only when spoken to: in writing until that moment, in a call as long as the call lasts.
    Quiet { until: jiff::Timestamp },
    /// It may join in.
    JoinsIn,
}

impl Calls {
    pub(super) fn new(deps: CallDeps, config: Arc<LiveConfig>) -> Self {
        Self {
            host: deps.host,
            times: deps.times,
            config,
            songbird: Songbird::serenity_from_config(connection::songbird_settings()),
            forgotten: broadcast::Sender::new(ASKS),
            guilds: Mutex::default(),
        }
    }

    /// The voice library, for the client that is being made.
    pub(super) fn songbird(&self) -> Arc<Songbird> {
        Arc::clone(&self.songbird)
    }

    fn guild(&self, guild: GuildId) -> Arc<GuildCalls> {
        let mut guilds = self.guilds.lock();
        Arc::clone(guilds.entry(guild).or_default())
    }

    /// How long things take, as it is set now.
    fn times(&self) -> CallTimes {
        self.times.unwrap_or_else(|| CallTimes::of(&self.config.current().call))
    }

    /// How long it stays after whoever called it in.
    pub(super) fn grace(&self) -> Duration {
        self.times().grace
    }

    fn own_call(&self, guild: GuildId) -> watch::Receiver<Option<ChannelId>> {
        self.guild(guild).own.subscribe()
    }

    /// The way to a guild's call while there is one.
    fn ask(&self, guild: GuildId) -> Option<mpsc::Sender<Ask>> {
        let calls = self.guild(guild);
        let live = calls.live.lock();
        live.as_ref().map(|live| live.ask.clone()).filter(|ask| !ask.is_closed())
    }

    fn standpoint(&self, guild: GuildId) -> Standpoint {
        let calls = self.guild(guild);
        let live = calls.live.lock();
        live.as_ref().map(|live| live.standpoint.borrow().clone()).unwrap_or_default()
    }

    /// The call the familiar is in in a guild.
    pub(super) fn channel(&self, guild: GuildId) -> Option<ChannelId> {
        self.standpoint(guild).channel
    }

    /// Whom it follows there.
    pub(super) fn follows(&self, guild: GuildId) -> Option<UserId> {
        self.standpoint(guild).follows
    }

    /// Whether somebody there agreed to be heard.
    pub(super) fn has_agreed(&self, guild: GuildId, user: UserId) -> bool {
        self.standpoint(guild).agreed.contains(&user)
    }

    /// Somebody calls the familiar into the call they are in. Permissions were looked at before.
    pub(super) async fn call_in(
        self: &Arc<Self>,
        adapter: &Arc<Adapter>,
        cache: &Arc<Cache>,
        (guild, to): (GuildId, ChannelId),
        by: UserId,
        hears: Option<Hears>,
    ) -> CalledIn {
        let calls = self.guild(guild);
        let _turn = calls.beginning.lock().await;
        if let Some(ask) = self.ask(guild)
            && let Some(came) = asked_call(&ask, |answer| Ask::CallIn { by, to, hears, answer }).await
        {
            return came;
        }
        let terms = self.terms(guild, by, hears);
        match self.begin(adapter, cache, (guild, to), terms).await {
            Ok(()) => CalledIn::Joined,
            Err(why) => CalledIn::Failed(why),
        }
    }

    /// The terms of a call that somebody calls it into: as they say, else as it is on that server.
    fn terms(&self, guild: GuildId, by: UserId, hears: Option<Hears>) -> Terms {
        let subscriptions = self.config.subscriptions();
        let server = subscriptions.server(&guild.get().into());
        let everywhere = match server {
            Some(server) if server.hears_everybody => Hears::Everybody,
            _ => Hears::WhoAgreed,
        };
        let declined = server.map(|server| server.declined.as_slice()).unwrap_or_default();
        Terms::called_by(by, hears.unwrap_or(everywhere)).without(declined)
    }

    async fn begin(
        self: &Arc<Self>,
        adapter: &Arc<Adapter>,
        cache: &Arc<Cache>,
        at: (GuildId, ChannelId),
        terms: Terms,
    ) -> Result<(), String> {
        let (standpoint, seen) = watch::channel(Standpoint::default());
        let (ask, asked) = mpsc::channel(ASKS);
        let begun = Attendance::begin(adapter, cache, self, at, terms, standpoint).await;
        let attendance = begun.map_err(|failure| {
            tracing::warn!(guild = %at.0, channel = %at.1, %failure, "call not joined");
            failure.to_string()
        })?;
        let task = AbortOnDropHandle::new(tokio::spawn(attendance.stay(asked)));
        let live = Live { ask, standpoint: seen, _task: task };
        self.guild(at.0).live.lock().replace(live);
        // What happened while it was joining.
        self.look(at.0);
        Ok(())
    }

    /// Somebody agrees to be heard, or declines. `false` where there is no call.
    pub(super) async fn says(&self, guild: GuildId, who: UserId, agrees: bool) -> bool {
        let Some(ask) = self.ask(guild) else { return false };
        asked_call(&ask, |answer| Ask::Says { who, agrees, answer }).await.is_some()
    }

    /// Whether everybody is heard in every call of a server was decided anew, and written down.
    pub(super) async fn hears_everywhere(&self, guild: GuildId, hears: Hears) {
        // A call that is being joined goes by what held before.
        let calls = self.guild(guild);
        let _turn = calls.beginning.lock().await;
        let Some(ask) = self.ask(guild) else { return };
        asked_call(&ask, |answer| Ask::Everywhere { hears, answer }).await;
    }

    /// Tells it how to behave in a server's call from now on; `None` where there is none.
    pub(super) async fn behave(&self, guild: GuildId, manner: Manner) -> Option<()> {
        asked_call(&self.ask(guild)?, |answer| Ask::Behave { manner, answer }).await
    }

    /// How a guild's call stands; `None` where there is none.
    pub(super) async fn state(&self, guild: GuildId) -> Option<CallStatus> {
        asked_call(&self.ask(guild)?, |answer| Ask::State { answer }).await
    }

    /// Somebody is forgotten: from now on no call hears them, until they agree anew. What is on its way of theirs is lost.
    pub(super) async fn forget(&self, who: UserId) {
        let guilds: Vec<GuildId> = self.guilds.lock().keys().copied().collect();
        for guild in guilds {
            // A call that is being joined goes by what was agreed to before.
            let calls = self.guild(guild);
            let _turn = calls.beginning.lock().await;
            let Some(ask) = self.ask(guild) else { continue };
            asked_call(&ask, |answer| Ask::Forget { who, answer }).await;
        }
        // Nobody may be writing down.
        self.forgotten.send(Unwanted::all_of(AccountId::discord(who.get()))).ok();
    }

    /// Takes back transcripts with words of people who were forgotten, and old ones, behind the scenes.
    pub(super) fn take_back(&self, link: &DiscordLink) {
        tokio::spawn(take_back_transcripts(link.clone(), Arc::clone(&self.config)));
    }

    /// Takes old transcripts back once a day, for as long as it is polled.
    pub(super) async fn take_back_daily(&self, link: DiscordLink) {
        loop {
            tokio::time::sleep(self.times().tidy).await;
            take_back_transcripts(link.clone(), Arc::clone(&self.config)).await;
        }
    }

    /// Whether a transcript may hold these words of somebody's.
    pub(super) async fn may_hold_words(&self, who: AccountId, words: &str) -> bool {
        Unwanted::with(who.clone(), words).is_some()
            && (self.is_writing() || taking_back::may_hold(self.config.home(), who).await)
    }

    fn is_writing(&self) -> bool {
        let is_live =
            |calls: &Arc<GuildCalls>| calls.live.lock().as_ref().is_some_and(|live| !live.ask.is_closed());
        self.config.current().call.transcript && self.guilds.lock().values().any(is_live)
    }

    /// Takes back transcripts that hold these words of somebody's, behind the scenes: Discord has to show all of theirs.
    pub(super) fn take_back_words(&self, link: &DiscordLink, who: AccountId, words: &str) {
        let Some(unwanted) = Unwanted::with(who, words) else { return };
        // Nobody may be writing down.
        self.forgotten.send(unwanted.clone()).ok();
        let (link, config) = (link.clone(), Arc::clone(&self.config));
        tokio::spawn(async move {
            taking_back::give_up_words(&link, config.home(), &unwanted).await;
            take_back_transcripts(link, config).await;
        });
    }

    /// Ends a guild's call. `false` where there is none.
    pub(super) async fn end(&self, guild: GuildId) -> bool {
        self.end_and(guild, Keep::No).await
    }

    async fn end_and(&self, guild: GuildId, keep: Keep) -> bool {
        let Some(ask) = self.ask(guild) else { return false };
        asked_call(&ask, |answer| Ask::End { keep, answer }).await.is_some()
    }

    /// The program ends: every call is left, and taken up again at the next start.
    pub(super) async fn pause_all(&self) {
        let guilds: Vec<GuildId> = self.guilds.lock().keys().copied().collect();
        let ends = guilds.into_iter().map(|guild| self.end_and(guild, Keep::Yes));
        if timeout(ENDING, futures::future::join_all(ends)).await.is_err() {
            tracing::warn!("not every call could be left in time");
        }
    }

    /// Somebody came, went or was moved in a guild.
    fn look(&self, guild: GuildId) {
        if let Some(ask) = self.ask(guild) {
            // Where there is no room, a look waits already.
            ask.try_send(Ask::Look).ok();
        }
    }

    /// Who counts as being there has changed, in every call.
    pub(super) fn look_again(&self) {
        let guilds: Vec<GuildId> = self.guilds.lock().keys().copied().collect();
        guilds.into_iter().for_each(|guild| self.look(guild));
    }

    /// Hands on what was typed in the chat of the call; gives it back where there is none.
    pub(super) async fn typed(
        &self,
        guild: GuildId,
        channel: ChannelId,
        message: Box<InboundMessage>,
    ) -> Option<Box<InboundMessage>> {
        if self.channel(guild) != Some(channel) {
            return Some(message);
        }
        let Some(ask) = self.ask(guild) else { return Some(message) };
        match ask.send(Ask::Typed(message)).await {
            Ok(()) => None,
            Err(mpsc::error::SendError(Ask::Typed(message))) => Some(message),
            Err(_) => None,
        }
    }

    /// Takes up the call of before a restart, where the one it was with is still in one, or somebody it heard.
    async fn resume(self: &Arc<Self>, adapter: &Arc<Adapter>, cache: &Arc<Cache>, guild: GuildId) {
        self.take_back(&adapter.deps.link);
        let calls = self.guild(guild);
        let _turn = calls.beginning.lock().await;
        if self.ask(guild).is_some() {
            return self.look(guild);
        }
        let subscriptions = adapter.deps.config.subscriptions();
        let Some(row) = subscriptions.voice_in(&guild.get().into()) else { return };
        let terms = Terms::kept(&row.call);
        let was_in = row.channel.as_str().parse().ok().filter(|id| *id != 0).map(ChannelId::new);
        let followed = terms.follows.and_then(|user| call_of(cache, guild, user));
        let is_there = |user| was_in.is_some() && call_of(cache, guild, user) == was_in;
        let to = followed.or_else(|| was_in.filter(|_| terms.agreed().any(is_there)));
        let why = match to {
            None => "nobody it was with is in a call".to_owned(),
            Some(to) => match may_join(adapter, cache, (guild, to), Tongue::English) {
                Err(why) => why,
                Ok(()) => match self.begin(adapter, cache, (guild, to), terms).await {
                    Ok(()) => return,
                    Err(why) => why,
                },
            },
        };
        tracing::info!(%guild, why, "the call of before is not taken up again");
        let channel = row.channel.clone();
        let forgotten =
            adapter.change(move |config| config.unsubscribe(&channel, SubscriptionKind::Voice)).await;
        if let Err(error) = forgotten {
            tracing::warn!(%guild, %error, "the call of before could not be forgotten");
        }
    }
}

/// What a call answers; `None` where it is over.
async fn asked_call<T>(call: &mpsc::Sender<Ask>, ask: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Option<T> {
    let (answer, answered) = oneshot::channel();
    call.send(ask(answer)).await.ok()?;
    answered.await.ok()
}

async fn take_back_transcripts(link: DiscordLink, config: Arc<LiveConfig>) {
    let (home, kept) = (config.home().clone(), config.current().call.transcript_kept);
    if !kept.is_zero() {
        let known = home.clone();
        let given_up = tokio::task::spawn_blocking(move || taking_back::give_up_old(&known, kept)).await;
        if let Ok(Err(error)) = given_up {
            tracing::warn!(%error, "which transcripts are old is not known");
        }
    }
    taking_back::take_back_posted(&link, home).await;
}

/// Whether the familiar could talk in a call.
///
/// # Errors
/// With the words for whoever wants it there, in their language.
pub(super) fn may_join(
    adapter: &Adapter,
    cache: &Cache,
    (guild, channel): (GuildId, ChannelId),
    to: Tongue,
) -> Result<(), String> {
    let own = cache.current_user().id;
    let unknown = || messages::voice::unknown_call(to);
    let guild = cache.guild(guild).ok_or_else(unknown)?;
    let call = guild.channels.get(&channel).ok_or_else(unknown)?;
    if call.kind != ChannelType::Voice {
        return Err(messages::voice::no_stages(to, channel.get()));
    }
    let granted = guild.members.get(&own).map(|member| guild.user_permissions_in(call, member));
    let granted = granted.unwrap_or_default();
    let missing = missing_in_call(granted);
    if !missing.is_empty() {
        tracing::debug!(familiar = adapter.name(), %channel, ?missing, "the call cannot be joined");
        return Err(messages::voice::lacks_permissions(to, channel.get(), &missing));
    }
    let inside = guild
        .voice_states
        .values()
        .filter(|voice| voice.channel_id == Some(channel) && voice.user_id != own)
        .count();
    let limit = call.user_limit.unwrap_or_default() as usize;
    if limit > 0 && inside >= limit && !granted.contains(serenity::all::Permissions::MOVE_MEMBERS) {
        return Err(messages::voice::call_is_full(to, channel.get()));
    }
    Ok(())
}

/// Follows what the gateway tells about calls.
pub(super) struct CallFeed(pub Arc<Adapter>);

#[async_trait]
impl EventHandler for CallFeed {
    async fn guild_create(&self, ctx: Context, guild: Guild, _: Option<bool>) {
        if let Some(calls) = &self.0.calls {
            calls.resume(&self.0, &ctx.cache, guild.id).await;
        }
    }

    async fn voice_state_update(&self, ctx: Context, _: Option<VoiceState>, state: VoiceState) {
        let (Some(calls), Some(guild)) = (&self.0.calls, state.guild_id) else { return };
        let own = ctx.cache.current_user().id;
        if state.user_id == own {
            calls.guild(guild).is_seen(|| call_of(&ctx.cache, guild, own));
        }
        calls.look(guild);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn of_events_that_are_handled_side_by_side_the_newest_counts() {
        for _ in 0..100 {
            let (calls, cache) = (GuildCalls::default(), AtomicU64::new(1));
            let handles_events = || {
                for _ in 0..20 {
                    cache.fetch_add(1, Ordering::SeqCst);
                    calls.is_seen(|| {
                        let now = ChannelId::new(cache.load(Ordering::SeqCst));
                        std::thread::yield_now();
                        Some(now)
                    });
                }
            };
            std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(handles_events))));
            assert_eq!(*calls.own.borrow(), Some(ChannelId::new(81)));
        }
    }
}
