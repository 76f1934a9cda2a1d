//! How far each background job has come.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::StoredId;

use super::{History, HistoryError};

impl History {
    /// The last turn that `worker` is done with in `scope` (a channel's id, an audience, or empty for all); `None`
    /// before its first pass.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn watermark(&self, worker: &str, scope: &str) -> Result<Option<StoredId>, HistoryError> {
        let (worker, scope) = (worker.to_owned(), scope.to_owned());
        let mark = self.database.read(move |tx| {
            tx.prepare_cached("SELECT last_turn_id FROM watermarks WHERE worker = ?1 AND scope = ?2")?
                .query_row([&worker, &scope], |row| row.get(0).map(StoredId))
                .optional()
        });
        Ok(mark.await?)
    }

    /// Moves a mark forward; one that is further already stays. A worker moves its mark on every way out, failures
    /// included, or it pays for the same turns again and again (specs familiar-connect 2.8).
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn advance_watermark(
        &self,
        worker: &str,
        scope: &str,
        done: StoredId,
        at: Timestamp,
    ) -> Result<(), HistoryError> {
        let (worker, scope) = (worker.to_owned(), scope.to_owned());
        Ok(self.database.write(move |tx| advance(tx, &worker, &scope, done, at)).await?)
    }
}

pub(super) fn advance(
    tx: &Transaction<'_>,
    worker: &str,
    scope: &str,
    done: StoredId,
    at: Timestamp,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO watermarks (worker, scope, last_turn_id, updated_at_ms) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (worker, scope) DO UPDATE
         SET last_turn_id = excluded.last_turn_id, updated_at_ms = excluded.updated_at_ms
         WHERE excluded.last_turn_id > last_turn_id",
    )?
    .execute(params![worker, scope, done.0, at.as_millisecond()])
    .map(drop)
}
