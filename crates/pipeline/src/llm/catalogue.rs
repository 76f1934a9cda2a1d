//! What is known about models: windows, prices, abilities, and how many of a model's tokens one of our estimated tokens is,
//! learned from what providers report.
//!
//! Three sources, the later winning: a small table in the binary (figures of OpenRouter's public list, so that the
//! default models need no network), the list fetched last time, the list fetched now. All are read by
//! [`read_list`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use jiff::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::{OPENROUTER, without_route};
use super::ledger::{self, FileKeeper};
use crate::clock::SharedClock;
use crate::config::LlmConfig;
use crate::domain::Usage;

const EMBEDDED: &str = include_str!("catalogue.json");

/// The window of a model nobody knows: what small local models are commonly started with.
pub(crate) const UNKNOWN_WINDOW: u32 = 8_192;

/// A fetched list is good for this long.
pub(crate) const FRESH_FOR: Duration = Duration::from_secs(24 * 3_600);

/// What is known about one model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelFacts {
    /// Its window, in tokens.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context_window: Option<u32>,
    /// Its prices, where it has any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prices: Option<Prices>,
    /// It thinks unless told not to.
    #[serde(default)]
    pub reasons_by_default: bool,
    /// It thinks even when told not to.
    #[serde(default)]
    pub reasons_always: bool,
    /// Whether it can be given tools; `None` where its server does not say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub takes_tools: Option<bool>,
}

/// US dollars per token.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    pub prompt: f64,
    pub completion: f64,
    /// In, from the provider's cache.
    pub cache_read: f64,
    /// In, into the provider's cache.
    pub cache_write: f64,
}

impl Prices {
    /// Of what costs nothing.
    pub(crate) const NONE: Self = Self { prompt: 0.0, completion: 0.0, cache_read: 0.0, cache_write: 0.0 };

    /// From US dollars for a million tokens in and out; a cache is taken to save nothing.
    pub(crate) fn per_million(prompt: f64, completion: f64) -> Self {
        let prompt = prompt / 1e6;
        Self { prompt, completion: completion / 1e6, cache_read: prompt, cache_write: prompt }
    }

    pub fn cost(&self, usage: &Usage) -> f64 {
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let written = usage.cache_write_tokens.min(usage.prompt_tokens - cached);
        let plain = usage.prompt_tokens - cached - written;
        f64::from(plain) * self.prompt
            + f64::from(cached) * self.cache_read
            + f64::from(written) * self.cache_write
            + f64::from(usage.completion_tokens) * self.completion
    }
}

/// What models cost by their names: as the settings say, else by the server's list as it was fetched last into this folder, else
/// by the list that comes with the program. A server that is not named is OpenRouter.
pub fn listed_prices(state_dir: &Path, config: &LlmConfig, clock: SharedClock) -> BTreeMap<String, Prices> {
    let catalogue = Catalogue::open(state_dir, config.base_url.as_deref().unwrap_or(OPENROUTER), clock);
    let fetched = catalogue.fetched.load();
    let fetched = fetched.as_ref().as_ref().map(|fetched| &fetched.models);
    let lists = [Some(&catalogue.embedded), fetched].into_iter().flatten().flatten();
    let mut prices: BTreeMap<String, Prices> =
        lists.filter_map(|(model, facts)| Some((model.clone(), facts.prices?))).collect();
    let named =
        config.slots.values().filter_map(|slot| Some((slot.model.clone(), slot.prices_per_million()?)));
    prices
        .extend(named.map(|(model, (prompt, completion))| (model, Prices::per_million(prompt, completion))));
    prices
}

type Facts = BTreeMap<String, ModelFacts>;

#[derive(Debug, Serialize, Deserialize)]
struct Fetched {
    base_url: String,
    at: Timestamp,
    models: Facts,
}

/// The catalogue of one server.
#[derive(Debug)]
pub(crate) struct Catalogue {
    base_url: String,
    clock: SharedClock,
    embedded: Facts,
    fetched: ArcSwap<Option<Fetched>>,
    keeper: FileKeeper,
}

