//! Letting the model of the slot `memory_search` look at what was found: it says what helps, or what to look for in the
//! notes (seed 004; specs familiar-connect 1.7, tier 3). Off unless it is switched on: the reply waits for one or two
//! requests.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::seam::{RunLog, TurnView, unusable};
use super::tags::{block, quoted};
use crate::config::{LiveConfig, PromptName};
use crate::domain::{ChatMessage, ProcessorSide, ProcessorStatus, Role, Slot};
use crate::llm::{CompletionRequest, ModelSource};

/// However much time the turn has: a reply that knows or says a little less is better than one that comes later.
const MOST: Duration = Duration::from_secs(6);

/// What the second question of a filter ends with.
const LAST: &str =
    "These are all the lines of your notes that match. There is no other look: answer with ANSWER.";

/// Asks for the look.
#[derive(Debug)]
pub(super) struct Finds {
    config: Arc<LiveConfig>,
    models: Arc<dyn ModelSource>,
}

impl Finds {
    pub(super) fn new(config: Arc<LiveConfig>, models: Arc<dyn ModelSource>) -> Self {
        Self { config, models }
    }

    /// Whether it is wanted and there is a model for it.
    pub(super) fn is_wanted(&self) -> bool {
        self.config.current().providers.recall.filter
            && unusable(&self.models.slot(Slot::MemorySearch).describe()).is_none()
    }

    /// The model's words on the finds; its run is told to `log`.
    pub(super) async fn look(
        &self,
        turn: &TurnView,
        question: &str,
        finds: &[String],
        lines: Option<&[String]>,
        log: &RunLog,
    ) -> Option<String> {
        let run = log.begin("filter", ProcessorSide::Before);
        let request = CompletionRequest {
            max_tokens: Some(250),
            ..CompletionRequest::new(Slot::MemorySearch, self.messages(question, finds, lines))
        };
        let model = self.models.slot(Slot::MemorySearch);
        match run.ask(&model, request, Instant::now() + MOST).await {
            Ok(answer) => {
                run.end(ProcessorStatus::Ran, Some(answer.text.clone()));
                Some(answer.text)
            }
            Err(trouble) => {
                tracing::info!(turn = %turn.turn, %trouble, "no model looked at the finds");
                run.trouble(trouble);
                None
            }
        }
    }

    /// Instructions for the system, what was found as data.
    fn messages(&self, question: &str, finds: &[String], lines: Option<&[String]>) -> Vec<ChatMessage> {
        let mut data = vec![block("to_answer", &quoted(question)), block("found", &numbered(finds))];
        let mut instructions = self.config.prompt(PromptName::Filter).to_string();
        if let Some(lines) = lines {
            data.push(block("notes", &numbered(lines)));
            instructions.push('\n');
            instructions.push_str(LAST);
        }
        vec![ChatMessage::new(Role::System, instructions), ChatMessage::new(Role::User, data.join("\n\n"))]
    }
}

/// Texts as data, each behind its number, from 1.
fn numbered(texts: &[String]) -> String {
    let lines = (1..).zip(texts).map(|(number, text): (usize, _)| format!("[{number}] {}", quoted(text)));
    lines.collect::<Vec<_>>().join("\n")
}
