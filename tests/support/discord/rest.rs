//! The world over REST, as far as a bot that talks uses it.

use std::time::Duration;

use axum::extract::{FromRequest, Multipart, Request as HttpRequest, State as Extracted};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::gateway::bare;
use super::state::{ChannelState, Posted, Request, State, bits};
use super::{BOT, DiscordWorld, TOKEN, doings, valid, wire};

/// Discord's limit for one message.
const MESSAGE_MAX_CHARS: usize = 2000;

/// How long an interaction waits for its first response, and how long its token is good for.
const FIRST_RESPONSE_WITHIN: Duration = Duration::from_secs(3);
const ANSWERS_WITHIN: Duration = Duration::from_secs(15 * 60);

/// How requests can be made to fail.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// 429 with this `retry_after`, in seconds.
    RateLimited(f64),
    /// A 5xx.
    Down(u16),
    /// 403 with this code.
    Forbidden(u64),
    /// It is done, and the answer is none of Discord's.
    Garbled,
    /// It is done, and the answer comes so much later.
    Late(Duration),
    /// It is never answered.
    Stalled,
}

/// An answer: a status and a body.
pub(super) type Reply = (u16, Value);

/// A request's JSON and the text files beside it.
struct Body {
    json: Value,
    files: Vec<(String, String)>,
}

pub(super) async fn answer(Extracted(world): Extracted<DiscordWorld>, request: HttpRequest) -> Response {
    let path = request.uri().path().trim_start_matches("/api/v10/").to_owned();
    let line = format!("{} {path}", request.method());
    let authorised = is_authorised(request.headers());
    let query = request.uri().query().unwrap_or_default().to_owned();
    let body = read(request).await;
    let json = body.json.clone();
    let (status, answer, fault, told) = world.change(|state| {
        let fault = fault(state, &line);
        let (answer, told) = match (fault.and_then(failed), state.limits.takes(&line)) {
            (Some(failed), _) => (failed, HeaderMap::new()),
            (None, Err((refusal, told))) => (limited(refusal.wait.as_secs_f64(), refusal.of_all), told),
            (None, Ok(told)) => (reply(state, &world, &line, &query, authorised, body), told),
        };
        state.requests.push(Request { line, body: json, status: answer.0 });
        (answer.0, answer.1, fault, told)
    });
    match fault {
        Some(Fault::Stalled) => return std::future::pending().await,
        Some(Fault::Late(by)) => tokio::time::sleep(by).await,
        Some(Fault::Garbled) => return "<html>It is done.</html>".into_response(),
        _ => {}
    }
    let status = StatusCode::from_u16(status).unwrap();
    if status == StatusCode::NO_CONTENT {
        return status.into_response();
    }
    let retry_after = answer["retry_after"].as_f64().filter(|_| fault.is_some());
    let mut response = (status, told, axum::Json(answer)).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert("retry-after", seconds.to_string().parse().unwrap());
        response.headers_mut().insert("via", "1.1 world".parse().unwrap());
    }
    response
}

fn is_authorised(headers: &HeaderMap) -> bool {
    headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).map(bare) == Some(TOKEN)
}

async fn read(request: HttpRequest) -> Body {
    let is_multipart = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kind| kind.starts_with("multipart/"));
    if !is_multipart {
        let bytes = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap();
        return Body { json: serde_json::from_slice(&bytes).unwrap_or_default(), files: Vec::new() };
    }
    let mut body = Body { json: Value::Null, files: Vec::new() };
    let mut parts = Multipart::from_request(request, &()).await.unwrap();
    while let Some(part) = parts.next_field().await.unwrap() {
        let file = part.file_name().map(ToOwned::to_owned);
        let bytes = part.bytes().await.unwrap();
        match file {
            Some(name) => body.files.push((name, String::from_utf8_lossy(&bytes).into_owned())),
            None => body.json = serde_json::from_slice(&bytes).unwrap(),
        }
    }
    body
}

pub(super) fn refused(status: u16, code: u64, message: &str) -> Reply {
    (status, json!({"message": message, "code": code}))
}

fn limited(retry_after: f64, of_all: bool) -> Reply {
    (429, json!({"message": "You are being rate limited.", "retry_after": retry_after, "global": of_all}))
}

fn fault(state: &mut State, line: &str) -> Option<Fault> {
    let is_meant = |(containing, _): &(String, Fault)| line.contains(containing.as_str());
    let fault = state.faults.iter().position(is_meant).map(|at| state.faults.remove(at).1);
    fault.or_else(|| state.troubles.iter().find(|trouble| is_meant(trouble)).map(|(_, fault)| *fault))
}