impl Catalogue {
    /// Opens the catalogue with what was fetched from the same server before.
    pub(crate) fn open(state_dir: &Path, base_url: &str, clock: SharedClock) -> Self {
        let file = state_dir.join("models.json");
        let fetched =
            ledger::read_json_or_none::<Fetched>(&file).filter(|fetched| fetched.base_url == base_url);
        let embedded = serde_json::from_str(EMBEDDED).map(|list| read_list(&list)).unwrap_or_default();
        Self {
            base_url: base_url.to_owned(),
            clock,
            embedded,
            fetched: ArcSwap::from_pointee(fetched),
            keeper: FileKeeper::new(file),
        }
    }

    /// What is known about a model; nothing where it is in no list.
    pub(crate) fn facts(&self, model: &str) -> ModelFacts {
        let fetched = self.fetched.load();
        let lists = [fetched.as_ref().as_ref().map(|fetched| &fetched.models), Some(&self.embedded)];
        [model, without_route(model)]
            .into_iter()
            .find_map(|name| lists.iter().flatten().find_map(|list| list.get(name)))
            .cloned()
            .unwrap_or_default()
    }

    /// Every model of the server as its list has it; until that was fetched, what is known of OpenRouter's.
    pub(crate) fn offered(&self) -> Vec<(String, ModelFacts)> {
        let fetched = self.fetched.load();
        let list = match fetched.as_ref() {
            Some(fetched) => &fetched.models,
            None if self.base_url == OPENROUTER => &self.embedded,
            None => return Vec::new(),
        };
        list.iter().map(|(model, facts)| (model.clone(), facts.clone())).collect()
    }

    /// Whether the list should be fetched again.
    pub(crate) fn is_stale(&self) -> bool {
        let fetched = self.fetched.load();
        fetched.as_ref().as_ref().is_none_or(|fetched| {
            Duration::try_from(self.clock.now().duration_since(fetched.at)).is_ok_and(|age| age >= FRESH_FOR)
        })
    }

    /// Takes over a list as `GET /models` gives it, and keeps it for the next start. An empty one is ignored.
    pub(crate) fn replace(&self, list: &Value) -> usize {
        let models = read_list(list);
        let count = models.len();
        if count > 0 {
            let fetched = Fetched { base_url: self.base_url.clone(), at: self.clock.now(), models };
            self.keeper.keep_json(&fetched);
            self.fetched.store(Arc::new(Some(fetched)));
        }
        count
    }

    /// Waits until the list is on disk.
    pub(crate) async fn flush(&self) {
        self.keeper.flush().await;
    }
}

/// Reads a model list of OpenRouter, OpenAI, vLLM, llama.cpp, LM Studio or Ollama.
pub(crate) fn read_list(list: &Value) -> Facts {
    let models = list.get("data").and_then(Value::as_array).into_iter().flatten();
    models.filter_map(|model| Some((model.get("id")?.as_str()?.to_owned(), read_facts(model)))).collect()
}

fn read_facts(model: &Value) -> ModelFacts {
    // OpenRouter gives the model's own window and that of the provider it routes to; the smaller one holds.
    let context_window = [
        "/context_length",
        "/top_provider/context_length",
        "/max_model_len",
        "/loaded_context_length",
        "/max_context_length",
        "/meta/n_ctx",
    ]
    .iter()
    .filter_map(|pointer| model.pointer(pointer).and_then(Value::as_u64))
    .filter(|window| *window > 0)
    .min()
    .map(|window| u32::try_from(window).unwrap_or(u32::MAX));
    let flag = |pointer: &str| model.pointer(pointer).and_then(Value::as_bool).unwrap_or_default();
    let reasons_always = flag("/reasoning/mandatory");
    ModelFacts {
        context_window,
        prices: read_prices(model),
        reasons_by_default: reasons_always || flag("/reasoning/default_enabled"),
        reasons_always,
        takes_tools: model
            .get("supported_parameters")
            .and_then(Value::as_array)
            .map(|parameters| parameters.iter().any(|parameter| parameter == "tools")),
    }
}

fn read_prices(model: &Value) -> Option<Prices> {
    let price = |key: &str| {
        let value = model.get("pricing")?.get(key)?;
        let price = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
        // Routers that choose the model themselves list -1.
        (price.is_finite() && price >= 0.0).then_some(price)
    };
    let prompt = price("prompt")?;
    Some(Prices {
        prompt,
        completion: price("completion")?,
        cache_read: price("input_cache_read").unwrap_or(prompt),
        cache_write: price("input_cache_write").unwrap_or(prompt),
    })
}

