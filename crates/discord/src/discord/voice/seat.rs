//! The familiar's place in one call.
//!
//! Owns what belongs to one channel and goes with it: the connection, the line to the voice room, who is there, what stands in
//! the chat and under the channel's name (voice 2.6). Must not decide when to come or to go. Start reading at
//! [`Seat::take`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use serenity::all::{Cache, ChannelId, GuildId, Permissions, UserId};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::calls::Calls;
use super::connection::{Connection, Happened, Wiring};
use super::consent_filter::{ConsentFilter, Unheard};
use super::notices::Board;
use super::terms::Standpoint;
use crate::discord::adapter::Adapter;
use crate::discord::intake::author_of;
use crate::discord::link::{DiscordLink, if_answered};
use crate::domain::Author;
use crate::voice::{CallEvent, CallLine, CallTeller};

/// How long last words may take to be posted.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(5);

/// The familiar's place in one call.
#[derive(Debug)]
pub(super) struct Seat {
    pub channel: ChannelId,
    pub teller: CallTeller,
    pub wiring: Wiring,
    pub happened: mpsc::Receiver<Happened>,
    pub connection: Option<Connection>,
    /// Whether Discord shows it in the call by its own doing; if it does not any more, somebody put it out.
    pub is_seated: bool,
    /// Whoever is in the call besides.
    pub present: BTreeMap<UserId, Author>,
    /// Tries that failed in a row, and when to try again.
    pub failures: u32,
    pub again: Option<Instant>,
    /// When it last connected again because it was deaf.
    pub cured: Option<Instant>,
    /// Who was told of as unheard since then.
    pub told_unheard: Vec<Unheard>,
    pub sign: Option<Sign>,
    board: AbortOnDropHandle<()>,
}

impl Seat {
    /// Joins a call, and hands its other end to whoever listens and speaks there.
    ///
    /// # Errors
    /// In words, when it cannot be joined in time.
    pub(super) async fn take(
        adapter: &Arc<Adapter>,
        cache: &Arc<Cache>,
        calls: &Calls,
        (guild, channel): (GuildId, ChannelId),
        standpoint: &watch::Sender<Standpoint>,
    ) -> Result<Self, String> {
        let (line, port) = CallLine::open();
        let (happened, happening) = mpsc::channel(64);
        let teller = line.teller();
        let wiring = Wiring {
            songbird: calls.songbird(),
            guild,
            own_call: calls.own_call(guild),
            filter: Arc::new(Mutex::new(ConsentFilter::default())),
            teller: teller.clone(),
            playout: Arc::clone(&line.playout),
            happened,
        };
        let connection = Connection::join(wiring.clone(), channel, calls.times().join).await?;
        let place = adapter.known_place(cache, guild, channel);
        let board = Board {
            link: adapter.deps.link.clone(),
            config: Arc::clone(&adapter.deps.config),
            channel,
            happened: wiring.happened.clone(),
            rewrite: calls.times().rewrite,
            forgotten: calls.forgotten.subscribe(),
            familiar: adapter.name(),
            standpoint: standpoint.subscribe(),
        };
        // What could not be taken back when it was forgotten.
        calls.take_back(&adapter.deps.link);
        calls.host.begins(place, port);
        Ok(Self {
            channel,
            teller,
            wiring,
            happened: happening,
            connection: Some(connection),
            is_seated: true,
            present: BTreeMap::new(),
            failures: 0,
            again: None,
            cured: None,
            told_unheard: Vec::new(),
            sign: None,
            board: AbortOnDropHandle::new(tokio::spawn(board.keep(line.notices))),
        })
    }

    /// Leaves the call; whoever listened and spoke there ends.
    pub(super) async fn hang_up(&mut self) {
        self.teller.tell(CallEvent::Close).await;
        if let Some(sign) = self.sign.take() {
            sign.take_down().await;
        }
        if let Some(connection) = self.connection.take() {
            connection.leave().await;
        }
        // The board is kept by whoever spoke; it ends when they have said their last.
        timeout(LAST_WORDS, &mut self.board).await.ok();
    }
}

/// How long it is asked who somebody in the call is; what happens meanwhile waits.
const LOOK_UP: Duration = Duration::from_secs(2);

/// Whether Discord has said who this is.
pub(super) fn is_known(present: &Author) -> bool {
    present.username.is_some()
}

