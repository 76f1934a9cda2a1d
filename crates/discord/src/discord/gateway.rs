//! The gateway's events, one handler each.
//!
//! Owns what is done about each event: which messages are handed on, which edits and deletions, when commands are
//! registered. Must not know how a payload is read (`intake`) or a command answered. Start reading at [`Gateway`].

use std::sync::Arc;
use std::time::Duration;

use serenity::all::{
    Cache, ChannelId, ChannelPinsUpdateEvent, Context, EventHandler, Guild, GuildChannel, GuildId,
    Interaction, Message, MessageId, MessageUpdateEvent, PartialGuildChannel, Permissions, RatelimitInfo,
    Ready, ResumedEvent, User, UserId,
};
use serenity::async_trait;

use super::adapter::Adapter;
use super::commands;
use super::how_to_forget::forget_by_command;
use super::intake::{self, Own};
use super::link::if_answered;
use super::messages::{self, Here};
use super::missed;
use super::pins;
use crate::domain::{AccountId, InboundEvent, InboundMessage, Place};
use crate::familiar::names_of;
use crate::text::forgetting::asks_to_forget;
use crate::text::names::names_whole_word;

/// How long looking up an edited message may take.
const LOOK_UP: Duration = Duration::from_secs(10);

/// Direct messages that are looked at, the newest conversations first.
const DIRECT: usize = 50;

pub(super) struct Gateway(pub Arc<Adapter>);

#[async_trait]
impl EventHandler for Gateway {
    async fn ready(&self, ctx: Context, ready: Ready) {
        self.0.order.begins_anew();
        tracing::info!(bot = %ready.user.name, guilds = ready.guilds.len(), "online on Discord");
        commands::register_for_dms(&ctx).await;
        // What was forgotten while the program was not running.
        if let Some(calls) = &self.0.calls {
            calls.take_back(&self.0.deps.link);
        }
        self.0.deps.session.finish_repairs().await;
        self.catch_up_directly(&ctx).await;
    }

    async fn resume(&self, _: Context, _: ResumedEvent) {
        tracing::info!("connection to Discord resumed");
    }

    async fn guild_create(&self, ctx: Context, guild: Guild, _: Option<bool>) {
        commands::register_in(&self.0, &ctx, guild.id).await;
        self.catch_up_guild(&ctx, guild.id).await;
        pins::read_pins_of_guild(&self.0, &ctx, guild.id).await;
    }

    async fn message(&self, ctx: Context, message: Message) {
        self.hand_on_up_to(&ctx, message.channel_id, message.guild_id, message.id, Some(message)).await;
    }

    async fn message_update(
        &self,
        ctx: Context,
        before: Option<Message>,
        after: Option<Message>,
        event: MessageUpdateEvent,
    ) {
        let own = self.0.own(&ctx.cache);
        if event.author.as_ref().is_some_and(|author| author.id == own.user) {
            return;
        }
        let Some(_turn) = self.hand_on_up_to(&ctx, event.channel_id, event.guild_id, event.id, None).await
        else {
            return;
        };
        let (channel, guild, is_pinned) = (event.channel_id, event.guild_id, event.pinned == Some(true));
        self.edited(&ctx, &own, before, after, event).await;
        // What a pin said before is gone with the edit.
        if is_pinned {
            pins::read_pins(&self.0, &ctx, channel, guild).await;
        }
    }

    async fn message_delete(
        &self,
        ctx: Context,
        channel: ChannelId,
        message: MessageId,
        guild: Option<GuildId>,
    ) {
        self.deleted(&ctx, channel, vec![message], guild).await;
    }

    async fn message_delete_bulk(
        &self,
        ctx: Context,
        channel: ChannelId,
        messages: Vec<MessageId>,
        guild: Option<GuildId>,
    ) {
        self.deleted(&ctx, channel, messages, guild).await;
    }

