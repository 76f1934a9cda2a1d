//! Calls on Discord: the bridge between its voice channels and the voice room.
//!
//! Owns joining, following and leaving, who may be heard, and the way of packets and samples between songbird and a
//! [`CallPort`](crate::voice::CallPort). Must not know what is heard or said, nor how a turn is taken; that is whoever
//! [`CallHost`](calls::CallHost) is. Nothing outside this room names songbird. Start reading at [`Calls::call_in`].

mod call;
pub(super) mod calls;
mod connection;
mod consent_filter;
mod following;
mod notices;
mod seat;
mod source;
mod taking_back;
mod terms;
mod transcript;

use std::sync::Arc;

use serenity::all::{
    Cache, ChannelId, ChannelType, Context, EventHandler, Guild, GuildId, UserId, VoiceState,
};
use serenity::async_trait;
use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use self::call::Attendance;
use self::calls::{ASKS, Ask, CalledIn, Calls, asked_call};
use self::terms::{Standpoint, Terms};
use super::adapter::Adapter;
use super::messages::{self, Tongue};
use super::permissions::missing_in_call;
use crate::config::SubscriptionKind;

pub use self::connection::{dave_works, track_works};
pub use self::consent_filter::PacketCounts;
pub use self::following::CallTimes;
pub(super) use self::notices::consent_of;
pub(super) use self::seat::call_of;
pub(super) use self::terms::{Hears, Manner};

impl Calls {
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
        let begun = begun
            .inspect_err(|why| tracing::warn!(guild = %at.0, channel = %at.1, why, "call not joined"))?;
        let task = AbortOnDropHandle::new(tokio::spawn(begun.stay(asked)));
        self.has_begun(at.0, ask, seen, task);
        Ok(())
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