/// Everybody in a call except the familiar. Whom the gateway did not introduce is taken from `known`, else looked up; who
/// cannot be is there without a name.
pub(super) async fn look(
    adapter: &Adapter,
    cache: &Cache,
    (guild, channel): (GuildId, ChannelId),
    known: &BTreeMap<UserId, Author>,
) -> BTreeMap<UserId, Author> {
    let mut now = present(cache, guild, channel);
    for (user, present) in &mut now {
        if let Some(known) = known.get(user).filter(|_| !is_known(present)) {
            *present = known.clone();
        }
    }
    let strangers = now.iter().filter(|(_, present)| !is_known(present)).map(|(user, _)| *user);
    let looked_up = futures::future::join_all(strangers.map(|user| look_up(adapter, guild, user))).await;
    now.extend(looked_up.into_iter().flatten());
    now
}

async fn look_up(adapter: &Adapter, guild: GuildId, user: UserId) -> Option<(UserId, Author)> {
    let http = adapter.deps.link.http()?;
    let unknown = ("somebody in the call is not known", user.get());
    let member = if_answered(LOOK_UP, http.get_member(guild, user), unknown).await?;
    Some((user, author_of(user, Some(&member))))
}

/// The call that somebody is in.
pub(in crate::discord) fn call_of(cache: &Cache, guild: GuildId, user: UserId) -> Option<ChannelId> {
    cache.guild(guild)?.voice_states.get(&user)?.channel_id
}

/// Everybody in a call except the familiar.
fn present(cache: &Cache, guild: GuildId, channel: ChannelId) -> BTreeMap<UserId, Author> {
    let own = cache.current_user().id;
    let Some(guild) = cache.guild(guild) else { return BTreeMap::new() };
    guild
        .voice_states
        .values()
        .filter(|voice| voice.channel_id == Some(channel) && voice.user_id != own)
        .map(|voice| {
            let member = voice.member.as_ref().or_else(|| guild.members.get(&voice.user_id));
            (voice.user_id, author_of(voice.user_id, member))
        })
        .collect()
}

/// How long setting or clearing it may take; the call does not wait for longer when it ends.
const DEADLINE: Duration = Duration::from_secs(2);

/// A status that was set.
#[derive(Debug)]
pub(super) struct Sign {
    place: SignedChannel,
    words: String,
    hung: AbortOnDropHandle<()>,
}

#[derive(Debug, Clone)]
struct SignedChannel {
    link: DiscordLink,
    cache: Arc<Cache>,
    guild: GuildId,
    channel: ChannelId,
}

impl Sign {
    /// Sets the status of a call that the bot is in, behind the scenes. `None` where it may not, or where somebody else's
    /// stands, as far as Discord has told.
    pub(super) fn hang(
        link: &DiscordLink,
        cache: &Arc<Cache>,
        (guild, channel): (GuildId, ChannelId),
        words: String,
    ) -> Option<Self> {
        let place = SignedChannel { link: link.clone(), cache: Arc::clone(cache), guild, channel };
        if !place.may_write() || place.is_taken(&words) {
            return None;
        }
        let (at, status) = (place.clone(), json!(words));
        let hung = AbortOnDropHandle::new(tokio::spawn(async move { at.write(status).await }));
        Some(Self { place, words, hung })
    }

    /// Clears it, unless somebody has written something else meanwhile. To be called while the bot is still in the call:
    /// from outside Discord lets nobody change it who does not manage the channel.
    pub(super) async fn take_down(self) {
        timeout(DEADLINE, self.hung).await.ok();
        // Also where setting it seemed to fail: an answer that is late or lost does not say that nothing was set.
        if !self.place.is_taken(&self.words) {
            self.place.write(Value::Null).await;
        }
    }
}

impl SignedChannel {
    fn may_write(&self) -> bool {
        let own = self.cache.current_user().id;
        let Some(guild) = self.cache.guild(self.guild) else { return false };
        let (Some(member), Some(channel)) = (guild.members.get(&own), guild.channels.get(&self.channel))
        else {
            return false;
        };
        guild.user_permissions_in(channel, member).contains(Permissions::SET_VOICE_CHANNEL_STATUS)
    }

    /// Whether other words than these stand there.
    fn is_taken(&self, ours: &str) -> bool {
        let guild = self.cache.guild(self.guild);
        let channel = guild.as_ref().and_then(|guild| guild.channels.get(&self.channel));
        let status = channel.and_then(|channel| channel.status.as_deref());
        status.is_some_and(|status| !status.is_empty() && status != ours)
    }

    async fn write(&self, status: Value) {
        let Some(http) = self.link.http() else { return };
        let body = json!({ "status": status });
        let writes = http.edit_voice_status(self.channel, &body, None);
        if_answered(DEADLINE, writes, ("the channel's status was not written", self.channel.get())).await;
    }
}