/// Before anything is known a prompt is taken to be larger than estimated, so that it fits.
pub const STARTING_RATIO: f64 = 1.15;
/// How much one report moves the figure.
const WEIGHT: f64 = 0.2;
/// Outside of this a report says more about the report than about the tokens.
const BOUNDS: (f64, f64) = (0.5, 3.0);
/// In short prompts the chat template outweighs the words.
const LEAST_TOKENS: u32 = 100;

/// The figure in use follows what was learned when that is so much above or below it. Reports swing with how many tools went
/// along, and with every move of the figure all pieces of a prompt would change their size: too high is only careful.
const DRIFT: (f64, f64) = (0.9, 1.04);

/// What a report says of our count of a prompt, where that was long enough.
fn seen_ratio(reported: u32, counted: u32) -> Option<f64> {
    let ratio = || (f64::from(reported) / f64::from(counted)).clamp(BOUNDS.0, BOUNDS.1);
    (reported > 0 && counted >= LEAST_TOKENS).then(ratio)
}

/// Ratios by model; an exponentially weighted mean of reported over estimated prompt tokens
/// (contradiction 12).
#[derive(Debug)]
pub(crate) struct TokenRatios {
    ratios: Mutex<BTreeMap<String, f64>>,
    /// Those in use, where they are not what was learned by now.
    used: Mutex<BTreeMap<String, f64>>,
    /// Of whole requests, as reported while this program runs, and without caution.
    measured: Mutex<BTreeMap<String, f64>>,
    keeper: FileKeeper,
}

impl TokenRatios {
    /// Reads what was learned before; an unreadable file counts as nothing learned.
    pub(crate) fn open(state_dir: &Path) -> Self {
        let file: PathBuf = state_dir.join("token_ratios.json");
        let mut ratios: BTreeMap<String, f64> = ledger::read_json_or_none(&file).unwrap_or_default();
        ratios.retain(|_, ratio| ratio.is_finite());
        ratios.values_mut().for_each(|ratio| *ratio = ratio.clamp(BOUNDS.0, BOUNDS.1));
        Self {
            ratios: Mutex::new(ratios),
            used: Mutex::default(),
            measured: Mutex::default(),
            keeper: FileKeeper::new(file),
        }
    }

    /// The ratio for a model. It holds until what was learned has moved away from it by more than a swing.
    pub(crate) fn ratio(&self, model: &str) -> f64 {
        let used = self.used.lock().get(model).copied();
        used.unwrap_or_else(|| self.learned(model))
    }

    fn learned(&self, model: &str) -> f64 {
        let ratios = self.ratios.lock();
        ratios.get(model).copied().unwrap_or(STARTING_RATIO)
    }

    /// The ratio for a model as it was measured, without the caution of [`STARTING_RATIO`]: for what is of no use
    /// unless it is really long enough. 1.0 until this run of the program has seen a report.
    pub(crate) fn measured(&self, model: &str) -> f64 {
        let measured = self.measured.lock();
        measured.get(model).copied().unwrap_or(1.0)
    }

    /// Takes the measure of a whole request, of which `sent` is our count, tools and roles included.
    pub(crate) fn measure(&self, model: &str, reported: u32, sent: u32) {
        let Some(seen) = seen_ratio(reported, sent) else { return };
        let mut measured = self.measured.lock();
        let ratio = measured.entry(model.to_owned()).or_insert(seen);
        *ratio += WEIGHT * (seen - *ratio);
    }

    /// Learns from one answer.
    pub(crate) fn observe(&self, model: &str, reported: u32, estimated: u32) {
        let Some(seen) = seen_ratio(reported, estimated) else { return };
        let before = self.ratio(model);
        let mut ratios = self.ratios.lock();
        let ratio = ratios.entry(model.to_owned()).or_insert(STARTING_RATIO);
        *ratio += WEIGHT * (seen - *ratio);
        let learned = *ratio;
        let holds = (before * DRIFT.0..=before * DRIFT.1).contains(&learned);
        self.used.lock().insert(model.to_owned(), if holds { before } else { learned });
        self.keeper.keep_json(&*ratios);
    }

