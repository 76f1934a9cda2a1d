//! What servers and models take: which figures of sampling (familiar-connect 2.7: sampling is part of the prompt), which
//! order of roles, and whether tools.
//!
//! A figure that would be refused is not sent, and `familiar doctor` says so: a request that fails for the sake of a taste
//! helps nobody. Through OpenRouter a figure that the model behind it does not know is dropped there. Of roles and tools no
//! list says it: a server that puts a prompt into a model's own template (llama.cpp, LM Studio, vLLM) refuses what the
//! template does not foresee, so the refusal of a real request is what tells. It is kept per model, and asked for no second
//! time.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CompletionRequest;
use super::endpoint::ServerDialect;
use super::ledger::{self, FileKeeper};
use super::text_tools::told_as_text;
use crate::config::SlotConfig;
use crate::text::roles::{Instructions, alternate};

/// One figure, by its key in the settings and on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SamplingField {
    /// The likeliest words that make up a share of all.
    TopP,
    /// The likeliest words by number.
    TopK,
    /// The least share of the likeliest.
    MinP,
    /// What was there is avoided.
    PresencePenalty,
    /// What was there often is avoided more.
    FrequencyPenalty,
}

impl SamplingField {
    /// Its key under `[llm.<slot>]`, and in a request.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

/// The figures that are set and sent.
pub(super) fn sent_figures(
    settings: &SlotConfig,
    model: &str,
    dialect: ServerDialect,
) -> impl Iterator<Item = (SamplingField, Value)> {
    let refused = refused_figures(settings, model, dialect);
    set(settings).into_iter().filter(move |(field, _)| !refused.contains(field))
}

/// The figures that are set and not sent, as this server would refuse the request.
pub(super) fn refused_figures(
    settings: &SlotConfig,
    model: &str,
    dialect: ServerDialect,
) -> Vec<SamplingField> {
    let is_refused = |field: SamplingField| match dialect {
        // Its reasoning models take none, the others know neither of the last two.
        ServerDialect::OpenAi => {
            matches!(field, SamplingField::TopK | SamplingField::MinP) || is_openai_reasoning(model)
        }
        ServerDialect::OpenRouter | ServerDialect::Compatible | ServerDialect::Local => {
            let is_penalty =
                matches!(field, SamplingField::PresencePenalty | SamplingField::FrequencyPenalty);
            (field == SamplingField::TopP && is_one_of_two(settings, model))
                || (is_penalty && is_grok_reasoning(model))
        }
    };
    set(settings).into_iter().map(|(field, _)| field).filter(|field| is_refused(*field)).collect()
}

fn set(settings: &SlotConfig) -> Vec<(SamplingField, Value)> {
    let sampling = &settings.sampling;
    let figures = [
        (SamplingField::TopP, sampling.top_p.map(Value::from)),
        (SamplingField::TopK, sampling.top_k.map(Value::from)),
        (SamplingField::MinP, sampling.min_p.map(Value::from)),
        (SamplingField::PresencePenalty, sampling.presence_penalty.map(Value::from)),
        (SamplingField::FrequencyPenalty, sampling.frequency_penalty.map(Value::from)),
    ];
    figures.into_iter().filter_map(|(field, figure)| Some((field, figure?))).collect()
}

/// OpenAI's reasoning models: "Unsupported parameter: 'top_p' is not supported with this model".
fn is_openai_reasoning(model: &str) -> bool {
    let name = bare(model);
    !name.contains("chat") && ["o1", "o3", "o4", "gpt-5"].iter().any(|family| name.starts_with(family))
}

/// Newer Claudes: "`temperature` and `top_p` cannot both be specified for this model".
fn is_one_of_two(settings: &SlotConfig, model: &str) -> bool {
    settings.temperature.is_some() && bare(model).starts_with("claude")
}

/// xAI: penalties are refused by reasoning models.
fn is_grok_reasoning(model: &str) -> bool {
    let name = bare(model);
    (name.starts_with("grok-4") || name.starts_with("grok-3-mini")) && !name.contains("non-reasoning")
}

/// A model's name without whose it is.
fn bare(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

/// What a refusal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplingRefusal {
    /// The order of roles.
    Order,
    /// The role of instructions.
    System,
    Tools,
}

/// What the templates of models, and the servers that fill them in, say of it. Templates are programs, and these are their
/// words wherever they run: Gemma's and Mistral's, and those of llama.cpp, LM Studio, vLLM and Ollama around them.
const CUES: [(SamplingRefusal, &[&str]); 3] = [
    (
        SamplingRefusal::Tools,
        &[
            "does not support tool",
            "support tool use",
            "tools are not supported",
            "tool calling is not supported",
            "tools param requires",
            "enable-auto-tool-choice",
            "does not support function",
        ],
    ),
    (
        SamplingRefusal::System,
        &[
            "system role not supported",
            "system role is not supported",
            "only user and assistant roles",
            "does not support 'system'",
            "system messages are not supported",
        ],
    ),
    (
        SamplingRefusal::Order,
        &[
            "roles must alternate",
            "must alternate between",
            "user/assistant/user/assistant",
            "jinja",
            "chat template",
            "prompt template",
        ],
    ),
];

impl SamplingRefusal {
    /// What a server's words refuse; `None` for anything else.
    pub(crate) fn read(words: &str) -> Option<Self> {
        let words = words.to_lowercase();
        CUES.iter().find(|(_, cues)| cues.iter().any(|cue| words.contains(cue))).map(|(refusal, _)| *refusal)
    }
}

/// Which order of roles a model's template takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleOrder {
    #[default]
    Any,
    /// Instructions first, then people and familiar in turns.
    Alternate,
    /// The same without a role for instructions.
    AlternateWithoutSystem,
}

