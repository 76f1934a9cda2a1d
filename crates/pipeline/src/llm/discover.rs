//! Finding model servers on this machine, and asking any server what it has. Start reading at [`discover_on`].

use std::fmt;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesOrdered;
use jiff::{SignedDuration, Timestamp};
use reqwest::header::{DATE, HeaderMap};
use serde_json::Value;

use super::attempt::ChatClient;
use super::endpoint::Endpoint;
use super::failure::{is_page, refused_request};
use crate::domain::ModelErrorClass;
use crate::net::{Bounds, innermost, whole_body};

/// How much of a model list is read, and how long it may take.
pub(super) const LIST: Bounds = Bounds { bytes: 8 * 1024 * 1024, time: Duration::from_secs(15) };

/// Parts of names of models that do not chat.
const NOT_FOR_CHAT: &[&str] = &["embed", "rerank", "whisper", "minilm", "bge-", "clip", "tts", "moderation"];

/// The programs that people run models with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalKind {
    Ollama,
    LmStudio,
    LlamaCpp,
    Vllm,
}

impl LocalKind {
    /// The window it gives a model unless told otherwise, where that does not depend on the model. Ollama cuts prompts
    /// there, silently.
    pub(super) fn usual_window(self) -> Option<u32> {
        match self {
            Self::Ollama => Some(4_096),
            Self::LmStudio | Self::LlamaCpp | Self::Vllm => None,
        }
    }
}

impl fmt::Display for LocalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ollama => "Ollama",
            Self::LmStudio => "LM Studio",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
        })
    }
}

/// Where to look for one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalPort {
    pub kind: LocalKind,
    pub port: u16,
}

/// The ports these programs use unless told otherwise, in order of preference.
pub const USUAL_PORTS: &[LocalPort] = &[
    LocalPort { kind: LocalKind::Ollama, port: 11434 },
    LocalPort { kind: LocalKind::LmStudio, port: 1234 },
    LocalPort { kind: LocalKind::LlamaCpp, port: 8080 },
    LocalPort { kind: LocalKind::Vllm, port: 8000 },
];

/// How long local servers usually have to answer: plenty on a loopback, and not long for who waits for the start.
pub const LOCAL_PATIENCE: Duration = Duration::from_millis(300);

/// A server that answered.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalServer {
    /// What it is, by its port.
    pub kind: LocalKind,
    pub base_url: String,
    /// Its first model that chats.
    pub model: String,
    /// Its model list, as sent.
    pub(super) list: Value,
}

/// What answers where a model server of this machine would be, and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitServer {
    /// What it is, by its port.
    pub kind: LocalKind,
    pub base_url: String,
    pub why: Unfit,
}

/// Why a server of this machine cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// It has no model for conversations.
    NoModel,
    WantsKey,
    /// It is in trouble itself; its answer, in words.
    Fails(String),
}

impl UnfitServer {
    /// What to do about it, in half a sentence.
    pub fn advice(&self) -> String {
        match (&self.why, self.kind) {
            (Unfit::NoModel, LocalKind::Ollama) => "fetch one, as in `ollama pull llama3.2:3b`".to_owned(),
            (Unfit::NoModel, _) => "load one there".to_owned(),
            (Unfit::WantsKey, _) => format!(
                "if it is to be used, set OPENAI_API_KEY in .env and llm.base_url to {}",
                self.base_url
            ),
            (Unfit::Fails(_), _) => "look into its log, or start it anew".to_owned(),
        }
    }
}

/// What is wrong, in half a sentence. Only a list of models says for certain that it is a model server.
impl fmt::Display for UnfitServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, base_url, why } = self;
        match why {
            Unfit::NoModel => write!(f, "{kind} is there ({base_url}), but has no model for conversations"),
            Unfit::WantsKey => write!(f, "what answers where {kind} would be ({base_url}) wants a key"),
            Unfit::Fails(words) => write!(f, "what answers where {kind} would be is in trouble: {words}"),
        }
    }
}

/// Asks ports of this machine for their models, all at once. At most `timeout` passes, and only when something there
/// takes connections but says nothing: a closed port answers at once. The first in the list wins, however fast the
/// others are, and those behind it are not waited for.
///
/// # Errors
/// When none can be used: the first that answers all the same, if any does.
pub async fn discover_on(ports: &[LocalPort], timeout: Duration) -> Result<LocalServer, Option<UnfitServer>> {
    let mut probes: FuturesOrdered<_> = ports
        .iter()
        .map(|port| async move { tokio::time::timeout(timeout, probe(*port)).await.unwrap_or(Err(None)) })
        .collect();
    let mut unfit = None;
    while let Some(found) = probes.next().await {
        match found {
            Ok(server) => return Ok(server),
            Err(why) => unfit = unfit.or(why),
        }
    }
    Err(unfit)
}

