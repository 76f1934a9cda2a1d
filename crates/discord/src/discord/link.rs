//! The way to Discord's REST interface, shared by everything in this room that speaks.
//!
//! Owns how a client is built, how often it may ask, and how its failures read. Must not know what is sent. Start reading at
//! [`DiscordLink`].

use std::any::Any;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use serenity::all::{
    Cache, ChannelId, CreateMessage, ErrorResponse, Http, HttpBuilder, HttpError, LightMethod, MessageId,
    Ratelimit, RatelimitingBucket, Request, Route,
};
use serenity_reqwest::{Client, Method, Response, StatusCode};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use super::questions::Questions;
use super::watch::ConnectionWatch;

/// Longest wait for one REST call, waiting out rate limits included.
pub(super) const CALL_DEADLINE: Duration = Duration::from_secs(60);

/// Most of an answer to a post that is read, in bytes. A message with everything in it has some tens of thousands.
const ANSWER_MAX_BYTES: usize = 1 << 20;

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
    connected: Arc<ArcSwapOption<Connected>>,
    limits: Arc<Limits>,
    questions: Arc<Questions>,
}

/// What there is while the bot is connected, and after.
pub(super) struct Connected {
    pub http: Arc<Http>,
    pub cache: Arc<Cache>,
    pub watch: ConnectionWatch,
    /// Who holds this link in turn: the adapter. The compiler need not know: it would go round that circle for every future
    /// that holds either, for half of the time that it takes to check this crate.
    pub holder: Weak<dyn Any + Send + Sync>,
}

impl std::fmt::Debug for DiscordLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiscordLink").field("connected", &self.connected.load().is_some()).finish()
    }
}

impl DiscordLink {
    /// A link that leads nowhere until [`run_discord`](super::run_discord()) has connected it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The client, once there is one.
    pub(super) fn http(&self) -> Option<Arc<Http>> {
        self.connected().map(|connected| Arc::clone(&connected.http))
    }

    /// What the gateway has told, once there is a connection.
    pub(super) fn cache(&self) -> Option<Arc<Cache>> {
        self.connected().map(|connected| Arc::clone(&connected.cache))
    }

    /// All there is, once there is something.
    pub(super) fn connected(&self) -> Option<Arc<Connected>> {
        self.connected.load_full()
    }

    /// The questions that wait for somebody to press a button.
    pub(super) fn questions(&self) -> &Questions {
        &self.questions
    }

    pub(super) fn connect(&self, connected: Connected) {
        self.connected.store(Some(Arc::new(connected)));
    }

    /// Posts a message. An answer that says it was taken is believed, whatever else stands in it; `None` when it names
    /// no id.
    pub(super) async fn post(
        &self,
        http: &Http,
        channel: ChannelId,
        message: &CreateMessage,
    ) -> serenity::Result<Option<MessageId>> {
        let request = Request::new(Route::ChannelMessages { channel_id: channel }, LightMethod::Post)
            .body(Some(serde_json::to_vec(message)?));
        let mut response = self.limits.send(http, request).await?;
        let mut body = Vec::new();
        while let Ok(Some(part)) = response.chunk().await {
            body.extend_from_slice(&part);
            if body.len() > ANSWER_MAX_BYTES {
                break;
            }
        }
        Ok(id_in(&body))
    }
}

/// The id of a posted message, as text or as a number.
fn id_in(body: &[u8]) -> Option<MessageId> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let id = answer.get("id")?;
    let id = id.as_u64().or_else(|| id.as_str()?.parse().ok())?;
    (id != 0).then(|| MessageId::new(id))
}

/// Buckets that are remembered; what is forgotten costs one refusal.
const KEPT_BUCKETS: usize = 1024;

/// The limits of one server, as far as its answers have told them.
#[derive(Debug)]
struct Limits {
    client: OnceLock<Client>,
    buckets: quick_cache::sync::Cache<RatelimitingBucket, Arc<Mutex<Ratelimit>>>,
    /// Held while a limit of the whole bot is waited out.
    all: Mutex<()>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            client: OnceLock::new(),
            buckets: quick_cache::sync::Cache::new(KEPT_BUCKETS),
            all: Mutex::default(),
        }
    }
}

impl Limits {
    /// Sends a request when its bucket allows it, and again when it was refused for coming too often, as often as that
    /// takes: how long that may be is the caller's to say, by dropping this.
    ///
    /// # Errors
    /// As serenity's own.
    pub(crate) async fn send(&self, http: &Http, request: Request<'_>) -> serenity::Result<Response> {
        if http.ratelimiter.is_some() {
            return http.request(request).await;
        }
        let client = self.client.get_or_init(Client::new);
        let bucket = request.route_ref().ratelimiting_bucket();
        let Ok(bucket) = self.buckets.get_or_insert_with(&bucket, || Ok::<_, Infallible>(Arc::default()));
        // Whoever else is in it waits behind this one.
        let mut bucket = bucket.lock().await;
        loop {
            drop(self.all.lock().await);
            bucket.pre_hook(&request, &|_| {}).await;
            let built = request.clone().build(client, http.token(), http.proxy.as_deref())?;
            let response = client.execute(built.build()?).await?;
            if response.status().is_success() {
                // A header that cannot be read limits nothing.
                let _told = bucket.post_hook(&response, &request, &|_| {}, false).await;
                return Ok(response);
            }
            if response.status() != StatusCode::TOO_MANY_REQUESTS {
                return Err(refused(response, &request).await);
            }
            let is_of_all = response.headers().contains_key("x-ratelimit-global");
            let in_header = header_value(&response, "retry-after");
            let Some((wait, is_of_all)) = in_header.map(|wait| (wait, is_of_all)).or(in_body(response).await)
            else {
                return Err(HttpError::RateLimitI64F64.into());
            };
            tracing::info!(wait_ms = wait.as_millis(), is_of_all, "waiting out a rate limit");
            let _all = if is_of_all { Some(self.all.lock().await) } else { None };
            sleep(wait).await;
        }
    }
}