/// How a model is given tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolForm {
    /// As its server has them.
    #[default]
    Native,
    /// In words, called by a block in its reply.
    Text,
    /// Not at all: it cannot write such blocks.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Takes {
    pub order: RoleOrder,
    pub tools: ToolForm,
    /// Blocks in its replies since the last good one that were to be calls and were none.
    pub broken_calls: u8,
}

/// From so many broken calls in a row on, a model is given no tools any more.
const BROKEN_CALLS: u8 = 3;

impl Takes {
    /// What to try after a refusal; `None` where nothing else is left.
    pub fn after(self, refusal: SamplingRefusal) -> Option<Self> {
        let order = match (refusal, self.order) {
            (SamplingRefusal::Tools, _) if self.tools != ToolForm::Native => return None,
            (SamplingRefusal::Tools, _) => return Some(Self { tools: ToolForm::Text, ..self }),
            (_, RoleOrder::AlternateWithoutSystem) => return None,
            (SamplingRefusal::Order, RoleOrder::Any) => RoleOrder::Alternate,
            (SamplingRefusal::Order, RoleOrder::Alternate) | (SamplingRefusal::System, _) => {
                RoleOrder::AlternateWithoutSystem
            }
        };
        Some(Self { order, ..self })
    }

    /// How it is given tools. A template without a role for instructions has none for what tools say.
    pub fn form(self) -> ToolForm {
        match self.order {
            RoleOrder::AlternateWithoutSystem => self.tools.max(ToolForm::Text),
            RoleOrder::Any | RoleOrder::Alternate => self.tools,
        }
    }

    /// A request with its tools as the model is given them.
    pub(crate) fn with_tools_told(self, request: &CompletionRequest) -> Cow<'_, CompletionRequest> {
        if self.form() == ToolForm::Native {
            return Cow::Borrowed(request);
        }
        let mut told = request.clone();
        if self.form() == ToolForm::None {
            told.tools.clear();
        }
        Cow::Owned(told_as_text(told))
    }

    /// A request as the model takes it.
    pub(crate) fn shape(self, request: &CompletionRequest) -> Cow<'_, CompletionRequest> {
        if self == Self::default() {
            return Cow::Borrowed(request);
        }
        let mut shaped = self.with_tools_told(request).into_owned();
        let instructions = match self.order {
            RoleOrder::Any => return Cow::Owned(shaped),
            RoleOrder::Alternate => Instructions::First,
            RoleOrder::AlternateWithoutSystem => Instructions::InFirstUserMessage,
        };
        shaped.messages = alternate(shaped.messages, "User", "You", instructions);
        Cow::Owned(shaped)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct KeptLimits {
    base_url: String,
    models: BTreeMap<String, Takes>,
}

