//! The eight jobs and the models that do them: which model was chosen for each.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use async_trait::async_trait;
use parking_lot::Mutex;
use secrecy::{ExposeSecret as _, SecretString};
use tokio_util::task::AbortOnDropHandle;

use super::attempt::ChatClient;
use super::catalogue::{Catalogue, ModelFacts, Prices, TokenRatios};
use super::chain::SlotModel;
use super::circuit_breaker::ModelBreakers;
use super::discover::{LIST, LocalKind, LocalPort, LocalServer, UnfitServer, chat_models, discover_on};
use super::endpoint::{BadBaseUrl, Endpoint, OPENROUTER, ServerDialect, is_openrouter};
use super::ledger::UsageLedger;
use super::permits::Permits;
use super::pulse::{ModelHealth, ModelPulse};
use super::rehearsal::RehearsalScript;
use super::sampling::TakesTable;
use super::server::{LIST_PATIENCE, Server, goes_by_list, keep_fresh, passed_over, slot_settings};
use super::window::LearnedWindows;
use super::{
    CompletionModel, CompletionRequest, CompletionStream, ModelDescription, ModelError, ModelSource,
    SharedModel, ToldRequest,
};
use crate::clock::SharedClock;
use crate::config::LlmConfig;
use crate::domain::Slot;

/// What is needed to choose and build the models.
#[derive(Debug)]
pub struct LlmSetup<'a> {
    pub config: &'a LlmConfig,
    /// The key for the server.
    pub api_key: Option<SecretString>,
    /// For pauses, days and reports.
    pub clock: SharedClock,
    /// Where usage, the model list and learned ratios are kept; created when first written.
    pub state_dir: PathBuf,
    /// What the character says when there is no model.
    pub rehearsal: RehearsalScript,
    /// Where to look for local servers when nothing is configured; usually [`super::USUAL_PORTS`].
    pub local_ports: &'a [LocalPort],
    /// How long they have to answer; usually [`super::LOCAL_PATIENCE`].
    pub local_patience: Duration,
}

/// Why no models could be built.
#[derive(Debug, thiserror::Error)]
pub enum LlmSetupError {
    /// `llm.base_url` cannot be used.
    #[error(transparent)]
    BaseUrl(#[from] BadBaseUrl),
    /// The HTTP client could not be built, usually for want of certificates.
    #[error("no HTTPS client could be built; are CA certificates installed?")]
    Http(#[from] reqwest::Error),
}

/// The models of all slots. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ModelSlots {
    backing: Arc<ArcSwap<Backing>>,
    kept: Arc<KeptAcrossServers>,
}

/// What stays when another server is chosen.
#[derive(Debug)]
struct KeptAcrossServers {
    clock: SharedClock,
    state_dir: PathBuf,
    rehearsal: Arc<RehearsalScript>,
    local_ports: Vec<LocalPort>,
    local_patience: Duration,
    ledger: Arc<UsageLedger>,
}

#[derive(Debug)]
struct Backing {
    /// `llm.base_url` when it was chosen.
    base_url: Option<String>,
    choice: ModelChoice,
    server: Option<Arc<Server>>,
    rehearsal: Arc<RehearsalScript>,
    _refresh: Option<AbortOnDropHandle<()>>,
}

impl KeptAcrossServers {
    /// Chooses a server and builds what speaks with it.
    async fn choose(
        &self,
        config: &LlmConfig,
        api_key: Option<&SecretString>,
    ) -> Result<Backing, LlmSetupError> {
        let base_url = config.base_url.clone();
        let chosen =
            choose_server(base_url.as_deref(), api_key, &self.local_ports, self.local_patience).await?;
        let rehearsal = Arc::clone(&self.rehearsal);
        let ChosenServer { endpoint, local, source } = match chosen {
            Ok(chosen) => chosen,
            Err(unfit) => {
                let choice = ModelChoice::rehearsal(unfit.as_ref());
                return Ok(Backing { base_url, choice, server: None, rehearsal, _refresh: None });
            }
        };
        let catalogue = Catalogue::open(&self.state_dir, endpoint.base_url(), self.clock.clone());
        if let Some(found) = &local {
            catalogue.replace(&found.list);
        }
        let server = Arc::new(Server {
            windows: LearnedWindows::default(),
            takes: TakesTable::open(&self.state_dir, endpoint.base_url()),
            settings: ArcSwap::from_pointee(config.clone()),
            config: ArcSwap::from_pointee(config.clone()),
            local,
            listed: ArcSwap::default(),
            used: ArcSwapOption::empty(),
            client: ChatClient::new(endpoint)?,
            permits: Permits::new(config.max_concurrent),
            breakers: ModelBreakers::new(self.clock.clone()),
            ledger: self.ledger.clone(),
            catalogue,
            ratios: TokenRatios::open(&self.state_dir),
            pulse: Mutex::new(ModelPulse::new(self.clock.clone())),
            keeping: Mutex::default(),
        });
        server.settle();
        server.know_models(self.list_patience(&server)).await;
        let endpoint = server.client.endpoint();
        let model = slot_settings(&server.settings.load(), Slot::MainProse).model;
        let mut choice = ModelChoice::new(source, endpoint, model);
        if goes_by_list(endpoint, config) {
            choice.advise_to_name(&server.listed.load());
        }
        if let Some(local) = &server.local {
            choice.advise_of_missing(local, &passed_over(local, config));
        }
        let refresh = AbortOnDropHandle::new(tokio::spawn(keep_fresh(server.clone())));
        Ok(Backing { base_url, choice, server: Some(server), rehearsal, _refresh: Some(refresh) })
    }

