//! Reflexes: exact answers to what a model can only guess (specs mechanisms A27).
//!
//! Owns the detectors, each a pure function from what is known to a fact, with the turns of phrase that ask for it, a
//! priority and a time to live. A detector fires only when the message asks. Must not know how facts reach a prompt.
//! Start reading at [`DETECTORS`], then [`Reflexes::facts`].

mod bond;
mod cache;
mod chance;
mod clock;
mod dates;
mod expression;
mod input;
mod message;
mod noted;
mod numbers;
mod people;
mod place;
mod program;
mod table;
#[cfg(test)]
pub(in crate::context) mod tests;
mod units;
mod words;

pub use cache::Reflexes;
pub use input::{LookedUp, NotesKnown, ReflexInput};
pub use table::DETECTORS;

use std::time::Duration;

use super::contribution::Trust;

/// Something the program knows for certain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// One or two sentences.
    pub text: String,
    /// The program's own sentence, or one that quotes what somebody wrote.
    pub trust: Trust,
}

impl Fact {
    /// The program's own sentence; names and words of people in it are already made harmless.
    pub(super) fn of(text: impl Into<String>) -> Option<Self> {
        Some(Self { text: text.into(), trust: Trust::Program })
    }

    /// A sentence that repeats more than a name of what somebody wrote.
    pub(super) fn quoting(text: impl Into<String>) -> Option<Self> {
        Some(Self { text: text.into(), trust: Trust::Chat })
    }
}

/// One detector.
#[derive(Debug, Clone, Copy)]
pub struct Detector {
    /// Its name in traces.
    pub name: &'static str,
    /// 1 to 10; where there is room for few facts, the highest are told.
    pub priority: u8,
    /// How long a fact may be told again without looking; zero for what changes with every look.
    pub ttl: Duration,
    /// What has to be looked up for it.
    pub needs: Needs,
    /// Turns of phrase that ask for it: the section of its name in the files of [`phrases`](crate::text::phrases);
    /// empty for a detector that reads for itself.
    pub cues: &'static [String],
    /// What it finds.
    pub find: fn(&ReflexInput<'_>) -> Option<Fact>,
}

/// What a detector needs of the history and of what is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// How well the person is known.
    Acquaintance,
    /// What was said since the person last spoke.
    Missed,
    /// What is noted about people.
    Notes,
    /// How well the person is known, and what is noted about people.
    Inventory,
}

impl Needs {
    /// Whether the person's acquaintance is among it.
    #[must_use]
    pub fn acquaintance(self) -> bool {
        matches!(self, Self::Acquaintance | Self::Inventory)
    }

    /// Whether notes are among it.
    #[must_use]
    pub fn notes(self) -> bool {
        matches!(self, Self::Notes | Self::Inventory)
    }
}
