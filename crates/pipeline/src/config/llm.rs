//! `[llm]` and `[llm.<slot>]`: which models do which job (familiar-connect 1.3), and what they are told less of
//! (A26).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::check::{Seconds, named_tables, written_as};
use super::document::as_number;
use crate::domain::{Section, Slot};

/// Which server, how many at once, how patiently, and one model per job.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct LlmConfig {
    /// The OpenAI-compatible server, up to and without `/chat/completions`. Empty: OpenRouter when a key is set,
    /// else a local server found on its usual port, else rehearsal replies without a model.
    #[schemars(url)]
    pub base_url: Option<String>,
    /// How many model requests may run at once, all slots together.
    #[serde(rename = "max_concurrent_requests")]
    #[schemars(range(min = 1, max = 64))]
    pub max_concurrent: u32,
    /// US dollars per day (UTC) after which no paid request is made. 100000 is as good as no cap.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub daily_cost_cap_usd: Option<f64>,
    /// Tokens per day (UTC), in and out, of models whose price is not known, after which these are not asked.
    /// Unset: a million for each dollar of `llm.daily_cost_cap_usd`.
    #[schemars(range(min = 1, max = 4_000_000_000_u32))]
    pub daily_token_cap: Option<u32>,
    /// How long to wait for the first word before the attempt counts as failed.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 1.0, max = 600.0))]
    pub first_token_timeout: Duration,
    /// How long a started answer may pause before the attempt counts as failed.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 1.0, max = 600.0))]
    pub chunk_timeout: Duration,
    /// How long an answer may take in all, however steadily it comes, before the attempt counts as failed.
    #[serde(with = "Seconds")]
    #[schemars(range(min = 1.0, max = 7200.0))]
    pub answer_timeout: Duration,
    #[serde(flatten)]
    #[schemars(schema_with = "slots")]
    pub slots: BTreeMap<Slot, SlotConfig>,
}

fn slots(generator: &mut SchemaGenerator) -> Schema {
    named_tables::<SlotConfig>(generator, "model slot", Slot::ALL.iter().copied().map(Slot::as_str))
}

/// The model for one job.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct SlotConfig {
    /// The model's name, as the server knows it.
    pub model: String,
    /// Whether somebody named it; else it is the one that comes with the program.
    #[serde(skip)]
    pub is_named: bool,
    /// How adventurous the wording is. `"default"` sends none: some models accept no other than their own.
    #[serde(default, deserialize_with = "Temperature::deserialize")]
    #[schemars(with = "Temperature", range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    #[serde(flatten)]
    pub sampling: Sampling,
    /// Models tried in this order when the first one fails. Unset: none.
    #[serde(default)]
    pub fallbacks: Vec<String>,
    /// OpenRouter: the upstream providers that may answer, and no others. Which of them does is OpenRouter's
    /// choice, and it keeps to that one while its prompt cache is warm. Unset: all.
    #[serde(default)]
    pub provider_order: Vec<String>,
    /// The longest answer, in tokens. Unset: what the job itself asks for.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_tokens: Option<u32>,
    /// The model's window in tokens. Unset: what the server says, else a cautious guess.
    #[schemars(range(min = 1024, max = 10_000_000))]
    pub context_window: Option<u32>,
    /// What a million tokens cost that `model` reads, in US dollars. Unset: what the server's list says, else what
    /// is known of a model of this name; nothing at a server of your own that wants no key.
    #[schemars(range(min = 0.0, max = 10_000.0))]
    pub price_in_per_million: Option<f64>,
    /// The same of tokens that `model` writes. Both are needed.
    #[schemars(range(min = 0.0, max = 10_000.0))]
    pub price_out_per_million: Option<f64>,
    /// Whether somebody named the fallbacks; else they are those that come with the program.
    #[serde(skip)]
    pub fallbacks_are_named: bool,
    /// How much a reasoning model may think first. Unset: the server's own default.
    pub reasoning: Option<ReasoningEffort>,
    /// Whether the model, and its fallbacks, see pictures: those that come with the message it answers are sent along, and no
    /// other model describes them. Unset: `false`.
    #[serde(default)]
    pub sees_pictures: bool,
    /// What this model is told less of.
    #[serde(flatten)]
    pub prompt: SlotPrompt,
}