async fn probe(at: LocalPort) -> Result<LocalServer, Option<UnfitServer>> {
    let LocalPort { kind, port } = at;
    let base_url = format!("http://127.0.0.1:{port}/v1");
    let Ok(endpoint) = Endpoint::new(&base_url, None).map(Endpoint::local) else { return Err(None) };
    let Ok(client) = ChatClient::new(endpoint) else { return Err(None) };
    let why = match get_path(&client, "/models", LIST.time).await.0 {
        Ok(list) => match chat_models(&list).into_iter().next() {
            Some(model) => return Ok(LocalServer { kind, base_url, model, list }),
            None => has_no_model(&list).then_some(Unfit::NoModel),
        },
        Err(Failed::Refused { status: 401 | 403, .. }) => Some(Unfit::WantsKey),
        Err(Failed::Refused { status: 500.., words }) => Some(Unfit::Fails(words)),
        // Whatever else it is that listens there.
        Err(_) => None,
    };
    Err(why.map(|why| UnfitServer { kind, base_url, why }))
}

/// Whether what was answered is a list of models, and none of them is for conversations. Ollama's is `null` then.
pub(super) fn has_no_model(list: &Value) -> bool {
    list.get("data").is_some_and(|data| data.is_array() || data.is_null()) && chat_models(list).is_empty()
}

/// A server's list of models; `None` for anything but a JSON answer in time.
pub(super) async fn fetch_list(client: &ChatClient) -> Option<Value> {
    get_path(client, "/models", LIST.time).await.0.ok()
}

/// The models of a list that chat, in its order.
pub(super) fn chat_models(list: &Value) -> Vec<String> {
    let models = list.get("data").and_then(Value::as_array).into_iter().flatten();
    let ids = models.filter_map(|model| model.get("id").and_then(Value::as_str));
    let chats = |id: &&str| {
        let name = id.to_lowercase();
        !name.is_empty() && !NOT_FOR_CHAT.iter().any(|part| name.contains(part))
    };
    ids.filter(chats).map(str::to_owned).collect()
}

/// Why a server gave nothing.
pub(super) enum Failed {
    Refused { status: u16, words: String },
    WebPage,
    Unreachable(String),
}

type Answer = (Result<Value, Failed>, Option<SignedDuration>);

/// What stands at a path of a server, and how far its clock is ahead. `deadline` holds for its headers, then for the rest.
pub(super) async fn get_path(client: &ChatClient, path: &str, deadline: Duration) -> Answer {
    let endpoint = client.endpoint();
    let response = match tokio::time::timeout(deadline, client.get(path).send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return (Err(Failed::Unreachable(endpoint.redact(&innermost(&error)))), None),
        Err(_) => return (Err(Failed::Unreachable("no answer in time".to_owned())), None),
    };
    let ahead = clock_difference(response.headers(), Timestamp::now());
    let status = response.status();
    let (body, end) = whole_body(response.bytes_stream(), Bounds { time: deadline, ..LIST }).await;
    let failed = |words| Failed::Refused { status: status.as_u16(), words };
    let answer = match end {
        _ if !status.is_success() => {
            let said = refused_request(status.as_u16(), None, &String::from_utf8_lossy(&body), endpoint);
            Err(if said.class == ModelErrorClass::WebPage { Failed::WebPage } else { failed(said.message) })
        }
        Ok(()) => serde_json::from_slice(&body).map_err(|_| match is_page(&String::from_utf8_lossy(&body)) {
            true => Failed::WebPage,
            false => failed("the answer is not JSON".to_owned()),
        }),
        Err(cut) => Err(failed(cut.to_string())),
    };
    (answer, ahead)
}

/// RFC 9110, 6.6.1: to the second.
fn clock_difference(headers: &HeaderMap, now: Timestamp) -> Option<SignedDuration> {
    let date = jiff::fmt::rfc2822::parse(headers.get(DATE)?.to_str().ok()?).ok()?;
    Some(date.timestamp().duration_since(now))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_difference_of_the_clocks_is_read_from_the_date() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let read = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(DATE, HeaderValue::from_static(value));
            clock_difference(&headers, now).map(|ahead| ahead.as_secs())
        };
        assert_eq!(read("Thu, 01 Jan 2026 00:01:30 GMT"), Some(90));
        assert_eq!(read("Wed, 31 Dec 2025 23:59:00 GMT"), Some(-60));
        assert_eq!(read("today"), None);
        assert_eq!(clock_difference(&HeaderMap::new(), now), None);
    }

    #[test]
    fn embedding_models_are_passed_over() {
        let list = json!({"data": [{"id": "nomic-embed-text"}, {"id": ""}, {"id": "llama3.2:3b"}]});
        assert_eq!(chat_models(&list), ["llama3.2:3b"]);
        assert!(chat_models(&json!({"data": [{"id": "all-minilm"}]})).is_empty());
        assert!(chat_models(&json!({"models": []})).is_empty());
    }

    #[tokio::test]
    async fn a_closed_port_is_no_server() {
        // Taken, so that nobody else's server gets it, and nobody listens.
        let taken = tokio::net::TcpSocket::new_v4().unwrap();
        taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = taken.local_addr().unwrap().port();
        let ports = [LocalPort { kind: LocalKind::Ollama, port }];
        assert_eq!(discover_on(&ports, Duration::from_secs(5)).await, Err(None));
    }
}