/// What is answered instead of doing it.
fn failed(fault: Fault) -> Option<Reply> {
    match fault {
        Fault::RateLimited(retry_after) => Some(limited(retry_after, false)),
        Fault::Down(status) => Some(refused(status, 0, "upstream connect error")),
        Fault::Forbidden(code) => Some(refused(403, code, "Missing Permissions")),
        Fault::Stalled => Some((200, Value::Null)),
        Fault::Garbled | Fault::Late(_) => None,
    }
}

pub(super) fn invalid(what: &str) -> Reply {
    refused(400, 50_035, &format!("Invalid Form Body ({what})"))
}

/// A bot's picture is a data URL, and its name has 2 to 32 characters.
fn edit_profile(state: &mut State, change: &Value) -> Reply {
    let is_picture = |value: &Value| value.as_str().is_some_and(|url| url.starts_with("data:image/"));
    if change.get("avatar").is_some_and(|avatar| !is_picture(avatar)) {
        return invalid("avatar");
    }
    match change["username"].as_str().map(|name| name.chars().count()) {
        Some(2..=32) | None => (200, wire::user(state, BOT)),
        Some(_) => invalid("username"),
    }
}

fn reply(
    state: &mut State,
    world: &DiscordWorld,
    line: &str,
    query: &str,
    authorised: bool,
    body: Body,
) -> Reply {
    let (method, path) = line.split_once(' ').unwrap();
    let parts: Vec<&str> = path.split('/').collect();
    let url = format!("ws://{}/gateway/", world.shared.address);
    // Interactions carry their own token and need no other; the plain gateway address is public.
    let needs_token = !matches!(parts.as_slice(), ["gateway"] | ["interactions" | "webhooks", ..]);
    if needs_token && !(authorised && state.accepts_token) {
        return refused(401, 0, "401: Unauthorized");
    }
    match (method, parts.as_slice()) {
        ("GET", ["gateway"]) => (200, json!({"url": url})),
        ("GET", ["gateway", "bot"]) => (
            200,
            json!({"url": url, "shards": 1, "session_start_limit":
                {"total": 1000, "remaining": state.sessions_left, "reset_after": 1000, "max_concurrency": 1}}),
        ),
        ("GET", ["users", "@me"]) => (200, wire::user(state, BOT)),
        ("PATCH", ["users", "@me"]) => edit_profile(state, &body.json),
        ("PATCH", ["guilds", _, "members", "@me"]) => {
            (200, json!({"nick": body.json["nick"], "user": wire::user(state, BOT)}))
        }
        ("GET", ["users", "@me", "guilds"]) => (200, wire::own_guilds(state)),
        ("GET", ["oauth2", "applications", "@me"]) => (200, wire::application(state)),
        ("GET", ["guilds", guild]) => with_guild(state, guild, wire::guild),
        ("GET", ["guilds", guild, "members", member]) => {
            let (id, member) = (guild.parse().unwrap(), member.parse().unwrap());
            match state.guilds.get(&id) {
                Some(known) if !known.members.contains_key(&member) => refused(404, 10_007, "Unknown Member"),
                _ => with_guild(state, guild, |state, guild| wire::member(state, guild, member)),
            }
        }
        ("PUT", ["applications", _, "commands"]) => register(state, None, body.json),
        ("PUT", ["applications", _, "guilds", guild, "commands"]) => {
            register(state, Some(guild.parse().unwrap()), body.json)
        }
        ("GET", ["channels", channel]) => {
            with_channel(state, channel, |state, channel| (200, wire::channel(state, channel)))
        }
        ("POST", ["channels", channel, "typing"]) => {
            with_channel(state, channel, |state, channel| match may_speak(state, channel) {
                Ok(()) => (204, Value::Null),
                Err(refusal) => refusal,
            })
        }
        ("PUT", ["channels", channel, "messages", message, "reactions", emoji, "@me"]) => {
            with_channel(state, channel, |state, channel| doings::react(state, channel, message, emoji))
        }
        ("GET", ["channels", channel, "pins"]) => with_channel(state, channel, doings::pinned),
        ("PUT", ["channels", channel, "pins", message]) => {
            with_channel(state, channel, |state, channel| doings::pin(state, channel, message))
        }
        ("POST", ["channels", channel, "messages", message, "threads"]) => {
            with_channel(state, channel, |state, channel| {
                doings::open_thread(state, channel, Some(message), &body.json)
            })
        }
        ("POST", ["channels", channel, "threads"]) => with_channel(state, channel, |state, channel| {
            doings::open_thread(state, channel, None, &body.json)
        }),
        ("GET", ["guilds", guild, "emojis"]) => with_guild(state, guild, doings::emojis),
        ("GET", ["guilds", guild, "soundboard-sounds"]) => with_guild(state, guild, doings::sounds),
        ("POST", ["channels", channel, "send-soundboard-sound"]) => {
            with_channel(state, channel, |state, channel| doings::play(state, channel, &body.json))
        }
        ("PUT", ["channels", channel, "voice-status"]) => {
            with_channel(state, channel, |state, channel| set_status(state, channel, &body.json))
        }
        ("POST", ["channels", channel, "messages"]) => {
            with_channel(state, channel, |state, channel| post(state, channel, body))
        }
        ("PATCH", ["channels", channel, "messages", message]) => {
            let message = message.parse().unwrap();
            with_channel(state, channel, |state, _| edit(state, message, &body.json))
        }
        ("DELETE", ["channels", channel, "messages", message]) => {
            let message = message.parse().unwrap();
            with_channel(state, channel, |state, channel| delete(state, channel, message))
        }
        ("POST", ["users", "@me", "channels"]) => {
            let whom = body.json["recipient_id"].as_str().and_then(|id| id.parse().ok());
            let theirs = |(id, channel): (&u64, &ChannelState)| {
                (channel.recipient.is_some() && channel.recipient == whom).then_some(*id)
            };
            match state.channels.iter().find_map(theirs) {
                Some(id) => (200, wire::channel(state, id)),
                None => refused(403, 50_007, "Cannot send messages to this user"),
            }
        }
        ("GET", ["channels", channel, "messages"]) => {
            with_channel(state, channel, |state, channel| (200, messages(state, channel, query)))
        }
        ("GET", ["channels", channel, "messages", message]) => with_channel(state, channel, |state, _| {
            let found = state.messages.get(&message.parse().unwrap());
            match found.filter(|found| found["channel_id"] == *channel) {
                Some(message) => (200, message.clone()),
                None => refused(404, 10_008, "Unknown Message"),
            }
        }),
        ("POST", ["interactions", id, _, "callback"]) => respond(state, id.parse().unwrap(), body),
        ("PATCH", ["webhooks", _, token, "messages", "@original"]) => edit_response(state, token, body),
        ("POST", ["webhooks", _, token]) => edit_response(state, token, body),
        _ => refused(404, 0, "404: Not Found"),
    }
}

