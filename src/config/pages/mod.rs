//! The Markdown files with settings on top that an operator adds to a familiar: prompt sections, skills, notes about
//! places.
//!
//! Owns reading the folders, what lies over what, and keeping the last good version of a file that has a mistake. Must
//! not know how a prompt is laid out. Start reading at [`Pages`].

pub(super) mod condition;
mod front;
pub(super) mod place_note;
pub(super) mod section;
mod shelf;
pub(super) mod skill;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use condition::{Condition, Fact, Lasting, Occasion, Passing, Setting};
pub use place_note::PlaceNote;
pub use section::{PromptSection, Stands, Weight};
pub(super) use shelf::Shelf;
pub use skill::{Origin, SKILL_MAX_TOKENS, Skill};

use crate::domain::ChannelMode;

/// Everything of that kind, as it is in force.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pages {
    sections: BTreeMap<ChannelMode, Vec<Arc<PromptSection>>>,
    skills: Vec<Arc<Skill>>,
    places: Vec<Arc<PlaceNote>>,
}

impl Pages {
    /// The sections of a mode, in the order they stand.
    #[must_use]
    pub fn sections(&self, mode: ChannelMode) -> &[Arc<PromptSection>] {
        self.sections.get(&mode).map_or(&[], Vec::as_slice)
    }

    /// The skills, by name.
    #[must_use]
    pub fn skills(&self) -> &[Arc<Skill>] {
        &self.skills
    }

    /// What was settled with places, by name.
    #[must_use]
    pub fn places(&self) -> &[Arc<PlaceNote>] {
        &self.places
    }
}
