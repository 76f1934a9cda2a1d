//! Where words stand in the notes: `memory/.index/notes.sqlite`, derived from the files and kept in step with them.
//!
//! Before every search what changed on the disk is taken in, so that what somebody saved a moment ago is found. Who may see
//! what is part of the search itself. Owns passages and the index over them; must not know ranking or prompts. Start
//! reading at [`NotesIndex`].

mod keep;
mod passages;
mod rows;
mod search;
#[cfg(test)]
mod tests;
mod verify;

pub use passages::Passage;
pub use search::{FoundPassage, Hits};
pub use verify::Difference;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use rusqlite_migration::{M, Migrations};
use tokio::sync::{Mutex, OnceCell};
use tokio::task::JoinError;

use super::store::MemoryStore;
use super::watch::FolderWatch;
use crate::sqlite::{Database, DatabaseError};
use keep::IndexKeeper;

static MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

/// A step that was released is never edited; add the next one.
const STEPS: &[M<'static>] =
    &[M::up(include_str!("schema/01_notes.sql")), M::up(include_str!("schema/02_words.sql"))];

/// The file, in the folder of what is derived.
const FOLDER: &str = ".index";
const FILE: &str = "notes.sqlite";

/// Why the index could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("the index of the notes: {0}")]
    Database(#[from] DatabaseError),
    /// The memory folder cannot be looked at.
    #[error(transparent)]
    Store(#[from] super::store::StoreError),
    /// The folder of the index cannot be made.
    #[error("cannot make {}: {source}", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("the look at the notes was broken off")]
    BrokenOff(#[from] JoinError),
}

/// The index over the notes of one familiar. Opens on the first question.
#[derive(Debug, Clone)]
pub struct NotesIndex {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<MemoryStore>,
    watch: Arc<FolderWatch>,
    folder: PathBuf,
    database: OnceCell<Database>,
    keeper: Mutex<IndexKeeper>,
}

impl NotesIndex {
    pub(super) fn of(store: Arc<MemoryStore>, watch: Arc<FolderWatch>) -> Self {
        let folder = store.root().join(FOLDER);
        Self::kept_in(folder, store, watch)
    }

    /// Over the same notes, but elsewhere: to compare.
    fn kept_in(folder: PathBuf, store: Arc<MemoryStore>, watch: Arc<FolderWatch>) -> Self {
        let keeper = Mutex::new(IndexKeeper::default());
        Self { shared: Arc::new(Shared { store, watch, folder, database: OnceCell::new(), keeper }) }
    }

    /// Takes in what changed on the disk since the last time, all of it. Goes on to its end when nobody waits any more.
    ///
    /// # Errors
    /// When the folder or the database cannot be used.
    pub async fn keep_up(&self) -> Result<(), IndexError> {
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move { shared.keep_up().await }).await?
    }

    /// Takes in what changed and leaves nothing of what is gone in the file.
    ///
    /// # Errors
    /// When the folder or the database cannot be used.
    pub async fn scrub(&self) -> Result<(), IndexError> {
        if !self.shared.store.root().is_dir() {
            return Ok(());
        }
        self.keep_up().await?;
        let database = self.shared.database().await?;
        // Removed words stand in the index as removed until its parts are joined.
        database
            .write(|tx| tx.execute("INSERT INTO words (words) VALUES ('optimize')", []).map(drop))
            .await?;
        Ok(database.scrub().await?)
    }

    /// Closes the database, if it was opened. Later questions get an error.
    ///
    /// # Errors
    /// When the last of the journal cannot be moved; nothing is lost then.
    pub async fn close(&self) -> Result<(), IndexError> {
        if let Some(database) = self.shared.database.get() {
            database.close().await?;
        }
        Ok(())
    }
}

impl Shared {
    /// The database; made anew where it cannot be used, since everything in it can be.
    async fn database(&self) -> Result<&Database, IndexError> {
        self.database
            .get_or_try_init(|| async {
                let made = fs::create_dir_all(&self.folder);
                made.map_err(|source| IndexError::Folder { path: self.folder.clone(), source })?;
                let file = self.folder.join(FILE);
                let told = "the index of the notes is made anew";
                Ok(Database::open_or_anew(&file, &MIGRATIONS, told).await?)
            })
            .await
    }
}
