//! The seam between conversations and what is done for them behind the scenes.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;

use crate::domain::{ChannelId, Place, WorkerRun};

/// The longest a reply waits for room to be made, where there is none left (specs familiar-connect 1.7).
pub(super) const ROOM_WAIT: Duration = Duration::from_secs(12);

/// Who keeps the long past of conversations short. A conversation tells it when something was said, changed or taken
/// back, and never waits for it but in [`Self::make_room`].
#[async_trait]
pub trait Upkeep: Send + Sync + Debug {
    /// Something changed in a place. Returns at once.
    fn wake(&self, place: &Place);

    /// A conversation in a place is over for now, as when it is no longer read: what is worth remembering of it need not
    /// wait. Returns at once.
    fn conclude(&self, place: &Place);

    /// Before a prompt is made: returns at once, except where the conversation has no room left and some is just being
    /// made; then it waits, `at_most` that long.
    async fn make_room(&self, place: &Place, at_most: Duration);

    /// The model wants what was said longer ago summed up (specs mechanisms Y6). Returns at once.
    fn sum_up(&self, place: &Place);

    /// What was done for a place since this was last asked, for the trace of its next turn.
    fn take_runs(&self, channel: &ChannelId) -> Vec<WorkerRun>;
}
