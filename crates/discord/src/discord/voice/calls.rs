//! The calls of all guilds, and what each of them is asked.
//!
//! Owns the way to a guild's call, what may be asked there, and what holds for all of them. Must not know how one is begun or
//! held. Start reading at [`Calls`].

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serenity::all::{ChannelId, GuildId, UserId};
use songbird::Songbird;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::connection::songbird_settings;
use super::consent_filter::PacketCounts;
use super::following::CallTimes;
use super::taking_back::{self, Unwanted};
use super::terms::{Hears, Manner, Standpoint, Terms};
use crate::config::LiveConfig;
use crate::discord::link::DiscordLink;
use crate::domain::{AccountId, InboundMessage, Place};
use crate::voice::CallPort;

/// Events of one guild that may wait for its call.
pub(super) const ASKS: usize = 64;

/// How long calls may take to end when the program does.
const ENDING: Duration = Duration::from_secs(8);

/// Who listens and speaks in a call once it is joined. A trait because tests of joining, following and leaving put a recorder
/// here, where a session, engines and a model would be.
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

#[derive(Debug, Clone)]
pub struct CallDeps {
    /// Who listens and speaks.
    pub host: Arc<dyn CallHost>,
    /// How long things take, where that is not as in the settings.
    pub times: Option<CallTimes>,
}

/// The calls of all guilds, over all reconnections. At most one per guild: that is Discord's own limit.
#[derive(Debug)]
pub(in crate::discord) struct Calls {
    pub(super) host: Arc<dyn CallHost>,
    times: Option<CallTimes>,
    config: Arc<LiveConfig>,
    songbird: Arc<Songbird>,
    pub(super) forgotten: broadcast::Sender<Unwanted>,
    guilds: Mutex<HashMap<GuildId, Arc<GuildCalls>>>,
}

#[derive(Debug, Default)]
pub(super) struct GuildCalls {
    /// Where the bot is, as Discord says.
    own: watch::Sender<Option<ChannelId>>,
    live: Mutex<Option<Live>>,
    /// Held while a call begins, so that two people cannot call it in at once.
    pub(super) beginning: tokio::sync::Mutex<()>,
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
    pub(super) fn is_seen(&self, there: impl FnOnce() -> Option<ChannelId>) {
        self.own.send_if_modified(|known| {
            let now = there();
            std::mem::replace(known, now) != now
        });
    }
}

/// What the call is asked.
#[derive(Debug)]
pub(super) enum Ask {
    /// Somebody came, went, or was moved.
    Look,
    /// Somebody calls the familiar in while it is in a call of this guild.
    CallIn { by: UserId, to: ChannelId, hears: Option<Hears>, answer: oneshot::Sender<CalledIn> },
    /// Somebody agrees to be heard, or declines.
    Says { who: UserId, agrees: bool, answer: oneshot::Sender<()> },
    /// Somebody typed in the call's chat.
    Typed(Box<InboundMessage>),
    /// It is to speak only when spoken to, or where it was to already, may join in again. Answered with what holds now.
    Behave { manner: Manner, answer: oneshot::Sender<()> },
    /// How does it stand?
    State { answer: oneshot::Sender<CallStatus> },
    /// Whether everybody is heard in every call of the server was decided anew.
    Everywhere { hears: Hears, answer: oneshot::Sender<()> },
    /// Somebody is forgotten, and with them that they agreed to be heard.
    Forget { who: UserId, answer: oneshot::Sender<()> },
    /// Leave. What was agreed is kept for the next start, or forgotten.
    End { keep: Keep, answer: oneshot::Sender<()> },
}

/// Whether a call is taken up again at the next start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// What came of calling it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::discord) enum CalledIn {
    /// It is there now.
    Joined,
    /// It was there, and now hears the caller too.
    HearsToo,
    /// It was there and heard the caller already.
    WasThere,
    /// It is in another call of this guild, with people.
    Elsewhere(u64),
    /// It could not be done; in words.
    Failed(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) struct CallStatus {
    pub channel: ChannelId,
    /// People in it who are heard.
    pub heard: usize,
    pub counts: PacketCounts,
    /// Packets of people who are heard that found no room.
    pub dropped: u64,
}

