//! What the model made of turns, in `memory/.index/embeddings.sqlite`. Derived: whoever deletes it only makes the model
//! work again.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use rusqlite::{OptionalExtension, Transaction, params};
use rusqlite_migration::{M, Migrations};

use super::codes::Signs;
use crate::domain::{Audience, StoredId};
use crate::sqlite::{Database, DatabaseError};

static MIGRATIONS: LazyLock<Migrations<'static>> = LazyLock::new(|| {
    Migrations::new(vec![M::up(
        "CREATE TABLE models (
            id     INTEGER PRIMARY KEY,
            name   TEXT NOT NULL UNIQUE, -- of the model and of the history it read
            dims   INTEGER NOT NULL,
            turn   INTEGER NOT NULL DEFAULT 0, -- how far it has read
            change INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE turn_vectors (
            model    INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
            turn     INTEGER NOT NULL,
            audience TEXT NOT NULL,
            vector   BLOB NOT NULL,
            PRIMARY KEY (model, turn)
        ) STRICT, WITHOUT ROWID;
        -- Apart from the vectors: all of those are read at start, of these a few for each question.
        CREATE TABLE turn_tokens (
            model    INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
            turn     INTEGER NOT NULL,
            audience TEXT NOT NULL,
            tokens   BLOB NOT NULL,
            PRIMARY KEY (model, turn)
        ) STRICT;",
    )])
});

/// How far a model has read a history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadUpTo {
    pub turn: i64,
    /// The last change of a turn.
    pub change: i64,
}

/// What a turn became.
#[derive(Debug, Clone)]
pub struct TurnVector {
    pub turn: StoredId,
    pub audience: Audience,
    /// The turn as a whole.
    pub vector: Signs,
    pub tokens: Signs,
}

/// The open file, for one model and one history.
#[derive(Debug)]
pub struct VectorStore {
    database: Database,
    model: i64,
    dims: usize,
}

impl VectorStore {
    /// Opens or creates the file. What another model made of these turns stays until
    /// [`only_this_model`](Self::only_this_model): it is not lost when somebody only tries a model. `history` tells
    /// histories apart.
    ///
    /// # Errors
    /// When the file cannot be opened, or a newer version wrote it.
    pub async fn open(path: &Path, model: &str, dims: usize, history: &str) -> Result<Self, DatabaseError> {
        let database = Database::open(path, &MIGRATIONS).await?;
        let name = format!("{model} {history}");
        let kept = i64::try_from(dims).unwrap_or(i64::MAX);
        let model = database
            .write(move |tx| {
                tx.execute("INSERT OR IGNORE INTO models (name, dims) VALUES (?1, ?2)", params![name, kept])?;
                tx.query_row("SELECT id FROM models WHERE name = ?1", [&name], |row| row.get(0))
            })
            .await?;
        Ok(Self { database, model, dims })
    }

    /// How far the model has read.
    pub async fn read_up_to(&self) -> Result<ReadUpTo, DatabaseError> {
        let model = self.model;
        self.database
            .read(move |tx| {
                tx.query_row("SELECT turn, change FROM models WHERE id = ?1", [model], |row| {
                    Ok(ReadUpTo { turn: row.get(0)?, change: row.get(1)? })
                })
            })
            .await
    }

    /// Keeps what turns became, drops what belonged to those that are gone, and notes how far that was, all or nothing.
    pub async fn keep(
        &self,
        turns: Vec<TurnVector>,
        gone: Vec<StoredId>,
        read: ReadUpTo,
    ) -> Result<(), DatabaseError> {
        let model = self.model;
        self.database
            .write(move |tx| {
                for turn in gone {
                    drop_turn(tx, model, turn)?;
                }
                let mut vector = tx.prepare_cached(
                    "INSERT OR REPLACE INTO turn_vectors (model, turn, audience, vector) VALUES (?1, ?2, ?3, ?4)",
                )?;
                let mut words = tx.prepare_cached(
                    "INSERT OR REPLACE INTO turn_tokens (model, turn, audience, tokens) VALUES (?1, ?2, ?3, ?4)",
                )?;
                for one in turns {
                    let audience = one.audience.to_string();
                    vector.execute(params![model, one.turn.0, audience, one.vector.as_bytes()])?;
                    words.execute(params![model, one.turn.0, audience, one.tokens.as_bytes()])?;
                }
                tx.prepare_cached("UPDATE models SET turn = ?2, change = ?3 WHERE id = ?1")?
                    .execute(params![model, read.turn, read.change])
                    .map(drop)
            })
            .await
    }

