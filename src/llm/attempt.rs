//! One request to one model: its deadlines, its deltas, its report.

use std::collections::VecDeque;
use std::time::Duration;

use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::decode::{DecodeError, Decoder, Ending};
use super::endpoint::Endpoint;
use super::failure::{ProviderError, from_openai, shown};
use super::transport::{Unstreamed, Wire, http_client};
use super::{AttemptReport, Delta, ModelError};
use crate::domain::{CacheFigures, FinishReason, ModelErrorClass, Slot};

type Payloads = BoxStream<'static, Result<Value, ModelError>>;

/// async-openai over our own transport, for one server.
///
/// Its stream is fed by a task of its own through a channel without a bound: what waits there is at most the rest of
/// one answer, and the task ends with the stream.
#[derive(Debug, Clone)]
pub(crate) struct ChatClient {
    openai: async_openai::Client<Endpoint>,
    http: reqwest::Client,
}

impl ChatClient {
    pub(crate) fn new(endpoint: Endpoint) -> reqwest::Result<Self> {
        let http = http_client(&endpoint)?;
        // Built with our client first: async-openai's own default would be built before TLS is sure to be there.
        let openai =
            async_openai::Client::build(http.clone(), endpoint).with_http_service(Wire(http.clone()));
        Ok(Self { openai, http })
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.openai.config()
    }

    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Sends a request and returns its payloads. Dropping the future or the stream closes the connection.
    async fn open(&self, body: Value) -> Result<Payloads, ModelError> {
        let endpoint = self.endpoint().clone();
        match self.openai.chat().create_stream_byot::<Value, Value>(body).await {
            Ok(payloads) => {
                Ok(payloads.map(move |item| item.map_err(|error| from_openai(error, &endpoint))).boxed())
            }
            Err(error) => match whole_answer(&error) {
                Some(answer) => Ok(stream::iter([Ok(answer)]).boxed()),
                None => Err(from_openai(error, &endpoint)),
            },
        }
    }
}

/// The answer of a server that ignores `stream`.
fn whole_answer(error: &async_openai::error::OpenAIError) -> Option<Value> {
    let async_openai::error::OpenAIError::Boxed(inner) = error else { return None };
    match inner.downcast_ref::<Unstreamed>()? {
        Unstreamed::Whole(body) => serde_json::from_str(body).ok(),
        Unstreamed::Refused { .. } => None,
    }
}

/// How patient an attempt is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// From sending to the first payload.
    pub(crate) first: Duration,
    /// From one payload to the next. Comment lines that only keep a connection open do not count.
    pub(crate) between: Duration,
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
    Opening(futures::future::BoxFuture<'static, Result<Payloads, ModelError>>),
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
        let opening = async move { client.open(body).await }.boxed();
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

fn in_stream(error: DecodeError, endpoint: &Endpoint) -> ModelError {
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
