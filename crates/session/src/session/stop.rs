//! Ending a turn, by whoever may, and what of it can no longer be undone by then.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use crate::domain::CancelReason;
use crate::tools::HasActed;

/// Shared by a conversation and the turn it runs.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    token: CancellationToken,
    reason: Arc<OnceLock<CancelReason>>,
    spoken: Arc<AtomicBool>,
    acted: HasActed,
}

impl Stop {
    /// A turn that also ends when `token` is cancelled from above (shutdown).
    pub(super) fn new(token: CancellationToken) -> Self {
        Self { token, reason: Arc::default(), spoken: Arc::default(), acted: HasActed::default() }
    }

    /// Ends the turn; the first reason counts.
    pub(super) fn stop(&self, reason: CancelReason) {
        self.reason.get_or_init(|| reason);
        self.token.cancel();
    }

    /// The reason, once the turn has been ended. Ended from above means shutdown.
    pub(super) fn reason(&self) -> Option<CancelReason> {
        self.token.is_cancelled().then(|| self.reason.get().copied().unwrap_or(CancelReason::Shutdown))
    }

    /// Resolves when the turn is ended.
    pub(super) async fn stopped(&self) -> CancelReason {
        self.token.cancelled().await;
        self.reason().unwrap_or(CancelReason::Shutdown)
    }

    /// What this gives, unless the turn is ended before.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, CancelReason> {
        tokio::select! {
            biased;
            reason = self.stopped() => Err(reason),
            given = work => Ok(given),
        }
    }

    /// Told when a tool begins to do something.
    pub(super) fn acts(&self) -> HasActed {
        self.acted.clone()
    }

    /// Whether something was done: begun anew, the turn would do it once more.
    pub(super) fn has_acted(&self) -> bool {
        self.acted.get()
    }

    pub(super) fn mark_spoken(&self) {
        self.spoken.store(true, Ordering::Release);
    }

    /// Whether something was delivered.
    pub(super) fn has_spoken(&self) -> bool {
        self.spoken.load(Ordering::Acquire)
    }
}
