//! The eight jobs and the models that do them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use secrecy::SecretString;
use tokio::task::JoinHandle;

use super::attempt::ChatClient;
use super::catalogue::{Catalogue, FRESH_FOR};
use super::chain::{Server, SlotModel};
use super::choice::{Chosen, ModelChoice, choose};
use super::discover::{LocalPort, LocalServer, fetch_list};
use super::endpoint::{BadBaseUrl, Dialect, Endpoint};
use super::freeze::FreezeTable;
use super::health::{Health, Pulse};
use super::ledger::UsageLedger;
use super::permits::Permits;
use super::ratio::TokenRatios;
use super::rehearsal::{RehearsalModel, RehearsalScript};
use super::{CompletionRequest, ModelSource, SharedModel};
use crate::clock::SharedClock;
use crate::config::{LlmConfig, Sampling, SlotConfig};
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
    /// For freezes, days and reports.
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
    pub(crate) first_token_timeout: Duration,
    pub(crate) chunk_timeout: Duration,
    pub(crate) answer_timeout: Duration,
}

/// Which model does which job at a server: all of them the one that was found where nobody named any; the main one's where
/// only that was named, as the others that come with the program are OpenRouter's.
pub(crate) fn slots_at(
    endpoint: &Endpoint,
    local: Option<&LocalServer>,
    config: &LlmConfig,
) -> BTreeMap<Slot, SlotConfig> {
    let mut slots = config.slots.clone();
    if let Some(server) = local {
        for slot in slots.values_mut() {
            slot.model.clone_from(&server.model);
            slot.fallbacks.clear();
            slot.context_window = slot.context_window.or(server.kind.usual_window());
        }
    } else if endpoint.dialect() != Dialect::OpenRouter
        && let Some(main) = slots.get(&Slot::MainProse).map(|main| main.model.clone())
    {
        for slot in slots.values_mut().filter(|slot| !slot.is_named) {
            slot.model.clone_from(&main);
        }
    }
    slots
}

impl Settings {
    fn new(endpoint: &Endpoint, local: Option<&LocalServer>, config: &LlmConfig) -> Self {
        Self {
            slots: slots_at(endpoint, local, config),
            daily_cost_cap_usd: config.daily_cost_cap_usd,
            first_token_timeout: config.first_token_timeout,
            chunk_timeout: config.chunk_timeout,
            answer_timeout: config.answer_timeout,
        }
    }

    /// A slot's settings. The configuration always has all of them.
    pub(crate) fn slot(&self, slot: Slot) -> SlotConfig {
        self.slots.get(&slot).or_else(|| self.slots.values().next()).cloned().unwrap_or(SlotConfig {
            model: String::new(),
            is_named: false,
            temperature: None,
            sampling: Sampling::default(),
            fallbacks: Vec::new(),
            provider_order: Vec::new(),
            max_tokens: None,
            context_window: None,
            reasoning: None,
        })
    }
}

/// The models of all slots. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ModelSlots {
    backing: Backing,
    choice: ModelChoice,
    ledger: Arc<UsageLedger>,
}

#[derive(Debug, Clone)]
enum Backing {
    Rehearsal(Arc<RehearsalModel>),
    Server { server: Arc<Server>, local: Option<LocalServer>, _refresh: Arc<OwnedTask> },
}

/// Ends its task when the last owner goes.
#[derive(Debug)]
struct OwnedTask(Mutex<Option<JoinHandle<()>>>);

impl Drop for OwnedTask {
    fn drop(&mut self) {
        if let Some(task) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }
}