    fn list_patience(&self, server: &Server) -> Duration {
        if server.client.endpoint().is_loopback() { self.local_patience } else { LIST_PATIENCE }
    }
}

impl ModelSlots {
    /// Chooses a server and builds the models: the configured base URL; else OpenRouter when there is a key; else
    /// a server found on this machine; else the rehearsal. Takes up to 300 ms to look for local servers, and waits for a
    /// remote one only where its list must say which model to ask, for two seconds.
    pub async fn build(setup: LlmSetup<'_>) -> Result<Self, LlmSetupError> {
        let kept = KeptAcrossServers {
            ledger: Arc::new(UsageLedger::open(&setup.state_dir, setup.clock.clone())),
            clock: setup.clock,
            state_dir: setup.state_dir,
            rehearsal: Arc::new(setup.rehearsal),
            local_ports: setup.local_ports.to_vec(),
            local_patience: setup.local_patience,
        };
        let backing = kept.choose(setup.config, setup.api_key.as_ref()).await?;
        Ok(Self { backing: Arc::new(ArcSwap::from_pointee(backing)), kept: Arc::new(kept) })
    }

    /// The model for a job, whichever server is chosen when it is asked.
    pub fn slot(&self, slot: Slot) -> SharedModel {
        Arc::new(Switched { backing: self.backing.clone(), slot, other: None })
    }

    /// Another model for a job, with the job's settings.
    pub fn other(&self, slot: Slot, model: &str) -> SharedModel {
        Arc::new(Switched { backing: self.backing.clone(), slot, other: Some(model.to_owned()) })
    }

    /// What was chosen and why, for the banner.
    pub fn choice(&self) -> ModelChoice {
        self.backing.load().choice.clone()
    }

    /// What was used and what it cost; other parts write into it too.
    pub fn ledger(&self) -> &Arc<UsageLedger> {
        &self.kept.ledger
    }

    /// What a model costs where it is asked; `None` where nobody knows, or nobody is asked.
    pub fn prices(&self, model: &str) -> Option<Prices> {
        self.server()?.prices(model)
    }