impl Calls {
    pub(in crate::discord) fn new(deps: CallDeps, config: Arc<LiveConfig>) -> Self {
        Self {
            host: deps.host,
            times: deps.times,
            config,
            songbird: Songbird::serenity_from_config(songbird_settings()),
            forgotten: broadcast::Sender::new(ASKS),
            guilds: Mutex::default(),
        }
    }

    /// The voice library, for the client that is being made.
    pub(in crate::discord) fn songbird(&self) -> Arc<Songbird> {
        Arc::clone(&self.songbird)
    }

    pub(super) fn guild(&self, guild: GuildId) -> Arc<GuildCalls> {
        let mut guilds = self.guilds.lock();
        Arc::clone(guilds.entry(guild).or_default())
    }

    /// How long things take, as it is set now.
    pub(super) fn times(&self) -> CallTimes {
        self.times.unwrap_or_else(|| CallTimes::of(&self.config.current().call))
    }

    /// How long it stays after whoever called it in.
    pub(in crate::discord) fn grace(&self) -> Duration {
        self.times().grace
    }

    pub(super) fn own_call(&self, guild: GuildId) -> watch::Receiver<Option<ChannelId>> {
        self.guild(guild).own.subscribe()
    }

    /// The way to a guild's call while there is one.
    pub(super) fn ask(&self, guild: GuildId) -> Option<mpsc::Sender<Ask>> {
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
    pub(in crate::discord) fn channel(&self, guild: GuildId) -> Option<ChannelId> {
        self.standpoint(guild).channel
    }

    pub(in crate::discord) fn follows(&self, guild: GuildId) -> Option<UserId> {
        self.standpoint(guild).follows
    }

    /// Whether somebody there agreed to be heard.
    pub(in crate::discord) fn has_agreed(&self, guild: GuildId, user: UserId) -> bool {
        self.standpoint(guild).agreed.contains(&user)
    }

    /// The terms of a call that somebody calls it into: as they say, else as it is on that server.
    pub(super) fn terms(&self, guild: GuildId, by: UserId, hears: Option<Hears>) -> Terms {
        let subscriptions = self.config.subscriptions();
        let server = subscriptions.server(&guild.get().into());
        let everywhere = match server {
            Some(server) if server.hears_everybody => Hears::Everybody,
            _ => Hears::WhoAgreed,
        };
        let declined = server.map(|server| server.declined.as_slice()).unwrap_or_default();
        Terms::called_by(by, hears.unwrap_or(everywhere)).without(declined)
    }

    /// A guild's call has begun: how it is asked, and how it stands.
    pub(super) fn has_begun(
        &self,
        guild: GuildId,
        ask: mpsc::Sender<Ask>,
        standpoint: watch::Receiver<Standpoint>,
        task: AbortOnDropHandle<()>,
    ) {
        self.guild(guild).live.lock().replace(Live { ask, standpoint, _task: task });
        // What happened while it was joining.
        self.look(guild);
    }

    /// Somebody agrees to be heard, or declines. `false` where there is no call.
    pub(in crate::discord) async fn says(&self, guild: GuildId, who: UserId, agrees: bool) -> bool {
        let Some(ask) = self.ask(guild) else { return false };
        asked_call(&ask, |answer| Ask::Says { who, agrees, answer }).await.is_some()
    }

    /// Whether everybody is heard in every call of a server was decided anew, and written down.
    pub(in crate::discord) async fn hears_everywhere(&self, guild: GuildId, hears: Hears) {
        // A call that is being joined goes by what held before.
        let calls = self.guild(guild);
        let _turn = calls.beginning.lock().await;
        let Some(ask) = self.ask(guild) else { return };
        asked_call(&ask, |answer| Ask::Everywhere { hears, answer }).await;
    }

    /// Tells it how to behave in a server's call from now on; `None` where there is none.
    pub(in crate::discord) async fn behave(&self, guild: GuildId, manner: Manner) -> Option<()> {
        asked_call(&self.ask(guild)?, |answer| Ask::Behave { manner, answer }).await
    }

    /// How a guild's call stands; `None` where there is none.
    pub(in crate::discord) async fn state(&self, guild: GuildId) -> Option<CallStatus> {
        asked_call(&self.ask(guild)?, |answer| Ask::State { answer }).await
    }

    /// Somebody is forgotten: from now on no call hears them, until they agree anew. What is on its way of theirs is lost.
    pub(in crate::discord) async fn forget(&self, who: UserId) {
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
    pub(in crate::discord) fn take_back(&self, link: &DiscordLink) {
        tokio::spawn(take_back_transcripts(link.clone(), Arc::clone(&self.config)));
    }

    /// Takes old transcripts back once a day, for as long as it is polled.
    pub(in crate::discord) async fn take_back_daily(&self, link: DiscordLink) {
        loop {
            tokio::time::sleep(self.times().tidy).await;
            take_back_transcripts(link.clone(), Arc::clone(&self.config)).await;
        }
    }

    /// Whether a transcript may hold these words of somebody's.
    pub(in crate::discord) async fn may_hold_words(&self, who: AccountId, words: &str) -> bool {
        Unwanted::with(who.clone(), words).is_some()
            && (self.is_writing() || taking_back::may_hold(self.config.home(), who).await)
    }

    fn is_writing(&self) -> bool {
        let is_live =
            |calls: &Arc<GuildCalls>| calls.live.lock().as_ref().is_some_and(|live| !live.ask.is_closed());
        self.config.current().call.transcript && self.guilds.lock().values().any(is_live)
    }

    /// Takes back transcripts that hold these words of somebody's, behind the scenes: Discord has to show all of theirs.
    pub(in crate::discord) fn take_back_words(&self, link: &DiscordLink, who: AccountId, words: &str) {
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
    pub(in crate::discord) async fn end(&self, guild: GuildId) -> bool {
        self.end_and(guild, Keep::No).await
    }

    async fn end_and(&self, guild: GuildId, keep: Keep) -> bool {
        let Some(ask) = self.ask(guild) else { return false };
        asked_call(&ask, |answer| Ask::End { keep, answer }).await.is_some()
    }

    /// The program ends: every call is left, and taken up again at the next start.
    pub(in crate::discord) async fn pause_all(&self) {
        let guilds: Vec<GuildId> = self.guilds.lock().keys().copied().collect();
        let ends = guilds.into_iter().map(|guild| self.end_and(guild, Keep::Yes));
        if timeout(ENDING, futures::future::join_all(ends)).await.is_err() {
            tracing::warn!("not every call could be left in time");
        }
    }

    /// Somebody came, went or was moved in a guild.
    pub(super) fn look(&self, guild: GuildId) {
        if let Some(ask) = self.ask(guild) {
            // Where there is no room, a look waits already.
            ask.try_send(Ask::Look).ok();
        }
    }

    /// Who counts as being there has changed, in every call.
    pub(in crate::discord) fn look_again(&self) {
        let guilds: Vec<GuildId> = self.guilds.lock().keys().copied().collect();
        guilds.into_iter().for_each(|guild| self.look(guild));
    }

    /// Hands on what was typed in the chat of the call; gives it back where there is none.
    pub(in crate::discord) async fn typed(
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
}

/// What a call answers; `None` where it is over.
pub(super) async fn asked_call<T>(
    call: &mpsc::Sender<Ask>,
    ask: impl FnOnce(oneshot::Sender<T>) -> Ask,
) -> Option<T> {
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
