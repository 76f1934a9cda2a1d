//! What is done before and after the main model in one turn.

use std::sync::Arc;

use super::seam::{Note, RunLog, TurnView};
use crate::config::LiveConfig;
use crate::domain::{ProcessorSide, ProcessorStatus};
use crate::llm::ModelSource;

/// What a familiar does around its main model. Before it, it thinks, or has a side model look at what was found; what the
/// main model wrote is recast, or made speakable where it is spoken. Hidden blocks are taken out first and last of all
/// (contradiction 23). Prompts and figures come from the live configuration.
#[derive(Debug, Clone)]
pub struct Processors {
    pub(super) config: Arc<LiveConfig>,
    pub(super) models: Arc<dyn ModelSource>,
}

impl Processors {
    pub fn new(config: Arc<LiveConfig>, models: Arc<dyn ModelSource>) -> Self {
        Self { config, models }
    }

    /// Runs what comes before the main model: hidden notes for its prompt. Whether it has nothing to do, fails or is late
    /// stands in `log`.
    pub async fn before(&self, turn: &TurnView, log: &RunLog) -> Vec<Note> {
        if let Some(why) = self.skips_thinking(turn) {
            log.skip("thinking", ProcessorSide::Before, why);
            return Vec::new();
        }
        let run = log.begin("thinking", ProcessorSide::Before);
        match self.think(turn, &run).await {
            Ok(notes) => {
                let own = notes.iter().filter(|note| note.earlier.is_none());
                let made = own.map(|note| note.text.as_str()).collect::<Vec<_>>().join("\n");
                run.end(ProcessorStatus::Ran, Some(made));
                notes
            }
            Err(trouble) => {
                tracing::debug!(turn = %turn.turn, %trouble, "no thoughts");
                run.trouble(trouble);
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests;
