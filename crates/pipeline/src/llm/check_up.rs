//! Asking a model server how things stand. A model is asked something short only where no well-known service is paid for
//! it.
//!
//! Owns the questions and what the answers mean; words for people are made elsewhere. Start reading at
//! [`check_up`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use futures::StreamExt as _;
use jiff::SignedDuration;
use secrecy::SecretString;
use serde_json::Value;

use super::attempt::{ChatClient, in_stream};
use super::catalogue::{Catalogue, Prices, UNKNOWN_WINDOW, read_list};
use super::decode::Decoder;
use super::discover::{Failed, LOCAL_PATIENCE, LocalPort, UnfitServer, chat_models, get_path, has_no_model};
use super::endpoint::{Endpoint, OPENROUTER, ServerDialect, without_route};
use super::ledger::UsageLedger;
use super::request::body;
use super::sampling::{Takes, refused_figures};
use super::server::{
    DiscoveredServer, default_model, goes_by_list, passed_over, prices_of, slot_models, slots_at,
};
use super::slots::{ChosenServer, ModelChoice, choose_server};
use super::{CompletionRequest, LlmSetupError, ModelFacts, SamplingField};
use crate::clock::SharedClock;
use crate::config::{LlmConfig, SlotConfig};
use crate::domain::{ChatMessage, Role, Slot, ToolSpec};
use crate::net::innermost;

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
        NetworkUse::Online => Some(test_question(&client, ask.deadline).await),
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
    let known = Endpoint::new(OPENROUTER, None).map_err(|error| error.to_string())?;
    ChatClient::new(known).map(drop).map_err(|error| innermost(&error))
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

async fn test_question(client: &ChatClient, deadline: Duration) -> ServerAnswers {
    let key = async {
        match client.endpoint().dialect() {
            ServerDialect::OpenRouter if client.endpoint().has_key() => {
                Some(get_path(client, "/key", deadline).await)
            }
            _ => None,
        }
    };
    let (list, key) = tokio::join!(get_path(client, "/models", deadline), key);
    let ahead = list.1.or_else(|| key.as_ref().and_then(|answer| answer.1));
    ServerAnswers { list: list.0, key: key.map(|answer| answer.0), ahead }
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
        for model in slot_models(config) {
            let unsent =
                refused_figures(config, model, endpoint.dialect()).into_iter().map(|field| (*slot, field));
            if let Some(known) = found.iter_mut().find(|known| known.model == *model) {
                known.unsent.extend(unsent);
                if !known.slots.contains(slot) {
                    known.slots.push(*slot);
                }
                continue;
            }
            let entry = list.and_then(|list| list.get(model).or_else(|| list.get(without_route(model))));
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