    /// The models that the server which is asked has, as far as that is known, each at what it costs there.
    pub fn offered(&self) -> Vec<(String, ModelFacts)> {
        let Some(server) = self.server() else { return Vec::new() };
        let mut offered = server.catalogue.offered();
        for (model, facts) in &mut offered {
            facts.prices = server.prices(model);
        }
        offered
    }

    fn server(&self) -> Option<Arc<Server>> {
        self.backing.load().server.clone()
    }

    pub fn health(&self) -> ModelHealth {
        let Some(server) = self.server() else { return ModelHealth::default() };
        let (left_alone, notes) = (server.breakers.all_open(), server.unknown_windows());
        let pulse = server.pulse.lock();
        ModelHealth {
            left_alone,
            notes,
            last_error: pulse.last_error.clone(),
            last_answer: pulse.last_answer.clone(),
        }
    }

    /// What a request would be sent as, for the trace.
    pub fn told(&self, request: &CompletionRequest) -> ToldRequest {
        match self.server() {
            None => ToldRequest {
                messages: request.messages.clone(),
                parameters: serde_json::json!({"model": "rehearsal"}),
            },
            Some(server) => SlotModel { server, slot: request.slot, other: None }.told(request),
        }
    }

    /// Takes over changed settings: models, temperatures, fallbacks, deadlines, caps and the limit on concurrent requests hold
    /// from the next request on, and what was left alone is asked again. Where `llm.base_url` is another one, so does the
    /// server: the choice is made anew, with the key for it, and told. What is under way ends where it began. So it is while it
    /// rehearses, where a server of this machine may have come up since, or be there and cannot be used.
    pub async fn reconfigure(
        &self,
        config: &LlmConfig,
        api_key: Option<&SecretString>,
    ) -> Result<Option<ModelChoice>, LlmSetupError> {
        let backing = self.backing.load_full();
        let rehearses = backing.choice.rehearses();
        if rehearses || backing.base_url != config.base_url {
            let new = self.kept.choose(config, api_key).await?;
            if rehearses && new.choice == backing.choice {
                return Ok(None);
            }
            let choice = new.choice.clone();
            if let Some(old) = &backing.server {
                old.flush().await;
            }
            self.backing.store(Arc::new(new));
            return Ok(Some(choice));
        }
        if let Some(server) = &backing.server {
            server.permits.set_most(config.max_concurrent);
            server.config.store(Arc::new(config.clone()));
            server.settle();
            server.breakers.reset();
        }
        Ok(None)
    }

    /// Whether nobody listens where a server of this machine should be. One that listens and takes its time is there.
    pub async fn is_away(&self) -> bool {
        let Some(server) = self.server() else { return false };
        if !server.client.endpoint().is_loopback() {
            return false;
        }
        let request = server.client.get("/models").send();
        matches!(tokio::time::timeout(LIST.time, request).await, Ok(Err(error)) if error.is_connect())
    }

    /// Waits until figures and learned ratios are on disk; part of an orderly end.
    pub async fn flush(&self) {
        self.ledger().flush().await;
        if let Some(server) = self.server() {
            server.flush().await;
        }
    }
}

impl ModelSource for ModelSlots {
    fn slot(&self, slot: Slot) -> SharedModel {
        Self::slot(self, slot)
    }

    fn other(&self, slot: Slot, model: &str) -> SharedModel {
        Self::other(self, slot, model)
    }

