//! What the gateway tells about the world besides messages: who is in which call, who is typing, what a channel is
//! about, who came.
//!
//! Owns the translation into [`World`](crate::world::World) and the signal to prepare for whoever is typing. Reads
//! names and topics from the cache, which serenity has brought up to date before an event arrives here; a report made
//! from the cache is right in whatever order events are handled. Must not know what the world is used for. Start
//! reading at [`Feed`].

use std::collections::HashMap;
use std::sync::Arc;

use serenity::all::{
    ActivityType, Cache, ChannelId, Context, EventHandler, Guild, GuildChannel, GuildId, Member, Message,
    MessageId, MessageType, PartialGuild, Presence, Reaction, ReactionType, Role, TypingStartEvent,
    UnavailableGuild, User, UserId, VoiceState,
};
use serenity::async_trait;

use super::access::roles_of;
use super::adapter::Adapter;
use super::intake;
use super::messages::Here;
use crate::domain::{self, AccountId, Audience, Author, Coming, InboundEvent, Movement, Place, Stands};
use crate::world::{
    Activity, Arrival, CallMicrophone, CallVoice, ChannelCard, GuildState, Headphones, InCall, NAMELESS,
    Reacted, Sighting,
};

/// Channels of a guild that are known; Discord allows 500.
const CHANNELS: usize = 500;

/// Emoji of a guild's own that are told of: as many as somebody would know by heart.
const EMOJI: usize = 12;

/// A topic may have 1,024 characters (4,096 in a forum); the beginning says what a channel is for.
const TOPIC_CHARS: usize = 300;

/// The handler of everything that is no message.
pub(super) struct Feed(pub Arc<Adapter>);

#[async_trait]
impl EventHandler for Feed {
    async fn guild_create(&self, ctx: Context, guild: Guild, _: Option<bool>) {
        self.guild(&ctx.cache, guild.id);
    }

    async fn guild_update(&self, ctx: Context, _: Option<Guild>, guild: PartialGuild) {
        self.guild(&ctx.cache, guild.id);
    }

    async fn guild_delete(&self, _: Context, guild: UnavailableGuild, _: Option<Guild>) {
        // An outage takes guilds away for a while; what was known of them stays until they are back.
        if !guild.unavailable {
            self.0.deps.world.left(&guild.id.get().into());
        }
    }

    async fn guild_role_update(&self, ctx: Context, _: Option<Role>, role: Role) {
        // What everybody may see can have changed.
        self.guild(&ctx.cache, role.guild_id);
    }

    async fn channel_create(&self, ctx: Context, channel: GuildChannel) {
        self.guild(&ctx.cache, channel.guild_id);
    }

    async fn channel_update(&self, ctx: Context, _: Option<GuildChannel>, channel: GuildChannel) {
        self.guild(&ctx.cache, channel.guild_id);
    }

    async fn channel_delete(&self, ctx: Context, channel: GuildChannel, _: Option<Vec<Message>>) {
        self.guild(&ctx.cache, channel.guild_id);
    }

    async fn voice_state_update(&self, ctx: Context, _: Option<VoiceState>, state: VoiceState) {
        if let Some(guild) = state.guild_id {
            self.calls(&ctx.cache, guild);
        }
    }

    async fn typing_start(&self, ctx: Context, event: TypingStartEvent) {
        let is_bot = event.member.as_ref().is_some_and(|member| member.user.bot);
        let roles = event.member.as_ref().map(|member| member.roles.as_slice()).unwrap_or_default();
        if event.user_id == ctx.cache.current_user().id || is_bot || self.0.is_left_out(event.user_id, roles)
        {
            return;
        }
        let Some(place) = self.place_read(&ctx.cache, event.channel_id, event.guild_id, event.user_id).await
        else {
            return;
        };
        let at = i64::try_from(event.timestamp).ok().and_then(|at| jiff::Timestamp::from_second(at).ok());
        let name = event.member.as_ref().map_or(NAMELESS, |member| member.display_name());
        let seen = Sighting {
            account: AccountId::discord(event.user_id.get()),
            name: name.to_owned(),
            is_bot,
            at: at.unwrap_or_else(jiff::Timestamp::now),
        };
        self.0.deps.world.typing(&place.channel, seen);
        if self.0.expect_now(event.channel_id, event.user_id) {
            let who = intake::author_of(event.user_id, event.member.as_ref());
            self.0.deps.session.expect(&place, &who);
        }
    }