    async fn interaction_create(&self, ctx: Context, interaction: Interaction) {
        if !commands::is_let_in(&self.0, &ctx, &interaction).await {
            return;
        }
        match interaction {
            Interaction::Command(command) => commands::run_command(&self.0, &ctx, &command).await,
            Interaction::Autocomplete(typed) => commands::complete(&self.0, &ctx, &typed).await,
            Interaction::Modal(modal) => commands::modal_submitted(&self.0, &ctx, &modal).await,
            Interaction::Component(used) => commands::component_used(&self.0, &ctx, &used).await,
            _ => {}
        }
    }

    async fn channel_pins_update(&self, ctx: Context, changed: ChannelPinsUpdateEvent) {
        pins::read_pins(&self.0, &ctx, changed.channel_id, changed.guild_id).await;
    }

    async fn thread_update(&self, _: Context, _: Option<GuildChannel>, thread: GuildChannel) {
        self.0.forget_channel(thread.id);
    }

    async fn thread_delete(&self, _: Context, thread: PartialGuildChannel, _: Option<GuildChannel>) {
        self.0.forget_channel(thread.id);
    }

    async fn ratelimit(&self, limit: RatelimitInfo) {
        tracing::info!(path = %limit.path, wait_ms = limit.timeout.as_millis(), "waiting out Discord's rate limit");
    }
}

impl Gateway {
    /// Hands on what was said in a channel up to a message, in order, and keeps the channel's turn for whoever has
    /// more to say about it. `None` when the channel has fallen too far behind.
    async fn hand_on_up_to(
        &self,
        ctx: &Context,
        channel: ChannelId,
        guild: Option<GuildId>,
        upto: MessageId,
        message: Option<Message>,
    ) -> Option<intake::Turn> {
        let mut turn = self.0.order.turn(channel).await?;
        let waiting = turn.catch_up(&ctx.cache, channel, upto, message);
        if turn.is_behind() {
            let first = waiting.first().map(|message| message.id);
            missed::read_back(&self.0, ctx, channel, guild, first).await;
        }
        for message in waiting {
            self.said(ctx, message).await;
        }
        Some(turn)
    }

    /// The same for every place of a guild that is read in it. One after the other: Discord counts requests.
    async fn catch_up_guild(&self, ctx: &Context, guild: GuildId) {
        for channel in self.0.channels_read(&ctx.cache, guild) {
            self.catch_up(ctx, channel, Some(guild)).await;
        }
    }

    /// The same for direct messages.
    async fn catch_up_directly(&self, ctx: &Context) {
        for channel in self.0.deps.session.direct_messages(DIRECT).await {
            if let Ok(id @ 1..) = channel.as_str().parse() {
                self.catch_up(ctx, ChannelId::new(id), None).await;
            }
        }
    }

    /// Hands on what was said in a channel while nobody listened, unless that has been done.
    async fn catch_up(&self, ctx: &Context, channel: ChannelId, guild: Option<GuildId>) {
        let newest = ctx.cache.channel_messages(channel).and_then(|messages| messages.keys().max().copied());
        if let Some(newest) = newest {
            self.hand_on_up_to(ctx, channel, guild, newest, None).await;
        } else if let Some(turn) = self.0.order.turn(channel).await
            && turn.is_behind()
        {
            missed::read_back(&self.0, ctx, channel, guild, None).await;
        }
    }

    async fn said(&self, ctx: &Context, message: Message) {
        let own = self.0.own(&ctx.cache);
        if own.user == message.author.id {
            return;
        }
        if self.0.has_opted_out(message.author.id) {
            return self.not_read(ctx, &message, own.user).await;
        }
        let roles = message.member.as_ref().map(|member| member.roles.as_slice());
        if !self.0.lets_in(&ctx.cache, message.guild_id, message.author.id, roles).await {
            return;
        }
        let read = self.place_read(ctx, message.channel_id, message.guild_id, Some(&message.author)).await;
        let in_call = message.guild_id.and_then(|guild| self.typed_in_call(ctx, &message, guild));
        let Some(place) = read.or(in_call) else {
            self.hint(ctx, &message, own.user).await;
            return;
        };
        let Some(inbound) = intake::message(&ctx.cache, &message, place, &own) else { return };
        self.tell_how_to_forget(ctx, &message, &inbound).await;
        let mut inbound = Some(Box::new(inbound));
        // Typed beside the talk of a call, it is part of that talk.
        if let (Some(calls), Some(guild)) = (&self.0.calls, message.guild_id)
            && let Some(message_in_call) = inbound.take()
        {
            self.0.hears_tongue(&message_in_call);
            inbound = calls.typed(guild, message.channel_id, message_in_call).await;
        }
        if let Some(inbound) = inbound {
            let (alone, author) = (inbound.place.is_one_to_one(), inbound.author.clone());
            let place = inbound.place.clone();
            self.0.submit(InboundEvent::Message(inbound)).await;
            if alone && !author.is_bot {
                self.tell_alone(ctx, message.channel_id, &place, author.account).await;
            }
        }
    }

