//! How the models are doing: asking a model server how things stand, finding one on this machine, and what was seen of them
//! for `/status`. A model is asked something short only where no well-known service is paid for it.
//!
//! Owns the questions and what the answers mean; words for people are made elsewhere. Start reading at
//! [`check_up`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesOrdered;
use jiff::{SignedDuration, Timestamp};
use reqwest::header::{DATE, HeaderMap};
use secrecy::SecretString;
use serde_json::Value;

use super::attempt::{ChatClient, http_client, in_stream};
use super::catalogue::{Catalogue, Prices, UNKNOWN_WINDOW, read_list};
use super::circuit_breaker::OpenModel;
use super::decode::Decoder;
use super::endpoint::{Endpoint, ServerDialect};
use super::failure::{is_page, refused_request};
use super::ledger::UsageLedger;
use super::request::body;
use super::sampling::{Takes, refused_figures};
use super::slots::{
    ChosenServer, DiscoveredServer, ModelChoice, choose_server, default_model, goes_by_list, passed_over,
    prices_of, slots_at,
};
use super::{CompletionRequest, LlmSetupError, ModelError, ModelFacts, SamplingField};
use crate::clock::SharedClock;
use crate::config::{LlmConfig, SlotConfig};
use crate::domain::{ChatMessage, ModelCall, ModelErrorClass, Role, Slot, ToolSpec};
use crate::net::{Bounds, innermost, whole_body};

/// The longest answer to a trial.
const TRIAL_TOKENS: u32 = 16;

/// Whether a check-up may use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkUse {
    Online,
    /// It must not, not even on this machine.
    Offline,
}

/// Whether a check-up may ask for an answer that is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// Only servers that nobody is known to pay for are asked for an answer.
    Nothing,
    /// One short answer, wherever it comes from.
    OneAnswer,
}

/// What is looked at.
#[derive(Debug)]
pub struct ModelCheckUp<'a> {
    pub config: &'a LlmConfig,
    /// The key for the server.
    pub api_key: Option<&'a SecretString>,
    /// Where to look for local servers when nothing is configured.
    pub local_ports: &'a [LocalPort],
    /// Where usage and the last model list are kept; only read.
    pub state_dir: &'a Path,
    pub clock: SharedClock,
    /// Whether to ask the server.
    pub reach: NetworkUse,
    pub spending: Spending,
    /// The longest wait for all answers together.
    pub deadline: Duration,
}

#[derive(Debug)]
pub struct ModelFindings {
    /// Which server and why. Offline without any setting this is the rehearsal, as nobody looked for a local server.
    pub choice: ModelChoice,
    pub server: ServerState,
    /// Whether it takes the key.
    pub key: KeyState,
    /// The models of all slots, the main one first, each once; none where nobody named one and the server has none.
    pub models: Vec<ModelFinding>,
    /// What the server lists, where that is several models and nobody named one.
    pub unnamed: Vec<String>,
    /// What somebody named and the server that was found does not have.
    pub passed_over: BTreeSet<String>,
    /// What can be chosen from at another server than OpenRouter, whose list is for a page of its own.
    pub offered: Vec<String>,
    /// What became of a small request to the main model, in the shape of a conversation; `None` where none was made.
    pub trial: Option<Trial>,
    /// US dollars spent today (UTC) by our own account.
    pub spent_today_usd: f64,
    /// Tokens of today whose price is not known.
    pub unpriced_today: u64,
    /// How far the server's clock is ahead of ours; good to about a second.
    pub server_ahead: Option<SignedDuration>,
}

impl ModelFindings {
    /// Whether the main model was asked something small, and answered.
    pub fn has_answered(&self) -> bool {
        matches!(self.trial, Some(Trial::Answered(_)))
    }
}