/// What the models of one server take.
#[derive(Debug)]
pub(crate) struct TakesTable {
    kept: Mutex<KeptLimits>,
    keeper: FileKeeper,
}

impl TakesTable {
    /// Continues what was found at the same server.
    pub(crate) fn open(state_dir: &Path, base_url: &str) -> Self {
        let file = state_dir.join("templates.json");
        let kept = ledger::read_json_or_none::<KeptLimits>(&file).filter(|kept| kept.base_url == base_url);
        let kept =
            kept.unwrap_or_else(|| KeptLimits { base_url: base_url.to_owned(), ..KeptLimits::default() });
        Self { kept: Mutex::new(kept), keeper: FileKeeper::new(file) }
    }

    /// What a model takes, as far as it is known.
    pub(crate) fn of(&self, model: &str) -> Takes {
        let kept = self.kept.lock();
        kept.models.get(model).copied().unwrap_or_default()
    }

    /// Learns from a refusal of a request that was shaped for `tried`: whether the model is to be asked again, in another
    /// shape.
    pub(crate) fn learn(&self, model: &str, tried: Takes, refusal: SamplingRefusal) -> bool {
        let Some(next) = tried.after(refusal) else { return false };
        let mut kept = self.kept.lock();
        let known = kept.models.entry(model.to_owned()).or_default();
        // Two requests may have been refused at the same time.
        *known = Takes { order: known.order.max(next.order), tools: known.tools.max(next.tools), ..*known };
        self.keeper.keep_json(&*kept);
        true
    }

    /// Learns from a block that was to be a call of a tool: whether it was one.
    pub(crate) fn learn_call(&self, model: &str, is_broken: bool) {
        let mut kept = self.kept.lock();
        let known = kept.models.entry(model.to_owned()).or_default();
        let broken_calls = if is_broken { known.broken_calls.saturating_add(1) } else { 0 };
        let tools = if broken_calls >= BROKEN_CALLS { ToolForm::None } else { known.tools };
        let next = Takes { tools, broken_calls, ..*known };
        if next != *known {
            if tools == ToolForm::None {
                tracing::info!(
                    model,
                    "it cannot call tools that it is told of in words, and gets none any more"
                );
            }
            *known = next;
            self.keeper.keep_json(&*kept);
        }
    }

    /// Waits until what was learned is on disk.
    pub(crate) async fn flush(&self) {
        self.keeper.flush().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sampling;

    fn settings(temperature: Option<f64>) -> SlotConfig {
        SlotConfig {
            model: "m".to_owned(),
            is_named: true,
            temperature,
            sampling: Sampling {
                top_p: Some(0.9),
                top_k: Some(40),
                min_p: Some(0.05),
                presence_penalty: Some(0.5),
                frequency_penalty: Some(-0.5),
            },
            fallbacks_are_named: true,
            ..SlotConfig::default()
        }
    }

    fn keys(model: &str, dialect: ServerDialect, temperature: Option<f64>) -> Vec<&'static str> {
        sent_figures(&settings(temperature), model, dialect).map(|(field, _)| field.key()).collect()
    }

    const ALL: [&str; 5] = ["top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty"];

    #[test]
    fn fc_2_7_every_figure_goes_where_it_is_taken() {
        for model in ["z-ai/glm-5.1", "deepseek/deepseek-v4", "google/gemini-3-flash", "x-ai/grok-3"] {
            assert_eq!(keys(model, ServerDialect::OpenRouter, Some(0.7)), ALL, "{model}");
        }
        assert_eq!(keys("llama", ServerDialect::Local, Some(0.7)), ALL);
    }

