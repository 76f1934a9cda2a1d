//! One request to one model: its deadlines, its deltas, its report.

use std::collections::VecDeque;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::decode::{DecodeError, Decoder, Ending};
use super::endpoint::Endpoint;
use super::failure::{ProviderError, shown};
use super::transport::{Payloads, ask, http_client};
use super::{AttemptReport, Delta, ModelError};
use crate::domain::{CacheFigures, FinishReason, ModelErrorClass, Slot};

/// Words and thoughts of one answer are taken up to so many characters: some thirty thousand tokens. What a server sends
/// beyond that is left, as if the request had asked for no more.
const MOST_CHARACTERS: u64 = 128 * 1024;

/// The client for one server.
#[derive(Debug, Clone)]
pub(crate) struct ChatClient {
    http: reqwest::Client,
    endpoint: Endpoint,
}

impl ChatClient {
    pub(crate) fn new(endpoint: Endpoint) -> reqwest::Result<Self> {
        Ok(Self { http: http_client(&endpoint)?, endpoint })
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Sends a request; see [`ask`].
    pub(crate) async fn open(&self, body: &Value, time: Duration) -> Result<Payloads, ModelError> {
        ask(&self.http, &self.endpoint, body, time).await
    }
}

/// How patient an attempt is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// From sending to the first payload.
    pub(crate) first: Duration,
    /// From one payload to the next. Comment lines that only keep a connection open do not count.
    pub(crate) between: Duration,
    /// From sending to the end, however steadily the pieces come.
    pub(crate) whole: Duration,
}

/// What an attempt gives next.
#[derive(Debug)]
pub(crate) enum Step {
    /// A piece.
    Delta(Delta),
    /// The end.
    Done(Ending),
}

/// A request that is under way.
pub(crate) struct Attempt {
    slot: Slot,
    model: String,
    cache: Option<CacheFigures>,
    patience: Patience,
    started: Instant,
    first_token: Option<Duration>,
    state: State,
    queue: VecDeque<Delta>,
    spoke: bool,
    payloads: u64,
    characters: u64,
}

enum State {
    Opening(BoxFuture<'static, Result<Payloads, ModelError>>),
    Streaming(Payloads, Decoder),
    Ended(Option<Ending>),
}

impl std::fmt::Debug for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attempt").field("model", &self.model).finish_non_exhaustive()
    }
}

impl Attempt {
    /// Prepares a request; it is sent when [`Attempt::next`] is first polled.
    pub(crate) fn new(
        client: ChatClient,
        body: Value,
        slot: Slot,
        model: String,
        cache: Option<CacheFigures>,
        patience: Patience,
    ) -> Self {
        let opening = async move { client.open(&body, patience.whole).await }.boxed();
        Self::begun(opening, slot, model, cache, patience)
    }

