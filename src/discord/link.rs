//! The way to Discord's REST interface, shared by everything in this room that speaks.
//!
//! Owns how a client is built and how its failures read. Must not know what is sent. Start reading at
//! [`DiscordLink`].

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use secrecy::{ExposeSecret as _, SecretString};
use serenity::all::{Http, HttpBuilder, HttpError};

/// Longest wait for one REST call, waiting out rate limits included.
pub(super) const CALL_DEADLINE: Duration = Duration::from_secs(60);

/// Discord's error codes that mean "not here, not now, and asking again will not help"
/// (Discord's documentation, "Opcodes and Status Codes", JSON error codes).
const CLOSED_DOORS: [(isize, &str); 7] = [
    (10_003, "the channel no longer exists"),
    (50_001, "the bot cannot see that channel"),
    (50_007, "that person does not accept direct messages from the bot"),
    (50_013, "the bot lacks the permission Send Messages there"),
    (50_083, "the thread is archived"),
    (160_005, "the thread is locked"),
    (40_333, "Discord is holding back the bot's requests"),
];

/// A handle to Discord, usable before, during and after a connection. Cloning shares it.
#[derive(Clone, Default)]
pub struct DiscordLink {
    http: Arc<ArcSwapOption<Http>>,
}

impl std::fmt::Debug for DiscordLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiscordLink").field("connected", &self.http.load().is_some()).finish()
    }
}

impl DiscordLink {
    /// A link that leads nowhere until [`run`](super::run()) has connected it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The client, once there is one.
    pub(super) fn http(&self) -> Option<Arc<Http>> {
        self.http.load_full()
    }

    pub(super) fn connect(&self, http: Arc<Http>) {
        self.http.store(Some(http));
    }
}

/// A REST client. With another base (a proxy, a test world) that base does the rate limiting, so ours is off.
pub(super) fn rest(token: &SecretString, api_base: Option<&str>) -> Http {
    // Two TLS providers in one tree panic at first use, so one is named before the first client is built
    // (specs stack, trap 1). An error only says that somebody named it already.
    rustls::crypto::ring::default_provider().install_default().ok();
    let builder = HttpBuilder::new(token.expose_secret());
    match api_base {
        Some(base) => builder.proxy(base.trim_end_matches('/')).ratelimiter_disabled(true),
        None => builder,
    }
    .build()
}

/// How a REST call failed, as far as we treat failures differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RestFailure {
    /// The token is wrong or was revoked.
    Unauthorised,
    /// This will not work however often it is tried.
    Closed(String),
    /// It may work later.
    Passing(String),
    /// Anything else.
    Other(String),
}

/// Reads a serenity error. No secret is in any of its words: the URL of an interaction holds a token, so URLs are
/// left out.
pub(super) fn failure(error: &serenity::Error) -> RestFailure {
    let serenity::Error::Http(http) = error else {
        return RestFailure::Other(error.to_string());
    };
    match http {
        HttpError::UnsuccessfulRequest(response) => {
            let status = response.status_code.as_u16();
            let words = format!("Discord answered {status}: {}", response.error.message);
            if let Some((_, why)) = CLOSED_DOORS.iter().find(|(code, _)| *code == response.error.code) {
                return RestFailure::Closed((*why).to_owned());
            }
            match status {
                401 => RestFailure::Unauthorised,
                403 => RestFailure::Closed(words),
                429 | 500..=599 => RestFailure::Passing(words),
                _ => RestFailure::Other(words),
            }
        }
        HttpError::Request(error) => RestFailure::Passing(if error.is_timeout() {
            "Discord did not answer in time".to_owned()
        } else {
            "Discord could not be reached".to_owned()
        }),
        HttpError::InvalidHeader(_) => RestFailure::Unauthorised,
        other => RestFailure::Other(other.to_string()),
    }
}
