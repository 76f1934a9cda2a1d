//! What there is in the world.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::limits::Limits;
use super::rest::Fault;
use super::{BOT, wire};
use crate::support::voice::VoiceServer;

/// Permission bits, from Discord's documentation.
pub mod bits {
    pub const ADMINISTRATOR: u64 = 1 << 3;
    pub const MANAGE_CHANNELS: u64 = 1 << 4;
    pub const ADD_REACTIONS: u64 = 1 << 6;
    pub const VIEW_CHANNEL: u64 = 1 << 10;
    pub const SEND_MESSAGES: u64 = 1 << 11;
    pub const MANAGE_MESSAGES: u64 = 1 << 13;
    pub const ATTACH_FILES: u64 = 1 << 15;
    pub const READ_MESSAGE_HISTORY: u64 = 1 << 16;
    pub const CONNECT: u64 = 1 << 20;
    pub const SPEAK: u64 = 1 << 21;
    pub const CREATE_PUBLIC_THREADS: u64 = 1 << 35;
    pub const SEND_IN_THREADS: u64 = 1 << 38;
    pub const USE_SOUNDBOARD: u64 = 1 << 42;
    pub const SET_VOICE_CHANNEL_STATUS: u64 = 1 << 48;
    pub const SEND_POLLS: u64 = 1 << 49;
    pub const PIN_MESSAGES: u64 = 1 << 51;
    /// What everyone may do in a new guild.
    pub const EVERYONE: u64 = VIEW_CHANNEL
        | SEND_MESSAGES
        | READ_MESSAGE_HISTORY
        | CONNECT
        | SPEAK
        | SEND_IN_THREADS
        | ADD_REACTIONS
        | ATTACH_FILES
        | CREATE_PUBLIC_THREADS
        | SEND_POLLS
        | USE_SOUNDBOARD;
}

/// Intent bits, from Discord's documentation.
pub(super) mod intents {
    pub const GUILDS: u64 = 1;
    pub const GUILD_MESSAGES: u64 = 1 << 9;
    pub const DIRECT_MESSAGES: u64 = 1 << 12;
    pub const GUILD_MEMBERS: u64 = 1 << 1;
    pub const GUILD_VOICE_STATES: u64 = 1 << 7;
    pub const GUILD_PRESENCES: u64 = 1 << 8;
    pub const GUILD_MESSAGE_REACTIONS: u64 = 1 << 10;
    pub const GUILD_MESSAGE_TYPING: u64 = 1 << 11;
    pub const DIRECT_MESSAGE_TYPING: u64 = 1 << 14;
    pub const MESSAGE_CONTENT: u64 = 1 << 15;
}

pub(super) struct State {
    pub guilds: BTreeMap<u64, GuildState>,
    pub channels: BTreeMap<u64, ChannelState>,
    pub users: BTreeMap<u64, UserState>,
    pub messages: BTreeMap<u64, Value>,
    pub posted: Vec<Posted>,
    pub interactions: HashMap<u64, InteractionState>,
    /// By guild; `None` for global ones.
    pub commands: HashMap<Option<u64>, Vec<Value>>,
    pub requests: Vec<Request>,
    /// Each for one request.
    pub faults: Vec<(String, Fault)>,
    /// Until they are over.
    pub troubles: Vec<(String, Fault)>,
    pub session: Option<Session>,
    pub identifies: Vec<Value>,
    /// How the bot had itself shown, each time.
    pub presences: Vec<Value>,
    pub resumes: usize,
    pub accepts_token: bool,
    pub allows_message_content: bool,
    /// Whether the bot may know who its servers' members are and what they play.
    pub allows_presence: bool,
    /// Whether an invitation needs a program of one's own.
    pub wants_code_grant: bool,
    /// Whether voice states say who somebody is, and not only which user.
    pub introduces_talkers: bool,
    /// Where calls are held; without it a bot that joins is never told where to connect.
    pub voice: Option<VoiceServer>,
    pub limits: Limits,
    pub is_punctual: bool,
    pub sessions_left: u64,
    pub hangs_up_with: Option<u16>,
    pub connections: usize,
    /// Guilds that are named only.
    pub undescribed: Vec<u64>,
    /// Whether the place of calls is not known for now.
    pub moves_calls: bool,
    /// The bot's, by message.
    pub reactions: HashMap<u64, Vec<String>>,
    /// By channel.
    pub pins: HashMap<u64, BTreeSet<u64>>,
    /// Calls, and sounds that were played in them.
    pub played: Vec<(u64, u64)>,
    newest_id: u64,
}

