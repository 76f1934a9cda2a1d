//! A server of models: what is known of it, and which of its models does which job. Start reading at [`Server`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;

use super::attempt::ChatClient;
use super::catalogue::{Catalogue, FRESH_FOR, ModelFacts, Prices, TokenRatios, UNKNOWN_WINDOW};
use super::circuit_breaker::ModelBreakers;
use super::discover::{LocalServer, chat_models, fetch_list};
use super::endpoint::{CachePlan, CacheRules, Endpoint, PromptSizes, ServerDialect};
use super::ledger::UsageLedger;
use super::permits::Permits;
use super::pulse::ModelPulse;
use super::request;
use super::sampling::{Takes, TakesTable, ToolForm};
use super::window::LearnedWindows;
use super::{CompletionRequest, ModelDescription};
use crate::config::{LlmConfig, ReasoningEffort, SlotConfig};
use crate::domain::{Slot, TokenEncoding};
use crate::text::tokens;

/// What role and delimiters of a message take, in tokens.
const AROUND_MESSAGE: u32 = 4;

/// How long the list of a server may take whose models nobody named; it is asked for again with the first message.
pub(super) const LIST_PATIENCE: Duration = Duration::from_secs(2);

/// What all chains of one server share.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) client: ChatClient,
    /// As it was last read.
    pub(super) config: ArcSwap<LlmConfig>,
    /// The same with the models that are asked.
    pub(super) settings: ArcSwap<LlmConfig>,
    /// What was found, where it was found on this machine.
    pub(super) local: Option<LocalServer>,
    /// The models its list names; empty until the list is known.
    pub(super) listed: ArcSwap<Vec<String>>,
    /// The one of them that is asked where nobody named one.
    pub(super) used: ArcSwapOption<String>,
    pub(super) permits: Permits,
    pub(super) breakers: ModelBreakers,
    pub(super) ledger: Arc<UsageLedger>,
    pub(super) catalogue: Catalogue,
    pub(super) ratios: TokenRatios,
    pub(super) takes: TakesTable,
    pub(super) windows: LearnedWindows,
    pub(super) pulse: Mutex<ModelPulse>,
    /// Models that said in this run that they had the beginning of a prompt still at hand; of those in the settings.
    pub(super) keeping: Mutex<BTreeSet<String>>,
}

impl Server {
    /// A model as other rooms see it.
    pub(super) fn describe(&self, model: &str, slot: &SlotConfig) -> ModelDescription {
        let facts = self.catalogue.facts(model);
        let encoding = tokens::encoding_for_model(model);
        let exact = is_exact(encoding);
        let assumed = slot.context_window.or(facts.context_window).unwrap_or(UNKNOWN_WINDOW);
        let told_off = slot.reasoning == Some(ReasoningEffort::Off);
        let told_on = slot.reasoning.is_some() && !told_off;
        ModelDescription {
            model: model.to_owned(),
            context_window: self.windows.within(model, assumed),
            encoding,
            token_ratio: if exact { 1.0 } else { self.ratios.ratio(model) },
            reasons_natively: facts.reasons_always || told_on || (facts.reasons_by_default && !told_off),
            // Of tools of its own only OpenRouter's list says; elsewhere the first request with tools tells.
            tool_form: self.takes(model).form(),
            keeps_prompts: self.keeping.lock().contains(model),
        }
    }

    /// The settings of a slot with which a model answers at once that would think first, where that is wanted and it takes it.
    pub(super) fn spares_thoughts(
        &self,
        request: &CompletionRequest,
        model: &str,
        slot: &SlotConfig,
    ) -> Option<SlotConfig> {
        let is_wanted = request.at_once && self.describe(model, slot).reasons_natively;
        let takes_it = takes_no_thoughts(self.client.endpoint().dialect(), &self.catalogue.facts(model));
        let off = || SlotConfig { reasoning: Some(ReasoningEffort::Off), ..slot.clone() };
        (is_wanted && takes_it).then(off)
    }

