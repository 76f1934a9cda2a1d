//! The world over a gateway websocket.

use axum::extract::State as Extracted;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::state::{Out, Session, State, bits, intents};
use super::{BOT, DiscordWorld, TOKEN, wire};

/// Close codes, from Discord's documentation.
const AUTHENTICATION_FAILED: u16 = 4004;
const DISALLOWED_INTENTS: u16 = 4014;

pub(super) async fn connect(
    Extracted(world): Extracted<DiscordWorld>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade.on_upgrade(move |socket| serve(world, socket))
}

async fn serve(world: DiscordWorld, mut socket: WebSocket) {
    let (sender, mut outgoing) = mpsc::unbounded_channel();
    world.change(|state| state.connections += 1);
    let hello = json!({"op": 10, "s": null, "t": null, "d": {"heartbeat_interval": 41_250}});
    if socket.send(text(&hello)).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            out = outgoing.recv() => match out {
                Some(Out::Frame(frame)) => if socket.send(text(&frame)).await.is_err() { break },
                Some(Out::Close(code)) => {
                    let frame = CloseFrame { code, reason: "".into() };
                    socket.send(Message::Close(Some(frame))).await.ok();
                    break;
                }
                Some(Out::Break) | None => break,
            },
            incoming = socket.recv() => match incoming {
                Some(Ok(Message::Text(frame))) => {
                    let frame: Value = serde_json::from_str(&frame).unwrap();
                    world.change(|state| hear(state, &world, &sender, &frame));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            },
        }
    }
    world.change(|state| {
        if let Some(session) = &mut state.session
            && session.live.as_ref().is_some_and(|live| live.same_channel(&sender))
        {
            session.live = None;
        }
    });
}

fn text(frame: &Value) -> Message {
    Message::Text(frame.to_string().into())
}

fn hear(state: &mut State, world: &DiscordWorld, sender: &mpsc::UnboundedSender<Out>, frame: &Value) {
    let data = &frame["d"];
    match frame["op"].as_u64() {
        Some(1) => sender.send(Out::Frame(json!({"op": 11}))).unwrap_or_default(),
        Some(2) => identify(state, world, sender, data),
        // Before it has said who it is, Discord hangs up on whatever else it says.
        Some(3) if state.session.is_none() => drop(sender.send(Out::Close(4003))),
        Some(3) => state.presences.push(data.clone()),
        Some(4) => change_call(state, data),
        Some(6) => resume(state, sender, data),
        _ => {}
    }
}

fn identify(state: &mut State, world: &DiscordWorld, sender: &mpsc::UnboundedSender<Out>, data: &Value) {
    state.identifies.push(data.clone());
    let asked = data["intents"].as_u64().unwrap();
    let refusal = if !state.accepts_token || data["token"].as_str().map(bare) != Some(TOKEN) {
        Some(AUTHENTICATION_FAILED)
    } else if (asked & intents::MESSAGE_CONTENT != 0 && !state.allows_message_content)
        || (asked & (intents::GUILD_PRESENCES | intents::GUILD_MEMBERS) != 0 && !state.allows_presence)
    {
        Some(DISALLOWED_INTENTS)
    } else {
        state.hangs_up_with
    };
    if let Some(code) = refusal {
        sender.send(Out::Close(code)).ok();
        return;
    }
    let id = format!("session-{}", state.identifies.len());
    state.session =
        Some(Session { id: id.clone(), intents: asked, log: Vec::new(), live: Some(sender.clone()) });
    let guilds: Vec<u64> = state.guilds.keys().copied().collect();
    let unavailable: Vec<Value> =
        guilds.iter().map(|id| json!({"id": id.to_string(), "unavailable": true})).collect();
    let ready = json!({
        "v": 10, "user": wire::user(state, BOT), "guilds": unavailable, "session_id": id,
        "resume_gateway_url": format!("ws://{}/gateway/", world.shared.address), "shard": [0, 1],
        "application": {"id": BOT.to_string(), "flags": 0}
    });
    state.dispatch("READY", 0, ready);
    let told = guilds.iter().copied().filter(|guild| !state.undescribed.contains(guild));
    for guild in told.collect::<Vec<_>>() {
        let created = wire::guild(state, guild);
        state.dispatch("GUILD_CREATE", intents::GUILDS, created);
    }
}

fn resume(state: &mut State, sender: &mpsc::UnboundedSender<Out>, data: &Value) {
    if let Some(code) = state.hangs_up_with {
        sender.send(Out::Close(code)).ok();
        return;
    }
    let known = state.session.as_mut().filter(|session| data["session_id"] == session.id.as_str());
    let Some(session) = known else {
        sender.send(Out::Frame(json!({"op": 9, "d": false}))).ok();
        return;
    };
    let seen = usize::try_from(data["seq"].as_u64().unwrap()).unwrap();
    for missed in session.log.iter().skip(seen) {
        sender.send(Out::Frame(missed.clone())).ok();
    }
    session.live = Some(sender.clone());
    state.resumes += 1;
    state.dispatch("RESUMED", 0, json!({}));
}

/// The bot joins, changes or leaves a call. Where it may not connect, Discord says nothing.
fn change_call(state: &mut State, data: &Value) {
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str().and_then(|id| id.parse().ok()));
    let guild = number(&data["guild_id"]).unwrap();
    let to = number(&data["channel_id"]);
    let needed = bits::VIEW_CHANNEL | bits::CONNECT;
    if to.is_none_or(|call| {
        state.channels.contains_key(&call) && state.permissions(BOT, call) & needed == needed
    }) {
        state.moves(guild, BOT, to, data["self_mute"] == true);
    }
}

pub(super) fn bare(token: &str) -> &str {
    token.strip_prefix("Bot ").unwrap_or(token)
}