    /// Waits until everything learned is on disk.
    pub(crate) async fn flush(&self) {
        self.keeper.flush().await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::ManualClock;

    fn clock() -> ManualClock {
        ManualClock::at("2026-01-01T00:00:00Z".parse().unwrap())
    }

    fn open(dir: &Path, base_url: &str, clock: &ManualClock) -> Catalogue {
        Catalogue::open(dir, base_url, Arc::new(clock.clone()))
    }

    #[test]
    fn the_default_models_are_known_without_a_network() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = open(dir.path(), "https://x/v1", &clock());
        let glm = catalogue.facts("z-ai/glm-5.2");
        assert_eq!(glm.context_window, Some(1_048_576));
        assert!(glm.reasons_by_default && !glm.reasons_always && glm.takes_tools == Some(true));
        let mistral = catalogue.facts("mistralai/mistral-small-2603:nitro");
        assert_eq!(mistral.context_window, Some(262_144));
        assert!(!mistral.reasons_by_default);
        assert_eq!(catalogue.facts("nobody/knows"), ModelFacts::default());
        // Of a server whose list nobody fetched it is not known what it has.
        assert!(catalogue.offered().is_empty());
        catalogue.replace(&json!({"data": [{"id": "own/model", "context_length": 4096}]}));
        let offered = catalogue.offered();
        assert_eq!(
            (offered.len(), offered[0].0.as_str(), offered[0].1.context_window),
            (1, "own/model", Some(4096))
        );
        assert!(
            open(dir.path(), OPENROUTER, &clock()).offered().iter().any(|(model, _)| model == "z-ai/glm-5.2")
        );
    }

