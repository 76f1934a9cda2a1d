//! Servers that put a prompt into the model's own template, and refuse what it does not foresee, in their own words.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::request::ChatRequest;

/// A model's chat template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// Gemma 2: people and model in turns, and no role for instructions.
    Gemma,
    /// Mistral's instruct models: instructions first, if any, then in turns.
    Mistral,
}

/// The program that fills it in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filler {
    LlamaCpp,
    LmStudio,
    Vllm,
}

/// A server that takes nothing but what the template foresees, and no tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strict {
    pub template: Template,
    pub filler: Filler,
}

impl Template {
    /// What it raises.
    fn raises(self, messages: &[Value]) -> Option<&'static str> {
        let is = |message: &Value, role: &str| message["role"] == role;
        let chat = match self {
            Self::Gemma if messages.first().is_some_and(|message| is(message, "system")) => {
                return Some("System role not supported");
            }
            Self::Mistral if messages.first().is_some_and(|message| is(message, "system")) => &messages[1..],
            _ => messages,
        };
        let in_turns = chat.iter().enumerate().all(|(at, message)| is(message, "user") == (at % 2 == 0));
        match (self, in_turns) {
            (Self::Gemma, false) => {
                Some("Conversation roles must alternate user/assistant/user/assistant/...")
            }
            (Self::Mistral, false) => Some(
                "After the optional system message, conversation roles must alternate \
                 user/assistant/user/assistant/...",
            ),
            (_, true) if !chat.iter().all(|message| is(message, "user") || is(message, "assistant")) => Some(
                "Only user and assistant roles are supported, with the exception of an initial optional system message!",
            ),
            _ => None,
        }
    }
}

impl Strict {
    /// The refusal of a request; `None` where it is taken.
    pub(super) fn refuses(self, request: &ChatRequest) -> Option<(StatusCode, Value)> {
        let tools = request.body.get("tools").and(match self.filler {
            Filler::LlamaCpp => Some("tools param requires --jinja flag"),
            Filler::LmStudio => None,
            Filler::Vllm => Some(
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            ),
        });
        let raised = || self.template.raises(request.messages()).map(|words| self.filler.raised(words));
        tools.map(str::to_owned).or_else(raised).map(|words| self.filler.refusal(&words))
    }
}

impl Filler {
    /// What it makes of what a template raises.
    fn raised(self, words: &str) -> String {
        let beginning: String = words.chars().take(40).collect();
        match self {
            Self::LlamaCpp => format!(
                "\n------------\nWhile executing CallExpression at line 19, column 27 in source:\n...% 2 == 0) -%}}↵        \
                 {{{{ raise_exception(\"{beginning}...\n{}^\nError: Jinja Exception: {words}",
                " ".repeat(43),
            ),
            Self::LmStudio => format!(
                "Error rendering prompt with jinja template: \"{words}\".\n\nThis is usually an issue with the model's \
                 prompt template. If you are using a popular model, you can try to search the model under \
                 lmstudio-community, which will have fixed prompt templates."
            ),
            Self::Vllm => words.to_owned(),
        }
    }

    fn refusal(self, words: &str) -> (StatusCode, Value) {
        match self {
            Self::LlamaCpp => (
                StatusCode::INTERNAL_SERVER_ERROR,
                json!({"error": {"code": 500, "message": words, "type": "server_error"}}),
            ),
            Self::LmStudio => (StatusCode::BAD_REQUEST, json!({"error": words})),
            Self::Vllm => (
                StatusCode::BAD_REQUEST,
                json!({"object": "error", "message": words, "type": "BadRequestError", "param": null, "code": 400}),
            ),
        }
    }
}
