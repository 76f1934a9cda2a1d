//! How the jobs ask models: one question at a time, within an hour's allowance and with a deadline, and after failures not
//! again at once (Y9).
//!
//! Owns how much an hour may cost, whatever goes wrong (familiar-connect 2.8: a job that re-sent a growing window once
//! cost a quarter of a dollar a minute). Start reading at [`ask_worker_model`].

use std::ops::Add;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::clock::{Uses, doubled};
use crate::domain::{ChannelId, ModelCall, Slot};
use crate::llm::{CompletionRequest, ModelSource, SessionKey, ask_side};
use crate::net::CircuitBreaker;

/// How long a model may take. Nobody waits for it.
const DEADLINE: Duration = Duration::from_secs(90);

/// Room for the answer beyond what is wanted: models that think first need some.
const SPARE_TOKENS: u32 = 300;

/// Model calls in an hour, all jobs and channels together. A busy evening of 600 messages an hour in one channel needs
/// about 30 summaries.
const CALLS: u32 = 60;

/// Tokens sent in an hour.
const TOKENS: u32 = 200_000;

const HOUR: Duration = Duration::from_secs(3600);

/// The longest wait before a try that failed is made again.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Channels whose failed tries are counted; beyond that the count starts over.
const TRIES_KEPT: usize = 256;

#[derive(Debug)]
pub(super) struct SideQuestion {
    pub slot: Slot,
    pub instructions: String,
    pub material: String,
    /// The longest answer of use, in tokens.
    pub tokens: u32,
}

#[derive(Debug)]
pub(super) struct JobAnswer {
    pub text: Result<String, AskError>,
    pub model: String,
    pub calls: Vec<ModelCall>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AskError {
    /// The hour's calls are spent; there is room again after so long.
    Spent(Duration),
    /// It may work later: rate limits, networks, overload.
    Transient(String),
    /// It will not: the same question gets the same refusal.
    Deterministic(String),
}

/// Asks about the conversation that `session` names.
pub(super) async fn ask_worker_model(
    models: &dyn ModelSource,
    allowance: &HourlyAllowance,
    question: &SideQuestion,
    session: SessionKey,
) -> JobAnswer {
    let model = models.slot(question.slot);
    let name = model.describe().model;
    let sent = (question.material.len() + question.instructions.len()) / 3;
    if let Err(wait) = allowance.take(u32::try_from(sent).unwrap_or(u32::MAX)) {
        return JobAnswer { text: Err(AskError::Spent(wait)), model: name, calls: Vec::new() };
    }
    let request = CompletionRequest {
        max_tokens: Some(question.tokens.saturating_mul(2).saturating_add(SPARE_TOKENS)),
        session: Some(session),
        ..CompletionRequest::instructed(
            question.slot,
            question.instructions.clone(),
            question.material.clone(),
        )
    };
    let mut calls = Vec::new();
    match ask_side(&model, request, Instant::now() + DEADLINE, |call| calls.push(call)).await {
        Ok(answer) => JobAnswer { text: Ok(answer.text), model: answer.model.unwrap_or(name), calls },
        Err(error) => {
            let words = error.to_string();
            let error =
                if error.may_pass() { AskError::Transient(words) } else { AskError::Deterministic(words) };
            JobAnswer { text: Err(error), model: name, calls }
        }
    }
}

/// What an hour may cost, counted from its first call on.
#[derive(Debug)]
pub(super) struct HourlyAllowance {
    calls: u32,
    tokens: u32,
    spent: Mutex<Uses<Cost, Instant>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Cost {
    Calls,
    Tokens,
}

impl Default for HourlyAllowance {
    fn default() -> Self {
        Self::of(CALLS, TOKENS)
    }
}

impl HourlyAllowance {
    /// So many calls, and so many tokens sent, in an hour.
    pub(super) fn of(calls: u32, tokens: u32) -> Self {
        Self { calls, tokens, spent: Mutex::new(Uses::new(HOUR, 2)) }
    }

    /// Takes one call of about `tokens` from the hour; the time until there is room again, when there is none.
    fn take(&self, tokens: u32) -> Result<(), Duration> {
        let (now, mut spent) = (Instant::now(), self.spent.lock());
        let costs = [(Cost::Calls, 1, self.calls), (Cost::Tokens, tokens, self.tokens)];
        for (cost, more, most) in costs {
            // The hour's first call is always allowed, or a long conversation would wait for ever.
            if let Some(known) = spent.used(&cost, now)
                && known.amount + f64::from(more) > f64::from(most)
            {
                return Err(known.until.duration_since(now));
            }
        }
        for (cost, more, _) in costs {
            spent.spend(cost, f64::from(more), now);
        }
        Ok(())
    }
}

/// Failed tries in a row, channel by channel, and before when there is no other, whatever is said meanwhile.
#[derive(Debug)]
pub(super) struct Retries<T> {
    /// How long to wait before a try that failed is made again; each further wait is twice as long.
    first: Duration,
    /// As many more tries as there are waits.
    most: u32,
    tries: Mutex<CircuitBreaker<ChannelId, T, ()>>,
}

impl<T: Copy + Ord + Add<Duration, Output = T>> Retries<T> {
    pub(super) fn after(first: Duration, most: u32) -> Self {
        Self { first, most, tries: Mutex::default() }
    }

    /// Before when there is no other try, where the last one failed and the wait for it is not over.
    pub(super) fn not_before(&self, channel: &ChannelId, now: T) -> Option<T> {
        self.tries.lock().open(channel, now).map(|circuit| circuit.until)
    }

    /// Counts a failure: after which wait from `now` on there is another try, if there is.
    pub(super) fn failed(&self, channel: &ChannelId, now: T) -> Option<Duration> {
        let mut tries = self.tries.lock();
        let failed = tries.failures(channel);
        if failed == self.most {
            return None;
        }
        if failed == 0 && tries.count() >= TRIES_KEPT {
            tries.reset();
        }
        let wait = doubled(self.first, failed + 1, LONGEST_WAIT);
        tries.failed(channel.clone(), now, (), |_| (wait, wait));
        Some(wait)
    }

    /// It went well, or nobody tries again.
    pub(super) fn forget(&self, channel: &ChannelId) {
        self.tries.lock().worked(channel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn y9_an_hour_has_an_end_for_calls_and_for_tokens() {
        let allowance = HourlyAllowance::default();
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