    async fn reaction_add(&self, ctx: Context, reaction: Reaction) {
        let own = ctx.cache.current_user().id;
        let Some(person) = reaction.user_id.filter(|person| *person != own) else { return };
        let is_bot = reaction.member.as_ref().is_some_and(|member| member.user.bot);
        let roles = reaction.member.as_ref().map(|member| member.roles.as_slice()).unwrap_or_default();
        if is_bot || self.0.is_left_out(person, roles) {
            return;
        }
        let Some(place) = self.place_read(&ctx.cache, reaction.channel_id, reaction.guild_id, person).await
        else {
            return;
        };
        let emoji = emoji_name(&reaction.emoji);
        let to_familiar = reaction.message_author_id == Some(own);
        let who = intake::author_of(person, reaction.member.as_ref());
        let name = match &reaction.member {
            Some(_) => self.0.deps.world.introduced(who.clone()).label().to_owned(),
            None => NAMELESS.to_owned(),
        };
        let reacted = Reacted { name, emoji: emoji.clone(), to_familiar, at: jiff::Timestamp::now() };
        self.0.deps.world.reacted(&place.channel, reacted);
        if to_familiar {
            self.0.deps.session.reacted(&place, &who, emoji.clone()).await;
        }
        self.reacted(place, &reaction, person, emoji, Stands::Put).await;
    }

    async fn reaction_remove(&self, ctx: Context, reaction: Reaction) {
        let own = ctx.cache.current_user().id;
        let Some(person) = reaction.user_id.filter(|person| *person != own) else { return };
        let Some(place) = self.place_read(&ctx.cache, reaction.channel_id, reaction.guild_id, person).await
        else {
            return;
        };
        self.reacted(place, &reaction, person, emoji_name(&reaction.emoji), Stands::TakenAway).await;
    }

    async fn reaction_remove_all(&self, ctx: Context, channel: ChannelId, message: MessageId) {
        self.cleared(&ctx.cache, channel, None, message, None).await;
    }

    // serenity 0.12 reads this event only where it says what sort of reaction went, which Discord does not promise.
    async fn reaction_remove_emoji(&self, ctx: Context, removed: Reaction) {
        let emoji = Some(emoji_name(&removed.emoji));
        self.cleared(&ctx.cache, removed.channel_id, removed.guild_id, removed.message_id, emoji).await;
    }

    async fn message(&self, ctx: Context, message: Message) {
        // Discord greets newcomers with a message of its own, which needs no privileged intent.
        if let (MessageType::MemberJoin, Some(guild)) = (message.kind, message.guild_id) {
            let at = intake::at(message.timestamp);
            let author = &message.author;
            self.moved(&ctx.cache, guild, author, author.display_name(), Movement::Came, at).await;
        }
    }

    async fn guild_member_addition(&self, ctx: Context, member: Member) {
        let at = member.joined_at.map_or_else(jiff::Timestamp::now, intake::at);
        let (guild, user) = (member.guild_id, &member.user);
        self.moved(&ctx.cache, guild, user, member.display_name(), Movement::Came, at).await;
        self.guild(&ctx.cache, guild);
    }

    async fn guild_member_removal(&self, ctx: Context, guild: GuildId, user: User, _: Option<Member>) {
        self.guild(&ctx.cache, guild);
        let now = jiff::Timestamp::now();
        self.moved(&ctx.cache, guild, &user, user.display_name(), Movement::Left, now).await;
        self.0.members.forget(guild, user.id);
        self.0.deps.pairing.has_left(AccountId::discord(user.id.get()), guild.get().into()).await;
    }

    async fn presence_update(&self, ctx: Context, presence: Presence) {
        let Some(guild) = presence.guild_id else { return };
        let person = presence.user.id;
        if self.0.is_left_out(person, &roles_of(&ctx.cache, guild, person)) {
            return;
        }
        let name = ctx
            .cache
            .guild(guild)
            .and_then(|guild| guild.members.get(&person).filter(|member| !member.user.bot).map(member_name));
        let Some(name) = name else { return };
        let doing = presence.activities.iter().find(|activity| is_told_activity(activity.kind));
        let account = AccountId::discord(person.get());
        self.0.deps.world.guild(&guild.get().into(), |state| {
            let activities = Arc::make_mut(&mut state.activities);
            activities.retain(|known| known.account != account);
            if let Some(activity) = doing {
                activities.push(Activity { account, name, doing: activity.name.clone() });
            }
        });
    }
}

