//! Everything that can be looked up, in one place: the prompt, the tools and the command line ask the same
//! (A12).

use std::sync::Arc;
use std::time::Duration;

use super::{
    ConversationSource, DocumentSource, GraphSource, LoreSource, Meaning, NotesSource, Recall, RecallSource,
    SummarySource,
};
use crate::config::LiveConfig;
use crate::embedding::Reranking;
use crate::familiar::{LiveCharacter, LiveLore};
use crate::graph::Graph;
use crate::history::History;
use crate::memory::Memory;

/// No search goes on for longer, also where nobody waits for it any more.
const LONGEST: Duration = Duration::from_secs(10);

/// What a pipeline is made of, and can be looked up.
#[derive(Debug, Clone)]
pub struct PipelineParts {
    /// Who the familiar is; lore speaks of it.
    pub character: Arc<LiveCharacter>,
    /// How it is set up.
    pub config: Arc<LiveConfig>,
    /// What was said, and what was summed up of it.
    pub history: Arc<History>,
    pub memory: Arc<Memory>,
    /// What was said, by what it means, where a model may find that out.
    pub meaning: Option<Arc<Meaning>>,
    /// What puts finds in order once more, where that is wanted.
    pub reranking: Option<Reranking>,
}

impl PipelineParts {
    /// What was said, as it is searched.
    pub fn conversations(&self) -> ConversationSource {
        ConversationSource::new(Arc::clone(&self.history), self.meaning.clone())
    }
}

impl Recall {
    /// Searches everything there is; what was said by `said`.
    pub fn of(
        parts: &PipelineParts,
        graph: &Arc<Graph>,
        lore: &Arc<LiveLore>,
        said: Arc<ConversationSource>,
    ) -> Self {
        let PipelineParts { character, config, history, memory, reranking, .. } = parts;
        let sources: Vec<Arc<dyn RecallSource>> = vec![
            said,
            Arc::new(NotesSource { memory: Arc::clone(memory) }),
            Arc::new(LoreSource {
                lore: Arc::clone(lore),
                character: Arc::clone(character),
                config: Arc::clone(config),
            }),
            Arc::new(SummarySource { history: Arc::clone(history) }),
            Arc::new(DocumentSource { history: Arc::clone(history) }),
            Arc::new(GraphSource { graph: Arc::clone(graph) }),
        ];
        Self::over(sources, LONGEST).reranked_by(reranking.clone())
    }
}
