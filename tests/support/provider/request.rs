//! What the program asked.

use axum::http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::PATIENCE;

/// Top-level fields that providers know; anything else is a misspelling.
const KNOWN_FIELDS: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "reasoning",
    "reasoning_effort",
    "provider",
    "usage",
    "session_id",
    "prompt_cache_key",
    "tools",
    "tool_choice",
    "response_format",
];

/// How the answer to a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Sent to its end.
    Whole,
    /// The client hung up first.
    HungUp,
    /// The script cut the connection.
    Cut,
}

/// One request to `chat/completions`.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    /// The path it came to.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body; a string where it was no JSON.
    pub body: Value,
    ended: watch::Receiver<Option<Ended>>,
}

/// Tells the request how its answer ended, at the latest when dropped.
pub(super) struct Ending(watch::Sender<Option<Ended>>);

impl Ending {
    pub(super) fn set(&self, how: Ended) {
        self.0.send_if_modified(|ended| ended.is_none() && ended.replace(how).is_none());
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.set(Ended::HungUp);
    }
}

impl ChatRequest {
    /// A request that nobody sent, to see what is said about it.
    pub fn made_up(path: &str, body: Value) -> Self {
        let (_, ended) = watch::channel(Some(Ended::Whole));
        Self { path: path.to_owned(), headers: HeaderMap::new(), body, ended }
    }

    pub(super) fn read(uri: &Uri, headers: HeaderMap, body: &[u8]) -> (Self, Ending) {
        let (sender, ended) = watch::channel(None);
        let body = serde_json::from_slice(body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
        (Self { path: uri.path().to_owned(), headers, body, ended }, Ending(sender))
    }

    /// The model asked for.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The messages.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// The text of every message, role first, one per line: for `contains` and for snapshots.
    pub fn prompt(&self) -> String {
        let line = |message: &Value| {
            let role = message["role"].as_str().unwrap_or("?");
            format!("{role}: {}\n", text(&message["content"]))
        };
        self.messages().iter().map(line).collect()
    }

    /// The text of the last message with this role.
    pub fn last(&self, role: &str) -> String {
        let found = self.messages().iter().rev().find(|message| message["role"] == role);
        found.map(|message| text(&message["content"])).unwrap_or_default()
    }

    /// About how many tokens it is: what a provider counts and is paid for.
    pub fn tokens(&self) -> usize {
        let tools = self.body.get("tools").map(Value::to_string).unwrap_or_default();
        let words: usize =
            self.messages().iter().map(|message| 4 + text(&message["content"]).chars().count() / 4).sum();
        words + tools.len() / 4
    }

    /// The refusal of a prompt that the model's window, as it is listed, has no room for.
    pub(super) fn too_long_for(&self, list: &Value) -> Option<(StatusCode, Value)> {
        let models = list["data"].as_array()?;
        let model = models.iter().find(|model| model["id"] == self.model())?;
        let window = ["context_length", "max_model_len"].iter().find_map(|key| model[key].as_u64())?;
        let (asked, wanted) = (self.tokens(), self.body["max_tokens"].as_u64().unwrap_or_default());
        let words = format!(
            "This endpoint's maximum context length is {window} tokens. However, you requested about {} tokens \
             ({asked} of text input, {wanted} in the output). Please reduce the length of either one.",
            asked as u64 + wanted
        );
        let error = json!({"error": {"message": words, "code": 400}});
        (asked as u64 + wanted > window).then_some((StatusCode::BAD_REQUEST, error))
    }

    /// A header, where it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Waits until the answer has ended, and says how.
    pub async fn ended(&self) -> Ended {
        let mut ended = self.ended.clone();
        let how = tokio::time::timeout(PATIENCE, ended.wait_for(Option::is_some)).await;
        let how = *how.expect("the answer did not end").expect("the answer was lost");
        how.expect("waited for it")
    }

    /// What no provider would take about this request.
    pub(super) fn violations(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let Some(fields) = self.body.as_object() else {
            return vec![format!("the body is no JSON object: {}", self.body)];
        };
        wrong.extend(
            fields
                .keys()
                .filter(|key| !KNOWN_FIELDS.contains(&key.as_str()))
                .map(|key| format!("unknown field {key}")),
        );
        if self.model().is_empty() {
            wrong.push("no model".to_owned());
        }
        if self.body["stream"] != true {
            wrong.push("stream is not true".to_owned());
        }
        if self.messages().is_empty() {
            wrong.push("no messages".to_owned());
        }
        if self.body.get("temperature").is_some_and(|t| !t.as_f64().is_some_and(|t| (0.0..=2.0).contains(&t)))
        {
            wrong.push("temperature outside 0 to 2".to_owned());
        }
        if self.body.get("max_tokens").is_some_and(|most| most.as_u64().is_none_or(|most| most == 0)) {
            wrong.push("max_tokens is not positive".to_owned());
        }
        if self.body.to_string().matches("\"cache_control\"").count() > 4 {
            wrong.push("more than four cache breakpoints".to_owned());
        }
        let mut called = Vec::new();
        for (at, message) in self.messages().iter().enumerate() {
            let role = message["role"].as_str().unwrap_or_default();
            if !["system", "user", "assistant", "tool"].contains(&role) {
                wrong.push(format!("message {at} has role {role:?}"));
            }
            let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
            if text(&message["content"]).trim().is_empty() && calls.is_empty() {
                wrong.push(format!("message {at} ({role}) says nothing"));
            }
            called.extend(calls.iter().map(|call| call["id"].clone()));
            if role == "tool" && !called.contains(&message["tool_call_id"]) {
                wrong.push(format!("message {at} answers a tool call nobody made"));
            }
            let well_named = |name: &str| {
                (1..=64).contains(&name.len())
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
            };
            if message.get("name").is_some_and(|name| !name.as_str().is_some_and(well_named)) {
                wrong.push(format!("message {at} has the name {}", message["name"]));
            }
        }
        wrong
    }
}

/// Content is a string or a list of text parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