    /// What a model takes, as far as it is known.
    pub(super) fn takes(&self, model: &str) -> Takes {
        let known = self.takes.of(model);
        let is_listed_without = self.client.endpoint().dialect() == ServerDialect::OpenRouter
            && self.catalogue.facts(model).takes_tools != Some(true);
        let tools = if is_listed_without { known.tools.max(ToolForm::Text) } else { known.tools };
        Takes { tools, ..known }
    }

    /// What a model costs; `None` where nobody knows.
    pub(super) fn prices(&self, model: &str) -> Option<Prices> {
        prices_of(model, &self.settings.load().slots, &self.catalogue, self.client.endpoint())
    }

    /// One sentence for every model whose window is a guess.
    pub(super) fn unknown_windows(&self) -> Vec<String> {
        let settings = self.settings.load();
        let mut unknown: BTreeMap<&String, Slot> = BTreeMap::new();
        for (name, slot) in &settings.slots {
            let guessed = |model: &&String| {
                slot.context_window.or(self.catalogue.facts(model).context_window).is_none()
            };
            for model in slot_models(slot).filter(guessed) {
                unknown.entry(model).or_insert(*name);
            }
        }
        let sentence = |(model, slot): (&String, Slot)| {
            let assumed = self.windows.within(model, UNKNOWN_WINDOW);
            format!(
                "The window of {model} is not known, so {assumed} tokens are assumed; set llm.{slot}.context_window to what \
                 its server was started with."
            )
        };
        unknown.into_iter().map(sentence).collect()
    }

    /// A prompt's messages by our own count, and the tools in front of them.
    pub(super) fn count(&self, request: &CompletionRequest, model: &str) -> Counted {
        let encoding = tokens::encoding_for_model(model);
        let count = |text: &str| tokens::count(encoding, text);
        Counted {
            messages: request.messages.iter().map(|message| count(&message.content)).collect(),
            tools: request.tools.iter().map(|spec| count(&request::tool(spec).to_string())).collect(),
        }
    }

    /// What of a request the provider is told to keep.
    pub(super) fn cache_plan(
        &self,
        request: &CompletionRequest,
        model: &str,
        counted: &Counted,
    ) -> CachePlan {
        // No caution here: a beginning that is only taken to be long enough would be marked for nothing.
        let ratio =
            if is_exact(tokens::encoding_for_model(model)) { 1.0 } else { self.ratios.measured(model) };
        let before = counted.tools.iter().fold(0, |sum: u32, tokens| sum.saturating_add(*tokens));
        let sizes = PromptSizes { messages: &counted.messages, before, ratio };
        CacheRules::of(model, self.client.endpoint().dialect()).plan(&request.messages, &sizes)
    }

    /// Brings the settings in line with the configuration and with what is known of the server's models.
    pub(super) fn settle(&self) {
        let (config, used) = (self.config.load(), self.used.load_full());
        let found = match &self.local {
            Some(local) => DiscoveredServer::Local(local),
            None => DiscoveredServer::Listed(used.as_deref().map(String::as_str)),
        };
        let slots = slots_at(self.client.endpoint(), found, &config);
        self.settings.store(Arc::new(LlmConfig { slots, ..LlmConfig::clone(&config) }));
    }

    /// Asks for the list of models where only that says whom to ask.
    pub(super) async fn know_models(&self, patience: Duration) {
        let is_known = self.local.is_some() || !self.listed.load().is_empty();
        if !is_known && goes_by_list(self.client.endpoint(), &self.config.load()) {
            // A server that is not there says so to the request itself.
            let _ = tokio::time::timeout(patience, self.refresh()).await;
        }
    }