    fn told(&self, request: &CompletionRequest) -> ToldRequest {
        Self::told(self, request)
    }
}

/// The model of a slot at whichever server is chosen.
#[derive(Debug)]
struct Switched {
    backing: Arc<ArcSwap<Backing>>,
    slot: Slot,
    /// Asked in place of the slot's own.
    other: Option<String>,
}

impl Switched {
    fn now(&self) -> SharedModel {
        let backing = self.backing.load();
        match &backing.server {
            None => backing.rehearsal.clone(),
            Some(server) => {
                Arc::new(SlotModel { server: server.clone(), slot: self.slot, other: self.other.clone() })
            }
        }
    }
}

#[async_trait]
impl CompletionModel for Switched {
    fn describe(&self) -> ModelDescription {
        self.now().describe()
    }

    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        self.now().complete(request).await
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenSource {
    Configured,
    /// A key without a base URL: OpenRouter.
    Key,
    /// A server found on this machine.
    Local(LocalKind),
    Rehearsal,
}

#[derive(Debug)]
pub(crate) struct ChosenServer {
    pub(crate) endpoint: Endpoint,
    /// What was found there, when it was found on this machine.
    pub(crate) local: Option<LocalServer>,
    pub(crate) source: ChosenSource,
}

/// The configured base URL; else OpenRouter when there is a key; else a server found on this machine; else what answers here
/// and cannot be used, if anything does. Takes up to `patience` to look for local servers, and never waits for a remote one.
pub(crate) async fn choose_server(
    base_url: Option<&str>,
    key: Option<&SecretString>,
    local_ports: &[LocalPort],
    patience: Duration,
) -> Result<Result<ChosenServer, Option<UnfitServer>>, BadBaseUrl> {
    if let Some(url) = base_url.map(str::trim).filter(|url| !url.is_empty()) {
        let endpoint = Endpoint::new(url, key.cloned())?;
        return Ok(Ok(ChosenServer { endpoint, local: None, source: ChosenSource::Configured }));
    }
    if key.is_some_and(|key| !key.expose_secret().trim().is_empty()) {
        let endpoint = Endpoint::new(OPENROUTER, key.cloned())?;
        return Ok(Ok(ChosenServer { endpoint, local: None, source: ChosenSource::Key }));
    }
    let found = match discover_on(local_ports, patience).await {
        Ok(found) => found,
        Err(unfit) => return Ok(Err(unfit)),
    };
    let endpoint = Endpoint::new(&found.base_url, None)?.local();
    Ok(Ok(ChosenServer { endpoint, source: ChosenSource::Local(found.kind), local: Some(found) }))
}

/// So many models are named of those that a server has.
const NAMED_MODELS: usize = 6;

fn some_of(listed: &[String]) -> String {
    listed.iter().take(NAMED_MODELS).map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The choice, for the start banner. `Display` is one line: which model, from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    pub source: ChosenSource,
    /// The main slot's model.
    pub model: String,
    /// The server; `None` for the rehearsal.
    pub base_url: Option<String>,
    /// What to set to get a better one, a sentence; `None` where nothing is amiss.
    pub advice: Option<String>,
}

impl ModelChoice {
    /// Whether no model is set, and the rehearsal answers.
    pub fn rehearses(&self) -> bool {
        self.source == ChosenSource::Rehearsal
    }

    pub(crate) fn new(source: ChosenSource, endpoint: &Endpoint, model: String) -> Self {
        let advice = match source {
            ChosenSource::Local(LocalKind::Ollama) => Some(
                "Ollama reads 4,096 tokens unless OLLAMA_CONTEXT_LENGTH says more; set it, and \
                 llm.main_prose.context_window to the same number."
                    .to_owned(),
            ),
            ChosenSource::Local(_) => {
                Some("Set llm.base_url and llm.main_prose.model to keep this choice.".to_owned())
            }
            _ if endpoint.dialect() == ServerDialect::OpenRouter && !endpoint.has_key() => {
                Some(match is_openrouter(endpoint.host()) {
                    true => "OpenRouter wants a key: set OPENROUTER_API_KEY in .env.".to_owned(),
                    false => {
                        format!("If {} wants a key, set OPENAI_API_KEY in .env.", endpoint.host())
                    }
                })
            }
            _ => None,
        };
        Self { source, model, base_url: Some(endpoint.base_url().to_owned()), advice }
    }