/// Whether the server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// There is none: the rehearsal speaks.
    None,
    /// None was named, and the one that answers on this machine cannot be used: the rehearsal speaks.
    Unfit(UnfitServer),
    /// It was not asked; where no setting names one, none was looked for either.
    NotAsked,
    /// It gave its list of models.
    Answers,
    /// It gave its list of models, and none of them is for conversations.
    NoModel,
    /// It answers, but gives no list of models; why, in words.
    NoList(String),
    /// Something else is there, which shows web pages.
    WebPage,
    /// It could not be reached; why, in words.
    Unreachable(String),
}

/// Whether the server takes the key.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyState {
    /// It does not say without being asked for an answer, or was not asked.
    Unknown,
    /// It wants one and there is none.
    Missing,
    Refused,
    Known(KeyAccount),
}

/// What OpenRouter says about a key, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KeyAccount {
    /// Spent with this key so far.
    pub used_usd: Option<f64>,
    /// What this key may still spend; `None` where the key has no limit of its own.
    pub left_usd: Option<f64>,
}

impl ServerState {
    /// Whether no model is connected.
    pub fn rehearses(&self) -> bool {
        matches!(self, Self::None | Self::Unfit(_))
    }

    /// Whether no model server answers where one is named.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::WebPage | Self::Unreachable(_))
    }
}

/// What became of a small request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// It was answered, in this shape.
    Answered(Takes),
    /// It was not answered in time; a model that is only being loaded takes its time.
    Late,
    /// It failed; why, in words.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct ModelFinding {
    /// Its name on the server.
    pub model: String,
    /// The slots that name it, as their model or a fallback.
    pub slots: Vec<Slot>,
    /// Whether it is in the server's list; `None` without a list.
    pub listed: Option<bool>,
    /// Its window in tokens.
    pub window: u32,
    /// Whether that is a guess.
    pub window_is_guessed: bool,
    /// Whether that is all the server that was found gives any model unless told otherwise.
    pub window_is_usual: bool,
    /// Whether it is known what it costs.
    pub has_price: bool,
    /// What it costs, where lists or settings say so before it is asked.
    pub prices: Option<Prices>,
    /// What is set of its sampling, by slot, and not sent, as the server would refuse it.
    pub unsent: Vec<(Slot, SamplingField)>,
}

