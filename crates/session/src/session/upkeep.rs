//! What conversations have done for them behind the scenes.

use std::sync::Arc;
use std::time::Duration;

use crate::context::recall::MeaningReader;
use crate::domain::Place;
use crate::workers::Workers;

/// The longest a reply waits for room to be made, where there is none left (specs familiar-connect 1.7).
pub(super) const ROOM_WAIT: Duration = Duration::from_secs(12);

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