fn with_guild(state: &State, guild: &str, then: impl FnOnce(&State, u64) -> Value) -> Reply {
    let id = guild.parse().unwrap();
    if !state.guilds.contains_key(&id) {
        return refused(404, 10_004, "Unknown Guild");
    }
    (200, then(state, id))
}

fn with_channel(state: &mut State, channel: &str, then: impl FnOnce(&mut State, u64) -> Reply) -> Reply {
    let id = channel.parse().unwrap();
    if !state.channels.contains_key(&id) {
        return refused(404, 10_003, "Unknown Channel");
    }
    if state.permissions(BOT, id) & bits::VIEW_CHANNEL == 0 {
        return refused(403, 50_001, "Missing Access");
    }
    then(state, id)
}

/// What was said in a channel, the newest first. Without the right to read what was said before, nothing was.
fn messages(state: &State, channel: u64, query: &str) -> Value {
    let asked = |key: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(name, _)| *name == key).find_map(|(_, value)| value.parse::<u64>().ok())
    };
    if state.permissions(BOT, channel) & bits::READ_MESSAGE_HISTORY == 0 {
        return json!([]);
    }
    let most = usize::try_from(asked("limit").unwrap_or(50).min(100)).unwrap();
    let before = asked("before").unwrap_or(u64::MAX);
    let here = state.messages.range(..before).rev().map(|(_, message)| message);
    let here = here.filter(|message| wire::id_of(&message["channel_id"]) == channel);
    // Over REST a message says neither in which guild it stands nor which member wrote it.
    let told = here.take(most).map(|message| {
        let mut told = state.visible(message);
        let fields = told.as_object_mut().unwrap();
        fields.remove("guild_id");
        fields.remove("member");
        told
    });
    Value::Array(told.collect())
}