#[derive(Default)]
pub(super) struct GuildState {
    pub name: String,
    pub roles: Vec<RoleState>,
    pub members: BTreeMap<u64, MemberState>,
    /// Who is in which call, and whether muted.
    pub voice: BTreeMap<u64, (u64, bool)>,
    /// Its own emoji and sounds, by number and name.
    pub emojis: Vec<(u64, String)>,
    pub sounds: Vec<(u64, String)>,
}

pub(super) struct RoleState {
    pub id: u64,
    pub name: String,
    pub permissions: u64,
    pub of_bot: bool,
}

#[derive(Default)]
pub(super) struct MemberState {
    pub nick: Option<String>,
    pub roles: Vec<u64>,
}

pub(super) struct UserState {
    pub name: String,
    pub global_name: Option<String>,
    pub nature: Nature,
}

/// What an account is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    Person,
    Bot,
    Webhook,
}

pub(super) struct ChannelState {
    pub guild: Option<u64>,
    pub kind: u8,
    pub name: String,
    pub parent: Option<u64>,
    /// For a DM: with whom.
    pub recipient: Option<u64>,
    pub overwrites: Vec<Overwrite>,
    /// Age-restricted.
    pub nsfw: bool,
    pub topic: Option<String>,
    pub archived: bool,
    pub locked: bool,
    /// People that a call has room for; 0 for any number.
    pub user_limit: u64,
    /// The line under a call's name.
    pub status: Option<String>,
    /// The bot's messages that a test has already read.
    pub read: usize,
}

pub(super) struct Overwrite {
    pub id: u64,
    /// 0 for a role, 1 for a member.
    pub kind: u8,
    pub allow: u64,
    pub deny: u64,
}

/// A message the bot posted in a channel.
#[derive(Debug, Clone)]
pub struct Posted {
    pub id: u64,
    pub channel: u64,
    pub content: String,
    /// Attached files: name and text.
    pub files: Vec<(String, String)>,
    /// The request as it came.
    pub body: Value,
    /// The bot took it back.
    pub is_deleted: bool,
}

impl Posted {
    /// Whether nobody can be pinged by it, not even the answered person.
    pub fn allowed_mentions_are_empty(&self) -> bool {
        let allowed = &self.body["allowed_mentions"];
        ["parse", "users", "roles"].iter().all(|key| allowed[key].as_array().is_some_and(Vec::is_empty))
            && allowed["replied_user"] == false
    }

    /// The message it answers.
    pub fn answers(&self) -> Option<u64> {
        self.body["message_reference"]["message_id"].as_str().and_then(|id| id.parse().ok())
    }
}

/// A REST request of the bot.
#[derive(Debug, Clone)]
pub struct Request {
    /// `METHOD path`, interaction tokens included.
    pub line: String,
    pub body: Value,
    /// What it was answered with.
    pub status: u16,
}

impl Request {
    pub(super) fn shown(&self) -> String {
        let body: String = self.body.to_string().chars().take(160).collect();
        format!("{} {} {body}", self.status, self.line)
    }
}

