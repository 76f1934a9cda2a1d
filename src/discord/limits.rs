//! Rate limits where serenity's own limiter cannot be: it sends everything to Discord itself, whatever stands in
//! `discord.api_base`.
//!
//! Owns how long a request waits; the counting of buckets is serenity's. Must not know what is sent. Start reading at
//! [`Limits::send`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;
use serenity::all::{ErrorResponse, Http, HttpError, LightMethod, Ratelimit, RatelimitingBucket, Request};
use serenity_reqwest::{Client, Method, Response, StatusCode};
use tokio::time::sleep;

/// Buckets that are remembered; beyond that all are forgotten, which costs one refusal each.
const KEPT: usize = 1024;

/// The limits of one server, as far as its answers have told them.
#[derive(Debug, Default)]
pub(super) struct Limits {
    client: OnceLock<Client>,
    buckets: Mutex<HashMap<RatelimitingBucket, Arc<tokio::sync::Mutex<Ratelimit>>>>,
    /// Held while a limit of the whole bot is waited out.
    all: tokio::sync::Mutex<()>,
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
        let bucket = self.bucket(request.route_ref().ratelimiting_bucket());
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

    fn bucket(&self, of: RatelimitingBucket) -> Arc<tokio::sync::Mutex<Ratelimit>> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEPT && !buckets.contains_key(&of) {
            buckets.clear();
        }
        Arc::clone(buckets.entry(of).or_default())
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
