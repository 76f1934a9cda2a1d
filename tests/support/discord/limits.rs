//! Rate limits, as Discord has them: a bucket for each route and channel, one for the whole bot, and headers that tell.

use std::collections::HashMap;
use std::time::Duration;

use axum::http::HeaderMap;
use tokio::time::Instant;

/// What is allowed within a time.
#[derive(Debug, Clone, Copy)]
pub struct Allowed {
    pub requests: u32,
    pub within: Duration,
}

/// How much has been used of what is allowed.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// Of posting into one channel.
    pub posts: Option<Allowed>,
    /// Of everything but answers to interactions.
    pub all: Option<Allowed>,
    /// Whether headers tell, or only what stands in a refusal.
    pub in_headers: bool,
    used: HashMap<String, (Instant, u32)>,
}

/// Too much: how long to wait, and whether with everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Refusal {
    pub wait: Duration,
    pub of_all: bool,
}

impl Limits {
    /// A request comes in: the headers of its answer, or a refusal.
    pub fn takes(&mut self, line: &str) -> Result<HeaderMap, (Refusal, HeaderMap)> {
        let mut told = HeaderMap::new();
        let is_of_interaction = line.contains(" interactions/") || line.contains(" webhooks/");
        if let Some(allowed) = self.all.filter(|_| !is_of_interaction)
            && let Err(wait) = self.uses("", allowed)
        {
            let refusal = Refusal { wait, of_all: true };
            self.refuses(refusal, &mut told);
            return Err((refusal, told));
        }
        let is_post = line.starts_with("POST channels/") && line.ends_with("/messages");
        let Some(allowed) = self.posts.filter(|_| is_post) else { return Ok(told) };
        let used = self.uses(line, allowed);
        let (since, count) = self.used[line];
        if self.in_headers {
            let left = allowed.requests.saturating_sub(count);
            let reset = (since + allowed.within).saturating_duration_since(Instant::now()).as_secs_f64();
            told.insert("x-ratelimit-limit", allowed.requests.into());
            told.insert("x-ratelimit-remaining", left.into());
            told.insert("x-ratelimit-reset-after", format!("{reset:.3}").parse().unwrap());
            told.insert("x-ratelimit-bucket", "abcd1234".parse().unwrap());
        }
        match used {
            Ok(()) => Ok(told),
            Err(wait) => {
                let refusal = Refusal { wait, of_all: false };
                self.refuses(refusal, &mut told);
                Err((refusal, told))
            }
        }
    }

    fn refuses(&self, refusal: Refusal, told: &mut HeaderMap) {
        if self.in_headers {
            told.insert("retry-after", format!("{:.3}", refusal.wait.as_secs_f64()).parse().unwrap());
            let scope = if refusal.of_all { "global" } else { "user" };
            told.insert("x-ratelimit-scope", scope.parse().unwrap());
            if refusal.of_all {
                told.insert("x-ratelimit-global", "true".parse().unwrap());
            }
        }
    }

    fn uses(&mut self, bucket: &str, allowed: Allowed) -> Result<(), Duration> {
        let now = Instant::now();
        let (since, count) = self.used.entry(bucket.to_owned()).or_insert((now, 0));
        if now.duration_since(*since) >= allowed.within {
            (*since, *count) = (now, 0);
        }
        if *count >= allowed.requests {
            return Err((*since + allowed.within).duration_since(now));
        }
        *count += 1;
        Ok(())
    }
}
