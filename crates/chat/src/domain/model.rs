//! What the rooms need to know about language models without talking to one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The eight jobs a model can be configured for (familiar-connect 1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", parse_err_ty = String, parse_err_fn = no_slot)]
pub enum Slot {
    /// the reply itself
    MainProse,
    /// polishing a reply
    PostProcessStyle,
    /// thinking before the reply
    ReasoningContext,
    /// summaries of older messages
    HistorySummary,
    /// looking through what a search found
    MemorySearch,
    /// writing memories
    MemoryWriter,
    /// asked by no job of its own
    InterjectionDecision,
    /// a line on how it is, for `/status`
    MoodEval,
}

impl Slot {
    /// All slots, in the order they are documented.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Whether nobody waits for its answers.
    pub fn is_behind_the_scenes(self) -> bool {
        matches!(self, Self::HistorySummary | Self::MemoryWriter)
    }

    /// The table name, `[llm.<slot>]`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn no_slot(value: &str) -> String {
    format!("{value:?} is not a model slot")
}

/// How a model's tokens are counted. A stored turn keeps its count per encoding, so it is never counted twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TokenEncoding {
    /// GPT-4o and later, exactly.
    #[strum(serialize = "o200k")]
    O200k,
    /// GPT-4 and GPT-3.5, exactly.
    #[strum(serialize = "cl100k")]
    Cl100k,
    /// Any other model: an estimate by script classes, scaled by a ratio learned from reported usage
    /// (contradiction 12).
    Estimate,
    /// `ceil(chars / 4)`, UTF-16 code units as SillyTavern's harness counts them; only for comparing prompts.
    #[strum(serialize = "chars_over_4")]
    CharsOver4,
}

impl TokenEncoding {
    /// The name stored beside a count.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What one model call used, as reported by the provider.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub prompt_tokens: u32,
    /// Tokens out, reasoning included.
    pub completion_tokens: u32,
    /// Of the prompt: read from the provider's cache.
    pub cached_tokens: u32,
    /// Of the prompt: written to the provider's cache.
    pub cache_write_tokens: u32,
    /// Of the completion: reasoning.
    pub reasoning_tokens: u32,
    /// US dollars, where the provider says.
    pub cost_usd: Option<f64>,
    /// US dollars that the provider's cache saved, where it says; negative where writing to it cost more than reading
    /// from it saved.
    #[serde(default)]
    pub cache_discount_usd: Option<f64>,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    Stop,
    /// It reached the token limit.
    Length,
    /// It wants tools run.
    ToolCalls,
    /// The provider's filter stopped it.
    ContentFilter,
    /// Anything else, as reported.
    Other(String),
}

/// The classes of model failure that are treated differently (mechanisms, last section).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorClass {
    RateLimited,
    /// 5xx, overloaded, or an error inside the stream.
    Server,
    Network,
    /// The connection broke in the middle of an answer.
    BrokeOff,
    /// No first byte, or no further chunk, in time.
    Timeout,
    ModelMissing,
    /// The key is wrong.
    Authentication,
    /// A key is wanted, and none is set.
    KeyMissing,
    /// No credit, quota or balance left.
    Quota,
    /// The prompt does not fit the model.
    ContextLength,
    /// Refused by a content filter.
    ContentFilter,
    /// The answer could not be read.
    Malformed,
    /// The answer had no words, or none that can be shown.
    Empty,
    /// Something else than a model server answered, with a web page.
    WebPage,
    /// The request itself was refused.
    BadRequest,
    /// Our own daily cost cap.
    CostCap,
    /// Our own daily cap on tokens whose price is not known.
    TokenCap,
    /// The turn was cancelled.
    Cancelled,
}

impl ModelErrorClass {
    /// Whether it says something of the model's server or of the account there, and not of one question or answer: whoever
    /// asks next meets the same.
    pub fn is_of_the_server(self) -> bool {
        matches!(
            self,
            Self::RateLimited
                | Self::Server
                | Self::Network
                | Self::Timeout
                | Self::ModelMissing
                | Self::Authentication
                | Self::KeyMissing
                | Self::Quota
                | Self::WebPage
                | Self::CostCap
                | Self::TokenCap
        )
    }

    /// Every class: what is said of each is looked at in tests.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;
}

/// Which server a key is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyFor {
    OpenRouter,
    /// The one at this host.
    Other(String),
}

/// What of a request comes again, and what its provider is told about it (memory 3.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheFigures {
    /// Who decides what is kept.
    pub by: CachedBy,
    /// Tokens up to and with each marker that was sent, by our count, in order.
    pub marked: Vec<u32>,
    /// Tokens of the beginning that the next request repeats, by our count.
    pub repeatable_tokens: u32,
    /// The shortest beginning this model keeps, in tokens; 0 where its provider names none.
    pub minimum_tokens: u32,
}

/// Who decides what a provider keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CachedBy {
    /// Whoever asks: what is marked is kept.
    Markers,
    /// The provider: whatever it has seen before.
    Itself,
}
