//! One question to a model, answered whole, with a deadline; and which failures are worth another try (specs mechanisms
//! Y9).

use std::time::Duration;

use futures::StreamExt as _;

use crate::domain::{ChatMessage, ModelCall, ModelErrorClass, Role, Slot};
use crate::llm::{CompletionRequest, Delta, ModelError, ModelSource, SessionKey};

/// How long a model may take. Nobody waits for it.
const DEADLINE: Duration = Duration::from_secs(90);

/// Room for the answer beyond what is wanted: models that think first need some.
const SPARE_TOKENS: u32 = 300;

/// What is asked.
#[derive(Debug)]
pub(super) struct Question {
    /// Whose model answers.
    pub slot: Slot,
    pub instructions: String,
    pub material: String,
    /// The longest answer of use, in tokens.
    pub tokens: u32,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Answer {
    pub text: Result<String, AskError>,
    /// The model that answered.
    pub model: String,
    pub calls: Vec<ModelCall>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AskError {
    /// It may work later: rate limits, networks, overload.
    Transient(String),
    /// It will not: the same question gets the same refusal.
    Deterministic(String),
}

/// Asks about the conversation that `session` names.
pub(super) async fn ask(models: &dyn ModelSource, question: &Question, session: SessionKey) -> Answer {
    let model = models.slot(question.slot);
    let name = model.describe().model;
    let mut calls = Vec::new();
    let request = CompletionRequest {
        max_tokens: Some(question.tokens.saturating_mul(2).saturating_add(SPARE_TOKENS)),
        session: Some(session),
        ..CompletionRequest::new(
            question.slot,
            vec![
                ChatMessage::new(Role::System, question.instructions.clone()),
                ChatMessage::new(Role::User, question.material.clone()),
            ],
        )
    };
    let whole = async {
        let mut stream = model.complete(request).await.map_err(|error| failed(error, &mut calls))?;
        let mut text = String::new();
        while let Some(delta) = stream.next().await {
            match delta {
                Ok(Delta::Text(words)) => text.push_str(&words),
                Ok(Delta::ThoughtAloud) => text.clear(),
                Ok(Delta::Reasoning(_) | Delta::ToolCall(_)) => {}
                Ok(Delta::AttemptFailed(report)) => calls.push(report),
                Ok(Delta::Finished(report)) => {
                    calls.push(report);
                    break;
                }
                Err(error) => return Err(failed(error, &mut calls)),
            }
        }
        Ok(text)
    };
    let text = match tokio::time::timeout(DEADLINE, whole).await {
        Ok(text) => text,
        Err(_) => Err(AskError::Transient(format!("no answer in {} s", DEADLINE.as_secs()))),
    };
    let model = calls.last().filter(|call| call.error.is_none()).map_or(name, |call| call.model.clone());
    Answer { text, model, calls }
}

fn failed(error: ModelError, calls: &mut Vec<ModelCall>) -> AskError {
    let words = error.to_string();
    let class = error.class;
    calls.extend(error.attempts);
    match class {
        ModelErrorClass::RateLimited
        | ModelErrorClass::Server
        | ModelErrorClass::Network
        | ModelErrorClass::BrokeOff
        | ModelErrorClass::Timeout
        | ModelErrorClass::Malformed
        | ModelErrorClass::WebPage
        | ModelErrorClass::Cancelled => AskError::Transient(words),
        ModelErrorClass::ModelMissing
        | ModelErrorClass::Authentication
        | ModelErrorClass::KeyMissing
        | ModelErrorClass::Quota
        | ModelErrorClass::ContextLength
        | ModelErrorClass::ContentFilter
        | ModelErrorClass::BadRequest
        | ModelErrorClass::CostCap => AskError::Deterministic(words),
    }
}
