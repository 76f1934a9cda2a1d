//! Notes about people: one file per account, kept in step with the folder.
//!
//! Files are read when they changed and never on an async thread. Start at [`PeopleNotes`].

mod folder;
mod note;
mod roster;
mod watch;
mod words;

pub use note::{Note, Section};
pub use roster::Roster;
pub use words::Holding;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use folder::Folder;

/// The notes of `memory/people/`, as they are on the disk whenever they are asked for: what somebody saved a moment
/// ago holds (specs mechanisms Y13).
#[derive(Debug)]
pub struct PeopleNotes {
    folder: Arc<Mutex<Folder>>,
}

impl PeopleNotes {
    /// The notes in a folder that need not exist. Reads nothing yet.
    #[must_use]
    pub fn in_folder(dir: PathBuf) -> Self {
        Self { folder: Arc::new(Mutex::new(Folder::new(dir))) }
    }

    /// Every readable note. Reads what changed, on a blocking thread: the kernel tells which files were touched, and
    /// where it cannot, each file's size and time do.
    pub async fn current(&self) -> Arc<Roster> {
        let folder = Arc::clone(&self.folder);
        let looked =
            tokio::task::spawn_blocking(move || folder.lock().unwrap_or_else(PoisonError::into_inner).look());
        match looked.await {
            Ok(roster) => roster,
            Err(error) => {
                tracing::warn!(%error, "the notes about people could not be looked at");
                Arc::default()
            }
        }
    }
}

#[cfg(test)]
mod tests;
