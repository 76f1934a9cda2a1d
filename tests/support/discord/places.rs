//! Guilds and channels, as tests hold them.

use super::people::Person;
use super::state::{
    ChannelState, GuildState, MemberState, Nature, Overwrite, Posted, RoleState, bits, intents,
};
use super::{BOT, DiscordWorld, wire};
use serde_json::{Value, json};

/// Channel types, from Discord's documentation.
const TEXT: u8 = 0;
const DM: u8 = 1;
const VOICE: u8 = 2;
const STAGE: u8 = 13;
const PUBLIC_THREAD: u8 = 11;
const PRIVATE_THREAD: u8 = 12;
const FORUM: u8 = 15;

/// A guild with the bot in it.
#[derive(Clone)]
pub struct Guild {
    world: DiscordWorld,
    id: u64,
}

impl Guild {
    pub(super) fn found(world: &DiscordWorld, name: &str) -> Self {
        let id = world.change(|state| {
            let (id, bot_role) = (state.id(), state.id());
            let role = |id, name: &str, permissions, of_bot| RoleState {
                id,
                name: name.to_owned(),
                permissions,
                of_bot,
            };
            let roles = vec![
                role(id, "@everyone", bits::EVERYONE, false),
                role(bot_role, "familiar", bits::EVERYONE, true),
            ];
            let bot = MemberState { nick: None, roles: vec![bot_role] };
            let members = [(BOT, bot)].into_iter().collect();
            state
                .guilds
                .insert(id, GuildState { name: name.to_owned(), roles, members, ..Default::default() });
            let created = wire::guild(state, id);
            state.dispatch("GUILD_CREATE", intents::GUILDS, created);
            id
        });
        Self { world: world.clone(), id }
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn world(&self) -> &DiscordWorld {
        &self.world
    }

    /// A text channel that everyone sees.
    pub fn channel(&self, name: &str) -> Channel {
        self.open(TEXT, name, Vec::new())
    }

    /// A text channel that only the bot and whoever is let in sees.
    pub fn private_channel(&self, name: &str) -> Channel {
        self.open(
            TEXT,
            name,
            vec![
                Overwrite { id: self.id, kind: 0, allow: 0, deny: bits::VIEW_CHANNEL },
                Overwrite { id: BOT, kind: 1, allow: bits::VIEW_CHANNEL, deny: 0 },
            ],
        )
    }

    /// A text channel where the bot lacks these permissions.
    pub fn channel_without(&self, name: &str, denied: u64) -> Channel {
        self.open(TEXT, name, vec![Overwrite { id: BOT, kind: 1, allow: 0, deny: denied }])
    }

    /// A forum; talk happens in its posts.
    pub fn forum(&self, name: &str) -> Channel {
        self.open(FORUM, name, Vec::new())
    }

    /// A voice channel that everyone sees.
    pub fn call(&self, name: &str) -> Channel {
        self.open(VOICE, name, Vec::new())
    }

    /// A voice channel for so many people.
    pub fn call_for(&self, name: &str, people: u64) -> Channel {
        let state = ChannelState { user_limit: people, ..ChannelState::new(Some(self.id), VOICE, name) };
        Channel::open(&self.world, state, "CHANNEL_CREATE")
    }

    /// A stage.
    pub fn stage(&self, name: &str) -> Channel {
        self.open(STAGE, name, Vec::new())
    }

    /// A voice channel where the bot lacks these permissions.
    pub fn call_without(&self, name: &str, denied: u64) -> Channel {
        self.open(VOICE, name, vec![Overwrite { id: BOT, kind: 1, allow: 0, deny: denied }])
    }

    /// A voice channel where the bot may set the status.
    pub fn call_with_status(&self, name: &str) -> Channel {
        self.open(
            VOICE,
            name,
            vec![Overwrite { id: BOT, kind: 1, allow: bits::SET_VOICE_CHANNEL_STATUS, deny: 0 }],
        )
    }

    /// A voice channel that only the bot and whoever is let in sees.
    pub fn private_call(&self, name: &str) -> Channel {
        self.open(VOICE, name, closed(self.id))
    }

    /// Somebody joins; Discord greets them in a channel.
    pub fn greets_newcomer(&self, person: &Person, channel: &Channel) {
        person.says(channel, super::people::Said::text("").with("type", serde_json::json!(7)));
    }

    /// The commands that are registered here, as the bot sent them.
    pub fn commands(&self) -> Vec<Value> {
        self.world.look(|state| state.commands[&Some(self.id)].clone())
    }

    /// A member without any role.
    pub fn member(&self, name: &str) -> Person {
        let person = Person::born(&self.world, name, Nature::Person);
        self.join(&person, MemberState::default());
        person
    }

    /// A member who may manage channels.
    pub fn moderator(&self, name: &str) -> Person {
        self.member_who_may(name, bits::MANAGE_CHANNELS)
    }

    /// A member with a role that grants this.
    pub fn member_who_may(&self, name: &str, permissions: u64) -> Person {
        let person = Person::born(&self.world, name, Nature::Person);
        let role = self.world.change(|state| {
            let id = state.id();
            let role = RoleState { id, name: "mods".to_owned(), permissions, of_bot: false };
            state.guilds.get_mut(&self.id).unwrap().roles.push(role);
            id
        });
        self.join(&person, MemberState { nick: None, roles: vec![role] });
        person
    }

    /// Another bot.
    pub fn bot(&self, name: &str) -> Person {
        let bot = Person::born(&self.world, name, Nature::Bot);
        self.join(&bot, MemberState::default());
        bot
    }

    /// A webhook: it writes, but is no member.
    pub fn webhook(&self, name: &str) -> Person {
        Person::born(&self.world, name, Nature::Webhook)
    }

    /// From now on the gateway tells which users are in calls, but not who they are.
    pub fn introduces_no_talkers(&self) {
        self.world.change(|state| state.introduces_talkers = false);
    }

    /// Gives a member a nickname here.
    pub fn nickname(&self, person: &Person, nick: &str) {
        self.world.change(|state| {
            let members = &mut state.guilds.get_mut(&self.id).unwrap().members;
            members.get_mut(&person.id()).unwrap().nick = Some(nick.to_owned());
        });
    }

    fn join(&self, person: &Person, member: MemberState) {
        self.world
            .change(|state| state.guilds.get_mut(&self.id).unwrap().members.insert(person.id(), member));
    }

    fn open(&self, kind: u8, name: &str, overwrites: Vec<Overwrite>) -> Channel {
        let state = ChannelState { overwrites, ..ChannelState::new(Some(self.id), kind, name) };
        Channel::open(&self.world, state, "CHANNEL_CREATE")
    }
}

fn closed(guild: u64) -> Vec<Overwrite> {
    vec![
        Overwrite { id: guild, kind: 0, allow: 0, deny: bits::VIEW_CHANNEL },
        Overwrite { id: BOT, kind: 1, allow: bits::VIEW_CHANNEL, deny: 0 },
    ]
}

/// A channel, thread, forum, post or DM.
#[derive(Clone)]
pub struct Channel {
    pub(super) world: DiscordWorld,
    id: u64,
}

/// Of what whoever writes to the bot alone is told once. It stands beside every talk, and is looked at by itself.
const TOLD_ALONE: &str = "remembers what you write here";

impl Channel {
    fn open(world: &DiscordWorld, channel: ChannelState, event: &str) -> Self {
        let id = world.change(|state| {
            let id = state.id();
            let in_guild = channel.guild.is_some();
            state.channels.insert(id, channel);
            if in_guild {
                let created = wire::channel(state, id);
                state.dispatch(event, intents::GUILDS, created);
            }
            id
        });
        Self { world: world.clone(), id }
    }

