//! Telling what was found and has no room in a few lines, by the model of the slot `memory_search` (specs mechanisms
//! A14). Off unless it is switched on: it is a request that the reply waits for.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::ask::{ask, unusable};
use super::log::RunLog;
use super::marked::{block, quoted};
use super::seam::{Trouble, TurnView};
use crate::config::{LiveConfig, PromptName};
use crate::domain::{ChatMessage, ProcessorSide, ProcessorStatus, Role, Slot};
use crate::llm::{CompletionRequest, ModelSource};

/// Its name in traces.
const NAME: &str = "condensing";

/// The longest answer, in tokens.
const ANSWER_TOKENS: u32 = 400;

/// However much time the turn has: a reply that says a little less is better than one that comes later.
const MOST: Duration = Duration::from_secs(6);

/// Asks for the lines.
#[derive(Debug)]
pub(super) struct Condensing {
    config: Arc<LiveConfig>,
    models: Arc<dyn ModelSource>,
}

impl Condensing {
    pub(super) fn new(config: Arc<LiveConfig>, models: Arc<dyn ModelSource>) -> Self {
        Self { config, models }
    }

    /// Whether it is wanted and there is a model for it.
    pub(super) fn is_wanted(&self) -> bool {
        self.config.current().condense_finds
            && unusable(&self.models.slot(Slot::MemorySearch).describe()).is_none()
    }

    /// The model's lines; its run is told to `log`.
    pub(super) async fn condense(
        &self,
        turn: &TurnView,
        question: &str,
        excerpts: &[String],
        log: &RunLog,
    ) -> Option<String> {
        let run = log.begin(NAME, ProcessorSide::Before);
        let request = CompletionRequest {
            max_tokens: Some(ANSWER_TOKENS),
            ..CompletionRequest::new(Slot::MemorySearch, self.messages(question, excerpts))
        };
        let model = self.models.slot(Slot::MemorySearch);
        match timeout(MOST, ask(&model, request, &run)).await.unwrap_or(Err(Trouble::Late)) {
            Ok(answer) => {
                run.end(ProcessorStatus::Ran, Some(answer.text.clone()));
                Some(answer.text)
            }
            Err(trouble) => {
                tracing::info!(turn = %turn.turn, %trouble, "what was found could not be condensed");
                run.trouble(trouble);
                None
            }
        }
    }

    /// Instructions for the system, what was found as data.
    fn messages(&self, question: &str, excerpts: &[String]) -> Vec<ChatMessage> {
        let found: Vec<String> = (1..)
            .zip(excerpts)
            .map(|(number, words): (usize, _)| format!("[{number}] {}", quoted(words)))
            .collect();
        let data = [block("to_answer", &quoted(question)), block("found", &found.join("\n"))];
        vec![
            ChatMessage::new(Role::System, self.config.prompt(PromptName::Condense).to_string()),
            ChatMessage::new(Role::User, data.join("\n\n")),
        ]
    }
}
