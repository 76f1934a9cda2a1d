//! The log behind the graph: `memory/.index/graph.sqlite` (specs mechanisms G7).
//!
//! An event stands in the log before it is in the graph. Every [`CHECKPOINT`] events what still counts of them is moved
//! into the checkpoint, and the log begins anew; a start reads the checkpoint and what the log has behind it. Of what is
//! told of one message or note only the newest counts: what it replaces is erased, so that words that were taken back do
//! not lie on here. All of it is derived and may be deleted at any time. Start reading at [`GraphLog`].

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Transaction, params};
use rusqlite_migration::{M, Migrations};

use super::fold::Event;
use crate::history::Mark;
use crate::sqlite::{Database, DatabaseError};

static MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

/// A step that was released is never edited; add the next one.
const STEPS: &[M<'static>] = &[M::up(include_str!("schema/01_graph.sql"))];

/// What events mean changes with the program: a log of another number is made anew.
const READS: i64 = 1;

/// So many events in the log, and a checkpoint is made.
pub(super) const CHECKPOINT: u64 = 1_000;

/// Events handed over at once when the log is read.
const BATCH: u32 = 5_000;

/// The log, open.
#[derive(Debug)]
pub(super) struct GraphLog {
    database: Database,
}

/// How far a log had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// In the history.
    pub mark: Mark,
    /// The number of its last event.
    pub seq: i64,
}

impl GraphLog {
    /// Opens it; made anew where it cannot be used, or belongs to another history or version.
    pub(super) async fn open(file: &Path, history: &str) -> Result<Self, DatabaseError> {
        let log = match Database::open(file, &MIGRATIONS).await {
            Ok(database) => Self { database },
            Err(error) => {
                tracing::warn!(%error, "the log of the graph is made anew");
                remove(file);
                Self { database: Database::open(file, &MIGRATIONS).await? }
            }
        };
        let own = history.to_owned();
        let is_ours = log.database.read(move |tx| is_ours(tx, &own)).await.unwrap_or(false);
        if !is_ours {
            log.clear(history).await?;
        }
        Ok(log)
    }

    /// How far it had come.
    pub(super) async fn place(&self) -> Result<Place, DatabaseError> {
        self.database
            .read(|tx| {
                tx.query_row("SELECT turn, change, seq FROM place", [], |row| {
                    Ok(Place { mark: Mark::new(row.get(0)?, row.get(1)?), seq: row.get(2)? })
                })
            })
            .await
    }

    /// What counts, a piece at a time: of the checkpoint, then of the log. `after` is the last number handed over.
    pub(super) async fn events(&self, after: i64) -> Result<(Vec<Event>, Option<i64>), DatabaseError> {
        self.database
            .read(move |tx| {
                let mut rows = tx.prepare_cached(
                    "SELECT seq, event FROM (SELECT seq, event FROM checkpoint WHERE seq > ?1
                     UNION ALL SELECT seq, event FROM log WHERE seq > ?1) ORDER BY seq LIMIT ?2",
                )?;
                let mut last = None;
                let mut events = Vec::new();
                let mut found = rows.query(params![after, BATCH])?;
                while let Some(row) = found.next()? {
                    last = Some(row.get(0)?);
                    let text: String = row.get(1)?;
                    // One that cannot be read is told again by what it was made of, at the latest by `rebuild`.
                    events.extend(serde_json::from_str::<Event>(&text).ok());
                }
                Ok((events, last))
            })
            .await
    }

    /// Writes events down, and how far the history was followed, together or not at all.
    pub(super) async fn append(&self, events: &[Event], mark: Mark) -> Result<(), DatabaseError> {
        let rows: Vec<(String, bool, String)> = events
            .iter()
            .filter_map(|event| Some((event.key(), event.is_gone(), serde_json::to_string(event).ok()?)))
            .collect();
        self.database
            .write(move |tx| {
                // What is replaced is overwritten, not only unlinked.
                tx.pragma_update(None, "secure_delete", true)?;
                let mut seq: i64 = tx.query_row("SELECT seq FROM place", [], |row| row.get(0))?;
                for (key, _, event) in &rows {
                    seq += 1;
                    tx.prepare_cached("DELETE FROM log WHERE source = ?1")?.execute([key])?;
                    tx.prepare_cached("DELETE FROM checkpoint WHERE source = ?1")?.execute([key])?;
                    tx.prepare_cached("INSERT INTO log (seq, source, event) VALUES (?1, ?2, ?3)")?
                        .execute(params![seq, key, event])?;
                }
                let (turn, change) = mark.numbers();
                tx.execute("UPDATE place SET turn = ?1, change = ?2, seq = ?3", params![turn, change, seq])?;
                let waiting: i64 = tx.query_row("SELECT count(*) FROM log", [], |row| row.get(0))?;
                if waiting.unsigned_abs() >= CHECKPOINT {
                    checkpoint(tx)?;
                }
                Ok(())
            })
            .await
    }

    /// Forgets everything.
    pub(super) async fn clear(&self, history: &str) -> Result<(), DatabaseError> {
        let history = history.to_owned();
        self.database
            .write(move |tx| {
                tx.pragma_update(None, "secure_delete", true)?;
                tx.execute_batch("DELETE FROM log; DELETE FROM checkpoint;")?;
                tx.execute(
                    "UPDATE place SET turn = 0, change = 0, seq = 0, history = ?1, reads = ?2",
                    params![history, READS],
                )
                .map(drop)
            })
            .await
    }

    /// Moves the journal into the file: what was erased stands nowhere any more.
    pub(super) async fn settle(&self) -> Result<(), DatabaseError> {
        self.database.scrub().await
    }

    pub(super) async fn close(&self) -> Result<(), DatabaseError> {
        self.database.close().await
    }

    /// How many events stand in the checkpoint and in the log.
    #[cfg(test)]
    pub(super) async fn lengths(&self) -> (i64, i64) {
        let count = |table: &'static str| {
            self.database.read(move |tx| {
                tx.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
            })
        };
        (count("checkpoint").await.unwrap(), count("log").await.unwrap())
    }
}

fn checkpoint(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    // What is gone needs no word any more: nothing older tells of it.
    tx.execute_batch(
        "INSERT INTO checkpoint (seq, source, event)
             SELECT seq, source, event FROM log WHERE event ->> 'did' NOT IN ('turn_gone', 'note_gone');
         DELETE FROM log;",
    )
}

fn is_ours(tx: &Transaction<'_>, history: &str) -> rusqlite::Result<bool> {
    tx.query_row("SELECT history = ?1 AND reads = ?2 FROM place", params![history, READS], |row| row.get(0))
}

fn remove(file: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        let _ = fs::remove_file(PathBuf::from(name));
    }
}
