//! Letting the model of the slot `memory_search` say what of the finds helps, or what to look for in the notes (seed 004;
//! specs familiar-connect 1.7, tier 3). Off unless it is switched on: the reply waits for one or two requests.

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
const NAME: &str = "filter";

/// The longest answer, in tokens.
const ANSWER_TOKENS: u32 = 250;

/// However much time the turn has: a reply that knows a little less is better than one that comes later.
const MOST: Duration = Duration::from_secs(6);

/// What the second question ends with.
const LAST: &str =
    "These are all the lines of your notes that match. There is no other look: answer with ANSWER.";

/// Asks for the word.
#[derive(Debug)]
pub(super) struct Filtering {
    config: Arc<LiveConfig>,
    models: Arc<dyn ModelSource>,
}

impl Filtering {
    pub(super) fn new(config: Arc<LiveConfig>, models: Arc<dyn ModelSource>) -> Self {
        Self { config, models }
    }

    /// Whether it is wanted and there is a model for it.
    pub(super) fn is_wanted(&self) -> bool {
        self.config.current().filter_finds
            && unusable(&self.models.slot(Slot::MemorySearch).describe()).is_none()
    }

    /// The model's word on the finds, the second time with the lines of the notes that its pattern found; its run is told to
    /// `log`.
    pub(super) async fn filter(
        &self,
        turn: &TurnView,
        question: &str,
        finds: &[String],
        lines: Option<&[String]>,
        log: &RunLog,
    ) -> Option<String> {
        let run = log.begin(NAME, ProcessorSide::Before);
        let request = CompletionRequest {
            max_tokens: Some(ANSWER_TOKENS),
            ..CompletionRequest::new(Slot::MemorySearch, self.messages(question, finds, lines))
        };
        let model = self.models.slot(Slot::MemorySearch);
        match timeout(MOST, ask(&model, request, &run)).await.unwrap_or(Err(Trouble::Late)) {
            Ok(answer) => {
                run.end(ProcessorStatus::Ran, Some(answer.text.clone()));
                Some(answer.text)
            }
            Err(trouble) => {
                tracing::info!(turn = %turn.turn, %trouble, "the finds could not be filtered");
                run.trouble(trouble);
                None
            }
        }
    }

    /// Instructions for the system, what was found as data.
    fn messages(&self, question: &str, finds: &[String], lines: Option<&[String]>) -> Vec<ChatMessage> {
        let numbered = |all: &[String]| -> String {
            let lines =
                (1..).zip(all).map(|(number, words): (usize, _)| format!("[{number}] {}", quoted(words)));
            lines.collect::<Vec<_>>().join("\n")
        };
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