impl ModelSlots {
    /// Chooses a server and builds the models: the configured base URL; else OpenRouter when there is a key; else
    /// a server found on this machine; else the rehearsal. Takes up to 300 ms to look for local servers, and never
    /// waits for a remote one.
    ///
    /// # Errors
    /// When the configured base URL is unusable or the HTTP client cannot be built.
    pub async fn build(setup: LlmSetup<'_>) -> Result<Self, LlmSetupError> {
        let ledger = Arc::new(UsageLedger::open(&setup.state_dir, setup.clock.clone()));
        let Some(Chosen { endpoint, local, source }) = choose(
            setup.config.base_url.as_deref(),
            setup.api_key.as_ref(),
            setup.local_ports,
            setup.local_patience,
        )
        .await?
        else {
            let rehearsal = Arc::new(RehearsalModel::new(setup.rehearsal));
            return Ok(Self {
                backing: Backing::Rehearsal(rehearsal),
                choice: ModelChoice::rehearsal(),
                ledger,
            });
        };
        let settings = Settings::new(&endpoint, local.as_ref(), setup.config);
        let model = settings.slot(Slot::MainProse).model;
        let choice = ModelChoice::new(source, &endpoint, model);
        let catalogue = Catalogue::open(&setup.state_dir, endpoint.base_url(), setup.clock.clone());
        if let Some(found) = &local {
            catalogue.replace(&found.list);
        }
        let server = Arc::new(Server {
            client: ChatClient::new(endpoint)?,
            settings: ArcSwap::from_pointee(settings),
            permits: Permits::new(setup.config.max_concurrent),
            freezes: FreezeTable::new(setup.clock.clone()),
            ledger: ledger.clone(),
            catalogue,
            ratios: TokenRatios::open(&setup.state_dir),
            counting: setup.counting,
            pulse: Mutex::new(Pulse::new(setup.clock)),
        });
        let refresh = tokio::spawn(keep_fresh(server.clone()));
        let refresh = Arc::new(OwnedTask(Mutex::new(Some(refresh))));
        Ok(Self { backing: Backing::Server { server, local, _refresh: refresh }, choice, ledger })
    }

    /// Rehearsal only, whatever is configured.
    #[must_use]
    pub fn rehearsal(script: RehearsalScript, state_dir: &std::path::Path, clock: SharedClock) -> Self {
        Self {
            backing: Backing::Rehearsal(Arc::new(RehearsalModel::new(script))),
            choice: ModelChoice::rehearsal(),
            ledger: Arc::new(UsageLedger::open(state_dir, clock)),
        }
    }

    /// The model for a job.
    #[must_use]
    pub fn slot(&self, slot: Slot) -> SharedModel {
        match &self.backing {
            Backing::Rehearsal(model) => model.clone(),
            Backing::Server { server, .. } => Arc::new(SlotModel { server: server.clone(), slot }),
        }
    }

    /// What was chosen and why, for the banner.
    #[must_use]
    pub fn choice(&self) -> &ModelChoice {
        &self.choice
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

    /// How the models are doing.
    #[must_use]
    pub fn health(&self) -> Health {
        match &self.backing {
            Backing::Rehearsal(_) => Health::default(),
            Backing::Server { server, .. } => {
                let frozen = server.freezes.frozen();
                let pulse = server.pulse.lock().unwrap_or_else(PoisonError::into_inner).health(frozen);
                Health { notes: server.unknown_windows(), ..pulse }
            }
        }
    }

    /// The parameters a request would be sent with, without its messages; for the trace.
    #[must_use]
    pub fn parameters(&self, request: &CompletionRequest) -> serde_json::Value {
        match &self.backing {
            Backing::Rehearsal(_) => serde_json::json!({"model": "rehearsal"}),
            Backing::Server { server, .. } => {
                SlotModel { server: server.clone(), slot: request.slot }.parameters(request)
            }
        }
    }

    /// Takes over changed settings. Server and key stay until a restart; models, temperatures, fallbacks, deadlines, the
    /// cost cap and the limit on concurrent requests hold from the next request on, and what was left alone is asked again.
    pub fn reconfigure(&self, config: &LlmConfig) {
        if let Backing::Server { server, local, .. } = &self.backing {
            server.permits.set_most(config.max_concurrent);
            let settings = Settings::new(server.client.endpoint(), local.as_ref(), config);
            server.settings.store(Arc::new(settings));
            server.freezes.thaw();
        }
    }

    /// Fetches the server's model list now, within half a minute: how many models it names, or `None` when there is no list to
    /// be had. Also a cheap way to see whether the server answers at all.
    pub async fn refresh_models(&self) -> Option<usize> {
        match &self.backing {
            Backing::Rehearsal(_) => None,
            Backing::Server { server, .. } => refresh(server).await,
        }
    }

    /// Waits until figures and learned ratios are on disk; part of an orderly end.
    pub async fn flush(&self) {
        self.ledger.flush().await;
        if let Backing::Server { server, .. } = &self.backing {
            server.ratios.flush().await;
            server.catalogue.flush().await;
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
    let count = list.map(|list| server.catalogue.replace(&list));
    tracing::debug!(?count, "model list fetched");
    count
}
