//! The processors of a familiar, in their order.

use std::sync::Arc;

use super::finds::Finds;
use super::outlet::Outlet;
use super::outlet::SpeechForm;
use super::recast::Recast;
use super::seam::RunLog;
use super::seam::{Note, PostProcessor, PreProcessor, TurnView};
use super::thinking::SteppedThinking;
use crate::config::LiveConfig;
use crate::domain::{ProcessorSide, ProcessorStatus};
use crate::llm::ModelSource;

/// All processors. Those before the main model run in the order of their registration, those after it in the reverse of
/// theirs, so that the first registered wraps all others. Hidden blocks are taken out first and last of all, whatever is
/// registered (specs mechanisms, contradiction 23).
#[derive(Debug, Clone, Default)]
pub struct Processors {
    before: Vec<Arc<dyn PreProcessor>>,
    after: Vec<Arc<dyn PostProcessor>>,
    finds: Option<Arc<Finds>>,
}

impl Processors {
    /// Processors in the order of their registration.
    pub fn new(before: Vec<Arc<dyn PreProcessor>>, after: Vec<Arc<dyn PostProcessor>>) -> Self {
        Self { before, after, finds: None }
    }

    /// Those of every familiar: it thinks first; what it wrote is recast, then made speakable where it is spoken.
    pub fn standard(config: &Arc<LiveConfig>, models: &Arc<dyn ModelSource>) -> Self {
        let thinking = SteppedThinking::new(Arc::clone(config), Arc::clone(models));
        let recast = Recast::new(Arc::clone(config), Arc::clone(models));
        let finds = Finds::new(Arc::clone(config), Arc::clone(models));
        Self {
            finds: Some(Arc::new(finds)),
            ..Self::new(vec![Arc::new(thinking)], vec![Arc::new(SpeechForm), Arc::new(recast)])
        }
    }

    /// Whether a model may look at what was found in this turn: it is wanted, and nobody else asks one before the reply's
    /// first word, so that no other call ever stands there.
    pub fn may_look(&self, turn: &TurnView) -> bool {
        let is_wanted = self.finds.as_ref().is_some_and(|finds| finds.is_wanted());
        is_wanted && self.before.iter().all(|processor| processor.skips(turn).is_some())
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
        self.finds.as_ref()?.look(turn, question, finds, lines, log).await
    }

    /// Runs what comes before the main model: hidden notes for its prompt, in the order of the processors. One that
    /// has nothing to do, fails or is late is named in `log`, and the others run all the same.
    pub async fn before(&self, turn: &TurnView, log: &RunLog) -> Vec<Note> {
        let mut notes = Vec::new();
        for processor in &self.before {
            let name = processor.name();
            if let Some(why) = processor.skips(turn) {
                log.skip(name, ProcessorSide::Before, why);
                continue;
            }
            let run = log.begin(name, ProcessorSide::Before);
            match processor.notes(turn, &run).await {
                Ok(given) => {
                    let own = given.iter().filter(|note| note.earlier.is_none());
                    let made = own.map(|note| note.text.as_str()).collect::<Vec<_>>().join("\n");
                    run.end(ProcessorStatus::Ran, Some(made));
                    notes.extend(given);
                }
                Err(trouble) => {
                    tracing::info!(turn = %turn.turn, processor = name, %trouble, "gave nothing");
                    run.trouble(trouble);
                }
            }
        }
        notes
    }

    /// The way out for one reply.
    pub fn outlet(&self, turn: &Arc<TurnView>, log: &RunLog) -> Outlet {
        Outlet::new(self.after.iter().rev().map(Arc::as_ref), turn, log)
    }
}

#[cfg(test)]
mod tests;
