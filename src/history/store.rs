//! The open history.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::domain::{Salt, TokenEncoding};
use crate::sqlite::{Database, DatabaseError};
use crate::text::tokens;

use super::pulse::Pulse;
use super::schema::MIGRATIONS;

/// Counts tokens; [`tokens::count`] unless a test listens in.
pub type TokenCounter = Arc<dyn Fn(TokenEncoding, &str) -> u32 + Send + Sync>;

/// How a history is kept.
#[derive(Clone)]
pub struct HistoryOptions {
    /// The encodings every turn is counted under when it is stored. Any other is counted when first asked for, and
    /// kept from then on.
    pub encodings: Vec<TokenEncoding>,
    /// What counts.
    pub counter: TokenCounter,
}

impl HistoryOptions {
    /// Counts under `encodings` as turns are stored.
    #[must_use]
    pub fn new(encodings: impl IntoIterator<Item = TokenEncoding>) -> Self {
        let mut encodings: Vec<_> = encodings.into_iter().collect();
        encodings.sort_unstable();
        encodings.dedup();
        Self { encodings, counter: Arc::new(tokens::count) }
    }
}

impl Default for HistoryOptions {
    /// Counts nothing in advance.
    fn default() -> Self {
        Self::new([])
    }
}

impl fmt::Debug for HistoryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HistoryOptions").field("encodings", &self.encodings).finish_non_exhaustive()
    }
}

/// Why the history could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The database refused. A write that failed left nothing behind.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// The record of what was said. Share it in an `Arc`; every method takes `&self`.
///
/// Writes queue up for one thread, reads for two. At most 64 calls wait for each; callers beyond that wait outside
/// the queue, so a stalled disk shows as slow turns and not as growing memory.
#[derive(Debug)]
pub struct History {
    pub(super) database: Database,
    pub(super) options: HistoryOptions,
    pub(super) pulse: Pulse,
    salt: Salt,
}

impl History {
    /// Opens or creates `history.db`. What an earlier process had acknowledged is there, however it ended.
    ///
    /// # Errors
    /// When the file cannot be opened, or a newer version wrote it.
    pub async fn open(path: &Path, options: HistoryOptions) -> Result<Self, HistoryError> {
        let database = Database::open(path, &MIGRATIONS).await?;
        let salt =
            database.read(|tx| tx.query_row("SELECT salt FROM installation", [], |row| row.get(0))).await?;
        Ok(Self { database, options, pulse: Pulse::default(), salt: Salt::new(salt) })
    }

    /// A value that only this history has, the same for as long as its file lives.
    #[must_use]
    pub fn salt(&self) -> &Salt {
        &self.salt
    }

    /// Finishes what is queued, folds the write-ahead log into the file and closes it. Later calls fail.
    ///
    /// # Errors
    /// When the log could not be folded in; nothing is lost then, the next start does it.
    pub async fn close(&self) -> Result<(), HistoryError> {
        Ok(self.database.close().await?)
    }
}
