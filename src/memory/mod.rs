//! What is believed: notes as Markdown files that anybody may read and edit.
//!
//! Owns the files, what their lines say and to whom, and what is derived from them. Must not know prompts, ranking or
//! models. Start reading at [`Memory`].

pub mod facts;
pub mod people;
pub mod store;

use std::sync::Arc;

use crate::clock::{SharedClock, SystemClock};
use crate::config::FamiliarHome;

use people::PeopleNotes;
use store::MemoryStore;

/// Everything a familiar believes.
#[derive(Debug)]
pub struct Memory {
    /// The files.
    pub store: Arc<MemoryStore>,
    /// About people.
    pub people: PeopleNotes,
}

impl Memory {
    /// The memory of the familiar that lives there. Reads nothing yet.
    #[must_use]
    pub fn at(home: &FamiliarHome) -> Self {
        Self::by_the_clock(home, Arc::new(SystemClock))
    }

    /// The same, where another clock says when something was written.
    #[must_use]
    pub fn by_the_clock(home: &FamiliarHome, clock: SharedClock) -> Self {
        Self {
            store: Arc::new(MemoryStore::in_folder(home.memory_dir(), clock)),
            people: PeopleNotes::in_folder(home.memory_dir().join("people")),
        }
    }
}