async fn refused(response: Response, request: &Request<'_>) -> serenity::Error {
    let method = match request.method_ref() {
        LightMethod::Post => Method::POST,
        _ => Method::GET,
    };
    HttpError::UnsuccessfulRequest(ErrorResponse::from_response(response, method).await).into()
}

fn header_value(response: &Response, name: &str) -> Option<Duration> {
    duration_of_seconds(response.headers().get(name)?.to_str().ok()?.trim().parse().ok()?)
}

/// Where no header says it, the answer itself may: how long, and whether for everything.
async fn in_body(response: Response) -> Option<(Duration, bool)> {
    let answer: Value = serde_json::from_slice(&response.bytes().await.ok()?).ok()?;
    Some((duration_of_seconds(answer.get("retry_after")?.as_f64()?)?, answer["global"] == true))
}

fn duration_of_seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// A REST client. Serenity's limiter sends everything to Discord itself, so with another base (a proxy, another server)
/// it is off; what is posted goes through [`Limits`] then.
pub(super) fn rest_client(token: &SecretString, api_base: Option<&str>) -> Http {
    // Two TLS providers in one tree panic at first use, so one is named before the first client is built
    // (stack, trap 1). An error only says that somebody named it already.
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
    /// There was an answer, and it is none of Discord's; what is wrong with it.
    Unreadable(String),
    Other(String),
}

/// Discord's error code for a message that somebody has taken away.
const NO_SUCH_MESSAGE: isize = 10_008;

/// Whether the message that something was to be done with is gone.
pub(super) fn is_gone(error: &serenity::Error) -> bool {
    matches!(error, serenity::Error::Http(HttpError::UnsuccessfulRequest(response))
        if response.error.code == NO_SUCH_MESSAGE)
}

/// Reads a serenity error. No secret is in any of its words: the URL of an interaction holds a token, so URLs are
/// left out.
pub(super) fn failure(error: &serenity::Error) -> RestFailure {
    let http = match error {
        serenity::Error::Http(http) => http,
        // What was wrong, and not what stood there.
        serenity::Error::Json(error) => return unreadable(&format!("{:?} error", error.classify())),
        _ => return RestFailure::Other(error.to_string()),
    };
    match http {
        HttpError::UnsuccessfulRequest(response) => {
            let status = response.status_code.as_u16();
            let words = match (status, response.error.code) {
                (429, _) => "Discord answered 429: it is asked too often".to_owned(),
                // Serenity's way to say that nothing could be made of it.
                (_, -1) => format!("Discord answered {status}"),
                _ => format!("Discord answered {status}: {}", response.error.message),
            };
            if let Some((_, why)) = CLOSED_DOORS.iter().find(|(code, _)| *code == response.error.code) {
                return RestFailure::Closed((*why).to_owned());
            }
            match status {
                401 => RestFailure::Unauthorised,
                // Without a code of Discord's it is somebody's between here and there.
                403 if response.error.code != -1 => RestFailure::Closed(words),
                403 => RestFailure::Passing(words),
                429 | 500..=599 => RestFailure::Passing(words),
                _ => RestFailure::Other(words),
            }
        }
        HttpError::Request(error) if error.is_decode() => unreadable("not in the form that was expected"),
        HttpError::Request(error) => RestFailure::Passing(if error.is_timeout() {
            "Discord did not answer in time".to_owned()
        } else {
            "Discord could not be reached".to_owned()
        }),
        HttpError::InvalidHeader(_) => RestFailure::Unauthorised,
        other => RestFailure::Other(other.to_string()),
    }
}

/// What Discord answers within a deadline. Where it refuses, or says nothing, the log has what was not done, and the number of
/// what that was about.
pub(super) async fn if_answered<T>(
    deadline: Duration,
    call: impl Future<Output = serenity::Result<T>>,
    (not_done, about): (&'static str, u64),
) -> Option<T> {
    let why = match timeout(deadline, call).await {
        Ok(Ok(answer)) => return Some(answer),
        Ok(Err(error)) => failure(&error),
        Err(_) => RestFailure::Passing("Discord did not answer in time".to_owned()),
    };
    tracing::debug!(about, ?why, "{not_done}");
    None
}

fn unreadable(what: &str) -> RestFailure {
    RestFailure::Unreadable(format!("the answer cannot be read ({what})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_posted_message_is_read_in_whatever_form_it_comes() {
        let id = |body: &str| id_in(body.as_bytes()).map(MessageId::get);
        assert_eq!(id(r#"{"id": "1153", "content": 4, "author": null}"#), Some(1153));
        assert_eq!(id(r#"{"id": 1153}"#), Some(1153));
        for none in ["", "<html>", "[]", "{}", r#"{"id": null}"#, r#"{"id": "0"}"#, r#"{"id": "x"}"#] {
            assert_eq!(id(none), None, "{none}");
        }
    }
}
