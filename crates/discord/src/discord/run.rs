//! Bringing the bot online and keeping it there, at a bearable pace.
//!
//! Owns the connection's life: checking the token, starting serenity, waiting out outages, ending on request.
//! Everything that reconnects or resumes within a session is serenity's. Start reading at [`run_discord`].

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use serenity::all::{Client, ClientBuilder, GatewayError, GatewayIntents, Http, Settings};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::adapter::{Adapter, DiscordDeps};
use super::feed::Feed;
use super::gateway::Gateway;
use super::intake;
use super::link::{Connected, RestFailure, failure, rest_client};
use super::members::Members;
use super::permissions::{application_of, intents};
use super::presence::keep_presence;
use super::voice::CallFeed;
use super::watch::{ConnectionWatch, LASTS};
use crate::clock::doubled;
use crate::text::short::{one_line, shortened};

/// How long Discord may take to say where its gateway is.
const DOOR_DEADLINE: Duration = Duration::from_secs(30);

/// First pause after a failure to connect; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Longest pause between attempts to connect.
const LONGEST_PAUSE: Duration = Duration::from_secs(5 * 60);

/// Sessions of the day that are left untouched: with all of them spent Discord resets the token (its documentation,
/// "Session Start Limit").
const SPARED: u64 = 100;

/// Runs the bot until `stop` is cancelled. Outages are waited out; after `stop` the link still works, so that what is
/// being said can be said to its end.
///
/// # Errors
/// When no waiting helps: see [`DiscordError`].
pub async fn run_discord(deps: DiscordDeps, stop: CancellationToken) -> Result<(), DiscordError> {
    let adapter = Arc::new(Adapter::new(deps));
    adapter.deps.pairing.asks(Arc::<Members>::clone(&adapter.members));
    let _tidying = adapter.calls.clone().map(|calls| {
        let link = adapter.deps.link.clone();
        AbortOnDropHandle::new(tokio::spawn(async move { calls.take_back_daily(link).await }))
    });
    let mut failures = 0_u32;
    loop {
        let begun = Instant::now();
        let ended = online(&adapter, &stop).await;
        failures = if begun.elapsed() >= LASTS * 2 { 1 } else { failures.saturating_add(1) };
        let mut pause = doubled(FIRST_PAUSE, failures, LONGEST_PAUSE);
        match ended {
            GatewayEnd::Stopped => return Ok(()),
            GatewayEnd::Denied(error) => return Err(error),
            GatewayEnd::Offline(why) => adapter.watch.troubled(&why, pause),
            GatewayEnd::SpentUp(until) => {
                adapter.watch.troubled("the day's sessions are nearly all used up", until);
                pause = until;
            }
            GatewayEnd::Dropped | GatewayEnd::Unsteady => {}
        }
        tokio::select! {
            () = sleep(pause) => {}
            () = stop.cancelled() => return Ok(()),
        }
    }
}

enum GatewayEnd {
    Stopped,
    Denied(DiscordError),
    /// It could not be made.
    Offline(String),
    Unsteady,
    /// Too many were made today; when that is over.
    SpentUp(Duration),
    /// It was made, and serenity gave it up.
    Dropped,
}

