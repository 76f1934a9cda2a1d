//! Letting the model of the slot `memory_search` look at what was found: it says what helps, or what to look for in the
//! notes (seed 004; familiar-connect 1.7, tier 3). Off unless it is switched on: the reply waits for one or two
//! requests.

use std::time::Duration;

use tokio::time::Instant;

use super::chain::Processors;
use super::seam::{RunLog, TurnView, unusable};
use super::tags::{block, quoted_as_data};
use crate::config::PromptName;
use crate::domain::{ProcessorSide, ProcessorStatus, Slot};
use crate::llm::CompletionRequest;

/// However much time the turn has: a reply that knows or says a little less is better than one that comes later.
const MOST: Duration = Duration::from_secs(6);

/// What the second question of a filter ends with.
const LAST: &str =
    "These are all the lines of your notes that match. There is no other look: answer with ANSWER.";

impl Processors {
    /// Whether a model may look at what was found in this turn: it is wanted, there is one for it, and nobody else asks one
    /// before the reply's first word, so that no other call ever stands there.
    pub fn may_look(&self, turn: &TurnView) -> bool {
        self.config.current().providers.recall.filter
            && unusable(&self.models.slot(Slot::MemorySearch).describe()).is_none()
            && self.skips_thinking(turn).is_some()
    }

    /// A side model's words on finds, which are numbered from 1; `None` where nothing came of it, which `log` then says.
    pub async fn look(
        &self,
        turn: &TurnView,
        question: &str,
        finds: &[String],
        lines: Option<&[String]>,
        log: &RunLog,
    ) -> Option<String> {
        let run = log.begin("filter", ProcessorSide::Before);
        let mut instructions = self.config.prompt(PromptName::Filter).to_string();
        let mut data = vec![block("to_answer", &quoted_as_data(question)), block("found", &numbered(finds))];
        if let Some(lines) = lines {
            data.push(block("notes", &numbered(lines)));
            instructions.push('\n');
            instructions.push_str(LAST);
        }
        let request = CompletionRequest {
            max_tokens: Some(250),
            ..CompletionRequest::instructed(Slot::MemorySearch, instructions, data.join("\n\n"))
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
}

/// Texts as data, each behind its number, from 1.
fn numbered(texts: &[String]) -> String {
    let lines =
        (1..).zip(texts).map(|(number, text): (usize, _)| format!("[{number}] {}", quoted_as_data(text)));
    lines.collect::<Vec<_>>().join("\n")
}
