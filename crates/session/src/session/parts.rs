//! Everything a conversation works with, and how a request to one can fail.

use std::sync::Arc;

use crate::clock::SharedClock;
use crate::config::LiveConfig;
use crate::context::ContextPipeline;
use crate::context::recall::MeaningReader;
use crate::documents::{Documents, PictureUse};
use crate::domain::{FamiliarId, Place, Platform, Slot, TokenEncoding};
use crate::familiar::LiveCharacter;
use crate::history::History;
use crate::identity::Pairing;
use crate::llm::ModelSource;
use crate::processors::Processors;
use crate::tools::ToolBox;
use crate::trace::TraceStore;
use crate::workers::Workers;
use crate::world::World;

/// Everything a conversation works with.
#[derive(Debug)]
pub struct SessionParts {
    pub familiar: FamiliarId,
    pub character: Arc<LiveCharacter>,
    pub config: Arc<LiveConfig>,
    pub pairing: Arc<Pairing>,
    pub history: Arc<History>,
    pub traces: Arc<TraceStore>,
    pub pipeline: ContextPipeline,
    /// What is done around the main model.
    pub processors: Processors,
    /// What it can do besides talking.
    pub tools: Arc<ToolBox>,
    /// What reads the files that people show it.
    pub documents: Arc<Documents>,
    pub world: Arc<World>,
    pub models: Arc<dyn ModelSource>,
    /// Who makes something of what was said, behind the scenes.
    pub upkeep: Upkeep,
    pub clock: SharedClock,
}

impl SessionParts {
    /// How the main model counts tokens, and so how what was said is counted.
    pub(super) fn encoding(&self) -> TokenEncoding {
        self.models.slot(Slot::MainProse).describe().encoding
    }

    /// How pictures are looked at now; `None` where nobody looks at any.
    pub(super) fn picture_use(&self) -> Option<PictureUse> {
        let config = self.config.current();
        let main = config.llm.slots.get(&Slot::MainProse);
        match main.is_some_and(|main| main.sees_pictures) {
            true => Some(PictureUse::Shown),
            false => self.documents.sees().then_some(PictureUse::Described),
        }
    }
}

/// Who is told what was said, and never waited for but where a conversation has no room left.
#[derive(Debug, Clone)]
pub struct Upkeep {
    /// Summaries and the like.
    pub workers: Arc<Workers>,
    /// Gives the embedding model what was said; `None` where nothing is to be written.
    pub reader: Option<Arc<MeaningReader>>,
}

impl Upkeep {
    /// Something changed in a place. Returns at once.
    pub fn wake(&self, place: &Place) {
        self.workers.wake(place);
        if let Some(reader) = &self.reader {
            reader.wake();
        }
    }
}

/// Why an event was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    #[error("the familiar is shutting down")]
    Closed,
    /// No adapter speaks for that platform.
    #[error("nothing is connected that could answer on {}", .0.as_str())]
    NoOutbox(Platform),
}

/// Why a greeting was not posted.
#[derive(Debug, thiserror::Error)]
pub enum GreetError {
    /// The event could not be taken.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// The card has no greeting of that number.
    #[error("there are only {available} greetings")]
    NoSuchGreeting {
        /// How many there are here.
        available: usize,
    },
    #[error("{0}")]
    Undelivered(String),
}
