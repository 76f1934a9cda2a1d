//! A model provider on loopback: a world to test against, not a mock.
//!
//! It speaks OpenAI's and OpenRouter's wire (`POST {base}/chat/completions` as server-sent events, `GET {base}/models`),
//! answers as scripted, checks every request for what no provider accepts, and sees when a client hangs up.
//!
//! ```ignore
//! let world = ProviderWorld::start().await;
//! let gate = Gate::closed();
//! world.script(Reply::stream().text("Hel").gate(&gate).text("lo").finish("stop"));
//! // … point llm.base_url at world.base_url() and let the program talk …
//! let request = world.next_request().await;       // panics when a request breaks an invariant
//! gate.reached().await;                           // "Hel" is on the wire, "lo" is not
//! gate.open();
//! assert_eq!(request.ended().await, Ended::Whole);
//! ```
//!
//! Nothing here sleeps; a wait that never ends fails after [`PATIENCE`]. Real sockets and paused tokio time do not go
//! together: run these tests on the real clock.

pub mod cache_rules;
mod reply;
mod request;
mod strict;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::sync::mpsc;

pub use reply::{Gate, Reply};
pub use request::{ChatRequest, Ended};
pub use strict::{Filler, Strict, Template};

/// How long a test waits for something that should happen.
pub const PATIENCE: Duration = Duration::from_secs(20);

type Matcher = Box<dyn Fn(&ChatRequest) -> bool + Send>;
type Answers = Arc<dyn Fn(&ChatRequest) -> Reply + Send + Sync>;

/// The provider. Ends with its value.
pub struct ProviderWorld {
    port: u16,
    shared: Arc<Shared>,
    arrivals: tokio::sync::Mutex<mpsc::UnboundedReceiver<ChatRequest>>,
    server: tokio::task::JoinHandle<()>,
}

struct Shared {
    script: Mutex<VecDeque<(Matcher, Reply)>>,
    otherwise: Mutex<Answers>,
    models: Mutex<Value>,
    /// The key that is taken, and what `GET /key` says about it; without one any key is taken.
    key: Mutex<Option<(String, Value)>>,
    /// The `Date` that answers bear, instead of the right one.
    date: Mutex<Option<String>>,
    strict: Mutex<Option<Strict>>,
    arrived: mpsc::UnboundedSender<ChatRequest>,
    seen: Mutex<Vec<ChatRequest>>,
    violations: Mutex<Vec<String>>,
}

impl ProviderWorld {
    /// Listens on a free port of 127.0.0.1. Until told otherwise every request is answered "Understood."
    pub async fn start() -> Self {
        let (arrived, arrivals) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            script: Mutex::default(),
            otherwise: Mutex::new(Arc::new(|_| Reply::says("Understood."))),
            // It thinks by itself, so that whoever names no model is not asked to think before each reply.
            models: Mutex::new(json!({"object": "list", "data": [{
                "id": "fake/model", "object": "model", "max_model_len": 131_072, "reasoning": {"default_enabled": true},
            }]})),
            key: Mutex::default(),
            date: Mutex::default(),
            strict: Mutex::default(),
            arrived,
            seen: Mutex::default(),
            violations: Mutex::default(),
        });
        let app = Router::new()
            .route("/v1/chat/completions", post(chat))
            .route("/v1/models", get(models))
            .route("/api/v1/chat/completions", post(chat))
            .route("/api/v1/models", get(models))
            .route("/api/v1/key", get(key))
            .with_state(shared.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { port, shared, arrivals: tokio::sync::Mutex::new(arrivals), server }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// As a plain OpenAI-compatible server.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// As OpenRouter: its path makes the program send OpenRouter's extras.
    pub fn openrouter_url(&self) -> String {
        format!("http://127.0.0.1:{}/api/v1", self.port)
    }

    /// Answers the next request that no earlier line of the script is waiting for.
    pub fn script(&self, reply: Reply) {
        self.script_when(|_| true, reply);
    }

    /// Answers the next request that `matches`; for side jobs whose order is not fixed.
    pub fn script_when(&self, matches: impl Fn(&ChatRequest) -> bool + Send + 'static, reply: Reply) {
        self.shared.script.lock().unwrap().push_back((Box::new(matches), reply));
    }

    /// Answers every request that the script has nothing for.
    pub fn otherwise(&self, reply: Reply) {
        self.answers(move |_| reply.clone());
    }

    /// Answers every request that the script has nothing for, each as it deserves.
    pub fn answers(&self, answer: impl Fn(&ChatRequest) -> Reply + Send + Sync + 'static) {
        *self.shared.otherwise.lock().unwrap() = Arc::new(answer);
    }

    /// What `GET /models` gives; an error with the status that is its code.
    pub fn list_models(&self, list: Value) {
        *self.shared.models.lock().unwrap() = list;
    }

    /// From now on only this key is taken by `GET /key` (and, on the plain path, by `GET /models`), and `data` is said
    /// about it. Chat requests are not checked.
    pub fn takes_only(&self, key: &str, data: Value) {
        *self.shared.key.lock().unwrap() = Some((format!("Bearer {key}"), data));
    }

    /// From now on any key is taken, and none is wanted.
    pub fn takes_any(&self) {
        *self.shared.key.lock().unwrap() = None;
    }

    /// From now on only what this model's template foresees is answered.
    pub fn is_strict(&self, strict: Strict) {
        *self.shared.strict.lock().unwrap() = Some(strict);
    }

    /// What the clock of this server shows, as an HTTP date.
    pub fn shows_time(&self, date: &str) {
        *self.shared.date.lock().unwrap() = Some(date.to_owned());
    }

    /// The next chat request, in order of arrival.
    ///
    /// # Panics
    /// When none comes, or when any request so far broke an invariant.
    pub async fn next_request(&self) -> ChatRequest {
        let mut arrivals = self.arrivals.lock().await;
        let request = tokio::time::timeout(PATIENCE, arrivals.recv())
            .await
            .expect("no request came")
            .expect("world ended");
        self.assert_sound();
        request
    }

    /// All chat requests so far.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// The invariants that were broken, which are thereby forgiven.
    pub fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.violations.lock().unwrap())
    }

    /// Panics with every invariant that was broken.
    pub fn assert_sound(&self) {
        let violations = self.shared.violations.lock().unwrap();
        assert!(violations.is_empty(), "requests no provider would take: {violations:#?}");
    }
}

