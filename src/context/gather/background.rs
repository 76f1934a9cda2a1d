//! Work that goes on behind the turns: answers that came too late for one, and answers fetched ahead for the next.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

/// At once. What comes when all are taken is given up: it would only have been of use a little later.
pub const BACKGROUND_MAX: usize = 32;

/// Longer than this nothing goes on behind a turn; the next one asks anew.
const GRACE: Duration = Duration::from_secs(30);

/// The tasks behind the turns of one familiar; they end with it.
#[derive(Debug)]
pub(super) struct Background {
    tasks: TaskTracker,
    closing: CancellationToken,
    places: Arc<Semaphore>,
}

impl Default for Background {
    fn default() -> Self {
        Self {
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            places: Arc::new(Semaphore::new(BACKGROUND_MAX)),
        }
    }
}

impl Background {
    /// Lets a task that already runs go on.
    pub(super) fn go_on(&self, work: AbortOnDropHandle<()>) {
        self.run(async move {
            // It says itself what went wrong.
            let _ended = work.await;
        });
    }

    /// Runs something, if there is room.
    pub(super) fn run(&self, work: impl Future<Output = ()> + Send + 'static) {
        if self.closing.is_cancelled() {
            return;
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else { return };
        let closing = self.closing.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = closing.cancelled() => {}
                _ended = timeout(GRACE, work) => {}
            }
            drop(place);
        });
    }

    pub(super) fn close(&self) {
        self.closing.cancel();
        self.tasks.close();
    }

    /// Waits until nothing runs any more, nor is about to.
    pub(super) async fn idle(&self) {
        let all = u32::try_from(BACKGROUND_MAX).unwrap_or(u32::MAX);
        // Never closed.
        let _all = self.places.acquire_many(all).await;
    }

    /// How many run.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.tasks.len()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}
