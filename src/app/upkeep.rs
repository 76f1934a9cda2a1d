//! The jobs behind the scenes, as conversations know them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::context::recall::MeaningReader;
use crate::domain::{ChannelId, Place, WorkerRun};
use crate::session::Upkeep;
use crate::workers::Workers;

/// Passes on what conversations tell: neither room knows the other.
#[derive(Debug, Clone)]
pub struct BehindTheScenes {
    /// Summaries and the like.
    pub workers: Arc<Workers>,
    /// Gives the embedding model what was said; `None` where nothing is to be written.
    pub reader: Option<Arc<MeaningReader>>,
}

#[async_trait]
impl Upkeep for BehindTheScenes {
    fn wake(&self, place: &Place) {
        self.workers.wake(place);
        if let Some(reader) = &self.reader {
            reader.wake();
        }
    }

    fn conclude(&self, place: &Place) {
        self.workers.conclude(place);
    }

    async fn make_room(&self, place: &Place, at_most: Duration) {
        self.workers.make_room(place, at_most).await;
    }

    fn sum_up(&self, place: &Place) {
        self.workers.sum_up(place);
    }

    fn take_runs(&self, channel: &ChannelId) -> Vec<WorkerRun> {
        self.workers.take_runs(channel)
    }
}
