//! `[llm]` and `[llm.<slot>]`: which models do which job (specs familiar-connect 1.3).

use std::collections::BTreeMap;
use std::time::Duration;

use super::choice::choice_enum;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};
use super::source::Rank;
use crate::domain::Slot;

/// The word for leaving a figure to the server.
const SERVER_DEFAULT: &str = "default";

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "llm.base_url",
        kind: Kind::Address,
        doc: "The OpenAI-compatible server, up to and without `/chat/completions`. Empty: OpenRouter when a key is \
              set, else a local server found on its usual port, else rehearsal replies without a model.",
    },
    Key {
        path: "llm.max_concurrent_requests",
        kind: Kind::Count(1, 64),
        doc: "How many model requests may run at once, all slots together.",
    },
    Key {
        path: "llm.daily_cost_cap_usd",
        kind: Kind::Number(0.0, 100_000.0),
        doc: "US dollars per day (UTC) after which no paid request is made. 100000 is as good as no cap.",
    },
    Key {
        path: "llm.daily_token_cap",
        kind: Kind::Count(1, 4_000_000_000),
        doc: "Tokens per day (UTC), in and out, of models whose price is not known, after which these are not asked. \
              Unset: a million for each dollar of `llm.daily_cost_cap_usd`.",
    },
    Key {
        path: "llm.first_token_timeout",
        kind: Kind::Seconds(1.0, 600.0),
        doc: "How long to wait for the first word before the attempt counts as failed.",
    },
    Key {
        path: "llm.chunk_timeout",
        kind: Kind::Seconds(1.0, 600.0),
        doc: "How long a started answer may pause before the attempt counts as failed.",
    },
    Key {
        path: "llm.answer_timeout",
        kind: Kind::Seconds(1.0, 7200.0),
        doc: "How long an answer may take in all, however steadily it comes, before the attempt counts as failed.",
    },
    Key { path: "llm.<slot>.model", kind: Kind::Text, doc: "The model's name, as the server knows it." },
    Key {
        path: "llm.<slot>.temperature",
        kind: Kind::NumberOr(SERVER_DEFAULT, 0.0, 2.0),
        doc: "How adventurous the wording is. `\"default\"` sends none: some models accept no other than their own.",
    },
    Key {
        path: "llm.<slot>.top_p",
        kind: Kind::Number(0.0, 1.0),
        doc: "Only the likeliest words that make up this share of all are chosen from. Unset: the server's own.",
    },
    Key {
        path: "llm.<slot>.top_k",
        kind: Kind::Count(1, 1_000),
        doc: "Only so many of the likeliest words are chosen from. Unset: the server's own.",
    },
    Key {
        path: "llm.<slot>.min_p",
        kind: Kind::Number(0.0, 1.0),
        doc: "Words less likely than this share of the likeliest are left out. Unset: the server's own.",
    },
    Key {
        path: "llm.<slot>.presence_penalty",
        kind: Kind::Number(-2.0, 2.0),
        doc: "How much a word that was there already is avoided; below 0 it is preferred. Unset: the server's own.",
    },
    Key {
        path: "llm.<slot>.frequency_penalty",
        kind: Kind::Number(-2.0, 2.0),
        doc: "The same, more with every time it was there. Unset: the server's own.",
    },
    Key {
        path: "llm.<slot>.fallbacks",
        kind: Kind::Texts,
        doc: "Models tried in this order when the first one fails. Unset: none.",
    },
    Key {
        path: "llm.<slot>.provider_order",
        kind: Kind::Texts,
        doc: "OpenRouter: the upstream providers that may answer, and no others. Which of them does is \
              OpenRouter's choice, and it keeps to that one while its prompt cache is warm. Unset: all.",
    },
    Key {
        path: "llm.<slot>.max_tokens",
        kind: Kind::Count(1, 1_000_000),
        doc: "The longest answer, in tokens. Unset: what the job itself asks for.",
    },
    Key {
        path: "llm.<slot>.context_window",
        kind: Kind::Count(1024, 10_000_000),
        doc: "The model's window in tokens. Unset: what the server says, else a cautious guess.",
    },
    Key {
        path: "llm.<slot>.price_in_per_million",
        kind: Kind::Number(0.0, 10_000.0),
        doc: "What a million tokens cost that `model` reads, in US dollars. Unset: what the server's list says, else what \
              is known of a model of this name; nothing at a server of your own that wants no key.",
    },
    Key {
        path: "llm.<slot>.price_out_per_million",
        kind: Kind::Number(0.0, 10_000.0),
        doc: "The same of tokens that `model` writes. Both are needed.",
    },
    Key {
        path: "llm.<slot>.reasoning",
        kind: Kind::Choice(ReasoningEffort::CHOICES),
        doc: "How much a reasoning model may think first. Unset: the server's own default.",
    },
];

