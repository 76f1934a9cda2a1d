//! What the provider answers.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::Response;
use futures::stream;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use super::PATIENCE;
use super::request::{ChatRequest, Ended, Ending};

/// A place in an answer where it waits until the test says so.
#[derive(Debug, Clone)]
pub struct Gate {
    permits: Arc<Semaphore>,
    reached: Arc<watch::Sender<bool>>,
}

impl Gate {
    /// A gate that lets nothing through yet.
    pub fn closed() -> Self {
        Self { permits: Arc::new(Semaphore::new(0)), reached: Arc::new(watch::channel(false).0) }
    }

    /// Lets the answer go on; for good.
    pub fn open(&self) {
        self.permits.close();
    }

    /// Waits until an answer has come this far: everything before the gate was handed to the connection.
    pub async fn reached(&self) {
        let mut reached = self.reached.subscribe();
        tokio::time::timeout(PATIENCE, reached.wait_for(|reached| *reached))
            .await
            .expect("the gate was not reached")
            .expect("the gate is held");
    }

    async fn pass(&self) {
        self.reached.send_replace(true);
        // An open gate is a closed semaphore; nobody ever adds permits.
        let _ = self.permits.acquire().await;
    }
}

#[derive(Debug, Clone)]
enum Step {
    Send(Vec<u8>),
    /// The last payloads, with the usage of this very request.
    Finish(String),
    Wait(Gate),
    Pause(Duration),
    Again(Vec<u8>, Duration),
    Stall,
    Cut,
}

/// A scripted answer.
#[derive(Debug, Clone)]
pub struct Reply {
    status: StatusCode,
    headers: Vec<(&'static str, String)>,
    before_headers: Option<Gate>,
    steps: VecDeque<Step>,
    /// Characters of words.
    spoken: usize,
}

impl Reply {
    /// An event stream without anything in it yet.
    pub fn stream() -> Self {
        Self {
            status: StatusCode::OK,
            headers: vec![("content-type", "text/event-stream".to_owned())],
            before_headers: None,
            steps: VecDeque::new(),
            spoken: 0,
        }
    }

