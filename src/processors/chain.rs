//! The processors of a familiar, in their order.

use std::sync::Arc;

use super::condensing::Condensing;
use super::filtering::Filtering;
use super::log::RunLog;
use super::outlet::Outlet;
use super::recast::Recast;
use super::seam::{Note, PostProcessor, PreProcessor, TurnView};
use super::speech::SpeechForm;
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
    condensing: Option<Arc<Condensing>>,
    filtering: Option<Arc<Filtering>>,
}

impl Processors {
    /// Processors in the order of their registration.
    #[must_use]
    pub fn new(before: Vec<Arc<dyn PreProcessor>>, after: Vec<Arc<dyn PostProcessor>>) -> Self {
        Self { before, after, condensing: None, filtering: None }
    }

    /// Those of every familiar: it thinks first; what it wrote is recast, then made speakable where it is spoken.
    #[must_use]
    pub fn standard(config: &Arc<LiveConfig>, models: &Arc<dyn ModelSource>) -> Self {
        let thinking = SteppedThinking::new(Arc::clone(config), Arc::clone(models));
        let recast = Recast::new(Arc::clone(config), Arc::clone(models));
        let condensing = Condensing::new(Arc::clone(config), Arc::clone(models));
        Self {
            condensing: Some(Arc::new(condensing)),
            filtering: Some(Arc::new(Filtering::new(Arc::clone(config), Arc::clone(models)))),
            ..Self::new(vec![Arc::new(thinking)], vec![Arc::new(SpeechForm), Arc::new(recast)])
        }
    }

    /// Whether what was found may be condensed in this turn: it is wanted, and nobody else asks a model before the
    /// reply's first word, so that no more than one call ever stands there.
    #[must_use]
    pub fn may_condense(&self, turn: &TurnView) -> bool {
        let is_wanted = self.condensing.as_ref().is_some_and(|condensing| condensing.is_wanted());
        is_wanted && self.asks_nobody_before(turn)
    }

    fn asks_nobody_before(&self, turn: &TurnView) -> bool {
        self.before.iter().all(|processor| processor.skips(turn).is_some())
    }

    /// Whether what was found may be filtered in this turn: it is wanted, and nobody else asks a model before the reply's
    /// first word.
    #[must_use]
    pub fn may_filter(&self, turn: &TurnView) -> bool {
        let is_wanted = self.filtering.as_ref().is_some_and(|filtering| filtering.is_wanted());
        is_wanted && self.asks_nobody_before(turn)
    }

    /// A side model's word on finds, numbered from 1, and the second time on lines of the notes too; `None` where nothing
    /// came of it, which `log` then says.
    pub async fn filter(
        &self,
        turn: &TurnView,
        question: &str,
        finds: &[String],
        lines: Option<&[String]>,
        log: &RunLog,
    ) -> Option<String> {
        self.filtering.as_ref()?.filter(turn, question, finds, lines, log).await
    }

    /// Excerpts, numbered from 1, told in a few lines that begin with the numbers they rest on; `None` where nothing
    /// came of it, which `log` then says.
    pub async fn condense(
        &self,
        turn: &TurnView,
        question: &str,
        excerpts: &[String],
        log: &RunLog,
    ) -> Option<String> {
        self.condensing.as_ref()?.condense(turn, question, excerpts, log).await
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
    #[must_use]
    pub fn outlet(&self, turn: &Arc<TurnView>, log: &RunLog) -> Outlet {
        Outlet::new(self.after.iter().rev().map(Arc::as_ref), turn, log)
    }
}

#[cfg(test)]
mod tests;