impl Feed {
    /// Reactions are remembered with what they are put under.
    async fn reacted(&self, place: Place, to: &Reaction, person: UserId, emoji: String, stands: Stands) {
        let reaction = domain::Reaction {
            message: to.message_id.get().into(),
            by: AccountId::discord(person.get()),
            emoji,
            stands,
            at: jiff::Timestamp::now(),
        };
        self.0.submit(InboundEvent::Reacted { place, reaction }).await;
    }

    /// Somebody who may has taken all reactions under a message away. That only happens on servers, and Discord does not
    /// always say on which.
    async fn cleared(
        &self,
        cache: &Cache,
        channel: ChannelId,
        guild: Option<GuildId>,
        message: MessageId,
        emoji: Option<String>,
    ) {
        let is_there = |guild: &GuildId| self.0.known_channel(cache, *guild, channel).is_some();
        let Some(guild) = guild.or_else(|| cache.guilds().into_iter().find(is_there)) else { return };
        let own = cache.current_user().id;
        let Some(place) = self.place_read(cache, channel, Some(guild), own).await else { return };
        let (message, at) = (message.get().into(), jiff::Timestamp::now());
        self.0.submit(InboundEvent::ReactionsCleared { place, message, emoji, at }).await;
    }

    /// Everything that is known of a guild, anew.
    fn guild(&self, cache: &Cache, id: GuildId) {
        self.0.deps.world.guild(&id.get().into(), |state| {
            if let Some(guild) = cache.guild(id) {
                state.name = Some(guild.name.clone());
                state.members = Some(guild.member_count);
                state.channels = Arc::new(cards(&guild));
                state.emoji = Arc::new(own_emoji(&guild));
            }
            self.note_calls(cache, id, state);
        });
    }

    /// Who is in which call, anew.
    fn calls(&self, cache: &Cache, id: GuildId) {
        self.0.deps.world.guild(&id.get().into(), |state| self.note_calls(cache, id, state));
    }

    /// Who is in which call, save for those who opted out.
    fn note_calls(&self, cache: &Cache, id: GuildId, state: &mut GuildState) {
        let own = cache.current_user().id;
        // Copied out, so that the cache is not asked anew while a piece of it is held.
        let found: Vec<(VoiceState, Option<GuildChannel>, String)> = match cache.guild(id) {
            Some(guild) => guild
                .voice_states
                .values()
                .filter(|voice| voice.user_id != own)
                .filter_map(|voice| {
                    let channel = guild.channels.get(&voice.channel_id?).cloned();
                    let member = voice.member.as_ref().or_else(|| guild.members.get(&voice.user_id));
                    let roles = member.map(|member| member.roles.as_slice()).unwrap_or_default();
                    if self.0.is_left_out(voice.user_id, roles) {
                        return None;
                    }
                    Some((voice.clone(), channel, member.map_or_else(|| NAMELESS.to_owned(), member_name)))
                })
                .collect(),
            None => return,
        };
        let people = found.into_iter().filter_map(|(voice, channel, name)| {
            let at = voice.channel_id?;
            let place = intake::guild_place(cache, id, at, channel.as_ref());
            Some(InCall {
                account: AccountId::discord(voice.user_id.get()),
                name,
                channel: at.get().into(),
                channel_name: channel.map_or_else(|| "a call".to_owned(), |channel| channel.name),
                audience: place.audience,
                microphone: if voice.mute || voice.self_mute {
                    CallMicrophone::Muted
                } else {
                    CallMicrophone::Open
                },
                headphones: if voice.deaf || voice.self_deaf { Headphones::Off } else { Headphones::On },
                voice: CallVoice::Silent,
            })
        });
        state.tell_calls(None, people);
    }