    /// Whoever writes to it alone for the first time is told what becomes of that.
    async fn tell_alone(&self, ctx: &Context, channel: ChannelId, place: &Place, account: AccountId) {
        let pairing = Arc::clone(&self.0.deps.pairing);
        if pairing.was_told_alone(&account) {
            return;
        }
        match tokio::task::spawn_blocking(move || pairing.tells_alone(&account)).await {
            Ok(Ok(true)) => {
                let to = self.0.tongue_in(&ctx.cache, place);
                self.0.remark(&ctx.http, channel, messages::begins_alone(to, &self.0.name())).await;
            }
            Ok(Ok(false)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "that somebody was told what is kept could not be kept"),
            Err(error) => tracing::warn!(%error, "somebody was not told what is kept"),
        }
    }

    /// A character can say that it forgets; whoever asks it to is told what does it, with a button.
    async fn tell_how_to_forget(&self, ctx: &Context, message: &Message, inbound: &InboundMessage) {
        let names = names_of(&self.0.deps.character.current(), &self.0.deps.config.current().aliases);
        let is_spoken_to = inbound.hints.mentions_familiar
            || inbound.hints.replies_to_familiar
            || inbound.place.is_one_to_one()
            || names.iter().any(|name| names_whole_word(&inbound.text, name));
        if is_spoken_to && !inbound.author.is_bot && asks_to_forget(&inbound.text, &names) {
            let how = forget_by_command(self.0.tongue_in(&ctx.cache, &inbound.place));
            self.0.remark_with(&ctx.http, message.channel_id, how).await;
        }
    }

    /// Whoever mentions it where it does not read, and may change that, is told how, once a day.
    async fn hint(&self, ctx: &Context, message: &Message, own: UserId) {
        let Some(guild) = message.guild_id.filter(|_| !message.author.bot && message.mentions_user_id(own))
        else {
            return;
        };
        if may_manage(&ctx.cache, guild, message) && self.0.hint_now(message.author.id) {
            let to = self.0.tongue_in(&ctx.cache, &self.0.known_place(&ctx.cache, guild, message.channel_id));
            self.0.remark(&ctx.http, message.channel_id, messages::does_not_read(to, &self.0.name())).await;
        }
    }

    /// Whoever opted out and speaks to it all the same is told, once a day, why it does not answer. Nothing else is done with
    /// the message.
    async fn not_read(&self, ctx: &Context, message: &Message, own: UserId) {
        let is_spoken_to = message.guild_id.is_none() || message.mentions_user_id(own);
        if is_spoken_to && self.0.hint_now(message.author.id) {
            let place = match message.guild_id {
                Some(guild) => self.0.known_place(&ctx.cache, guild, message.channel_id),
                None => intake::dm_place(message.channel_id, message.author.id),
            };
            let words = messages::opted_out_hint(self.0.tongue_in(&ctx.cache, &place), &self.0.name());
            self.0.remark(&ctx.http, message.channel_id, words).await;
        }
    }

    /// The place of a message in the chat of a call, where its author agreed to be heard there.
    fn typed_in_call(&self, ctx: &Context, message: &Message, guild: GuildId) -> Option<Place> {
        let calls = self.0.calls.as_ref()?;
        let is_there = calls.channel(guild) == Some(message.channel_id);
        (is_there && !message.author.bot && calls.has_agreed(guild, message.author.id))
            .then(|| self.0.known_place(&ctx.cache, guild, message.channel_id))
    }

