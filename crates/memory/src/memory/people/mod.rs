//! Notes about people: one file per account, kept in step with the folder.
//!
//! Files are read when they changed and never on an async thread. Start at `PeopleNotes`.

mod accounts;
mod aliases;
mod folder;
mod note;
mod roster;

pub use accounts::{JoinNotesError, JoinPlan, finish_joining, join, part, plan_join};
pub(super) use aliases::problem as alias_problem;
pub use aliases::{Alias, AliasError, merged, remember, unlearn};
pub(super) use aliases::{merged_files, without_aliases};
pub use note::{Section, SeenNote, SeenPerson};
pub use roster::SeenPeople;

use std::sync::Arc;

use parking_lot::Mutex;

use super::watch::FolderWatch;
use crate::domain::Visible;
use folder::PeopleFolder;

/// The notes of `memory/people/`, as they are on the disk whenever they are asked for: what somebody saved a moment
/// ago holds (Y13).
#[derive(Debug)]
pub(super) struct PeopleNotes {
    folder: Arc<Mutex<PeopleFolder>>,
}

impl PeopleNotes {
    /// The notes in a memory folder that need not exist. Reads nothing yet.
    pub(super) fn of(watch: Arc<FolderWatch>) -> Self {
        Self { folder: Arc::new(Mutex::new(PeopleFolder::new(watch))) }
    }

    /// What may be seen of every readable note. Reads what changed, on a blocking thread: the kernel tells which files
    /// were touched, and where it cannot, each file's size and time do.
    pub(super) async fn seen_by(&self, visible: Visible) -> SeenPeople {
        let folder = Arc::clone(&self.folder);
        let looked = tokio::task::spawn_blocking(move || folder.lock().look());
        let roster = match looked.await {
            Ok(roster) => roster,
            Err(error) => {
                tracing::warn!(%error, "the notes about people could not be looked at");
                Arc::default()
            }
        };
        SeenPeople { roster, visible }
    }
}

#[cfg(test)]
mod tests;
