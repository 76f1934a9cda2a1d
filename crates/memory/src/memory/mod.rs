//! What is believed: notes as Markdown files that anybody may read and edit.
//!
//! Owns the files, what their lines say and to whom, and what is derived from them. Must not know prompts, ranking or
//! models. Start reading at [`Memory`].

pub mod change;
mod check;
pub mod facts;
mod follow;
pub mod forget;
pub mod grep;
pub mod index;
pub mod people;
mod seen;
pub mod stated;
pub mod store;
mod watch;

pub use check::{LostHistory, NoteProblem, lost_history, newest_evidence_in, problems};
pub use follow::{NoteTold, NotesFollower};
pub use seen::{SeenNotes, WholeNotes};

use std::sync::Arc;

use crate::clock::{SharedClock, SystemClock};
use crate::home::FamiliarHome;

use index::NotesIndex;
use people::PeopleNotes;
use store::{MemoryStore, NotePath};
use watch::FolderWatch;

/// Everything a familiar believes.
#[derive(Debug)]
pub struct Memory {
    store: Arc<MemoryStore>,
    people: PeopleNotes,
    /// Where words stand in the files.
    index: NotesIndex,
    watch: Arc<FolderWatch>,
}

impl Memory {
    /// The memory of the familiar that lives there. Reads nothing yet.
    pub fn at(home: &FamiliarHome) -> Self {
        Self::by_the_clock(home, Arc::new(SystemClock))
    }

    /// The same, where another clock says when something was written.
    pub fn by_the_clock(home: &FamiliarHome, clock: SharedClock) -> Self {
        let store = Arc::new(MemoryStore::in_folder(home.memory_dir(), clock));
        let watch = Arc::new(FolderWatch::of(home.memory_dir()));
        Self {
            people: PeopleNotes::of(Arc::clone(&watch)),
            index: NotesIndex::of(Arc::clone(&store), Arc::clone(&watch)),
            store,
            watch,
        }
    }

    /// Follows the notes from the beginning, but for those that are `known` by the hash of their bytes.
    pub fn follow_notes(&self, known: impl IntoIterator<Item = (NotePath, String)>) -> NotesFollower {
        NotesFollower::new(Arc::clone(&self.store), Arc::clone(&self.watch), known)
    }
}
