//! The jobs behind the scenes, as conversations know them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::domain::{ChannelId, Place, WorkerRun};
use crate::session::Upkeep;
use crate::workers::Workers;

/// Passes on what conversations tell: neither room knows the other.
#[derive(Debug, Clone)]
pub struct BehindTheScenes(pub Arc<Workers>);

#[async_trait]
impl Upkeep for BehindTheScenes {
    fn wake(&self, place: &Place) {
        self.0.wake(place);
    }

    async fn make_room(&self, place: &Place, at_most: Duration) {
        self.0.make_room(place, at_most).await;
    }

    fn take_runs(&self, channel: &ChannelId) -> Vec<WorkerRun> {
        self.0.take_runs(channel)
    }
}