    pub(super) fn dm_with(world: &DiscordWorld, person: u64) -> Self {
        let known = world.look(|state| {
            state.channels.iter().find(|(_, channel)| channel.recipient == Some(person)).map(|(id, _)| *id)
        });
        match known {
            Some(id) => Self { world: world.clone(), id },
            None => {
                let state = ChannelState { recipient: Some(person), ..ChannelState::new(None, DM, "") };
                Self::open(world, state, "CHANNEL_CREATE")
            }
        }
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    /// A public thread under this channel.
    pub fn thread(&self, name: &str) -> Self {
        self.under(PUBLIC_THREAD, name)
    }

    /// A private thread under this channel, with the bot in it.
    pub fn private_thread(&self, name: &str) -> Self {
        self.under(PRIVATE_THREAD, name)
    }

    /// A post in this forum.
    pub fn post(&self, name: &str) -> Self {
        self.under(PUBLIC_THREAD, name)
    }

    fn under(&self, kind: u8, name: &str) -> Self {
        let guild = self.world.look(|state| state.channels[&self.id].guild);
        let state = ChannelState { parent: Some(self.id), ..ChannelState::new(guild, kind, name) };
        Self::open(&self.world, state, "THREAD_CREATE")
    }

    /// Archives and locks this thread: nobody without a moderator's rights can write in it.
    pub fn lock(&self) {
        self.world.change(|state| {
            let thread = state.channels.get_mut(&self.id).unwrap();
            (thread.archived, thread.locked) = (true, true);
            let updated = wire::channel(state, self.id);
            state.dispatch("THREAD_UPDATE", intents::GUILDS, updated);
        });
    }

    /// Nothing has happened in this thread for long: Discord archives it, and does not mention it to a bot that comes
    /// online.
    pub fn sleeps(&self) {
        self.world.change(|state| state.channels.get_mut(&self.id).unwrap().archived = true);
    }

    /// A moderator drags the bot into this call.
    pub fn draws_in_the_bot(&self) {
        self.world.change(|state| {
            let guild = state.channels[&self.id].guild.unwrap();
            state.moves(guild, BOT, Some(self.id), false);
        });
    }

    /// A moderator disconnects the bot from this call.
    pub fn throws_out_the_bot(&self) {
        self.world.change(|state| {
            let guild = state.channels[&self.id].guild.unwrap();
            state.moves(guild, BOT, None, false);
        });
    }

    /// Whether the bot is in this call, as Discord shows it.
    pub fn has_bot(&self) -> bool {
        self.world.look(|state| {
            let guild = state.channels[&self.id].guild.unwrap();
            state.guilds[&guild].voice.get(&BOT).is_some_and(|(call, _)| *call == self.id)
        })
    }

    /// Waits until the bot is in this call, or no longer is, as Discord shows it.
    pub async fn shows_bot(&self, inside: bool) {
        let what = if inside { "the bot to join" } else { "the bot to leave" };
        self.world
            .wait(&format!("{what} call {}", self.id), |state| {
                let guild = state.channels[&self.id].guild.unwrap();
                let voice = state.guilds[&guild].voice.get(&BOT);
                (voice.is_some_and(|(call, _)| *call == self.id) == inside).then_some(())
            })
            .await;
    }

    /// Somebody writes the line under this call's name.
    pub fn is_titled(&self, status: &str) {
        self.world.change(|state| state.set_status(self.id, Some(status.to_owned())));
    }

    /// The line under this call's name.
    pub fn title(&self) -> Option<String> {
        self.world.look(|state| state.channels[&self.id].status.clone())
    }

    /// Waits until the line under this call's name is so.
    pub async fn shows_title(&self, wanted: Option<&str>) {
        self.world
            .wait(&format!("call {} to show {wanted:?}", self.id), |state| {
                (state.channels[&self.id].status.as_deref() == wanted).then_some(())
            })
            .await;
    }

    /// From now on only the bot and whoever is let in sees this channel.
    pub fn closes(&self) {
        self.world.change(|state| {
            let channel = state.channels.get_mut(&self.id).unwrap();
            channel.overwrites = closed(channel.guild.unwrap());
            let updated = wire::channel(state, self.id);
            state.dispatch("CHANNEL_UPDATE", intents::GUILDS, updated);
        });
    }

    /// The channel gets another topic.
    pub fn is_about(&self, topic: &str) {
        self.world.change(|state| {
            state.channels.get_mut(&self.id).unwrap().topic = Some(topic.to_owned());
            let updated = wire::channel(state, self.id);
            state.dispatch("CHANNEL_UPDATE", intents::GUILDS, updated);
        });
    }

    /// Somebody who may takes all reactions under a message away.
    pub fn loses_reactions(&self, message: u64) {
        self.world.change(|state| {
            let guild = state.channels[&self.id].guild.unwrap();
            let event = json!({
                "channel_id": self.id.to_string(), "guild_id": guild.to_string(), "message_id": message.to_string()
            });
            state.dispatch("MESSAGE_REACTION_REMOVE_ALL", intents::GUILD_MESSAGE_REACTIONS, event);
        });
    }

    /// Takes permissions from somebody in this channel.
    pub fn denies(&self, person: &Person, denied: u64) {
        self.world.change(|state| {
            let overwrite = Overwrite { id: person.id(), kind: 1, allow: 0, deny: denied };
            state.channels.get_mut(&self.id).unwrap().overwrites.push(overwrite);
            let updated = wire::channel(state, self.id);
            state.dispatch("CHANNEL_UPDATE", intents::GUILDS, updated);
        });
    }

    /// Takes permissions from the bot in this channel, and gives back what it took before.
    pub fn denies_the_bot(&self, denied: u64) {
        self.world.change(|state| {
            let overwrites = &mut state.channels.get_mut(&self.id).unwrap().overwrites;
            overwrites.retain(|overwrite| overwrite.id != BOT);
            overwrites.push(Overwrite { id: BOT, kind: 1, allow: 0, deny: denied });
            let updated = wire::channel(state, self.id);
            state.dispatch("CHANNEL_UPDATE", intents::GUILDS, updated);
        });
    }

    /// The channel is deleted.
    pub fn vanish(&self) {
        self.world.change(|state| {
            let deleted = wire::channel(state, self.id);
            state.channels.remove(&self.id);
            state.dispatch("CHANNEL_DELETE", intents::GUILDS, deleted);
        });
    }

    /// Several messages are deleted at once, as moderation does.
    pub fn purge(&self, messages: &[u64]) {
        self.world.change(|state| {
            for id in messages {
                state.messages.remove(id);
            }
            let ids: Vec<String> = messages.iter().map(u64::to_string).collect();
            let mut event = serde_json::json!({"ids": ids, "channel_id": self.id.to_string()});
            if let Some(guild) = state.channels[&self.id].guild {
                event["guild_id"] = guild.to_string().into();
            }
            let intent = state.messages_intent(self.id);
            state.dispatch("MESSAGE_DELETE_BULK", intent, event);
        });
    }

    /// Waits for the bot's next message here; each message is given once.
    pub async fn next_message(&self) -> Posted {
        self.world
            .wait(&format!("a message of the bot in channel {}", self.id), |state| {
                let read = state.channels[&self.id].read;
                let here = state.posted.iter().filter(|posted| posted.channel == self.id);
                let next = here.filter(|posted| !posted.content.contains(TOLD_ALONE)).nth(read)?.clone();
                state.channels.get_mut(&self.id).unwrap().read += 1;
                Some(next)
            })
            .await
    }

    /// Waits for what whoever writes to the bot alone is told once.
    pub async fn is_told_alone(&self) {
        let is_it = |posted: &&Posted| posted.channel == self.id && posted.content.contains(TOLD_ALONE);
        self.world.wait("a word on what is kept", |state| state.posted.iter().find(is_it).map(drop)).await;
    }

    /// Waits for the bot's word that it reads here from now on, where nothing of its own was left unread before.
    pub async fn is_announced(&self) {
        let notice = self.next_message().await.content;
        assert!(notice.contains("reads this channel and its threads from now on"), "{notice}");
    }

    /// Waits until a message of the bot's reads so, or is gone; gives it as it is then.
    pub async fn message_becomes(&self, id: u64, what: &str, is_so: impl Fn(&Posted) -> bool) -> Posted {
        self.world
            .wait(what, |state| state.posted.iter().find(|posted| posted.id == id && is_so(posted)).cloned())
            .await
    }

    /// What the bot has said here so far.
    pub fn messages(&self) -> Vec<Posted> {
        self.world
            .look(|state| state.posted.iter().filter(|posted| posted.channel == self.id).cloned().collect())
    }

    /// How often the bot has shown that it is typing here.
    pub fn typing_shown(&self) -> usize {
        self.world.requests(&self.typing_line()).len()
    }

    /// Waits until the bot has shown this many times that it is typing here.
    pub async fn sees_typing(&self, times: usize) {
        self.world.sees_requests(&self.typing_line(), times).await;
    }

    fn typing_line(&self) -> String {
        format!("POST channels/{}/typing", self.id)
    }
}

impl ChannelState {
    pub(super) fn new(guild: Option<u64>, kind: u8, name: &str) -> Self {
        Self {
            guild,
            kind,
            name: name.to_owned(),
            parent: None,
            recipient: None,
            overwrites: Vec::new(),
            nsfw: false,
            topic: None,
            archived: false,
            locked: false,
            user_limit: 0,
            status: None,
            read: 0,
        }
    }
}