impl Drop for ProviderWorld {
    fn drop(&mut self) {
        self.server.abort();
        if !std::thread::panicking() {
            self.assert_sound();
        }
    }
}

/// OpenRouter's list is open to everybody; that of other servers is not.
async fn models(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    if !uri.path().starts_with("/api/") && !shared.takes(&headers) {
        return shared.dated(refusal());
    }
    let list = shared.models.lock().unwrap().clone();
    let status = list["error"]["code"].as_u64().map_or(200, |code| code.try_into().unwrap());
    let status = axum::http::StatusCode::from_u16(status).unwrap();
    shared.dated((status, axum::Json(list)).into_response())
}

async fn key(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    if !shared.takes(&headers) {
        return shared.dated(refusal());
    }
    let data = shared.key.lock().unwrap().as_ref().map(|(_, data)| data.clone());
    let data = data.unwrap_or(
        json!({"label": "sk-or-v1-abc...xyz", "usage": 1.5, "limit": null, "limit_remaining": null}),
    );
    shared.dated(axum::Json(json!({"data": data})).into_response())
}

fn refusal() -> Response {
    let body = json!({"error": {"message": "User not found.", "code": 401}});
    (axum::http::StatusCode::UNAUTHORIZED, axum::Json(body)).into_response()
}

impl Shared {
    fn takes(&self, headers: &HeaderMap) -> bool {
        let key = self.key.lock().unwrap();
        let given = headers.get("authorization").and_then(|value| value.to_str().ok());
        key.as_ref().is_none_or(|(taken, _)| given == Some(taken))
    }

    fn dated(&self, mut response: Response) -> Response {
        if let Some(date) = self.date.lock().unwrap().as_ref() {
            response.headers_mut().insert("date", date.parse().unwrap());
        }
        response
    }
}

async fn chat(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let (request, ending) = ChatRequest::read(&uri, headers, &body);
    shared.violations.lock().unwrap().extend(request.violations());
    let strict = *shared.strict.lock().unwrap();
    let refusal = strict.and_then(|strict| strict.refuses(&request));
    let refusal = refusal.or_else(|| request.too_long_for(&shared.models.lock().unwrap()));
    if let Some((status, error)) = refusal {
        shared.seen.lock().unwrap().push(request.clone());
        // The receiver lives as long as the world.
        let _ = shared.arrived.send(request);
        ending.set(Ended::Whole);
        return (status, axum::Json(error)).into_response();
    }
    let scripted = {
        let mut script = shared.script.lock().unwrap();
        let at = script.iter().position(|(matches, _)| matches(&request));
        at.map(|at| script.remove(at).unwrap().1)
    };
    let otherwise = shared.otherwise.lock().unwrap().clone();
    let reply = scripted.unwrap_or_else(|| otherwise(&request));
    shared.seen.lock().unwrap().push(request.clone());
    // The receiver lives as long as the world.
    let _ = shared.arrived.send(request.clone());
    reply.answer(&request, ending).await
}
