//! One request to one model: how it is sent, its deadlines, its deltas, its report.

use std::collections::VecDeque;
use std::time::Duration;

use eventsource_stream::{EventStreamError, Eventsource as _};
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::decode::{DecodeError, Decoder, Ending};
use super::endpoint::Endpoint;
use super::failure::{broke_off, from_reqwest, no_answer, refused_request, too_long, unreadable_payload};
use super::{Delta, ModelError};
use crate::clock::whole_millis;
use crate::domain::{CacheFigures, FinishReason, ModelCall, ModelErrorClass, Slot};
use crate::net::{Bounds, ReadCut, bounded, innermost, retry_after, server_client, whole_body};

/// Words and thoughts of one answer are taken up to so many characters: some thirty thousand tokens. What a server sends
/// beyond that is left, as if the request had asked for no more.
const MOST_CHARACTERS: u64 = 128 * 1024;

/// The client for one server.
#[derive(Debug, Clone)]
pub(crate) struct ChatClient {
    http: Client,
    endpoint: Endpoint,
}

impl ChatClient {
    pub(crate) fn new(endpoint: Endpoint) -> reqwest::Result<Self> {
        Ok(Self { http: server_client(endpoint.base_url(), CONNECT_TIMEOUT)?, endpoint })
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// A request for what lies at a path.
    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(self.endpoint.url(path)).headers(self.endpoint.headers())
    }