    /// Somebody came or left. Of guilds in which it takes no part nothing is kept.
    async fn moved(
        &self,
        cache: &Cache,
        guild: GuildId,
        user: &User,
        name: &str,
        movement: Movement,
        at: jiff::Timestamp,
    ) {
        if user.bot
            || self.0.is_left_out(user.id, &roles_of(cache, guild, user.id))
            || !self.0.takes_part_in(cache, guild)
        {
            return;
        }
        let (account, here) = (AccountId::discord(user.id.get()), guild);
        let guild: domain::GuildId = guild.get().into();
        if movement == Movement::Came {
            let arrival = Arrival { account: account.clone(), name: name.to_owned(), at, away_since: None };
            self.0.deps.world.arrived(&guild, arrival);
        }
        let coming = Coming { guild, account: account.clone(), name: name.to_owned(), movement, at };
        if self.0.deps.session.came(coming).await {
            let username = Some(user.name.clone());
            let whom = Author { username, ..Author::called(account, name) };
            self.greet(cache, here, &whom).await;
        }
    }

    /// Whoever is new is greeted in the channels that ask for it. Every event has a task of its own: nothing waits for that.
    async fn greet(&self, cache: &Cache, guild: GuildId, whom: &Author) {
        let config = Arc::clone(&self.0.deps.config);
        let asked =
            tokio::task::spawn_blocking(move || config.greets_newcomers_in()).await.unwrap_or_default();
        let ids =
            asked.iter().filter_map(|channel| channel.as_str().parse().ok()).filter(|id: &u64| *id != 0);
        for channel in ids.map(ChannelId::new) {
            let Some(known) = self.0.known_channel(cache, guild, channel) else { continue };
            if self.0.reading(channel, Some(&known)) == Here::NotRead {
                continue;
            }
            let place = intake::guild_place(cache, guild, channel, Some(&known));
            self.0.deps.session.greet_newcomer(&place, whom.clone()).await;
        }
    }

    /// The place, if it is read there.
    async fn place_read(
        &self,
        cache: &Cache,
        channel: ChannelId,
        guild: Option<GuildId>,
        person: UserId,
    ) -> Option<Place> {
        let Some(guild) = guild else {
            return self.0.may_dm(person).await.then(|| intake::dm_place(channel, person));
        };
        let known = self.0.known_channel(cache, guild, channel);
        (self.0.reading(channel, known.as_ref()) != Here::NotRead)
            .then(|| intake::guild_place(cache, guild, channel, known.as_ref()))
    }
}

/// The names of a guild's own emoji that can be used, the first in the order of letters.
fn own_emoji(guild: &Guild) -> Vec<String> {
    let usable = guild.emojis.values().filter(|emoji| emoji.available);
    let mut names: Vec<String> = usable.map(|emoji| emoji.name.clone()).collect();
    names.sort();
    names.truncate(EMOJI);
    names
}

fn cards(guild: &Guild) -> HashMap<crate::domain::ChannelId, ChannelCard> {
    let channels = guild.channels.values().take(CHANNELS);
    let Some(any) = guild.channels.values().next() else { return HashMap::new() };
    let audience = intake::audiences(guild, any);
    channels.map(|channel| (channel.id.get().into(), channel_card(channel, audience(channel)))).collect()
}

fn channel_card(channel: &GuildChannel, audience: Audience) -> ChannelCard {
    let topic = channel.topic.as_deref().map(str::trim).filter(|topic| !topic.is_empty());
    ChannelCard {
        name: channel.name.clone(),
        audience,
        topic: topic.map(|topic| topic.chars().take(TOPIC_CHARS).collect()),
        is_nsfw: channel.nsfw,
    }
}

/// An emoji as it is written; a custom one by its name.
fn emoji_name(emoji: &ReactionType) -> String {
    match emoji {
        ReactionType::Custom { name, .. } => format!(":{}:", name.as_deref().unwrap_or("emoji")),
        other => other.to_string(),
    }
}

fn member_name(member: &Member) -> String {
    member.display_name().to_owned()
}

/// What one can talk about; a custom status is words, not an activity.
fn is_told_activity(kind: ActivityType) -> bool {
    matches!(
        kind,
        ActivityType::Playing
            | ActivityType::Streaming
            | ActivityType::Listening
            | ActivityType::Watching
            | ActivityType::Competing
    )
}
