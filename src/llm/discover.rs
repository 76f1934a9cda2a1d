//! Finding a model server on this machine.

use std::fmt;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesOrdered;
use serde_json::Value;

use super::endpoint::Endpoint;
use super::transport::http_client;
use crate::net::{Bounds, whole};

/// How much of a model list is read, and how long it may take.
pub(crate) const LIST: Bounds = Bounds { bytes: 8 * 1024 * 1024, time: Duration::from_secs(15) };

/// Parts of names of models that do not chat.
const NOT_FOR_CHAT: &[&str] = &["embed", "rerank", "whisper", "minilm", "bge-", "clip", "tts", "moderation"];

/// The programs that people run models with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalKind {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// llama.cpp's own server.
    LlamaCpp,
    /// vLLM.
    Vllm,
}

impl LocalKind {
    /// The window it gives a model unless told otherwise, where that does not depend on the model. Ollama cuts prompts
    /// there, silently.
    pub(crate) fn usual_window(self) -> Option<u32> {
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
    /// What listens there.
    pub kind: LocalKind,
    /// On 127.0.0.1.
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
    /// Its base URL.
    pub base_url: String,
    /// Its first model that chats.
    pub model: String,
    /// Its model list, as sent.
    pub(crate) list: Value,
}

/// Asks the usual ports of this machine for their models, all at once. At most `timeout` passes, and only when
/// something there takes connections but says nothing: a closed port answers at once.
pub async fn discover_local(timeout: Duration) -> Option<LocalServer> {
    discover_on(USUAL_PORTS, timeout).await
}

/// As [`discover_local`], on other ports. The first in the list wins, however fast the others are, and those behind it
/// are not waited for.
pub async fn discover_on(ports: &[LocalPort], timeout: Duration) -> Option<LocalServer> {
    let mut probes: FuturesOrdered<_> = ports
        .iter()
        .map(|port| async move { tokio::time::timeout(timeout, probe(*port)).await.ok().flatten() })
        .collect();
    while let Some(found) = probes.next().await {
        if found.is_some() {
            return found;
        }
    }
    None
}

async fn probe(at: LocalPort) -> Option<LocalServer> {
    let base_url = format!("http://127.0.0.1:{}/v1", at.port);
    let endpoint = Endpoint::new(&base_url, None).ok()?.local();
    let list = fetch_list(&http_client(&endpoint).ok()?, &endpoint).await?;
    let model = chat_models(&list).into_iter().next()?;
    Some(LocalServer { kind: at.kind, base_url, model, list })
}

/// `GET {base}/models`, within 30 s; `None` for anything but a JSON answer.
pub(crate) async fn fetch_list(http: &reqwest::Client, endpoint: &Endpoint) -> Option<Value> {
    let request = http.get(endpoint.url("/models")).headers(endpoint.headers()).send();
    let response = tokio::time::timeout(LIST.time, request).await.ok()?.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let (list, end) = whole(response.bytes_stream(), LIST).await;
    end.ok()?;
    serde_json::from_slice(&list).ok()
}

/// The models of a list that chat, in its order.
pub(crate) fn chat_models(list: &Value) -> Vec<String> {
    let models = list.get("data").and_then(Value::as_array).into_iter().flatten();
    let ids = models.filter_map(|model| model.get("id").and_then(Value::as_str));
    let chats = |id: &&str| {
        let name = id.to_lowercase();
        !name.is_empty() && !NOT_FOR_CHAT.iter().any(|part| name.contains(part))
    };
    ids.filter(chats).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        assert_eq!(discover_on(&ports, Duration::from_secs(5)).await, None);
    }
}
