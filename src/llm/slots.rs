//! The eight jobs and the models that do them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use async_trait::async_trait;
use secrecy::SecretString;
use tokio::task::JoinHandle;

use super::attempt::ChatClient;
use super::catalogue::{Catalogue, FRESH_FOR, Prices};
use super::chain::{Server, SlotModel};
use super::choice::{Chosen, ModelChoice, choose};
use super::circuit_breaker::ModelBreakers;
use super::discover::{LIST, LocalPort, LocalServer, chat_models, fetch_list};
use super::endpoint::{BadBaseUrl, Dialect, Endpoint};
use super::health::{Health, Pulse};
use super::ledger::UsageLedger;
use super::permits::Permits;
use super::ratio::TokenRatios;
use super::rehearsal::{RehearsalModel, RehearsalScript};
use super::takes::TakesTable;
use super::{
    CompletionModel, CompletionRequest, CompletionStream, ModelDescription, ModelError, ModelSource,
    SharedModel,
};
use crate::clock::SharedClock;
use crate::config::{LlmConfig, SlotConfig};
use crate::domain::{Slot, TokenEncoding};

/// How this program counts tokens; handed in, because counting is another room's.
#[derive(Debug, Clone, Copy)]
pub struct TokenCounting {
    /// How a model's tokens are counted, by its name on the wire.
    pub encoding_for: fn(&str) -> TokenEncoding,
    /// Tokens of a text.
    pub count: fn(TokenEncoding, &str) -> u32,
}

/// What is needed to choose and build the models.
#[derive(Debug)]
pub struct LlmSetup<'a> {
    /// `[llm]`.
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
    /// How tokens are counted.
    pub counting: TokenCounting,
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

/// The settings that may change while running.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) slots: BTreeMap<Slot, SlotConfig>,
    pub(crate) daily_cost_cap_usd: Option<f64>,
    pub(crate) unpriced_token_cap: Option<u64>,
    pub(crate) first_token_timeout: Duration,
    pub(crate) chunk_timeout: Duration,
    pub(crate) answer_timeout: Duration,
}

/// What is found at a server whose models nobody named.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found<'a> {
    /// It was found on this machine, with its models.
    Local(&'a LocalServer),
    /// It was named; the model of its list that is taken, once the list is known.
    Listed(Option<&'a str>),
}

/// Which model does which job at a server: all of them the one that was found where nobody named any; the main one's where
/// only that was named, as the others that come with the program are OpenRouter's.
pub(crate) fn slots_at(
    endpoint: &Endpoint,
    found: Found<'_>,
    config: &LlmConfig,
) -> BTreeMap<Slot, SlotConfig> {
    let mut slots = config.slots.clone();
    match found {
        Found::Local(server) => {
            for slot in slots.values_mut() {
                slot.model.clone_from(&server.model);
                slot.fallbacks.clear();
                slot.context_window = slot.context_window.or(server.kind.usual_window());
            }
        }
        Found::Listed(_) if endpoint.dialect() == Dialect::OpenRouter => {}
        Found::Listed(listed) => {
            let main = slots.get(&Slot::MainProse);
            let main = main.map(|main| match listed {
                Some(listed) if !main.is_named => listed.to_owned(),
                _ => main.model.clone(),
            });
            for slot in slots.values_mut() {
                if let Some(main) = main.as_ref().filter(|_| !slot.is_named) {
                    slot.model.clone_from(main);
                }
                if !slot.fallbacks_are_named {
                    slot.fallbacks.clear();
                }
            }
        }
    }
    slots
}

/// Whether the model to ask is only known from the server's list.
pub(crate) fn goes_by_list(endpoint: &Endpoint, config: &LlmConfig) -> bool {
    endpoint.dialect() != Dialect::OpenRouter
        && config.slots.get(&Slot::MainProse).is_some_and(|main| !main.is_named)
}

/// The model of a server's list that is asked where nobody named one: the only one, or the first where nobody is paid for the
/// choice.
pub(crate) fn taken<'a>(listed: &'a [String], endpoint: &Endpoint) -> Option<&'a str> {
    match listed {
        [one] => Some(one),
        [first, ..] if !endpoint.has_key() => Some(first),
        _ => None,
    }
}