/// Asks the chosen server for its models and, where there is such a thing, about the key. Changes nothing on disk.
pub async fn check_up(ask: ModelCheckUp<'_>) -> Result<ModelFindings, LlmSetupError> {
    let ports = match ask.reach {
        NetworkUse::Online => ask.local_ports,
        NetworkUse::Offline => &[],
    };
    let today = UsageLedger::open(ask.state_dir, ask.clock.clone()).today().total();
    let (spent_today_usd, unpriced_today) = (today.cost_usd, today.unpriced_tokens);
    let chosen = choose_server(ask.config.base_url.as_deref(), ask.api_key, ports, LOCAL_PATIENCE).await?;
    let ChosenServer { endpoint, local, source } = match chosen {
        Ok(chosen) => chosen,
        Err(unfit) => {
            return Ok(ModelFindings {
                choice: ModelChoice::rehearsal(unfit.as_ref()),
                server: match (ask.reach, unfit) {
                    (NetworkUse::Online, Some(unfit)) => ServerState::Unfit(unfit),
                    (NetworkUse::Online, None) => ServerState::None,
                    (NetworkUse::Offline, _) => ServerState::NotAsked,
                },
                key: KeyState::Unknown,
                models: Vec::new(),
                unnamed: Vec::new(),
                passed_over: BTreeSet::new(),
                offered: Vec::new(),
                trial: None,
                spent_today_usd,
                unpriced_today,
                server_ahead: None,
            });
        }
    };
    let client = ChatClient::new(endpoint.clone())?;
    let answers = match ask.reach {
        NetworkUse::Online => Some(test_question(client.http(), &endpoint, ask.deadline).await),
        NetworkUse::Offline => None,
    };
    let list = answers.as_ref().and_then(|answers| answers.list.as_ref().ok());
    let listed = list.map(chat_models).unwrap_or_default();
    let found = local
        .as_ref()
        .map_or(DiscoveredServer::Listed(default_model(&listed, &endpoint)), DiscoveredServer::Local);
    let slots = slots_at(&endpoint, found, ask.config);
    let main = slots.get(&Slot::MainProse).map(|slot| slot.model.clone()).unwrap_or_default();
    let choice = ModelChoice::new(source, &endpoint, main.clone());
    let offered = if endpoint.dialect() != ServerDialect::OpenRouter { listed.clone() } else { Vec::new() };
    let is_unnamed = local.is_none() && listed.len() > 1 && goes_by_list(&endpoint, ask.config);
    let unnamed = if is_unnamed { listed } else { Vec::new() };
    let catalogue = Catalogue::open(ask.state_dir, endpoint.base_url(), ask.clock);
    let list = list.map(read_list);
    let usual = local.as_ref().and_then(|local| local.kind.usual_window());
    let (server, key, server_ahead) = match answers {
        None => (ServerState::NotAsked, KeyState::Unknown, None),
        Some(answers) => (answers.server(), answers.key(&endpoint), answers.ahead),
    };
    // What comes with the program is another server's.
    let is_nameless = server == ServerState::NoModel && goes_by_list(&endpoint, ask.config);
    let models = match is_nameless {
        true => Vec::new(),
        false => models(&slots, list.as_ref(), &catalogue, &endpoint, usual),
    };
    // Whoever gives no list may talk all the same, and whoever gives an empty one where somebody named a model. A key that is
    // not taken says enough.
    let may_talk = match &server {
        ServerState::Answers => true,
        ServerState::NoList(_) => !matches!(key, KeyState::Missing | KeyState::Refused),
        ServerState::NoModel => !is_nameless,
        _ => false,
    };
    // The well-known services take every order of roles, and are paid.
    let is_paid = matches!(endpoint.dialect(), ServerDialect::OpenRouter | ServerDialect::OpenAi);
    let trial = if may_talk && (ask.spending == Spending::OneAnswer || !is_paid) {
        let slot = slots.get(&Slot::MainProse);
        Some(try_out(&client, &main, slot, ask.deadline).await)
    } else {
        None
    };
    Ok(ModelFindings {
        choice,
        server,
        key,
        models,
        unnamed,
        passed_over: local.as_ref().map(|local| passed_over(local, ask.config)).unwrap_or_default(),
        offered,
        trial,
        spent_today_usd,
        unpriced_today,
        server_ahead,
    })
}

/// Whether HTTPS connections can be made at all: the certificates of the system are found and readable.
pub fn https_works() -> Result<(), String> {
    let known = Endpoint::new(super::endpoint::OPENROUTER, None).map_err(|error| error.to_string())?;
    http_client(&known).map(drop).map_err(|error| innermost(&error))
}

/// Asks a model something short in the shape of a conversation, with a tool, as replies are asked for, and in another shape
/// where that one is refused.
async fn try_out(client: &ChatClient, model: &str, slot: Option<&SlotConfig>, deadline: Duration) -> Trial {
    let Some(slot) = slot else { return Trial::Failed("no model is configured".to_owned()) };
    let message = ChatMessage::new;
    let tool = ToolSpec {
        name: "clock".to_owned(),
        description: "Tells the time.".to_owned(),
        parameters: serde_json::json!({"type": "object", "properties": {}}),
    };
    let request = CompletionRequest {
        max_tokens: Some(TRIAL_TOKENS),
        tools: vec![tool],
        ..CompletionRequest::new(
            Slot::MainProse,
            vec![
                message(Role::System, "Answer with one word."),
                message(Role::System, "This is a trial."),
                message(Role::Assistant, "Welcome!"),
                message(Role::User, "Ben: hello"),
                message(Role::User, "Ana: are you there?"),
                message(Role::System, "Ana wants an answer."),
            ],
        )
    };
    let asked = async {
        let mut takes = Takes::default();
        loop {
            let shaped = takes.shape(&request);
            let body = body(&shaped, slot, model, client.endpoint().dialect(), &[]);
            let error = match client.open(&body, deadline).await {
                Err(error) => error,
                Ok(mut payloads) => match payloads.next().await {
                    // Some say inside the stream that they will not have it.
                    Some(Ok(payload)) => match Decoder::default().value(&payload) {
                        Ok(_) => return Trial::Answered(takes),
                        Err(error) => in_stream(error, client.endpoint()),
                    },
                    Some(Err(error)) => error,
                    None => return Trial::Failed("an empty answer".to_owned()),
                },
            };
            match error.refusal.and_then(|refusal| takes.after(refusal)) {
                Some(next) => takes = next,
                None => return Trial::Failed(error.message),
            }
        }
    };
    tokio::time::timeout(deadline, asked).await.unwrap_or(Trial::Late)
}

