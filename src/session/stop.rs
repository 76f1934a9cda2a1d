//! Ending a turn from outside, with a reason, and knowing whether it has already spoken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use crate::domain::CancelReason;

/// Shared by a conversation and the turn it runs.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    token: CancellationToken,
    reason: Arc<OnceLock<CancelReason>>,
    spoken: Arc<AtomicBool>,
}

impl Stop {
    /// A turn that also ends when `token` is cancelled from above (shutdown).
    pub(super) fn new(token: CancellationToken) -> Self {
        Self { token, reason: Arc::default(), spoken: Arc::default() }
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

    /// Something was delivered.
    pub(super) fn mark_spoken(&self) {
        self.spoken.store(true, Ordering::Release);
    }

    /// Whether something was delivered.
    pub(super) fn has_spoken(&self) -> bool {
        self.spoken.load(Ordering::Acquire)
    }
}
