//! What is believed: notes as Markdown files that anybody may read and edit.
//!
//! Owns reading `memory/people/` and who each note is for. Must not know prompts, ranking or models. Start reading at
//! [`Memory`].

pub mod people;

use crate::config::FamiliarHome;

use people::PeopleNotes;

/// Everything a familiar believes.
#[derive(Debug)]
pub struct Memory {
    /// About people.
    pub people: PeopleNotes,
}

impl Memory {
    /// The memory of the familiar that lives there. Reads nothing yet.
    #[must_use]
    pub fn at(home: &FamiliarHome) -> Self {
        Self { people: PeopleNotes::in_folder(home.memory_dir().join("people")) }
    }
}