#[derive(Default)]
pub(super) struct InteractionState {
    pub channel: u64,
    /// The bot's message whose part was used.
    pub under: Option<u64>,
    pub begun: Option<Instant>,
    /// How long the first response took.
    pub took: Option<Duration>,
    /// The first response's type, once there is one.
    pub responded: Option<u64>,
    pub ephemeral: bool,
    /// The answer's message, once it has words.
    pub message: Option<Value>,
    pub files: Vec<(String, String)>,
    pub modal: Option<Value>,
    pub choices: Option<Vec<Value>>,
}

/// What the gateway task is told to send.
pub(super) enum Out {
    Frame(Value),
    Close(u16),
    Break,
}

/// A gateway session, which may outlive its connections.
pub(super) struct Session {
    pub id: String,
    pub intents: u64,
    pub log: Vec<Value>,
    pub live: Option<mpsc::UnboundedSender<Out>>,
}

impl State {
    pub fn new() -> Self {
        let bot = UserState { name: "familiar".to_owned(), global_name: None, nature: Nature::Bot };
        Self {
            guilds: BTreeMap::new(),
            channels: BTreeMap::new(),
            users: BTreeMap::from([(BOT, bot)]),
            messages: BTreeMap::new(),
            posted: Vec::new(),
            interactions: HashMap::new(),
            commands: HashMap::new(),
            requests: Vec::new(),
            faults: Vec::new(),
            troubles: Vec::new(),
            session: None,
            identifies: Vec::new(),
            presences: Vec::new(),
            resumes: 0,
            accepts_token: true,
            allows_message_content: true,
            allows_presence: true,
            wants_code_grant: false,
            introduces_talkers: true,
            voice: None,
            limits: Limits::default(),
            is_punctual: false,
            sessions_left: 999,
            hangs_up_with: None,
            connections: 0,
            undescribed: Vec::new(),
            moves_calls: false,
            reactions: HashMap::new(),
            pins: HashMap::new(),
            played: Vec::new(),
            newest_id: 0,
        }
    }

    /// A new snowflake: the time in its upper bits, as Discord's, and always larger than the one before.
    pub fn id(&mut self) -> u64 {
        const DISCORD_EPOCH_MS: u128 = 1_420_070_400_000;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let fresh = u64::try_from(now - DISCORD_EPOCH_MS).unwrap() << 22;
        self.newest_id = fresh.max(self.newest_id + 1);
        self.newest_id
    }

    /// Tells the bot about something, if its intents cover it. Without a connection it is kept for the resumption,
    /// without a session it is lost.
    pub fn dispatch(&mut self, kind: &str, needs: u64, data: Value) {
        let Some(session) = &mut self.session else { return };
        if session.intents & needs != needs {
            return;
        }
        let sequence = session.log.len() + 1;
        let frame = json!({"op": 0, "s": sequence, "t": kind, "d": data});
        session.log.push(frame.clone());
        if let Some(live) = &session.live {
            live.send(Out::Frame(frame)).ok();
        }
    }

    /// The intent under which messages of a channel are sent.
    pub fn messages_intent(&self, channel: u64) -> u64 {
        match self.channels[&channel].guild {
            Some(_) => intents::GUILD_MESSAGES,
            None => intents::DIRECT_MESSAGES,
        }
    }

    /// A message as the bot may see it.
    pub fn visible(&self, message: &Value) -> Value {
        let mut seen = message.clone();
        let has_intent =
            self.session.as_ref().is_some_and(|session| session.intents & intents::MESSAGE_CONTENT != 0);
        let in_guild = message.get("guild_id").is_some();
        let own = is_bot(&message["author"]);
        let mentioned = message["mentions"].as_array().is_some_and(|users| users.iter().any(is_bot));
        if in_guild && !has_intent && !own && !mentioned {
            seen["content"] = json!("");
            seen["attachments"] = json!([]);
            seen["embeds"] = json!([]);
        }
        seen
    }