    async fn edited(
        &self,
        ctx: &Context,
        own: &Own,
        before: Option<Message>,
        after: Option<Message>,
        event: MessageUpdateEvent,
    ) {
        let (channel, id, guild) = (event.channel_id, event.id, event.guild_id);
        let edited_at = event.edited_timestamp;
        let Some(mut message) = whole_message(ctx, after, event).await else { return };
        message.guild_id = message.guild_id.or(guild);
        if message.author.id == own.user || self.0.has_opted_out(message.author.id) {
            return;
        }
        let roles = message.member.as_ref().map(|member| member.roles.as_slice());
        if !self.0.lets_in(&ctx.cache, message.guild_id, message.author.id, roles).await {
            return;
        }
        let Some(place) = self.place_read(ctx, channel, guild, Some(&message.author)).await else { return };
        let full_text = |message: &Message| intake::full_text(&ctx.cache, message, &place, own);
        let text = full_text(&message);
        let unchanged = before.is_some_and(|before| full_text(&before) == text);
        if unchanged || text.is_empty() {
            return;
        }
        let at = edited_at.map_or_else(jiff::Timestamp::now, intake::at);
        self.0.submit(InboundEvent::Edited { place, message: id.get().into(), text, at }).await;
    }

    /// Deletions count wherever they happen: what was read before a channel was unsubscribed can still be taken back,
    /// and so can the familiar's own words.
    async fn deleted(
        &self,
        ctx: &Context,
        channel: ChannelId,
        messages: Vec<MessageId>,
        guild: Option<GuildId>,
    ) {
        let Some(newest) = messages.iter().max().copied() else { return };
        let Some(_turn) = self.hand_on_up_to(ctx, channel, guild, newest, None).await else { return };
        let place = match guild {
            Some(guild) => self.0.guild_place(ctx, guild, channel).await.0,
            None => match self.0.dm_person(&ctx.http, channel).await {
                Some(person) => intake::dm_place(channel, person),
                None => return,
            },
        };
        let messages = messages.into_iter().map(|id| id.get().into()).collect();
        self.0.submit(InboundEvent::Deleted { place, messages, at: jiff::Timestamp::now() }).await;
    }

    /// The place of a message, if messages there are read. A person who may not write DMs is told so.
    async fn place_read(
        &self,
        ctx: &Context,
        channel: ChannelId,
        guild: Option<GuildId>,
        author: Option<&User>,
    ) -> Option<Place> {
        if let Some(guild) = guild {
            let (place, here) = self.0.guild_place(ctx, guild, channel).await;
            return (here != Here::NotRead).then_some(place);
        }
        let author = author.filter(|author| !author.bot)?;
        if self.0.may_dm(author.id).await {
            self.0.is_dm_with(channel, author.id);
            return Some(intake::dm_place(channel, author.id));
        }
        if self.0.refuse_dm_now(author.id) {
            let to = self.0.tongue_in(&ctx.cache, &intake::dm_place(channel, author.id));
            let words = messages::dm_refused(to, &self.0.name(), author.id.get());
            self.0.remark(&ctx.http, channel, words).await;
        }
        None
    }
}

/// Whether the author of a message may subscribe its channel.
fn may_manage(cache: &Cache, guild: GuildId, message: &Message) -> bool {
    let (Some(guild), Some(member)) = (cache.guild(guild), message.member.as_deref()) else { return false };
    let Some(channel) = guild.channels.get(&message.channel_id) else { return false };
    guild
        .partial_member_permissions_in(channel, message.author.id, member)
        .contains(Permissions::MANAGE_CHANNELS)
}

/// An update may carry only what changed; the cache, the event or Discord has the rest.
async fn whole_message(ctx: &Context, after: Option<Message>, event: MessageUpdateEvent) -> Option<Message> {
    if after.is_some() {
        return after;
    }
    if event.content.is_some() && event.author.is_some() {
        let mut message = Message::default();
        event.apply_to_message(&mut message);
        return Some(message);
    }
    let asks = event.channel_id.message(&ctx.http, event.id);
    if_answered(LOOK_UP, asks, ("edited message not found", event.id.get())).await
}