/// How words are chosen, besides the temperature (familiar-connect 2.7); `None` leaves it to the server.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
pub struct Sampling {
    /// Only the likeliest words that make up this share of all are chosen from. Unset: the server's own.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub top_p: Option<f64>,
    /// Only so many of the likeliest words are chosen from. Unset: the server's own.
    #[schemars(range(min = 1, max = 1_000))]
    pub top_k: Option<u32>,
    /// Words less likely than this share of the likeliest are left out. Unset: the server's own.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_p: Option<f64>,
    /// How much a word that was there already is avoided; below 0 it is preferred. Unset: the server's own.
    #[schemars(range(min = -2.0, max = 2.0))]
    pub presence_penalty: Option<f64>,
    /// The same, more with every time it was there. Unset: the server's own.
    #[schemars(range(min = -2.0, max = 2.0))]
    pub frequency_penalty: Option<f64>,
}

/// How much a reasoning model may think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEffort {
    /// no thinking
    Off,
    /// a little
    Low,
    /// some
    Medium,
    /// as much as it likes
    High,
}

/// Where a price is not known, a dollar of the cap stands for so many tokens: what models of the middle cost.
const TOKENS_PER_DOLLAR: f64 = 1e6;

impl LlmConfig {
    /// Tokens per UTC day of models whose price is not known; `None` for no cap.
    pub fn unpriced_token_cap(&self) -> Option<u64> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100,000 dollars")]
        let derived = self.daily_cost_cap_usd.map(|usd| (usd * TOKENS_PER_DOLLAR) as u64);
        self.daily_token_cap.map(u64::from).or(derived)
    }
}

impl SlotConfig {
    /// US dollars for a million tokens in and out, where the operator says so.
    pub fn prices_per_million(&self) -> Option<(f64, f64)> {
        self.price_in_per_million.zip(self.price_out_per_million)
    }
}

/// What the model of one slot is told less of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub struct SlotPrompt {
    /// Parts of the prompt this model does without when it replies, for one that was trained on the character or
    /// is small. Unset: none.
    #[serde(default)]
    #[schemars(with = "SkippedSections")]
    pub skip_layers: BTreeSet<Section>,
    /// Whether this model gets the short card: `memory/self/short.md`, else one that is made from the card's own
    /// sentences. `"auto"`: where the whole card is more than the mode's `character` layer or than a third of what
    /// the prompt may take. Unset: `false`.
    #[serde(default, deserialize_with = "ShortCardWord::deserialize")]
    #[schemars(with = "ShortCardWord")]
    pub short_card: ShortCard,
}

/// When the short card stands for the whole one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShortCard {
    #[default]
    Never,
    Always,
    /// Where the whole one is too large for its layer or for the prompt.
    Auto,
}

written_as! {
    Temperature: toml::Value => Option<f64>,
        {"type": ["number", "string"], "pattern": "^default$", "x-words": "a number from 0 to 2, or \"default\""},
        |temperature| as_number(&temperature);
    ShortCardWord: toml::Value => ShortCard,
        {"type": ["boolean", "string"], "pattern": "^auto$", "x-words": "true, false or \"auto\""},
        |written| match written.as_bool() {
            Some(true) => ShortCard::Always,
            Some(false) => ShortCard::Never,
            None => ShortCard::Auto,
        };
}

/// The sections that a prompt may go without.
struct SkippedSections;

impl JsonSchema for SkippedSections {
    fn schema_name() -> Cow<'static, str> {
        "SkippedSections".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = Section::OPTIONAL.map(Section::as_str);
        let quoted: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
        let words = format!("a list of sections, of {}", quoted.join(", "));
        json_schema!({"type": "array", "items": {"enum": names}, "x-words": words})
    }
}