    #[test]
    fn fc_2_7_what_a_family_refuses_is_not_sent() {
        assert_eq!(
            keys("gpt-4.1", ServerDialect::OpenAi, Some(0.7)),
            ["top_p", "presence_penalty", "frequency_penalty"]
        );
        assert_eq!(keys("gpt-5-mini", ServerDialect::OpenAi, Some(0.7)), Vec::<&str>::new());
        assert_eq!(keys("o3", ServerDialect::OpenAi, None), Vec::<&str>::new());
        assert_eq!(keys("anthropic/claude-opus-4.8", ServerDialect::OpenRouter, Some(0.7)), ALL[1..]);
        assert_eq!(keys("anthropic/claude-opus-4.8", ServerDialect::OpenRouter, None), ALL);
        assert_eq!(keys("grok-4-fast", ServerDialect::Compatible, Some(0.7)), ALL[..3]);
        assert_eq!(keys("grok-4-fast-non-reasoning", ServerDialect::Compatible, Some(0.7)), ALL);
    }

    #[test]
    fn fc_2_7_what_is_not_set_is_not_sent() {
        let bare = SlotConfig { sampling: Sampling::default(), ..settings(Some(0.7)) };
        assert_eq!(sent_figures(&bare, "m", ServerDialect::OpenRouter).count(), 0);
        assert!(refused_figures(&bare, "gpt-5", ServerDialect::OpenAi).is_empty());
    }
}

#[cfg(test)]
mod takes_tests {
    use super::*;

    #[test]
    fn refusals_are_read_as_servers_word_them() {
        let rows = [
            (
                "Conversation roles must alternate user/assistant/user/assistant/...",
                Some(SamplingRefusal::Order),
            ),
            (
                "\n------------\nWhile executing CallExpression at line 19, column 27 in source:\n...% 2 == 0) -%}\n\
                 {{ raise_exception(\"Conversation roles must alternate user...\nError: Jinja Exception: Conversation \
                 roles must alternate user/assistant/user/assistant/...",
                Some(SamplingRefusal::Order),
            ),
            (
                "After the optional system message, conversation roles must alternate user and assistant roles \
                 except for tool calls and results.",
                Some(SamplingRefusal::Order),
            ),
            (
                "Error rendering prompt with jinja template: \"No user query found in messages.\".",
                Some(SamplingRefusal::Order),
            ),
            ("System role not supported", Some(SamplingRefusal::System)),
            (
                "Error rendering prompt with jinja template: \"System role not supported\".",
                Some(SamplingRefusal::System),
            ),
            ("Only user and assistant roles are supported!", Some(SamplingRefusal::System)),
            ("registry.ollama.ai/library/gemma:2b does not support tools", Some(SamplingRefusal::Tools)),
            (
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
                Some(SamplingRefusal::Tools),
            ),
            ("tools param requires --jinja flag", Some(SamplingRefusal::Tools)),
            ("temperature must be lower", None),
            ("the request exceeds the available context size", None),
        ];
        for (words, refusal) in rows {
            assert_eq!(SamplingRefusal::read(words), refusal, "{words}");
        }
    }

    #[test]
    fn each_refusal_leads_to_something_stricter_until_nothing_is_left() {
        let mut takes = Takes::default();
        let mut tried = vec![takes];
        for refusal in [SamplingRefusal::Order, SamplingRefusal::Tools, SamplingRefusal::Order] {
            takes = takes.after(refusal).unwrap();
            tried.push(takes);
        }
        assert_eq!(
            takes,
            Takes { order: RoleOrder::AlternateWithoutSystem, tools: ToolForm::Text, ..Takes::default() }
        );
        for refusal in [SamplingRefusal::Order, SamplingRefusal::System, SamplingRefusal::Tools] {
            assert_eq!(takes.after(refusal), None);
        }
        assert_eq!(tried.len(), 4);
    }

    #[tokio::test]
    async fn what_was_learned_is_kept_for_its_server() {
        let dir = tempfile::tempdir().unwrap();
        let table = TakesTable::open(dir.path(), "http://a/v1");
        assert!(table.learn("gemma", Takes::default(), SamplingRefusal::System));
        assert!(
            table.learn("gemma", Takes::default(), SamplingRefusal::Order),
            "one that was under way meanwhile"
        );
        table.flush().await;
        let again = TakesTable::open(dir.path(), "http://a/v1");
        assert_eq!(again.of("gemma").order, RoleOrder::AlternateWithoutSystem);
        assert_eq!(again.of("other"), Takes::default());
        assert_eq!(TakesTable::open(dir.path(), "http://b/v1").of("gemma"), Takes::default());
    }
}