fn may_speak(state: &State, channel: u64) -> Result<(), Reply> {
    let place = &state.channels[&channel];
    let needed = if wire::is_thread(place) { bits::SEND_IN_THREADS } else { bits::SEND_MESSAGES };
    if state.permissions(BOT, channel) & needed == 0 {
        return Err(refused(403, 50_013, "Missing Permissions"));
    }
    if place.locked {
        return Err(refused(403, 160_005, "This thread is locked"));
    }
    Ok(())
}

/// From outside the call only who manages the channel may.
fn set_status(state: &mut State, call: u64, body: &Value) -> Reply {
    let guild = &state.guilds[&state.channels[&call].guild.unwrap()];
    let is_inside = guild.voice.get(&BOT).is_some_and(|(inside, _)| *inside == call);
    let needed = bits::SET_VOICE_CHANNEL_STATUS | if is_inside { 0 } else { bits::MANAGE_CHANNELS };
    if state.permissions(BOT, call) & needed != needed {
        return refused(403, 50_013, "Missing Permissions");
    }
    let status = body["status"].as_str().filter(|status| !status.is_empty()).map(ToOwned::to_owned);
    state.set_status(call, status);
    (204, Value::Null)
}

fn check_content(body: &Value) -> Result<String, Reply> {
    let content = body["content"].as_str().unwrap_or_default();
    if content.chars().count() > MESSAGE_MAX_CHARS {
        return Err(refused(400, 50_035, "Invalid Form Body"));
    }
    if content.trim().is_empty() {
        return Err(refused(400, 50_006, "Cannot send an empty message"));
    }
    Ok(content.to_owned())
}

fn post(state: &mut State, channel: u64, Body { json: body, files }: Body) -> Reply {
    if let Err(refusal) = may_speak(state, channel) {
        return refusal;
    }
    if !files.is_empty() && state.permissions(BOT, channel) & bits::ATTACH_FILES == 0 {
        return refused(403, 50_013, "Missing Permissions");
    }
    let poll = &body["poll"];
    if let Some(Err(refusal)) = (!poll.is_null()).then(|| doings::check_poll(state, channel, poll)) {
        return refusal;
    }
    // A poll or a file is enough of a message.
    let is_empty = body["content"].as_str().unwrap_or_default().is_empty();
    let content = match check_content(&body) {
        Err(_) if is_empty && !(poll.is_null() && files.is_empty()) => String::new(),
        Ok(content) => content,
        Err(refusal) => return refusal,
    };
    if let Err(what) = valid::rows(&body["components"]) {
        return invalid(&what);
    }
    let repeated = state.posted.iter().find(|posted| {
        body["enforce_nonce"] == true && posted.channel == channel && posted.body["nonce"] == body["nonce"]
    });
    if let Some(posted) = repeated {
        return (200, state.messages[&posted.id].clone());
    }
    let id = state.id();
    let mut message = wire::message(state, id, channel, BOT, &content);
    let attached = files.iter().enumerate().map(|(number, (name, text))| {
        let at = format!("https://cdn.invalid/{name}");
        json!({"id": (number + 1).to_string(), "filename": name, "size": text.len(), "url": at, "proxy_url": at})
    });
    message["attachments"] = attached.collect();
    state.posted.push(Posted { id, channel, content, files, body, is_deleted: false });
    state.said(channel, message.clone());
    (200, message)
}

/// Its own messages the bot may always take away, those of others where it manages messages, which is nowhere alone with
/// somebody.
fn delete(state: &mut State, channel: u64, message: u64) -> Reply {
    let here = state.messages.get(&message).filter(|found| wire::id_of(&found["channel_id"]) == channel);
    let Some(found) = here else { return refused(404, 10_008, "Unknown Message") };
    let guild = state.channels[&channel].guild;
    if wire::id_of(&found["author"]["id"]) != BOT {
        if guild.is_none() {
            return refused(403, 50_003, "Cannot execute action on a DM channel");
        }
        if state.permissions(BOT, channel) & bits::MANAGE_MESSAGES == 0 {
            return refused(403, 50_013, "Missing Permissions");
        }
    }
    state.messages.remove(&message);
    state.posted.iter_mut().filter(|posted| posted.id == message).for_each(|posted| posted.is_deleted = true);
    let mut event = json!({"id": message.to_string(), "channel_id": channel.to_string()});
    if let Some(guild) = guild {
        event["guild_id"] = guild.to_string().into();
    }
    let intent = state.messages_intent(channel);
    state.dispatch("MESSAGE_DELETE", intent, event);
    (204, Value::Null)
}

