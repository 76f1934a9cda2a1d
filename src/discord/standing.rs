//! Where the bot may speak, by what the gateway has told, where it was refused all the same, and how often it may ask.
//!
//! Asked before a turn: an answer that cannot arrive is not worth a model, and Discord shuts out who goes on knocking.
//! Start reading at [`Refusals::may_speak`].

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quick_cache::sync::Cache;
use serde_json::Value;
use serenity::all::{
    ChannelId, ErrorResponse, GuildChannel, GuildId, Http, HttpError, LightMethod, Permissions, Ratelimit,
    RatelimitingBucket, Request,
};
use serenity_reqwest::{Client, Method, Response, StatusCode};
use tokio::sync::Mutex;
use tokio::time::sleep;

use super::intake;
use super::link::Connected;
use super::permissions::{InThread, missing};
use super::reading::parent;
use super::rim::cached_channel;

/// Channels whose refusal is remembered, and limits that are; what is forgotten costs one more refusal.
const KEPT: usize = 1024;

/// How the bot stands in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub granted: Permissions,
    pub in_thread: InThread,
    closed: (bool, bool),
}

impl Standing {
    /// By what is known without asking; `None` when that is not enough to tell.
    pub fn of(cache: &serenity::all::Cache, guild: GuildId, channel: &GuildChannel) -> Option<Self> {
        let guild = cache.guild(guild)?;
        let member = guild.members.get(&cache.current_user().id)?;
        // A thread has no overwrites of its own.
        let deciding = parent(Some(channel)).map_or(Some(channel), |id| guild.channels.get(&id))?;
        let thread = channel.thread_metadata.as_ref();
        Some(Self {
            granted: guild.user_permissions_in(deciding, member),
            in_thread: if intake::is_thread(channel) { InThread::Yes } else { InThread::No },
            closed: thread.map_or((false, false), |thread| (thread.archived, thread.locked)),
        })
    }

    fn of_cached(cache: &serenity::all::Cache, guild: GuildId, channel: ChannelId) -> Option<Self> {
        Self::of(cache, guild, &cached_channel(cache, guild, channel)?)
    }

    fn may_speak(self) -> bool {
        let needed = match self.in_thread {
            InThread::Yes => Permissions::SEND_MESSAGES_IN_THREADS,
            InThread::No => Permissions::SEND_MESSAGES,
        };
        self.granted.contains(needed | Permissions::VIEW_CHANNEL)
    }
}

/// Channels where Discord refused what was said, and how the bot stood there then.
#[derive(Debug)]
pub(super) struct Refusals(Cache<ChannelId, Standing>);

impl Default for Refusals {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

impl Refusals {
    /// Whether words can arrive in a channel: it has the permissions, and was not refused while it had just these.
    pub fn may_speak(&self, there: &Connected, guild: GuildId, channel: ChannelId) -> bool {
        let Some(standing) = Standing::of_cached(&there.cache, guild, channel) else { return true };
        if !standing.may_speak() {
            let lacking = missing(standing.granted, standing.in_thread).join(" and ");
            there.watch.refused(channel.get(), &format!("the bot lacks {lacking} there"));
            // It will be another matter when that has changed.
            self.0.remove(&channel);
            return false;
        }
        if self.0.get(&channel) == Some(standing) {
            return false;
        }
        self.0.remove(&channel);
        there.watch.admitted(channel.get());
        true
    }

    /// Discord refused what was said there.
    pub fn refused(&self, there: &Connected, guild: GuildId, channel: ChannelId, why: &str) {
        let Some(standing) = Standing::of_cached(&there.cache, guild, channel) else { return };
        self.0.insert(channel, standing);
        there.watch.refused(channel.get(), why);
        tracing::warn!(%channel, why, "may not speak there; silent until permissions change");
    }
}

/// The limits of one server, as far as its answers have told them.
#[derive(Debug)]
pub(super) struct Limits {
    client: OnceLock<Client>,
    buckets: Cache<RatelimitingBucket, Arc<Mutex<Ratelimit>>>,
    /// Held while a limit of the whole bot is waited out.
    all: Mutex<()>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { client: OnceLock::new(), buckets: Cache::new(KEPT), all: Mutex::default() }
    }
}

impl Limits {
    /// Sends a request when its bucket allows it, and again when it was refused for coming too often, as often as that
    /// takes: how long that may be is the caller's to say, by dropping this.
    ///
    /// # Errors
    /// As serenity's own.
    pub async fn send(&self, http: &Http, request: Request<'_>) -> serenity::Result<Response> {
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
            let in_header = header(&response, "retry-after");
            let Some((wait, is_of_all)) = in_header.map(|wait| (wait, is_of_all)).or(in_body(response).await)
            else {
                return Err(HttpError::RateLimitI64F64.into());
            };
            tracing::info!(wait_ms = wait.as_millis(), is_of_all, "waiting out a rate limit");
            if is_of_all {
                let _all = self.all.lock().await;
                sleep(wait).await;
            } else {
                sleep(wait).await;
            }
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

fn header(response: &Response, name: &str) -> Option<Duration> {
    seconds(response.headers().get(name)?.to_str().ok()?.trim().parse().ok()?)
}

/// Where no header says it, the answer itself may: how long, and whether for everything.
async fn in_body(response: Response) -> Option<(Duration, bool)> {
    let answer: Value = serde_json::from_slice(&response.bytes().await.ok()?).ok()?;
    Some((seconds(answer.get("retry_after")?.as_f64()?)?, answer["global"] == true))
}

fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}
