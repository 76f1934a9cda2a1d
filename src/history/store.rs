//! The open history.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::{Salt, StoredId, TokenEncoding, TurnId};
use crate::sqlite::{Database, DatabaseError, FileHealth, from_sql, quick_check};
use crate::text::tokens;

use super::pulse::Pulse;
use super::schema::MIGRATIONS;

/// How long looking through the whole file may take.
const CHECK_WITHIN: Duration = Duration::from_secs(600);

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
        let database = Database::open_copying(path, &MIGRATIONS).await?;
        let salt =
            database.read(|tx| tx.query_row("SELECT salt FROM installation", [], |row| row.get(0))).await?;
        Ok(Self { database, options, pulse: Pulse::default(), salt: Salt::new(salt) })
    }

    /// Looks through the whole file, for as long as ten minutes at most, beside everything else. Where it is damaged nothing
    /// more is written to it, and the log says what to do.
    pub async fn check(&self) {
        let path = self.database.path().to_owned();
        match tokio::task::spawn_blocking(move || quick_check(&path, CHECK_WITHIN)).await {
            Ok(FileHealth::Damaged(complaints)) => {
                self.database.stop_writing(complaints.first().map_or("", String::as_str));
            }
            Ok(FileHealth::Unfinished) => tracing::debug!("the history is too large to be looked through"),
            Ok(FileHealth::Sound | FileHealth::Closed(_)) | Err(_) => {}
        }
    }

    /// The next message gets a larger number than this one, whatever is stored.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn begin_behind(&self, last: StoredId) -> Result<(), HistoryError> {
        let begun = self.database.write(move |tx| {
            tx.execute("DELETE FROM sqlite_sequence WHERE name = 'turns'", [])?;
            tx.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('turns', ?1)", [last.0]).map(drop)
        });
        Ok(begun.await?)
    }

    /// The newest turn that gave a reply which is stored, and how many messages there are in all.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn extent(&self) -> Result<(TurnId, u64), HistoryError> {
        let read = self.database.read(|tx| {
            tx.query_row("SELECT coalesce(max(turn), 0), count(*) FROM turns", [], |row| {
                Ok((TurnId(from_sql(row.get(0)?)), from_sql(row.get(1)?)))
            })
        });
        Ok(read.await?)
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
