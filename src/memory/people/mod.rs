//! Notes about people: one file per account, kept in step with the folder.
//!
//! Files are read when they changed and never on an async thread. Start at [`PeopleNotes`].

mod folder;
mod note;
mod roster;

pub use note::{Note, Section};
pub use roster::Roster;

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

    /// Every readable note. Looks at each file's size and time, and reads those that changed, on a blocking thread.
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