/// Which server, how many at once, how patiently, and one model per job.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmConfig {
    /// The server; `None` means "find one".
    pub base_url: Option<String>,
    /// Requests at once in the whole process, 1 to 64.
    pub max_concurrent: u32,
    /// US dollars per UTC day; `None` for no cap.
    pub daily_cost_cap_usd: Option<f64>,
    /// Tokens per UTC day of models whose price is not known; `None` follows the cap in dollars.
    pub daily_token_cap: Option<u32>,
    /// Patience for the first token, 1 to 600 s.
    pub first_token_timeout: Duration,
    /// Patience between two chunks, 1 to 600 s.
    pub chunk_timeout: Duration,
    /// Patience for an answer in all, 1 to 7,200 s.
    pub answer_timeout: Duration,
    /// All eight slots; every one of [`Slot::ALL`] is present.
    pub slots: BTreeMap<Slot, SlotConfig>,
}

/// The model for one job.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotConfig {
    /// Its name on the server.
    pub model: String,
    /// Whether somebody named it; else it is the one that comes with the program.
    pub is_named: bool,
    /// 0 to 2; `None` leaves it to the server.
    pub temperature: Option<f64>,
    /// What else decides the choice of words.
    pub sampling: Sampling,
    /// Tried in order when the first fails.
    pub fallbacks: Vec<String>,
    /// The upstream providers that OpenRouter may choose among; empty for all.
    pub provider_order: Vec<String>,
    /// Longest answer in tokens.
    pub max_tokens: Option<u32>,
    /// Window in tokens, where the operator knows better than the catalogue.
    pub context_window: Option<u32>,
    /// US dollars for a million tokens in and out, where the operator says so.
    pub prices_per_million: Option<(f64, f64)>,
    /// Whether somebody named the fallbacks; else they are those that come with the program.
    pub fallbacks_are_named: bool,
    /// Thinking before the answer.
    pub reasoning: Option<ReasoningEffort>,
}

/// How words are chosen, besides the temperature (specs familiar-connect 2.7); `None` leaves it to the server.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// 0 to 1.
    pub top_p: Option<f64>,
    /// 1 to 1,000.
    pub top_k: Option<u32>,
    /// 0 to 1.
    pub min_p: Option<f64>,
    /// -2 to 2.
    pub presence_penalty: Option<f64>,
    /// -2 to 2.
    pub frequency_penalty: Option<f64>,
}

choice_enum! {
    /// How much a reasoning model may think.
    pub enum ReasoningEffort {
        Off = "off", "no thinking";
        Low = "low", "a little";
        Medium = "medium", "some";
        High = "high", "as much as it likes";
    }
}

/// Where a price is not known, a dollar of the cap stands for so many tokens: what models of the middle cost.
const TOKENS_PER_DOLLAR: f64 = 1e6;

impl LlmConfig {
    /// Tokens per UTC day of models whose price is not known; `None` for no cap.
    #[must_use]
    pub fn unpriced_token_cap(&self) -> Option<u64> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100,000 dollars")]
        let derived = self.daily_cost_cap_usd.map(|usd| (usd * TOKENS_PER_DOLLAR) as u64);
        self.daily_token_cap.map(u64::from).or(derived)
    }

    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        let mut slots = BTreeMap::new();
        for slot in Slot::ALL {
            slots.insert(slot, SlotConfig::resolve(view, slot)?);
        }
        Ok(Self {
            base_url: view.optional_text("llm.base_url")?,
            max_concurrent: view.count("llm.max_concurrent_requests")?,
            daily_cost_cap_usd: view.optional_number("llm.daily_cost_cap_usd")?,
            daily_token_cap: view.optional_count("llm.daily_token_cap")?,
            first_token_timeout: view.seconds("llm.first_token_timeout")?,
            chunk_timeout: view.seconds("llm.chunk_timeout")?,
            answer_timeout: view.seconds("llm.answer_timeout")?,
            slots,
        })
    }
}

impl SlotConfig {
    fn resolve(view: View<'_>, slot: Slot) -> Result<Self, Problem> {
        let key = |name: &str| format!("llm.{slot}.{name}");
        Ok(Self {
            model: view.text(&key("model"))?,
            is_named: view.rank(&key("model")) > Some(Rank::Embedded),
            temperature: view.number_unless_word(&key("temperature")),
            sampling: Sampling {
                top_p: view.optional_number(&key("top_p"))?,
                top_k: view.optional_count(&key("top_k"))?,
                min_p: view.optional_number(&key("min_p"))?,
                presence_penalty: view.optional_number(&key("presence_penalty"))?,
                frequency_penalty: view.optional_number(&key("frequency_penalty"))?,
            },
            fallbacks: view.optional_texts(&key("fallbacks"))?,
            provider_order: view.optional_texts(&key("provider_order"))?,
            max_tokens: view.optional_count(&key("max_tokens"))?,
            context_window: view.optional_count(&key("context_window"))?,
            prices_per_million: view
                .optional_number(&key("price_in_per_million"))?
                .zip(view.optional_number(&key("price_out_per_million"))?),
            fallbacks_are_named: view.rank(&key("fallbacks")) > Some(Rank::Embedded),
            reasoning: view.optional_choice(&key("reasoning"), ReasoningEffort::from_word)?,
        })
    }
}
