//! How much the jobs may ask of models in an hour, whatever goes wrong (specs familiar-connect 2.8: a job that re-sent a
//! growing window once cost a quarter of a dollar a minute).

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Model calls in an hour, all jobs and channels together. A busy evening of 600 messages an hour in one channel needs
/// about 30 summaries.
const CALLS: usize = 60;

/// Tokens sent in an hour.
const TOKENS: u32 = 200_000;

const HOUR: Duration = Duration::from_secs(3600);

/// The calls of the last hour.
#[derive(Debug)]
pub(super) struct Allowance {
    calls: usize,
    tokens: u32,
    spent: Mutex<VecDeque<(Instant, u32)>>,
}

impl Default for Allowance {
    fn default() -> Self {
        Self::of(CALLS, TOKENS)
    }
}

impl Allowance {
    /// So many calls, and so many tokens sent, in an hour.
    pub(super) fn of(calls: usize, tokens: u32) -> Self {
        Self { calls, tokens, spent: Mutex::default() }
    }

    /// Takes one call of about `tokens` from the hour.
    ///
    /// # Errors
    /// With the time until there is room again, when there is none.
    pub(super) fn take(&self, tokens: u32) -> Result<(), Duration> {
        let now = Instant::now();
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        while spent.front().is_some_and(|(at, _)| now.duration_since(*at) >= HOUR) {
            spent.pop_front();
        }
        let sum = spent.iter().fold(tokens, |sum, (_, tokens)| sum.saturating_add(*tokens));
        // One call is always allowed, or a long conversation would wait for ever.
        if spent.is_empty() || (spent.len() < self.calls && sum <= self.tokens) {
            spent.push_back((now, tokens));
            return Ok(());
        }
        Err(spent.front().map_or(HOUR, |(at, _)| HOUR.saturating_sub(now.duration_since(*at))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn y9_an_hour_has_an_end_for_calls_and_for_tokens() {
        let allowance = Allowance::default();
        assert!((0..CALLS).all(|_| allowance.take(10).is_ok()));
        assert_eq!(allowance.take(10), Err(HOUR));
        tokio::time::advance(HOUR).await;
        assert_eq!(allowance.take(TOKENS), Ok(()));
        tokio::time::advance(Duration::from_secs(600)).await;
        assert_eq!(allowance.take(1), Err(Duration::from_secs(3000)));
        tokio::time::advance(Duration::from_secs(3000)).await;
        assert_eq!(allowance.take(u32::MAX), Ok(()), "one is always allowed");
    }
}
