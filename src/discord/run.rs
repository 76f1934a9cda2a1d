//! Bringing the bot online and keeping it there.
//!
//! Owns the connection's life: checking the token, starting serenity, waiting out outages, ending on request.
//! Everything that reconnects or resumes within a session is serenity's. Start reading at [`run`].

use std::sync::Arc;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use serenity::all::{Client, ClientBuilder, GatewayError, Http, Settings};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::error::DiscordError;
use super::feed::Feed;
use super::gate;
use super::gateway::Gateway;
use super::intake;
use super::link::{Connected, RestFailure, failure, rest};
use super::members::Members;
use super::permissions::{Presence, application_of, intents};
use super::rim::{DiscordDeps, Rim};
use super::voice::CallFeed;
use super::watch::LASTS;

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
pub async fn run(deps: DiscordDeps, stop: CancellationToken) -> Result<(), DiscordError> {
    let rim = Arc::new(Rim::new(deps));
    rim.deps.pairing.asks(Arc::<Members>::clone(&rim.members));
    let _tidying = rim.calls.clone().map(|calls| {
        let link = rim.deps.link.clone();
        AbortOnDropHandle::new(tokio::spawn(async move { calls.take_back_daily(link).await }))
    });
    let mut pause = FIRST_PAUSE;
    loop {
        let begun = Instant::now();
        let ended = online(&rim, &stop).await;
        if begun.elapsed() >= LASTS * 2 {
            pause = FIRST_PAUSE;
        }
        match ended {
            Ended::Stopped => return Ok(()),
            Ended::Denied(error) => return Err(error),
            Ended::Offline(why) => {
                tracing::warn!(why, retry_in_s = pause.as_secs(), "not connected to Discord");
                rim.watch.troubled(&why);
            }
            Ended::SpentUp(until) => {
                let why = "the day's sessions are nearly all used up";
                tracing::warn!(why, retry_in_s = until.as_secs(), "not connected to Discord");
                rim.watch.troubled(why);
                pause = until;
            }
            Ended::Dropped | Ended::Unsteady => {}
        }
        tokio::select! {
            () = sleep(pause) => {}
            () = stop.cancelled() => return Ok(()),
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// How a connection ended.
enum Ended {
    /// As asked.
    Stopped,
    /// For good.
    Denied(DiscordError),
    /// It could not be made.
    Offline(String),
    /// None lasted.
    Unsteady,
    /// Too many were made today; when that is over.
    SpentUp(Duration),
    /// It was made, and serenity gave it up.
    Dropped,
}

async fn online(rim: &Arc<Rim>, stop: &CancellationToken) -> Ended {
    let base = rim.deps.api_base.clone().or_else(|| rim.deps.config.current().discord.api_base.clone());
    let http = rest(&rim.deps.token, base.as_deref());
    let made = tokio::select! {
        made = client(rim, http) => made,
        () = stop.cancelled() => Err(Ended::Stopped),
    };
    let mut client = match made {
        Ok(client) => client,
        Err(ended) => return ended,
    };
    rim.deps.link.connect(Connected {
        http: Arc::clone(&client.http),
        cache: Arc::clone(&client.cache),
        watch: rim.watch.clone(),
    });
    let shards = Arc::clone(&client.shard_manager);
    let address = Arc::clone(&client.ws_url);
    let gateway = address.lock().await.clone();
    let ended = tokio::select! {
        ended = client.start_autosharded() => match ended {
            Ok(()) => Ended::Dropped,
            Err(error) => gave_up(rim, &error),
        },
        () = gate::keep(address, &rim.watch) => Ended::Unsteady,
        () = stop.cancelled() => Ended::Stopped,
    };
    if let (Ended::Stopped, Some(calls)) = (&ended, &rim.calls) {
        calls.pause_all().await;
    }
    shards.shutdown_all().await;
    match ended {
        Ended::Unsteady => {
            let asked = gate::ask(&gateway, rim.deps.token.expose_secret(), intents(presence(rim)).bits());
            tokio::select! {
                why = asked => Ended::Offline(why),
                () = stop.cancelled() => Ended::Stopped,
            }
        }
        ended => ended,
    }
}

async fn knock(http: &Http) -> Result<(), Ended> {
    let Ok(answer) = timeout(DOOR_DEADLINE, http.get_bot_gateway()).await else {
        return Err(Ended::Offline("Discord did not answer in time".to_owned()));
    };
    let error = match answer {
        Ok(gateway) if gateway.session_start_limit.remaining <= SPARED => {
            let limit = gateway.session_start_limit;
            return Err(Ended::SpentUp(Duration::from_millis(limit.reset_after).max(FIRST_PAUSE)));
        }
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    Err(match failure(&error) {
        RestFailure::Unauthorised => Ended::Denied(DiscordError::WrongToken),
        RestFailure::Passing(why) | RestFailure::Unreadable(why) => Ended::Offline(why),
        RestFailure::Closed(why) | RestFailure::Other(why) => Ended::Denied(DiscordError::Refused(why)),
    })
}

async fn client(rim: &Arc<Rim>, http: Http) -> Result<Client, Ended> {
    // Serenity would fall back to Discord's own gateway when it cannot ask for one; asked here first, a wrong token
    // and an unreachable proxy are told apart and neither is hidden.
    knock(&http).await?;
    let mut cache = Settings::default();
    cache.max_messages = intake::KEPT_PER_CHANNEL;
    let mut client = ClientBuilder::new_with_http(http, intents(presence(rim)))
        .cache_settings(cache)
        .raw_event_handler(rim.watch.clone())
        .event_handler(Gateway(Arc::clone(rim)))
        .event_handler(Feed(Arc::clone(rim)))
        .event_handler(CallFeed(Arc::clone(rim)));
    if let Some(calls) = &rim.calls {
        client = client.voice_manager_arc(calls.songbird());
    }
    client.await.map_err(|error| Ended::Offline(error.to_string()))
}

fn presence(rim: &Rim) -> Presence {
    if rim.deps.config.current().discord.presence { Presence::Wanted } else { Presence::Unseen }
}

fn gave_up(rim: &Rim, error: &serenity::Error) -> Ended {
    match error {
        serenity::Error::Gateway(GatewayError::DisallowedGatewayIntents) => {
            Ended::Denied(DiscordError::IntentsDenied { application: application_of(&rim.deps.token) })
        }
        serenity::Error::Gateway(GatewayError::InvalidAuthentication | GatewayError::NoAuthentication) => {
            Ended::Denied(DiscordError::WrongToken)
        }
        other => Ended::Offline(other.to_string()),
    }
}