    /// Sends a chat request and returns its payloads, which come in within `time` or end in an error. Dropping the future
    /// or the stream closes the connection.
    pub(crate) async fn open(&self, body: &Value, time: Duration) -> Result<Payloads, ModelError> {
        let endpoint = &self.endpoint;
        let request =
            self.http.post(endpoint.url("/chat/completions")).headers(endpoint.headers()).json(body);
        let response = request.send().await.map_err(|error| from_reqwest(&error, endpoint))?;
        payloads(response, endpoint, time).await
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct AttemptPatience {
    /// From sending to the first payload.
    pub(crate) first: Duration,
    /// From one payload to the next. Comment lines that only keep a connection open do not count.
    pub(crate) between: Duration,
    /// From sending to the end, however steadily the pieces come.
    pub(crate) whole: Duration,
}

/// What an attempt gives next.
#[derive(Debug)]
pub(crate) enum AttemptStep {
    Delta(Delta),
    Done(Ending),
}

/// A request that is under way.
pub(crate) struct Attempt {
    slot: Slot,
    model: String,
    cache: Option<CacheFigures>,
    patience: AttemptPatience,
    started: Instant,
    first_token: Option<Duration>,
    state: AttemptState,
    queue: VecDeque<Delta>,
    spoke: bool,
    payloads: u64,
    characters: u64,
}

enum AttemptState {
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
    /// An attempt with a request that is sent when [`Attempt::next`] is first polled.
    pub(crate) fn new(
        opening: BoxFuture<'static, Result<Payloads, ModelError>>,
        slot: Slot,
        model: String,
        cache: Option<CacheFigures>,
        patience: AttemptPatience,
    ) -> Self {
        Self {
            slot,
            model,
            cache,
            patience,
            started: Instant::now(),
            first_token: None,
            state: AttemptState::Opening(opening),
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

    /// The next piece. After [`AttemptStep::Done`] or an error the attempt is over.
    pub(crate) async fn next(&mut self, endpoint: &Endpoint) -> Result<AttemptStep, ModelError> {
        loop {
            if let Some(delta) = self.queue.pop_front() {
                return Ok(AttemptStep::Delta(delta));
            }
            match &mut self.state {
                AttemptState::Opening(opening) => {
                    let left = self.patience.first.saturating_sub(self.started.elapsed());
                    let payloads = timeout(left, opening).await.map_err(|_| self.late(endpoint))??;
                    self.state = AttemptState::Streaming(payloads, Decoder::default());
                }
                AttemptState::Streaming(payloads, decoder) => {
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
                AttemptState::Ended(ending) => {
                    return Ok(AttemptStep::Done(ending.take().unwrap_or_default()));
                }
            }
        }
    }

    fn end(&mut self, endpoint: &Endpoint) -> Result<(), ModelError> {
        let AttemptState::Streaming(_, decoder) =
            std::mem::replace(&mut self.state, AttemptState::Ended(None))
        else {
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
        self.state = AttemptState::Ended(Some(ending));
        Ok(())
    }

    /// Has the answer end as one does that reached its limit of tokens.
    fn cut_short(&mut self) {
        if let AttemptState::Ended(Some(ending)) = &mut self.state {
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

    pub(crate) fn report(&self, ending: Option<&Ending>, error: Option<&ModelError>) -> ModelCall {
        let ending = ending.cloned().unwrap_or_default();
        ModelCall {
            slot: self.slot,
            model: self.model.clone(),
            provider: ending.provider,
            first_token_ms: self.first_token.map(whole_millis),
            total_ms: whole_millis(self.started.elapsed()),
            exchange: None,
            usage: ending.usage,
            cache: self.cache.clone(),
            finish: ending.finish,
            error: error.map(|error| (error.class, error.message.clone())),
        }
    }
}

pub(crate) fn in_stream(error: DecodeError, endpoint: &Endpoint) -> ModelError {
    match error {
        DecodeError::Malformed => ModelError::new(
            ModelErrorClass::Malformed,
            format!("{} sent an unreadable payload: a payload that is no object", endpoint.host()),
        ),
        DecodeError::Provider(error) => error.into_model_error(None, endpoint),
    }
}

/// How long a TCP and TLS connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Bodies of refusals, and how long they may take once their status is known.
const REFUSAL: Bounds = Bounds { bytes: 1024 * 1024, time: Duration::from_secs(5) };

/// The most bytes of an answer on the wire. A token takes 300 to 600 of them with all that providers wrap around it.
pub(crate) const ANSWER_BYTES: u64 = 32 * 1024 * 1024;

/// A line of an event stream longer than this is none.
const LINE_BYTES: usize = 1024 * 1024;

/// The payloads of an answer; the last item is an error unless the server said that it is done.
pub(crate) type Payloads = BoxStream<'static, Result<Value, ModelError>>;

/// The payloads of what a server answered: those of an event stream, or one where it ignored `stream`.
pub(crate) async fn payloads(
    response: Response,
    endpoint: &Endpoint,
    time: Duration,
) -> Result<Payloads, ModelError> {
    let status = response.status();
    if !status.is_success() {
        let retry_after = retry_after(response.headers(), jiff::Timestamp::now());
        let (body, _) = whole_body(response.bytes_stream(), REFUSAL).await;
        // Whatever arrived is more use than nothing.
        let body = String::from_utf8_lossy(&body);
        return Err(refused_request(status.as_u16(), retry_after, &body, endpoint));
    }
    let bounds = Bounds { bytes: ANSWER_BYTES, time };
    let is_whole = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kind| kind.starts_with("application/json") || kind.starts_with("text/html"));
    if is_whole {
        let (body, end) = whole_body(response.bytes_stream(), bounds).await;
        end.map_err(|cut| cut_off(cut, endpoint))?;
        return match serde_json::from_slice(&body) {
            Ok(answer) => Ok(stream::iter([Ok(answer)]).boxed()),
            Err(_) => Err(no_answer(&String::from_utf8_lossy(&body), endpoint)),
        };
    }
    Ok(stream_events(response, endpoint.clone(), bounds))
}

/// The payloads of an event stream. A server that dies or a proxy that gives up in the middle of an answer may close the
/// connection in good order, so an end without `[DONE]` is a failure.
fn stream_events(response: Response, endpoint: Endpoint, bounds: Bounds) -> Payloads {
    let mut unended = 0;
    // A line is read from its beginning with every piece of it.
    let pieces = bounded(response.bytes_stream(), bounds).map(move |piece| {
        let piece = piece?;
        unended = match piece.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => piece.len() - end,
            None => unended + piece.len(),
        };
        if unended > LINE_BYTES { Err(ReadCut::TooMuch(LINE_BYTES as u64)) } else { Ok(piece) }
    });
    let begun = Some(pieces.eventsource());
    stream::unfold(begun, move |events| {
        let endpoint = endpoint.clone();
        async move {
            let mut events = events?;
            let error = match events.next().await {
                Some(Ok(event)) if event.data == "[DONE]" => return None,
                Some(Ok(event)) => match serde_json::from_str(&event.data) {
                    Ok(payload) => return Some((Ok(payload), Some(events))),
                    Err(error) => unreadable_payload(&error, &endpoint),
                },
                Some(Err(EventStreamError::Transport(cut))) => cut_off(cut, &endpoint),
                Some(Err(error)) => broke_off(&error.to_string(), &endpoint),
                None => broke_off("it ended before it was done", &endpoint),
            };
            Some((Err(error), None))
        }
    })
    .boxed()
}

fn cut_off(cut: ReadCut<reqwest::Error>, endpoint: &Endpoint) -> ModelError {
    match cut {
        ReadCut::Broken(error) => broke_off(&innermost(&error), endpoint),
        cut => too_long(&cut, endpoint),
    }
}

#[cfg(test)]
mod tests;