/// What a model costs: as the operator says, else by the lists. Who asks for no key asks for no money.
pub(crate) fn prices_of(
    model: &str,
    slots: &BTreeMap<Slot, SlotConfig>,
    catalogue: &Catalogue,
    endpoint: &Endpoint,
) -> Option<Prices> {
    let named = slots.values().filter(|slot| slot.model == model).find_map(SlotConfig::prices_per_million);
    match named {
        Some((prompt, completion)) => Some(Prices::per_million(prompt, completion)),
        None if endpoint.dialect() == Dialect::Local || !endpoint.has_key() => Some(Prices::NONE),
        None if endpoint.dialect() == Dialect::OpenAi => {
            catalogue.facts(model).prices.or_else(|| catalogue.facts(&format!("openai/{model}")).prices)
        }
        None => catalogue.facts(model).prices,
    }
}

impl Settings {
    fn new(endpoint: &Endpoint, found: Found<'_>, config: &LlmConfig) -> Self {
        Self {
            slots: slots_at(endpoint, found, config),
            daily_cost_cap_usd: config.daily_cost_cap_usd,
            unpriced_token_cap: config.unpriced_token_cap(),
            first_token_timeout: config.first_token_timeout,
            chunk_timeout: config.chunk_timeout,
            answer_timeout: config.answer_timeout,
        }
    }

    pub(crate) fn prices(&self, model: &str, catalogue: &Catalogue, endpoint: &Endpoint) -> Option<Prices> {
        prices_of(model, &self.slots, catalogue, endpoint)
    }

    /// A slot's settings. The configuration always has all of them.
    pub(crate) fn slot(&self, slot: Slot) -> SlotConfig {
        self.slots
            .get(&slot)
            .or_else(|| self.slots.values().next())
            .cloned()
            .unwrap_or(SlotConfig { fallbacks_are_named: true, ..SlotConfig::default() })
    }
}

/// The models of all slots. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ModelSlots {
    backing: Arc<ArcSwap<Backing>>,
    kept: Arc<Kept>,
    ledger: Arc<UsageLedger>,
}

/// What stays when another server is chosen.
#[derive(Debug)]
struct Kept {
    clock: SharedClock,
    state_dir: PathBuf,
    rehearsal: RehearsalScript,
    local_ports: Vec<LocalPort>,
    local_patience: Duration,
    counting: TokenCounting,
    ledger: Arc<UsageLedger>,
}

/// What answers now.
#[derive(Debug)]
struct Backing {
    /// `llm.base_url` when it was chosen.
    base_url: Option<String>,
    choice: ModelChoice,
    server: Option<Arc<Server>>,
    rehearsal: Arc<RehearsalModel>,
    _refresh: Option<OwnedTask>,
}

/// Ends its task when the last owner goes.
#[derive(Debug)]
struct OwnedTask(JoinHandle<()>);

impl Drop for OwnedTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// How long the list of a server may take whose models nobody named; it is asked for again with the first message.
pub(crate) const LIST_PATIENCE: Duration = Duration::from_secs(2);