    /// Says so where a server has several models, as nobody named one.
    pub(crate) fn advise_to_name(&mut self, listed: &[String]) {
        if listed.len() > 1 {
            self.advice = Some(format!(
                "This server has several models ({}); name the one to use as llm.main_prose.model.",
                some_of(listed)
            ));
        }
    }

    /// Says so, before anything else, where a server that was found lacks models that somebody named.
    fn advise_of_missing(&mut self, server: &LocalServer, missing: &BTreeSet<String>) {
        if missing.is_empty() {
            return;
        }
        let names: Vec<&str> = missing.iter().map(String::as_str).collect();
        let lacks = format!(
            "{} has no {}, so {} is used; name one that it has: {}.",
            server.kind,
            names.join(" or "),
            self.model,
            some_of(&chat_models(&server.list))
        );
        self.advice = Some(match self.advice.take() {
            Some(more) => format!("{lacks} {more}"),
            None => lacks,
        });
    }

    /// `unfit` is what answers on this machine and cannot be used.
    pub(crate) fn rehearsal(unfit: Option<&UnfitServer>) -> Self {
        let advice = match unfit {
            Some(unfit) => format!(
                "No language model is connected: {unfit}; {}. It is looked at again each minute.",
                unfit.advice()
            ),
            None => "No language model is connected. Start Ollama, LM Studio, llama.cpp or vLLM on this machine, and it is \
                     found within a minute; or set OPENROUTER_API_KEY in .env and start again."
                .to_owned(),
        };
        Self {
            source: ChosenSource::Rehearsal,
            model: "rehearsal".to_owned(),
            base_url: None,
            advice: Some(advice),
        }
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url = self.base_url.as_deref().unwrap_or_default();
        match self.source {
            ChosenSource::Configured => write!(f, "{} at {base_url} (llm.base_url)", self.model),
            ChosenSource::Key => write!(f, "{} at OpenRouter", self.model),
            ChosenSource::Local(kind) => write!(f, "{} at {kind} on this machine ({base_url})", self.model),
            ChosenSource::Rehearsal => write!(f, "rehearsal: the character's own lines, no language model"),
        }
    }
}

#[cfg(test)]
mod choice_tests {
    use super::*;

    #[test]
    fn the_banner_says_which_and_from_where() {
        let endpoint = Endpoint::new("http://127.0.0.1:11434/v1", None).unwrap();
        let choice = |source| ModelChoice::new(source, &endpoint, "m".into());
        assert_eq!(
            choice(ChosenSource::Configured).to_string(),
            "m at http://127.0.0.1:11434/v1 (llm.base_url)"
        );
        assert_eq!(
            choice(ChosenSource::Local(LocalKind::Ollama)).to_string(),
            "m at Ollama on this machine (http://127.0.0.1:11434/v1)"
        );
        assert!(choice(ChosenSource::Local(LocalKind::Ollama)).advice.unwrap().contains("4,096"));
        assert_eq!(choice(ChosenSource::Configured).advice, None);
        assert!(ModelChoice::rehearsal(None).advice.unwrap().contains("OPENROUTER_API_KEY"));
    }

    #[test]
    fn openrouter_without_a_key_is_advised() {
        let endpoint = Endpoint::new("https://openrouter.ai/api/v1", None).unwrap();
        let choice = ModelChoice::new(ChosenSource::Configured, &endpoint, "m".into());
        assert!(choice.advice.unwrap().contains("OPENROUTER_API_KEY"));
    }

    #[test]
    fn a_relay_without_a_key_is_called_by_its_host() {
        let endpoint = Endpoint::new("https://relay.example.org/api/v1", None).unwrap();
        let choice = ModelChoice::new(ChosenSource::Configured, &endpoint, "m".into());
        assert_eq!(choice.advice.unwrap(), "If relay.example.org wants a key, set OPENAI_API_KEY in .env.");
    }
}
