//! Gives the embedding model what is said, as soon as there is a model, beside everything else.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use super::meaning::{Meaning, MeaningError, Pace};
use crate::embedding::Standing;
use crate::history::History;

/// Reads on whenever it is told that something was said. Stops when dropped; what was read stays read.
#[derive(Debug)]
pub struct MeaningReader {
    came: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

impl MeaningReader {
    /// Starts reading as soon as the model is ready.
    pub fn start(meaning: Arc<Meaning>, history: Arc<History>) -> Self {
        let came = Arc::new(Notify::new());
        let task = tokio::spawn(read(meaning, history, Arc::clone(&came)));
        Self { came, _task: AbortOnDropHandle::new(task) }
    }

    /// Something was said. Never waits.
    pub fn wake(&self) {
        self.came.notify_one();
    }
}

async fn read(meaning: Arc<Meaning>, history: Arc<History>, came: Arc<Notify>) {
    if !matches!(meaning.embeddings().settled().await, Standing::Ready { .. }) {
        return;
    }
    loop {
        match meaning.catch_up(&history, Pace::Beside).await {
            Ok(0) => {}
            Ok(turns) => tracing::debug!(turns, "the embedding model has read on"),
            Err(MeaningError::NotReady) => return,
            Err(error) => tracing::warn!(%error, "what was said could not be given to the embedding model"),
        }
        came.notified().await;
    }
}