impl Kept {
    /// Chooses a server and builds what speaks with it.
    async fn choose(
        &self,
        config: &LlmConfig,
        api_key: Option<&SecretString>,
    ) -> Result<Backing, LlmSetupError> {
        let base_url = config.base_url.clone();
        let chosen = choose(base_url.as_deref(), api_key, &self.local_ports, self.local_patience).await?;
        let rehearsal = Arc::new(RehearsalModel::new(self.rehearsal.clone()));
        let Some(Chosen { endpoint, local, source }) = chosen else {
            return Ok(Backing {
                base_url,
                choice: ModelChoice::rehearsal(),
                server: None,
                rehearsal,
                _refresh: None,
            });
        };
        let catalogue = Catalogue::open(&self.state_dir, endpoint.base_url(), self.clock.clone());
        if let Some(found) = &local {
            catalogue.replace(&found.list);
        }
        let server = Arc::new(Server {
            takes: TakesTable::open(&self.state_dir, endpoint.base_url()),
            settings: ArcSwap::from_pointee(Settings::new(&endpoint, Found::Listed(None), config)),
            config: ArcSwap::from_pointee(config.clone()),
            local,
            listed: ArcSwap::default(),
            used: arc_swap::ArcSwapOption::empty(),
            client: ChatClient::new(endpoint)?,
            permits: Permits::new(config.max_concurrent),
            breakers: ModelBreakers::new(self.clock.clone()),
            ledger: self.ledger.clone(),
            catalogue,
            ratios: TokenRatios::open(&self.state_dir),
            counting: self.counting,
            pulse: Mutex::new(Pulse::new(self.clock.clone())),
        });
        server.settle();
        server.know_models(self.list_patience(&server)).await;
        let endpoint = server.client.endpoint();
        let model = server.settings.load().slot(Slot::MainProse).model;
        let mut choice = ModelChoice::new(source, endpoint, model);
        if goes_by_list(endpoint, config) {
            choice.advise_to_name(&server.listed.load());
        }
        let refresh = OwnedTask(tokio::spawn(keep_fresh(server.clone())));
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
    ///
    /// # Errors
    /// When the configured base URL is unusable or the HTTP client cannot be built.
    pub async fn build(setup: LlmSetup<'_>) -> Result<Self, LlmSetupError> {
        let ledger = Arc::new(UsageLedger::open(&setup.state_dir, setup.clock.clone()));
        let kept = Kept {
            clock: setup.clock,
            state_dir: setup.state_dir,
            rehearsal: setup.rehearsal,
            local_ports: setup.local_ports.to_vec(),
            local_patience: setup.local_patience,
            counting: setup.counting,
            ledger: ledger.clone(),
        };
        let backing = kept.choose(setup.config, setup.api_key.as_ref()).await?;
        Ok(Self { backing: Arc::new(ArcSwap::from_pointee(backing)), kept: Arc::new(kept), ledger })
    }

    /// The model for a job, whichever server is chosen when it is asked.
    #[must_use]
    pub fn slot(&self, slot: Slot) -> SharedModel {
        Arc::new(Switched { backing: self.backing.clone(), slot })
    }

    /// What was chosen and why, for the banner.
    #[must_use]
    pub fn choice(&self) -> ModelChoice {
        self.backing.load().choice.clone()
    }

    /// What was used and what it cost.
    #[must_use]
    pub fn ledger(&self) -> &UsageLedger {
        &self.ledger
    }

    /// The same account, for parts that write into it.
    #[must_use]
    pub fn shared_ledger(&self) -> Arc<UsageLedger> {
        Arc::clone(&self.ledger)
    }

    fn server(&self) -> Option<Arc<Server>> {
        self.backing.load().server.clone()
    }

    /// How the models are doing.
    #[must_use]
    pub fn health(&self) -> Health {
        let Some(server) = self.server() else { return Health::default() };
        let left_alone = server.breakers.all_open();
        let pulse = server.pulse.lock().unwrap_or_else(PoisonError::into_inner).health(left_alone);
        Health { notes: server.unknown_windows(), ..pulse }
    }

    /// The parameters a request would be sent with, without its messages; for the trace.
    #[must_use]
    pub fn parameters(&self, request: &CompletionRequest) -> serde_json::Value {
        match self.server() {
            None => serde_json::json!({"model": "rehearsal"}),
            Some(server) => SlotModel { server, slot: request.slot }.parameters(request),
        }
    }

    /// Takes over changed settings: models, temperatures, fallbacks, deadlines, caps and the limit on concurrent requests hold
    /// from the next request on, and what was left alone is asked again. Where `llm.base_url` is another one, so does the
    /// server: the choice is made anew, with the key for it, and told. What is under way ends where it began.
    ///
    /// # Errors
    /// When the new base URL is unusable; everything stays as it was.
    pub async fn reconfigure(
        &self,
        config: &LlmConfig,
        api_key: Option<&SecretString>,
    ) -> Result<Option<ModelChoice>, LlmSetupError> {
        let backing = self.backing.load_full();
        if backing.base_url != config.base_url {
            let new = self.kept.choose(config, api_key).await?;
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

    /// Fetches the server's model list now, within half a minute: how many models it names, or `None` when there is no list to
    /// be had. Also a cheap way to see whether the server answers at all.
    pub async fn refresh_models(&self) -> Option<usize> {
        refresh(&*self.server()?).await
    }

    /// Whether nobody listens where a server of this machine should be. One that listens and takes its time is there.
    pub async fn is_away(&self) -> bool {
        let Some(server) = self.server() else { return false };
        let endpoint = server.client.endpoint();
        if !endpoint.is_loopback() {
            return false;
        }
        let request = server.client.http().get(endpoint.url("/models")).headers(endpoint.headers()).send();
        matches!(tokio::time::timeout(LIST.time, request).await, Ok(Err(error)) if error.is_connect())
    }

    /// Waits until figures and learned ratios are on disk; part of an orderly end.
    pub async fn flush(&self) {
        self.ledger.flush().await;
        if let Some(server) = self.server() {
            server.flush().await;
        }
    }
}

impl ModelSource for ModelSlots {
    fn slot(&self, slot: Slot) -> SharedModel {
        Self::slot(self, slot)
    }

    fn parameters(&self, request: &CompletionRequest) -> serde_json::Value {
        Self::parameters(self, request)
    }
}

/// The model of a slot at whichever server is chosen.
#[derive(Debug)]
struct Switched {
    backing: Arc<ArcSwap<Backing>>,
    slot: Slot,
}

impl Switched {
    fn now(&self) -> SharedModel {
        let backing = self.backing.load();
        match &backing.server {
            None => backing.rehearsal.clone(),
            Some(server) => Arc::new(SlotModel { server: server.clone(), slot: self.slot }),
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

impl Server {
    /// Brings the settings in line with the configuration and with what is known of the server's models.
    fn settle(&self) {
        let (config, used) = (self.config.load(), self.used.load_full());
        let found = match &self.local {
            Some(local) => Found::Local(local),
            None => Found::Listed(used.as_deref().map(String::as_str)),
        };
        self.settings.store(Arc::new(Settings::new(self.client.endpoint(), found, &config)));
    }

    /// Asks for the list of models where only that says whom to ask.
    pub(crate) async fn know_models(&self, patience: Duration) {
        let is_known = self.local.is_some() || !self.listed.load().is_empty();
        if !is_known && goes_by_list(self.client.endpoint(), &self.config.load()) {
            // A server that is not there says so to the request itself.
            let _ = tokio::time::timeout(patience, refresh(self)).await;
        }
    }

    async fn flush(&self) {
        self.ratios.flush().await;
        self.catalogue.flush().await;
        self.takes.flush().await;
    }
}

/// Fetches the model list whenever it is a day old. Failing is no trouble: the last list, or the one in the binary,
/// still stands.
async fn keep_fresh(server: Arc<Server>) {
    loop {
        if server.catalogue.is_stale() {
            refresh(&server).await;
        }
        tokio::time::sleep(FRESH_FOR / 24).await;
    }
}

/// How many models the server lists; `None` when it gave no list in time.
async fn refresh(server: &Server) -> Option<usize> {
    let list = fetch_list(server.client.http(), server.client.endpoint()).await;
    let count = list.map(|list| {
        let models = chat_models(&list);
        // The one that is used stays as long as it is there; some servers list first what was used last.
        let stays = server.used.load().as_deref().is_some_and(|used| models.contains(used));
        if !stays && !models.is_empty() {
            let used = taken(&models, server.client.endpoint()).map(|model| Arc::new(model.to_owned()));
            server.used.store(used);
        }
        server.listed.store(Arc::new(models));
        server.settle();
        server.catalogue.replace(&list)
    });
    tracing::debug!(?count, "model list fetched");
    count
}