    #[test]
    fn prices_count_cached_and_written_tokens_apart() {
        let prices = Prices { prompt: 1.0, completion: 10.0, cache_read: 0.1, cache_write: 1.25 };
        let usage = Usage {
            prompt_tokens: 100,
            completion_tokens: 2,
            cached_tokens: 40,
            cache_write_tokens: 20,
            ..Usage::default()
        };
        assert!((prices.cost(&usage) - (40.0 + 4.0 + 25.0 + 20.0)).abs() < 1e-9);
        let nonsense =
            Usage { prompt_tokens: 1, cached_tokens: 9, cache_write_tokens: 9, ..Usage::default() };
        assert!((prices.cost(&nonsense) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn lists_of_every_server_are_read() {
        let list = json!({"data": [
            {"id": "or", "context_length": 200, "top_provider": {"context_length": 100},
             "pricing": {"prompt": "0.5", "completion": "1"}, "reasoning": {"mandatory": true}},
            {"id": "vllm", "max_model_len": 4096},
            {"id": "llamacpp", "meta": {"n_ctx": 2048, "n_ctx_train": 131_072}},
            {"id": "bare"},
            {"id": "router", "pricing": {"prompt": "-1", "completion": "-1"}},
            {"no": "id"}, 7,
        ]});
        let facts = read_list(&list);
        assert_eq!(facts.len(), 5);
        assert_eq!(facts["or"].context_window, Some(100));
        assert_eq!(facts["or"].prices.unwrap().cache_read.to_bits(), 0.5f64.to_bits());
        assert!(facts["or"].reasons_always && facts["or"].reasons_by_default);
        assert_eq!(facts["vllm"].context_window, Some(4_096));
        assert_eq!(facts["llamacpp"].context_window, Some(2_048));
        assert_eq!(facts["bare"], ModelFacts::default());
        assert_eq!(facts["router"].prices, None);
    }

    #[tokio::test]
    async fn a_fetched_list_is_kept_for_its_server_until_stale() {
        let dir = tempfile::tempdir().unwrap();
        let clock = clock();
        let catalogue = open(dir.path(), "https://x/v1", &clock);
        assert!(catalogue.is_stale());
        let list = json!({"data": [{"id": "z-ai/glm-5.1", "context_length": 1_000}]});
        assert_eq!(catalogue.replace(&list), 1);
        assert_eq!(catalogue.replace(&json!({"data": []})), 0);
        assert_eq!(catalogue.facts("z-ai/glm-5.1").context_window, Some(1_000));
        catalogue.flush().await;

        let again = open(dir.path(), "https://x/v1", &clock);
        assert_eq!(again.facts("z-ai/glm-5.1").context_window, Some(1_000));
        assert!(!again.is_stale());
        clock.advance(FRESH_FOR);
        assert!(again.is_stale());
        let other = open(dir.path(), "https://y/v1", &clock);
        assert_eq!(other.facts("z-ai/glm-5.1").context_window, Some(200_000));
    }
}

#[cfg(test)]
mod ratio_tests {
    use proptest::prelude::*;

    use super::*;

    fn ratios() -> (TokenRatios, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        (TokenRatios::open(dir.path()), dir)
    }

    #[test]
    fn contradiction_12_an_unknown_model_starts_conservative() {
        assert_eq!(ratios().0.ratio("m").to_bits(), STARTING_RATIO.to_bits());
    }

    #[test]
    fn short_prompts_and_absent_reports_teach_nothing() {
        let (ratios, _dir) = ratios();
        ratios.observe("m", 500, LEAST_TOKENS - 1);
        ratios.observe("m", 0, 1_000);
        assert_eq!(ratios.ratio("m").to_bits(), STARTING_RATIO.to_bits());
    }

    #[test]
    fn contradiction_12_reports_that_swing_with_the_tools_move_no_prompt() {
        let (ratios, _dir) = ratios();
        let swing = || {
            ratios.observe("m", 1_050, 1_000);
            ratios.observe("m", 950, 1_000);
            ratios.ratio("m").to_bits()
        };
        for _ in 0..20 {
            swing();
        }
        let settled = ratios.ratio("m");
        assert!((0.9..1.15).contains(&settled), "{settled}");
        assert!((0..20).all(|_| swing() == settled.to_bits()));
        for _ in 0..20 {
            ratios.observe("m", 1_500, 1_000);
        }
        assert!(ratios.ratio("m") > 1.4, "what lasts is followed");
    }

    #[test]
    fn a_measure_holds_no_caution() {
        let (ratios, _dir) = ratios();
        assert_eq!(ratios.measured("m").to_bits(), 1.0f64.to_bits());
        ratios.measure("m", 50, LEAST_TOKENS - 1);
        ratios.measure("m", 0, 1_000);
        assert_eq!(ratios.measured("m").to_bits(), 1.0f64.to_bits());
        ratios.measure("m", 1_300, 1_000);
        assert!((ratios.measured("m") - 1.3).abs() < 1e-9);
        ratios.measure("m", 1_200, 1_000);
        assert!((ratios.measured("m") - 1.28).abs() < 1e-9);
    }

    #[tokio::test]
    async fn what_was_learned_survives_a_restart() {
        let (ratios, dir) = ratios();
        ratios.observe("m", 2_000, 1_000);
        let learned = ratios.learned("m");
        ratios.flush().await;
        let again = TokenRatios::open(dir.path());
        assert_eq!(again.ratio("m").to_bits(), learned.to_bits());
        std::fs::write(dir.path().join("token_ratios.json"), b"{broken").unwrap();
        assert_eq!(TokenRatios::open(dir.path()).ratio("m").to_bits(), STARTING_RATIO.to_bits());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn it_converges_and_never_leaves_its_bounds(
            noise in prop::collection::vec((1u32..20_000, 100u32..20_000), 0..40), truth in 0.6f64..2.5,
        ) {
            let (ratios, _dir) = ratios();
            for (reported, estimated) in noise {
                ratios.observe("m", reported, estimated);
                prop_assert!((BOUNDS.0..=BOUNDS.1).contains(&ratios.ratio("m")));
            }
            let mut distance = (ratios.learned("m") - truth).abs();
            for _ in 0..40 {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive count")]
                ratios.observe("m", (truth * 10_000.0) as u32, 10_000);
                let now = (ratios.learned("m") - truth).abs();
                prop_assert!(now <= distance + 1e-4, "moved away from the truth");
                distance = now;
            }
            prop_assert!(distance < 0.01, "{distance}");
            let used = ratios.ratio("m") / truth;
            prop_assert!((0.94..=1.13).contains(&used), "{used}");
        }
    }
}
