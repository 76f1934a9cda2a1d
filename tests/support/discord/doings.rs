//! What a bot does besides talking: reactions, polls, pins, threads, sounds. As strict as Discord.

use serde_json::{Value, json};

use super::rest::{Reply, invalid, refused};
use super::state::{ChannelState, State, bits, intents};
use super::{BOT, DiscordWorld, wire};

const TEXT: u8 = 0;
const NEWS: u8 = 5;
const NEWS_THREAD: u64 = 10;
const PUBLIC_THREAD: u64 = 11;

/// Different reactions under one message, and pins in one channel.
const MOST_REACTIONS: usize = 20;
const MOST_PINS: usize = 250;

fn chars(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.chars().count())
}

fn lacks(state: &State, channel: u64, needed: u64) -> Option<Reply> {
    let granted = state.permissions(BOT, channel);
    (granted & needed != needed).then(|| refused(403, 50_013, "Missing Permissions"))
}

fn stands(state: &State, channel: u64, message: &str) -> Result<u64, Reply> {
    let id = message.parse().unwrap();
    let here = state.messages.get(&id).filter(|message| wire::id_of(&message["channel_id"]) == channel);
    here.map(|_| id).ok_or_else(|| refused(404, 10_008, "Unknown Message"))
}

/// `emoji` as it stands in the address.
pub(super) fn react(state: &mut State, channel: u64, message: &str, emoji: &str) -> Reply {
    let message = match stands(state, channel, message) {
        Ok(message) => message,
        Err(refusal) => return refusal,
    };
    if let Some(refusal) = lacks(state, channel, bits::READ_MESSAGE_HISTORY | bits::ADD_REACTIONS) {
        return refusal;
    }
    let emoji = decoded(emoji);
    let is_known = match emoji.rsplit_once(':') {
        Some((name, id)) => state.guilds.values().any(|guild| {
            guild
                .emojis
                .iter()
                .any(|(known, named)| known.to_string() == id && name.trim_start_matches("a:") == named)
        }),
        None => is_emoji(&emoji),
    };
    if !is_known {
        return refused(400, 10_014, "Unknown Emoji");
    }
    let under = state.reactions.entry(message).or_default();
    if under.len() >= MOST_REACTIONS && !under.contains(&emoji) {
        return refused(403, 30_010, "Maximum number of reactions reached (20)");
    }
    under.push(emoji);
    (204, Value::Null)
}

/// What stands in an address, without its percent signs.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

/// One picture, with what modifies it.
fn is_emoji(text: &str) -> bool {
    let mut pictures = 0;
    let mut is_joined = false;
    for char in text.chars() {
        match char {
            '\u{200d}' => is_joined = true,
            '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => {}
            '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' => {
                pictures += usize::from(!is_joined);
                is_joined = false;
            }
            _ => return false,
        }
    }
    pictures == 1
}

/// A poll in a message that is posted.
pub(super) fn check_poll(state: &State, channel: u64, poll: &Value) -> Result<(), Reply> {
    if let Some(refusal) = lacks(state, channel, bits::SEND_POLLS) {
        return Err(refusal);
    }
    let answers = poll["answers"].as_array().cloned().unwrap_or_default();
    let fits = |text: &Value, most| (1..=most).contains(&chars(text));
    let is_whole = fits(&poll["question"]["text"], 300)
        && (1..=10).contains(&answers.len())
        && answers.iter().all(|answer| fits(&answer["poll_media"]["text"], 55))
        && (1..=768).contains(&poll["duration"].as_u64().unwrap_or(24));
    if is_whole { Ok(()) } else { Err(invalid("poll")) }
}

/// The newest 50 that are pinned, as Discord tells at once.
pub(super) fn pinned(state: &mut State, channel: u64) -> Reply {
    if let Some(refusal) = lacks(state, channel, bits::READ_MESSAGE_HISTORY) {
        return refusal;
    }
    let pins = state.pins.get(&channel).into_iter().flatten().rev().take(50);
    let told = pins.filter_map(|message| state.messages.get(message).cloned()).collect();
    (200, Value::Array(told))
}

pub(super) fn pin(state: &mut State, channel: u64, message: &str) -> Reply {
    if let Some(refusal) = lacks(state, channel, bits::READ_MESSAGE_HISTORY | bits::PIN_MESSAGES) {
        return refusal;
    }
    let message = match stands(state, channel, message) {
        Ok(message) => message,
        Err(refusal) => return refusal,
    };
    let pins = state.pins.entry(channel).or_default();
    if pins.len() >= MOST_PINS {
        return refused(400, 30_003, "Maximum number of pins reached (250)");
    }
    pins.insert(message);
    (204, Value::Null)
}