    /// Takes over the list of its models; where it gives none in time, what was known stays.
    async fn refresh(&self) {
        let list = fetch_list(&self.client).await;
        let count = list.map(|list| {
            let models = chat_models(&list);
            // The one that is used stays as long as it is there; some servers list first what was used last.
            let stays = self.used.load().as_deref().is_some_and(|used| models.contains(used));
            if !stays && !models.is_empty() {
                let used =
                    default_model(&models, self.client.endpoint()).map(|model| Arc::new(model.to_owned()));
                self.used.store(used);
            }
            self.listed.store(Arc::new(models));
            self.settle();
            self.catalogue.replace(&list)
        });
        tracing::debug!(?count, "model list fetched");
    }

    /// Waits until what was learned of it is on disk.
    pub(super) async fn flush(&self) {
        self.ratios.flush().await;
        self.catalogue.flush().await;
        self.takes.flush().await;
    }
}

/// Fetches the model list whenever it is a day old. Failing is no trouble: the last list, or the one in the binary,
/// still stands.
pub(super) async fn keep_fresh(server: Arc<Server>) {
    loop {
        if server.catalogue.is_stale() {
            server.refresh().await;
        }
        tokio::time::sleep(FRESH_FOR / 24).await;
    }
}

/// A request's size by our own count, unscaled.
#[derive(Debug, Default)]
pub(super) struct Counted {
    messages: Vec<u32>,
    tools: Vec<u32>,
}

impl Counted {
    /// All that was sent: tools, words, and what surrounds them.
    pub(super) fn whole(&self) -> u32 {
        let around = u32::try_from(self.messages.len()).unwrap_or(u32::MAX).saturating_mul(AROUND_MESSAGE);
        self.text().saturating_add(around)
    }

    /// What ratios are learned from: words and tools, which a prompt's budget counts, without what surrounds them on the
    /// wire.
    pub(super) fn text(&self) -> u32 {
        self.tools.iter().chain(&self.messages).fold(0, |sum: u32, tokens| sum.saturating_add(*tokens))
    }
}

fn is_exact(encoding: TokenEncoding) -> bool {
    matches!(encoding, TokenEncoding::O200k | TokenEncoding::Cl100k)
}

/// What is found at a server whose models nobody named.
#[derive(Debug, Clone, Copy)]
pub(super) enum DiscoveredServer<'a> {
    /// It was found on this machine, with its models.
    Local(&'a LocalServer),
    /// It was named; the model of its list that is taken, once the list is known.
    Listed(Option<&'a str>),
}

/// Which model does which job at a server: all of them the one that was found where nobody named any; the main one's where
/// only that was named, as the others that come with the program are OpenRouter's. At a server that nobody named either, a
/// name counts where it is in its list: any other is some other server's.
pub(super) fn slots_at(
    endpoint: &Endpoint,
    found: DiscoveredServer<'_>,
    config: &LlmConfig,
) -> BTreeMap<Slot, SlotConfig> {
    let mut slots = config.slots.clone();
    match found {
        DiscoveredServer::Local(server) => {
            let listed = chat_models(&server.list);
            let meant = |slot: &SlotConfig| match slot.is_named {
                true => listed_as(&listed, &slot.model).map(str::to_owned),
                false => None,
            };
            let main = slots.get(&Slot::MainProse).and_then(meant);
            let main = main.unwrap_or_else(|| server.model.clone());
            for slot in slots.values_mut() {
                slot.model = meant(slot).unwrap_or_else(|| main.clone());
                slot.fallbacks.clear();
                slot.context_window = slot.context_window.or(server.kind.usual_window());
            }
        }
        DiscoveredServer::Listed(_) if endpoint.dialect() == ServerDialect::OpenRouter => {}
        DiscoveredServer::Listed(listed) => {
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

/// What a server lists under a name: the same, what Ollama means by it, or the only one that has it before its tag, as
/// `qwen2.5:7b` has `qwen2.5`.
fn listed_as<'a>(listed: &'a [String], name: &str) -> Option<&'a str> {
    let has_it = |model: &&String| model.split_once(':').is_some_and(|(before, _)| before == name);
    let tagged: Vec<&String> = listed.iter().filter(has_it).collect();
    let only = if let [one] = tagged[..] { Some(one) } else { None };
    let latest = format!("{name}:latest");
    let same = |wanted: &str| listed.iter().find(|model| *model == wanted);
    same(name).or_else(|| same(&latest)).or(only).map(String::as_str)
}

/// The models that somebody named and a server that was found does not have; another is asked in their place.
pub(super) fn passed_over(server: &LocalServer, config: &LlmConfig) -> BTreeSet<String> {
    let listed = chat_models(&server.list);
    let is_missing = |slot: &&SlotConfig| slot.is_named && listed_as(&listed, &slot.model).is_none();
    config.slots.values().filter(is_missing).map(|slot| slot.model.clone()).collect()
}

/// Whether the model to ask is only known from the server's list.
pub(super) fn goes_by_list(endpoint: &Endpoint, config: &LlmConfig) -> bool {
    endpoint.dialect() != ServerDialect::OpenRouter
        && config.slots.get(&Slot::MainProse).is_some_and(|main| !main.is_named)
}

/// The model of a server's list that is asked where nobody named one: the only one, or the first where nobody is paid for the
/// choice.
pub(super) fn default_model<'a>(listed: &'a [String], endpoint: &Endpoint) -> Option<&'a str> {
    match listed {
        [one] => Some(one),
        [first, ..] if !endpoint.has_key() => Some(first),
        _ => None,
    }
}