    /// A whole, well-behaved answer: processing comments, one to three words at a time, usage, `[DONE]`.
    pub fn says(words: &str) -> Self {
        let words: Vec<&str> = words.split_inclusive(' ').collect();
        let mut rest = words.as_slice();
        let mut spoken = Self::stream().processing();
        for at_once in (1..=3).cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, then) = rest.split_at(at_once.min(rest.len()));
            (spoken, rest) = (spoken.text(&now.concat()), then);
        }
        spoken.finish("stop")
    }

    /// A refusal with a JSON error whose code is a number, as OpenRouter sends it.
    pub fn refuses(status: u16, message: &str) -> Self {
        Self::json(status, &json!({"error": {"code": status, "message": message}}))
    }

    /// Any JSON body in one piece.
    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status: StatusCode::from_u16(status).unwrap(),
            headers: vec![("content-type", "application/json".to_owned())],
            before_headers: None,
            steps: [Step::Send(body.to_string().into_bytes())].into(),
            spoken: 0,
        }
    }

    /// A web page, as a proxy or some other server sends it, with success.
    pub fn page(html: &str) -> Self {
        Self { headers: vec![("content-type", "text/html; charset=utf-8".to_owned())], ..Self::stream() }
            .raw(html)
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Holds back even the status line.
    pub fn held(mut self, gate: &Gate) -> Self {
        self.before_headers = Some(gate.clone());
        self
    }

    /// Bytes as they are.
    pub fn raw(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.steps.push_back(Step::Send(bytes.into()));
        self
    }

    /// One payload.
    pub fn payload(self, payload: &Value) -> Self {
        self.raw(format!("data: {payload}\n\n"))
    }

    /// A payload with this `delta`.
    pub fn delta(self, delta: &Value) -> Self {
        self.payload(&json!({
            "id": "gen-1", "object": "chat.completion.chunk", "provider": "Fake",
            "choices": [{"index": 0, "delta": delta, "finish_reason": null}],
        }))
    }

    /// Words.
    pub fn text(mut self, words: &str) -> Self {
        self.spoken += words.chars().count();
        self.delta(&json!({"role": "assistant", "content": words}))
    }

    /// Thinking, as OpenRouter sends it.
    pub fn reasoning(self, words: &str) -> Self {
        self.delta(&json!({"content": "", "reasoning": words}))
    }

    /// The comment line OpenRouter sends while it waits itself.
    pub fn processing(self) -> Self {
        self.raw(": OPENROUTER PROCESSING\n\n")
    }

    /// The last payloads: finish reason, the same again with usage, `[DONE]`. The usage fits what was sent and said; only
    /// OpenRouter says what it cost.
    pub fn finish(mut self, reason: &str) -> Self {
        self.steps.push_back(Step::Finish(reason.to_owned()));
        self
    }

    fn usage(&self, request: &ChatRequest) -> Value {
        let (prompt, completion) = (request.tokens(), self.spoken.div_ceil(4));
        let mut usage = json!({
            "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        });
        if request.path.starts_with("/api/") {
            usage["cost"] = (prompt as f64 * 1e-6 + completion as f64 * 3e-6).into();
        }
        usage
    }

    /// As [`Reply::finish`], with this usage.
    pub fn finish_with(self, reason: &str, usage: &Value) -> Self {
        let last = json!({
            "id": "gen-1", "object": "chat.completion.chunk", "provider": "Fake",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": reason}],
        });
        let mut with_usage = last.clone();
        with_usage["usage"] = usage.clone();
        self.payload(&last).payload(&with_usage).raw("data: [DONE]\n\n")
    }

    /// An error where words should be.
    pub fn error(self, code: &Value, message: &str) -> Self {
        self.payload(&json!({
            "id": "gen-1", "provider": "Fake", "error": {"code": code, "message": message},
            "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
        }))
    }

    /// Waits here until the gate is opened.
    pub fn gate(mut self, gate: &Gate) -> Self {
        self.steps.push_back(Step::Wait(gate.clone()));
        self
    }

    /// Takes its time here, for measuring; a test waits for a gate.
    pub fn pause(mut self, time: Duration) -> Self {
        if !time.is_zero() {
            self.steps.push_back(Step::Pause(time));
        }
        self
    }

    /// Sends these bytes again and again, each after a pause, for as long as somebody takes them.
    pub fn endless(mut self, bytes: impl Into<Vec<u8>>, pause: Duration) -> Self {
        self.steps.push_back(Step::Again(bytes.into(), pause));
        self
    }

    /// Sends nothing more and keeps the connection open.
    pub fn stall(mut self) -> Self {
        self.steps.push_back(Step::Stall);
        self
    }

    /// Breaks the connection off in the middle of the answer.
    pub fn cut(mut self) -> Self {
        self.steps.push_back(Step::Cut);
        self
    }

    /// The steps on the wire: the usage filled in, and every payload with more than plain letters cut in the middle of one.
    fn on_the_wire(&self, request: &ChatRequest) -> VecDeque<Step> {
        let mut wire = VecDeque::new();
        for step in &self.steps {
            match step {
                Step::Finish(reason) => {
                    wire.extend(Self::stream().finish_with(reason, &self.usage(request)).steps);
                }
                Step::Send(bytes) => match bytes.iter().position(|byte| !byte.is_ascii()) {
                    Some(at) => {
                        wire.extend([
                            Step::Send(bytes[..=at].to_vec()),
                            Step::Send(bytes[at + 1..].to_vec()),
                        ]);
                    }
                    None => wire.push_back(step.clone()),
                },
                other => wire.push_back(other.clone()),
            }
        }
        wire
    }

    pub(super) async fn answer(self, request: &ChatRequest, ending: Ending) -> Response {
        let wire = self.on_the_wire(request);
        if let Some(gate) = &self.before_headers {
            gate.pass().await;
        }
        let mut response = Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        let steps = stream::unfold((wire, ending), |(mut steps, ending)| async move {
            loop {
                match steps.pop_front() {
                    Some(Step::Send(bytes)) => return Some((Ok(Bytes::from(bytes)), (steps, ending))),
                    Some(Step::Finish(_)) => unreachable!("it was filled in"),
                    Some(Step::Wait(gate)) => gate.pass().await,
                    Some(Step::Pause(time)) => {
                        tokio::time::sleep_until(tokio::time::Instant::now() + time).await
                    }
                    Some(Step::Again(bytes, pause)) => {
                        match pause.is_zero() {
                            true => tokio::task::yield_now().await,
                            false => tokio::time::sleep_until(tokio::time::Instant::now() + pause).await,
                        }
                        steps.push_front(Step::Again(bytes.clone(), pause));
                        return Some((Ok(Bytes::from(bytes)), (steps, ending)));
                    }
                    Some(Step::Stall) => std::future::pending().await,
                    Some(Step::Cut) => {
                        // The server flushes what it has when the body pauses, not when it fails.
                        tokio::task::yield_now().await;
                        ending.set(Ended::Cut);
                        return Some((Err(io::Error::other("cut")), (steps, ending)));
                    }
                    None => {
                        ending.set(Ended::Whole);
                        return None;
                    }
                }
            }
        });
        response.body(Body::from_stream(steps)).unwrap()
    }
}