/// `under` is the message that it begins with.
pub(super) fn open_thread(state: &mut State, channel: u64, under: Option<&str>, body: &Value) -> Reply {
    let parent = &state.channels[&channel];
    let guild = parent.guild;
    if guild.is_none() || ![TEXT, NEWS].contains(&parent.kind) {
        return refused(400, 50_024, "Cannot execute action on this channel type");
    }
    if let Some(refusal) = lacks(state, channel, bits::CREATE_PUBLIC_THREADS) {
        return refusal;
    }
    if !(1..=100).contains(&chars(&body["name"])) {
        return invalid("name");
    }
    let usual = if parent.kind == NEWS { NEWS_THREAD } else { PUBLIC_THREAD };
    let id = match under.map(|message| stands(state, channel, message)) {
        Some(Err(refusal)) => return refusal,
        Some(Ok(message)) if state.channels.contains_key(&message) => {
            return refused(400, 160_004, "A thread has already been created for this message");
        }
        // A thread under a message has its number.
        Some(Ok(message)) => message,
        None if body["type"] != usual => return invalid("type"),
        None => state.id(),
    };
    let name = body["name"].as_str().unwrap();
    let kind = u8::try_from(usual).unwrap();
    state.channels.insert(id, ChannelState { parent: Some(channel), ..ChannelState::new(guild, kind, name) });
    let opened = wire::channel(state, id);
    state.dispatch("THREAD_CREATE", intents::GUILDS, opened.clone());
    (201, opened)
}

pub(super) fn emojis(state: &State, guild: u64) -> Value {
    state.guilds[&guild].emojis.iter().map(|(id, name)| emoji(*id, name)).collect()
}

fn emoji(id: u64, name: &str) -> Value {
    json!({
        "id": id.to_string(), "name": name, "roles": [], "require_colons": true, "managed": false, "animated": false,
        "available": true
    })
}

pub(super) fn sounds(state: &State, guild: u64) -> Value {
    let sounds: Vec<Value> = state.guilds[&guild]
        .sounds
        .iter()
        .map(|(id, name)| {
            json!({
                "sound_id": id.to_string(), "name": name, "volume": 1.0, "emoji_id": null, "emoji_name": null,
                "guild_id": guild.to_string(), "available": true
            })
        })
        .collect();
    json!({"items": sounds})
}

/// Whoever plays a sound has to be in the call.
pub(super) fn play(state: &mut State, call: u64, body: &Value) -> Reply {
    let guild = &state.guilds[&state.channels[&call].guild.unwrap()];
    let is_inside = guild.voice.get(&BOT).is_some_and(|(inside, _)| *inside == call);
    let wanted = body["sound_id"].as_str().and_then(|id| id.parse().ok());
    let is_known = guild.sounds.iter().any(|(id, _)| wanted == Some(*id));
    if !is_inside {
        return refused(400, 40_032, "Target user is not connected to voice.");
    }
    if let Some(refusal) = lacks(state, call, bits::SPEAK | bits::USE_SOUNDBOARD) {
        return refusal;
    }
    if !is_known {
        return refused(404, 10_097, "Unknown Sound");
    }
    state.played.push((call, wire::id_of(&body["sound_id"])));
    (204, Value::Null)
}

impl DiscordWorld {
    /// What the bot has put under a message.
    pub fn reactions(&self, message: u64) -> Vec<String> {
        self.look(|state| state.reactions.get(&message).cloned().unwrap_or_default())
    }

    /// The sounds that the bot has played, each with its call.
    pub fn played(&self) -> Vec<(u64, u64)> {
        self.look(|state| state.played.clone())
    }
}

impl super::Guild {
    /// The server gets an emoji of its own; the bot, which has not asked to be told, is not.
    pub fn has_emoji(&self, name: &str) -> u64 {
        self.world().change(|state| {
            let id = state.id();
            state.guilds.get_mut(&self.id()).unwrap().emojis.push((id, name.to_owned()));
            id
        })
    }

    /// The server gets a sound for its soundboard.
    pub fn has_sound(&self, name: &str) -> u64 {
        self.world().change(|state| {
            let id = state.id();
            state.guilds.get_mut(&self.id()).unwrap().sounds.push((id, name.to_owned()));
            id
        })
    }

    /// The bot's role may do this too.
    pub fn grants_the_bot(&self, granted: u64) {
        self.world().change(|state| {
            let guild = state.guilds.get_mut(&self.id()).unwrap();
            guild.roles.iter_mut().filter(|role| role.of_bot).for_each(|role| role.permissions |= granted);
        });
    }
}

impl super::Channel {
    /// The messages that are pinned here.
    pub fn pins(&self) -> Vec<u64> {
        self.world.look(|state| state.pins.get(&self.id()).into_iter().flatten().copied().collect())
    }

    /// A moderator pins a message, or takes it off.
    pub fn is_pinned(&self, message: u64, is: bool) {
        self.world.change(|state| {
            let pins = state.pins.entry(self.id()).or_default();
            if is {
                pins.insert(message)
            } else {
                pins.remove(&message)
            };
            let guild = state.channels[&self.id()].guild;
            let event = json!({
                "guild_id": guild.map(|guild| guild.to_string()), "channel_id": self.id().to_string(),
                "last_pin_timestamp": "2026-02-01T10:00:00.000000+00:00",
            });
            state.dispatch("CHANNEL_PINS_UPDATE", intents::GUILDS, event);
        });
    }

    /// The threads under this channel, each with its name.
    pub fn threads(&self) -> Vec<(u64, String)> {
        self.world.look(|state| {
            let under = state.channels.iter().filter(|(_, channel)| channel.parent == Some(self.id()));
            under.map(|(id, channel)| (*id, channel.name.clone())).collect()
        })
    }
}