async fn online(adapter: &Arc<Adapter>, stop: &CancellationToken) -> GatewayEnd {
    let base =
        adapter.deps.api_base.clone().or_else(|| adapter.deps.config.current().discord.api_base.clone());
    let http = rest_client(&adapter.deps.token, base.as_deref());
    let made = tokio::select! {
        made = client(adapter, http) => made,
        () = stop.cancelled() => Err(GatewayEnd::Stopped),
    };
    let mut client = match made {
        Ok(client) => client,
        Err(ended) => return ended,
    };
    adapter.deps.link.connect(Connected::new(Arc::clone(&client.http), Arc::clone(&client.cache), adapter));
    let (shards, cache) = (Arc::clone(&client.shard_manager), Arc::clone(&client.cache));
    let address = Arc::clone(&client.ws_url);
    let gateway = address.lock().await.clone();
    let ended = tokio::select! {
        ended = client.start_autosharded() => match ended {
            Ok(()) => GatewayEnd::Dropped,
            Err(error) => connection_gave_up(adapter, &error),
        },
        () = keep_connecting(address, &adapter.watch) => GatewayEnd::Unsteady,
        () = keep_presence(adapter, &cache, &shards) => GatewayEnd::Dropped,
        () = stop.cancelled() => GatewayEnd::Stopped,
    };
    if let (GatewayEnd::Stopped, Some(calls)) = (&ended, &adapter.calls) {
        calls.pause_all().await;
    }
    shards.shutdown_all().await;
    match ended {
        GatewayEnd::Unsteady => {
            let asked =
                ask_gateway(&gateway, adapter.deps.token.expose_secret(), wanted_intents(adapter).bits());
            tokio::select! {
                why = asked => GatewayEnd::Offline(why),
                () = stop.cancelled() => GatewayEnd::Stopped,
            }
        }
        ended => ended,
    }
}