    fn begun(
        opening: BoxFuture<'static, Result<Payloads, ModelError>>,
        slot: Slot,
        model: String,
        cache: Option<CacheFigures>,
        patience: Patience,
    ) -> Self {
        Self {
            slot,
            model,
            cache,
            patience,
            started: Instant::now(),
            first_token: None,
            state: State::Opening(opening),
            queue: VecDeque::new(),
            spoke: false,
            payloads: 0,
            characters: 0,
        }
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// The server sent something of an answer, so the request may be charged for.
    pub(crate) fn was_answered(&self) -> bool {
        self.payloads > 0
    }

    /// Characters of text and thought so far.
    pub(crate) fn characters(&self) -> u64 {
        self.characters
    }

    /// The next piece. After [`Step::Done`] or an error the attempt is over.
    pub(crate) async fn next(&mut self, endpoint: &Endpoint) -> Result<Step, ModelError> {
        loop {
            if let Some(delta) = self.queue.pop_front() {
                return Ok(Step::Delta(delta));
            }
            match &mut self.state {
                State::Opening(opening) => {
                    let left = self.patience.first.saturating_sub(self.started.elapsed());
                    let payloads = timeout(left, opening).await.map_err(|_| self.late(endpoint))??;
                    self.state = State::Streaming(payloads, Decoder::default());
                }
                State::Streaming(payloads, decoder) => {
                    let patience = match self.payloads {
                        0 => self.patience.first.saturating_sub(self.started.elapsed()),
                        _ => self.patience.between,
                    };
                    let left = self.patience.whole.saturating_sub(self.started.elapsed());
                    if self.payloads > 0 && left.is_zero() {
                        return Err(self.late(endpoint));
                    }
                    let patience = patience.min(left);
                    match timeout(patience, payloads.next()).await {
                        Err(_) => return Err(self.late(endpoint)),
                        Ok(None) => self.end(endpoint)?,
                        // Nothing that matters is missing; some servers never say `[DONE]`.
                        Ok(Some(Err(_))) if decoder.is_finished() => self.end(endpoint)?,
                        Ok(Some(Err(error))) => return Err(error),
                        Ok(Some(Ok(payload))) => {
                            let deltas =
                                decoder.value(&payload).map_err(|error| in_stream(error, endpoint))?;
                            self.payloads += 1;
                            self.enqueue(deltas);
                            if self.characters > MOST_CHARACTERS {
                                self.end(endpoint)?;
                                self.cut_short();
                            }
                        }
                    }
                }
                State::Ended(ending) => return Ok(Step::Done(ending.take().unwrap_or_default())),
            }
        }
    }

    fn end(&mut self, endpoint: &Endpoint) -> Result<(), ModelError> {
        let State::Streaming(_, decoder) = std::mem::replace(&mut self.state, State::Ended(None)) else {
            return Ok(());
        };
        let (held, ending) = decoder.end();
        self.enqueue(held);
        if ending.payloads == 0 {
            let words = format!("{} sent an empty answer", endpoint.host());
            return Err(ModelError::new(ModelErrorClass::Malformed, words));
        }
        if ending.finish == Some(FinishReason::ContentFilter) && !self.spoke {
            let words = format!("{}'s content filter refused to answer", endpoint.host());
            return Err(ModelError::new(ModelErrorClass::ContentFilter, words));
        }
        self.state = State::Ended(Some(ending));
        Ok(())
    }

    /// Has the answer end as one does that reached its limit of tokens.
    fn cut_short(&mut self) {
        if let State::Ended(Some(ending)) = &mut self.state {
            ending.finish = Some(FinishReason::Length);
        }
    }

    fn enqueue(&mut self, deltas: Vec<Delta>) {
        for delta in deltas {
            if let Delta::Text(words) | Delta::Reasoning(words) = &delta {
                self.characters += words.chars().count() as u64;
            }
            self.spoke |= matches!(delta, Delta::Text(_) | Delta::ToolCall(_));
            self.first_token.get_or_insert_with(|| self.started.elapsed());
            self.queue.push_back(delta);
        }
    }

    fn late(&self, endpoint: &Endpoint) -> ModelError {
        let words = match self.payloads {
            1.. if self.started.elapsed() >= self.patience.whole => {
                format!("the answer from {} did not end within {:?}", endpoint.host(), self.patience.whole)
            }
            0 => format!("{} sent nothing within {:?}", endpoint.host(), self.patience.first),
            _ => format!("{} fell silent for {:?}", endpoint.host(), self.patience.between),
        };
        ModelError::new(ModelErrorClass::Timeout, words)
    }

    /// How it went.
    pub(crate) fn report(&self, ending: Option<&Ending>, error: Option<&ModelError>) -> AttemptReport {
        let ending = ending.cloned().unwrap_or_default();
        AttemptReport {
            slot: self.slot,
            model: self.model.clone(),
            provider: ending.provider,
            first_token_ms: self.first_token.map(millis),
            total_ms: millis(self.started.elapsed()),
            usage: ending.usage,
            cache: self.cache.clone(),
            finish: ending.finish,
            error: error.map(|error| (error.class, error.message.clone())),
        }
    }
}

pub(crate) fn in_stream(error: DecodeError, endpoint: &Endpoint) -> ModelError {
    match error {
        DecodeError::Malformed(words) => ModelError::new(
            ModelErrorClass::Malformed,
            format!("{} sent an unreadable payload: {}", endpoint.host(), shown(&words)),
        ),
        DecodeError::Provider { status, code, message } => {
            ProviderError { status, code, message }.into_model_error(None, endpoint)
        }
    }
}

/// Whole milliseconds, for a report.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