    /// The vectors of turns after `after`, in order, at most so many.
    pub async fn vectors(&self, after: StoredId, most: u32) -> Result<Vec<(StoredId, Signs)>, DatabaseError> {
        let (model, dims) = (self.model, self.dims);
        self.database
            .read(move |tx| {
                tx.prepare_cached(
                    "SELECT turn, vector FROM turn_vectors WHERE model = ?1 AND turn > ?2 ORDER BY turn LIMIT ?3",
                )?
                .query_map(params![model, after.0, most], |row| {
                    Ok((StoredId(row.get(0)?), Signs::from_bytes(row.get(1)?, dims)))
                })?
                .collect()
            })
            .await
    }

    /// The tokens of these turns, of those that were said before one of the audiences.
    pub async fn tokens(
        &self,
        turns: Vec<StoredId>,
        audiences: impl Fn(&Audience) -> bool + Send + 'static,
    ) -> Result<Vec<(StoredId, Signs)>, DatabaseError> {
        let (model, dims) = (self.model, self.dims);
        self.database
            .read(move |tx| {
                let mut one = tx.prepare_cached(
                    "SELECT audience, tokens FROM turn_tokens WHERE model = ?1 AND turn = ?2",
                )?;
                let mut found = Vec::with_capacity(turns.len());
                for turn in turns {
                    let row = one.query_row(params![model, turn.0], |row| {
                        Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
                    });
                    let Some((audience, signs)) = row.optional()? else { continue };
                    if audience.parse().is_ok_and(|audience| audiences(&audience)) {
                        found.push((turn, Signs::from_bytes(signs, dims)));
                    }
                }
                Ok(found)
            })
            .await
    }

    /// Drops what other models made: this one has read everything.
    pub async fn only_this_model(&self) -> Result<(), DatabaseError> {
        let model = self.model;
        self.database
            .write(move |tx| {
                for table in ["turn_vectors", "turn_tokens"] {
                    tx.execute(&format!("DELETE FROM {table} WHERE model <> ?1"), [model])?;
                }
                tx.execute("DELETE FROM models WHERE id <> ?1", [model]).map(drop)
            })
            .await
    }

    /// Folds what was written into the file and closes it.
    ///
    /// # Errors
    /// When the write-ahead log could not be folded in; nothing is lost then.
    pub async fn close(&self) -> Result<(), DatabaseError> {
        self.database.close().await
    }
}

/// What a model made of turns, as it lies in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelVectors {
    /// The model and the history it read.
    pub name: String,
    /// The last turn it has read.
    pub read: StoredId,
    /// The last change of a turn it has followed.
    pub change: i64,
    /// The turns it has a vector of.
    pub turns: BTreeSet<StoredId>,
    /// Turns of which it has a vector or tokens, but not both.
    pub halves: usize,
}

/// What every model made of turns, in a file that may be open elsewhere; none where there is no file.
///
/// # Errors
/// When the file cannot be opened or read.
pub async fn kept_vectors(path: &Path) -> Result<Vec<ModelVectors>, DatabaseError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let database = Database::open(path, &MIGRATIONS).await?;
    let kept = database
        .read(|tx| {
            let models: Vec<(i64, String, i64, i64)> = tx
                .prepare("SELECT id, name, turn, change FROM models ORDER BY name")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let mut kept = Vec::new();
            for (id, name, read, change) in models {
                let of = |table: &str| -> rusqlite::Result<BTreeSet<StoredId>> {
                    tx.prepare(&format!("SELECT turn FROM {table} WHERE model = ?1"))?
                        .query_map([id], |row| row.get(0).map(StoredId))?
                        .collect()
                };
                let (turns, tokens) = (of("turn_vectors")?, of("turn_tokens")?);
                let halves = turns.symmetric_difference(&tokens).count();
                kept.push(ModelVectors { name, read: StoredId(read), change, turns, halves });
            }
            Ok(kept)
        })
        .await?;
    database.close().await?;
    Ok(kept)
}

/// Drops what any model made of these turns, in a file that may be open elsewhere; nothing of it stays in the file. Where
/// there is no file there is nothing to drop.
///
/// # Errors
/// When the file cannot be opened or written.
pub async fn forget_turns(path: &Path, turns: Vec<StoredId>) -> Result<(), DatabaseError> {
    if !path.exists() {
        return Ok(());
    }
    let database = Database::open(path, &MIGRATIONS).await?;
    database
        .write(move |tx| {
            let models: Vec<i64> = tx
                .prepare("SELECT id FROM models")?
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            models
                .into_iter()
                .try_for_each(|model| turns.iter().try_for_each(|turn| drop_turn(tx, model, *turn)))
        })
        .await?;
    database.scrub().await?;
    database.close().await
}

fn drop_turn(tx: &Transaction<'_>, model: i64, turn: StoredId) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM turn_vectors WHERE model = ?1 AND turn = ?2",
        "DELETE FROM turn_tokens WHERE model = ?1 AND turn = ?2",
    ] {
        tx.prepare_cached(sql)?.execute(params![model, turn.0])?;
    }
    Ok(())
}