async fn knock(http: &Http) -> Result<(), GatewayEnd> {
    let Ok(answer) = timeout(DOOR_DEADLINE, http.get_bot_gateway()).await else {
        return Err(GatewayEnd::Offline("Discord did not answer in time".to_owned()));
    };
    let error = match answer {
        Ok(gateway) if gateway.session_start_limit.remaining <= SPARED => {
            let limit = gateway.session_start_limit;
            return Err(GatewayEnd::SpentUp(Duration::from_millis(limit.reset_after).max(FIRST_PAUSE)));
        }
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    Err(match failure(&error) {
        RestFailure::Unauthorised => GatewayEnd::Denied(DiscordError::WrongToken),
        RestFailure::Passing(why) | RestFailure::Unreadable(why) => GatewayEnd::Offline(why),
        RestFailure::Closed(why) | RestFailure::Other(why) => GatewayEnd::Denied(DiscordError::Refused(why)),
    })
}

async fn client(adapter: &Arc<Adapter>, http: Http) -> Result<Client, GatewayEnd> {
    // Serenity would fall back to Discord's own gateway when it cannot ask for one; asked here first, a wrong token
    // and an unreachable proxy are told apart and neither is hidden.
    knock(&http).await?;
    let mut cache = Settings::default();
    cache.max_messages = intake::KEPT_PER_CHANNEL;
    let mut client = ClientBuilder::new_with_http(http, wanted_intents(adapter))
        .cache_settings(cache)
        .raw_event_handler(adapter.watch.clone())
        .event_handler(Gateway(Arc::clone(adapter)))
        .event_handler(Feed(Arc::clone(adapter)))
        .event_handler(CallFeed(Arc::clone(adapter)));
    if let Some(calls) = &adapter.calls {
        client = client.voice_manager_arc(calls.songbird());
    }
    client.await.map_err(|error| GatewayEnd::Offline(error.to_string()))
}

fn wanted_intents(adapter: &Adapter) -> GatewayIntents {
    intents(adapter.deps.config.current().discord.presence)
}

fn connection_gave_up(adapter: &Adapter, error: &serenity::Error) -> GatewayEnd {
    match error {
        serenity::Error::Gateway(GatewayError::DisallowedGatewayIntents) => {
            GatewayEnd::Denied(DiscordError::IntentsDenied {
                application: application_of(&adapter.deps.token),
            })
        }
        serenity::Error::Gateway(GatewayError::InvalidAuthentication | GatewayError::NoAuthentication) => {
            GatewayEnd::Denied(DiscordError::WrongToken)
        }
        other => GatewayEnd::Offline(other.to_string()),
    }
}

/// Shortest pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// How often somebody who waits for the first connection is let through.
const FIRST_KNOCK: Duration = Duration::from_millis(20);

/// Attempts without a connection that lasts before the whole is begun anew, which asks Discord how many are left. After
/// that each beginning has one.
const ATTEMPTS: u32 = 5;

/// Longest pause between two attempts.
const LONGEST: Duration = Duration::from_secs(256);

/// How long the gateway may take to say what is wrong.
const ASKING: Duration = Duration::from_secs(10);

/// Longest reason shown, in characters.
const REASON: usize = 100;

/// Lets one attempt through at a time, at ever longer distances while none lasts. Returns when that leads to nothing.
pub(super) async fn keep_connecting(address: Arc<Mutex<String>>, watch: &ConnectionWatch) {
    watch.begins_anew();
    tokio::select! {
        () = pace(address, watch) => {}
        () = watch.comes_to_nothing() => {}
    }
}

async fn pace(address: Arc<Mutex<String>>, watch: &ConnectionWatch) {
    let mut pause = FIRST_KNOCK;
    let mut is_first = true;
    let mut held = address.lock().await;
    loop {
        sleep(pause).await;
        drop(held);
        // Who waits has it before it can be had here.
        let is_taken = address.try_lock().is_err();
        held = address.lock().await;
        if is_taken {
            let attempt = watch.tries();
            if attempt > ATTEMPTS && !is_first {
                return;
            }
            is_first = false;
            pause = doubled(PAUSE, attempt, LONGEST);
        } else if pause > PAUSE {
            pause = PAUSE;
        }
    }
}

/// What the gateway says to a bot that it lets in no longer: one attempt of our own, as serenity keeps it to itself.
pub(super) async fn ask_gateway(address: &str, token: &str, intents: u64) -> String {
    match timeout(ASKING, gateway_asked(address, token, intents)).await {
        Ok(Ok(words)) => words,
        Ok(Err(error)) => match *error {
            tungstenite::Error::Http(answer) => format!("the gateway answers {}", answer.status().as_u16()),
            _ => "the gateway breaks the connection off".to_owned(),
        },
        Err(_) => "the gateway does not answer".to_owned(),
    }
}

async fn gateway_asked(address: &str, token: &str, intents: u64) -> Result<String, Box<tungstenite::Error>> {
    let (mut socket, _) = tokio_tungstenite::connect_async(format!("{address}?v=10&encoding=json")).await?;
    while let Some(message) = socket.next().await {
        let frame: Value = match message? {
            Message::Text(text) => serde_json::from_str(&text).unwrap_or_default(),
            Message::Close(frame) => {
                let Some(frame) = frame else { break };
                let reason = shortened(&one_line(&frame.reason), REASON);
                return Ok(format!("the gateway closes with {} {reason}", u16::from(frame.code))
                    .trim()
                    .to_owned());
            }
            _ => continue,
        };
        match (frame["op"].as_u64(), frame["t"].as_str()) {
            (Some(10), _) => {
                let properties =
                    json!({"os": std::env::consts::OS, "browser": "familiar", "device": "familiar"});
                let data = json!({"token": token, "intents": intents, "properties": properties});
                socket.send(Message::text(json!({"op": 2, "d": data}).to_string())).await?;
            }
            (_, Some("READY")) => {
                socket.close(None).await?;
                return Ok("the gateway lets the bot in and its connection does not last".to_owned());
            }
            (Some(9), _) => return Ok("the gateway calls the session invalid".to_owned()),
            _ => {}
        }
    }
    Ok("the gateway hangs up without a word".to_owned())
}

/// A failure that no amount of waiting mends. Everything else is waited out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiscordError {
    /// Discord does not know the token.
    #[error(
        "Discord does not accept the bot token. Copy it again from \
         https://discord.com/developers/applications (your application, Bot, Reset Token) into DISCORD_TOKEN"
    )]
    WrongToken,
    /// The gateway closed with 4014.
    #[error(
        "Discord refuses the Message Content intent. Switch on \"Message Content Intent\" at \
         https://discord.com/developers/applications/{} (Bot, Privileged Gateway Intents), then start again. With discord.presence = true \
         \"Presence Intent\" and \"Server Members Intent\" are needed too",
        .application.map_or_else(String::new, |id| format!("{id}/bot"))
    )]
    IntentsDenied {
        /// The application, where the token tells.
        application: Option<u64>,
    },
    /// Discord, or what stands in `discord.api_base`, refuses to let the bot in.
    #[error("Discord refuses the connection: {0}")]
    Refused(String),
}