/// What the server said.
struct ServerAnswers {
    list: Result<Value, Failed>,
    key: Option<Result<Value, Failed>>,
    ahead: Option<SignedDuration>,
}

enum Failed {
    Refused { status: u16, words: String },
    WebPage,
    Unreachable(String),
}

async fn test_question(http: &reqwest::Client, endpoint: &Endpoint, deadline: Duration) -> ServerAnswers {
    let key = async {
        match endpoint.dialect() {
            ServerDialect::OpenRouter if endpoint.has_key() => {
                Some(get_path(http, endpoint, "/key", deadline).await)
            }
            _ => None,
        }
    };
    let (list, key) = tokio::join!(get_path(http, endpoint, "/models", deadline), key);
    let ahead = list.1.or_else(|| key.as_ref().and_then(|answer| answer.1));
    ServerAnswers { list: list.0, key: key.map(|answer| answer.0), ahead }
}

type Answer = (Result<Value, Failed>, Option<SignedDuration>);

async fn get_path(http: &reqwest::Client, endpoint: &Endpoint, path: &str, deadline: Duration) -> Answer {
    let request = http.get(endpoint.url(path)).headers(endpoint.headers()).send();
    let response = match tokio::time::timeout(deadline, request).await {
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

impl ServerAnswers {
    fn server(&self) -> ServerState {
        match &self.list {
            Ok(list) if has_no_model(list) => ServerState::NoModel,
            Ok(_) => ServerState::Answers,
            Err(Failed::Refused { words, .. }) => ServerState::NoList(words.clone()),
            Err(Failed::WebPage) => ServerState::WebPage,
            Err(Failed::Unreachable(why)) => ServerState::Unreachable(why.clone()),
        }
    }

    fn key(&self, endpoint: &Endpoint) -> KeyState {
        let refuses =
            |answer: &Result<Value, Failed>| matches!(answer, Err(Failed::Refused { status: 401 | 403, .. }));
        if let Some(Ok(answer)) = &self.key {
            let usd = |name: &str| answer.get("data").and_then(|data| data.get(name)).and_then(Value::as_f64);
            return KeyState::Known(KeyAccount { used_usd: usd("usage"), left_usd: usd("limit_remaining") });
        }
        if self.key.as_ref().is_some_and(refuses) || refuses(&self.list) {
            return if endpoint.has_key() { KeyState::Refused } else { KeyState::Missing };
        }
        if endpoint.dialect() == ServerDialect::OpenRouter && !endpoint.has_key() {
            return KeyState::Missing;
        }
        KeyState::Unknown
    }
}

fn models(
    slots: &BTreeMap<Slot, SlotConfig>,
    list: Option<&BTreeMap<String, ModelFacts>>,
    catalogue: &Catalogue,
    endpoint: &Endpoint,
    usual_window: Option<u32>,
) -> Vec<ModelFinding> {
    let mut found: Vec<ModelFinding> = Vec::new();
    let main_first = slots
        .get_key_value(&Slot::MainProse)
        .into_iter()
        .chain(slots.iter().filter(|(slot, _)| **slot != Slot::MainProse));
    for (slot, config) in main_first {
        for model in std::iter::once(&config.model).chain(&config.fallbacks) {
            let unsent =
                refused_figures(config, model, endpoint.dialect()).into_iter().map(|field| (*slot, field));
            if let Some(known) = found.iter_mut().find(|known| known.model == *model) {
                known.unsent.extend(unsent);
                if !known.slots.contains(slot) {
                    known.slots.push(*slot);
                }
                continue;
            }
            // `model:nitro` is a route to the same model and in no list.
            let plain = model.split_once(':').map_or(model.as_str(), |(plain, _)| plain);
            let entry = list.and_then(|list| list.get(model).or_else(|| list.get(plain)));
            let window = config
                .context_window
                .or_else(|| entry.and_then(|facts| facts.context_window))
                .or_else(|| catalogue.facts(model).context_window);
            let listed_prices = entry.and_then(|facts| facts.prices);
            let prices = listed_prices.or_else(|| prices_of(model, slots, catalogue, endpoint));
            found.push(ModelFinding {
                model: model.clone(),
                slots: vec![*slot],
                listed: list.map(|_| entry.is_some()),
                window: window.unwrap_or(UNKNOWN_WINDOW),
                window_is_guessed: window.is_none(),
                window_is_usual: window.is_some() && window == usual_window,
                // OpenRouter says with each answer what it cost.
                has_price: endpoint.dialect() == ServerDialect::OpenRouter || prices.is_some(),
                prices,
                unsent: unsent.collect(),
            });
        }
    }
    found
}

/// A snapshot of how the models are doing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelHealth {
    /// What is left alone, and until when.
    pub left_alone: Vec<OpenModel>,
    /// The newest failure since the start.
    pub last_error: Option<LastError>,
    /// The newest answer since the start.
    pub last_answer: Option<LastAnswer>,
    /// Sentences for the operator about what is assumed for want of knowledge.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LastError {
    pub at: Timestamp,
    pub class: ModelErrorClass,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LastAnswer {
    /// When it was complete.
    pub at: Timestamp,
    pub model: String,
    /// Milliseconds to the first token.
    pub first_token_ms: Option<u64>,
    pub total_ms: u64,
}

/// Keeps the newest failure and answer.
#[derive(Debug)]
pub(crate) struct ModelPulse {
    clock: SharedClock,
    pub(super) last_error: Option<LastError>,
    pub(super) last_answer: Option<LastAnswer>,
}

impl ModelPulse {
    pub(crate) fn new(clock: SharedClock) -> Self {
        Self { clock, last_error: None, last_answer: None }
    }

    pub(crate) fn failed(&mut self, error: &ModelError) {
        let message = error.message.clone();
        self.last_error = Some(LastError { at: self.clock.now(), class: error.class, message });
    }

    pub(crate) fn answered(&mut self, report: &ModelCall) {
        self.last_answer = Some(LastAnswer {
            at: self.clock.now(),
            model: report.model.clone(),
            first_token_ms: report.first_token_ms,
            total_ms: report.total_ms,
        });
    }
}

/// How much of a model list is read, and how long it may take.
pub(crate) const LIST: Bounds = Bounds { bytes: 8 * 1024 * 1024, time: Duration::from_secs(15) };

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
    pub(crate) list: Value,
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
    let Ok(http) = http_client(&endpoint) else { return Err(None) };
    let why = match get_path(&http, &endpoint, "/models", LIST.time).await.0 {
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
fn has_no_model(list: &Value) -> bool {
    list.get("data").is_some_and(|data| data.is_array() || data.is_null()) && chat_models(list).is_empty()
}

/// `GET {base}/models`, within 30 s; `None` for anything but a JSON answer.
pub(crate) async fn fetch_list(http: &reqwest::Client, endpoint: &Endpoint) -> Option<Value> {
    let request = http.get(endpoint.url("/models")).headers(endpoint.headers()).send();
    let response = tokio::time::timeout(LIST.time, request).await.ok()?.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let (list, end) = whole_body(response.bytes_stream(), LIST).await;
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
    use super::*;
    use reqwest::header::HeaderValue;

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
}

#[cfg(test)]
mod discover_tests {
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
        assert_eq!(discover_on(&ports, Duration::from_secs(5)).await, Err(None));
    }
}