/// What a model costs: as the operator says, else by the lists. Who asks for no key asks for no money.
pub(super) fn prices_of(
    model: &str,
    slots: &BTreeMap<Slot, SlotConfig>,
    catalogue: &Catalogue,
    endpoint: &Endpoint,
) -> Option<Prices> {
    let named = slots.values().filter(|slot| slot.model == model).find_map(SlotConfig::prices_per_million);
    match named {
        Some((prompt, completion)) => Some(Prices::per_million(prompt, completion)),
        None if endpoint.dialect() == ServerDialect::Local || !endpoint.has_key() => Some(Prices::NONE),
        None if endpoint.dialect() == ServerDialect::OpenAi => {
            catalogue.facts(model).prices.or_else(|| catalogue.facts(&format!("openai/{model}")).prices)
        }
        None => catalogue.facts(model).prices,
    }
}

/// A slot's settings. The configuration always has all of them.
pub(super) fn slot_settings(settings: &LlmConfig, slot: Slot) -> SlotConfig {
    let found = settings.slots.get(&slot).or_else(|| settings.slots.values().next());
    found.cloned().unwrap_or(SlotConfig { fallbacks_are_named: true, ..SlotConfig::default() })
}

/// Whether a model takes being told not to think. Only OpenRouter's list says which do; elsewhere it would be a guess, and a
/// refusal would cost the answer.
fn takes_no_thoughts(dialect: ServerDialect, facts: &ModelFacts) -> bool {
    dialect == ServerDialect::OpenRouter && !facts.reasons_always
}

/// The models of a slot in the order in which they are asked.
pub(super) fn slot_models(slot: &SlotConfig) -> impl Iterator<Item = &String> {
    std::iter::once(&slot.model).chain(&slot.fallbacks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_told_not_to_think_where_it_is_known_to_take_that() {
        let facts =
            |reasons_always| ModelFacts { reasons_by_default: true, reasons_always, ..ModelFacts::default() };
        assert!(takes_no_thoughts(ServerDialect::OpenRouter, &facts(false)));
        assert!(!takes_no_thoughts(ServerDialect::OpenRouter, &facts(true)), "it thinks whatever it is told");
        for other in [ServerDialect::OpenAi, ServerDialect::Compatible, ServerDialect::Local] {
            assert!(!takes_no_thoughts(other, &facts(false)), "nobody knows: {other:?}");
        }
    }
}