    /// Puts somebody into a call of a guild, or with `None` out of every one, and tells the bot. The bot itself is told
    /// where to connect as well.
    pub fn moves(&mut self, guild: u64, user: u64, to: Option<u64>, muted: bool) {
        let voice = &mut self.guilds.get_mut(&guild).unwrap().voice;
        let from = match to {
            Some(call) => voice.insert(user, (call, muted)),
            None => voice.remove(&user),
        };
        let from = from.map(|(call, _)| call).filter(|from| Some(*from) != to);
        let event = wire::voice_state(self, guild, user, to, muted);
        self.dispatch("VOICE_STATE_UPDATE", intents::GUILD_VOICE_STATES, event);
        let Some(server) = self.voice.clone() else { return };
        if user != BOT {
            from.inspect(|call| server.leaves(*call, user));
            to.inspect(|call| server.enters(*call, user));
            return;
        }
        from.inspect(|call| server.dismisses(*call));
        if let Some(call) = to {
            self.tells_where(guild, call);
        }
    }

    /// Tells the bot where its call is held, or that this is not known for now.
    pub fn tells_where(&mut self, guild: u64, call: u64) {
        let Some(server) = self.voice.clone() else { return };
        let (endpoint, token) = match self.moves_calls {
            true => (None, "none".to_owned()),
            false => {
                let (endpoint, token) = server.invites(call);
                (Some(endpoint), token)
            }
        };
        let event = json!({"token": token, "guild_id": guild.to_string(), "endpoint": endpoint});
        self.dispatch("VOICE_SERVER_UPDATE", 0, event);
    }

    /// A call's status is set or cleared; the bot is told.
    pub fn set_status(&mut self, call: u64, status: Option<String>) {
        let channel = self.channels.get_mut(&call).unwrap();
        channel.status.clone_from(&status);
        let guild = channel.guild.unwrap().to_string();
        let event = json!({"id": call.to_string(), "guild_id": guild, "status": status});
        self.dispatch("VOICE_CHANNEL_STATUS_UPDATE", intents::GUILDS, event);
    }

    /// Stores a message and tells the bot.
    pub fn said(&mut self, channel: u64, message: Value) {
        let id = wire::id_of(&message["id"]);
        self.messages.insert(id, message.clone());
        let (intent, seen) = (self.messages_intent(channel), self.visible(&message));
        // Of channels it cannot see it is told nothing.
        if self.permissions(BOT, channel) & bits::VIEW_CHANNEL != 0 {
            self.dispatch("MESSAGE_CREATE", intent, seen);
        }
    }

    /// What somebody may do in a channel; in a thread, what they may do in its parent.
    pub fn permissions(&self, user: u64, channel: u64) -> u64 {
        let state = &self.channels[&channel];
        let Some(guild) = state.guild else { return bits::EVERYONE };
        if let Some(parent) = state.parent {
            return self.permissions(user, parent);
        }
        let everyone = guild;
        let guild = &self.guilds[&guild];
        let Some(member) = guild.members.get(&user) else { return 0 };
        let mut granted = guild
            .roles
            .iter()
            .filter(|role| role.id == everyone || member.roles.contains(&role.id))
            .fold(0, |all, role| all | role.permissions);
        let own_roles = |id: u64| member.roles.contains(&id);
        let layers: [&dyn Fn(&Overwrite) -> bool; 3] = [
            &|overwrite| overwrite.kind == 0 && overwrite.id == everyone,
            &|overwrite| overwrite.kind == 0 && own_roles(overwrite.id),
            &|overwrite| overwrite.kind == 1 && overwrite.id == user,
        ];
        for applies in layers {
            let of_layer: Vec<&Overwrite> =
                state.overwrites.iter().filter(|overwrite| applies(overwrite)).collect();
            granted &= !of_layer.iter().fold(0, |all, overwrite| all | overwrite.deny);
            granted |= of_layer.iter().fold(0, |all, overwrite| all | overwrite.allow);
        }
        granted
    }
}

fn is_bot(user: &Value) -> bool {
    wire::id_of(&user["id"]) == BOT
}