/// The bot's own messages can be edited.
fn edit(state: &mut State, message: u64, body: &Value) -> Reply {
    let content = match check_content(body) {
        Ok(content) => content,
        Err(refusal) => return refusal,
    };
    if let Err(what) = valid::rows(&body["components"]) {
        return invalid(&what);
    }
    let Some(stored) = state.messages.get_mut(&message) else {
        return refused(404, 10_008, "Unknown Message");
    };
    let Some(posted) = state.posted.iter_mut().find(|posted| posted.id == message) else {
        return refused(403, 50_005, "Cannot edit a message authored by another user");
    };
    if !body["components"].is_null() {
        posted.body["components"] = body["components"].clone();
        stored["components"] = body["components"].clone();
    }
    stored["content"] = json!(content);
    stored["edited_timestamp"] = json!(wire::now());
    posted.content = content;
    let stored = stored.clone();
    let (intent, seen) = (state.messages_intent(wire::id_of(&stored["channel_id"])), state.visible(&stored));
    state.dispatch("MESSAGE_UPDATE", intent, seen);
    (200, stored)
}

/// Registering answers with what was registered, as Discord stores it.
fn register(state: &mut State, guild: Option<u64>, commands: Value) -> Reply {
    let commands: Vec<Value> = commands.as_array().cloned().unwrap();
    if let Err(what) = valid::commands(&commands) {
        return invalid(&what);
    }
    let mut stored = Vec::new();
    for command in &commands {
        let mut command = command.clone();
        command["id"] = json!(state.id().to_string());
        command["application_id"] = json!(BOT.to_string());
        command["version"] = json!("1");
        for (key, default) in [("type", json!(1)), ("default_member_permissions", Value::Null)] {
            if command.get(key).is_none() {
                command[key] = default;
            }
        }
        stored.push(command);
    }
    state.commands.insert(guild, commands);
    (200, Value::Array(stored))
}

fn respond(state: &mut State, id: u64, body: Body) -> Reply {
    let is_punctual = state.is_punctual;
    let Some(interaction) = state.interactions.get_mut(&id) else {
        return refused(404, 10_062, "Unknown interaction");
    };
    let took = interaction.begun.map(|begun| begun.elapsed()).unwrap_or_default();
    if is_punctual && took >= FIRST_RESPONSE_WITHIN {
        return refused(404, 10_062, "Unknown interaction");
    }
    if interaction.responded.is_some() {
        return refused(400, 40_060, "Interaction has already been acknowledged.");
    }
    let kind = body.json["type"].as_u64().unwrap();
    let data = &body.json["data"];
    let checked = match kind {
        8 => valid::choices(&data["choices"]),
        9 => valid::form(data),
        _ => valid::rows(&data["components"]),
    };
    if let Err(what) = checked {
        return invalid(&what);
    }
    interaction.took = Some(took);
    interaction.responded = Some(kind);
    interaction.ephemeral = data["flags"].as_u64().unwrap_or_default() & 64 != 0;
    match kind {
        4 => interaction.message = Some(data.clone()),
        // In place of the message that it stands under.
        7 => {
            interaction.message = Some(data.clone());
            if let Some(under) = interaction.under {
                edit(state, under, data);
            }
        }
        8 => interaction.choices = Some(data["choices"].as_array().cloned().unwrap_or_default()),
        9 => interaction.modal = Some(data.clone()),
        _ => {}
    }
    (204, Value::Null)
}

fn edit_response(state: &mut State, token: &str, body: Body) -> Reply {
    let id = token.trim_start_matches("interaction-").parse().unwrap();
    let Some(interaction) = state.interactions.get(&id).filter(|known| known.responded.is_some()) else {
        return refused(404, 10_015, "Unknown Webhook");
    };
    if state.is_punctual && interaction.begun.is_some_and(|begun| begun.elapsed() >= ANSWERS_WITHIN) {
        return refused(401, 50_027, "Invalid Webhook Token");
    }
    if let Err(what) = valid::rows(&body.json["components"]) {
        return invalid(&what);
    }
    let content = match check_content(&body.json) {
        Ok(content) => content,
        Err(refusal) => return refusal,
    };
    let channel = interaction.channel;
    let message_id = state.id();
    let message = wire::message(state, message_id, channel, BOT, &content);
    let interaction = state.interactions.get_mut(&id).unwrap();
    interaction.message = Some(body.json);
    interaction.files = body.files;
    (200, message)
}
