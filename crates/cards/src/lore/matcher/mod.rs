//! Which lore entries a chat calls up, in what order, and why each of the others stayed away.
//!
//! Owns SillyTavern 1.18's rules (cards-and-lore 4.2), the V3 decorators (2.4) and the search that may add to
//! them (4.3). Pure: a [`LoreScene`], settings and effects in, a [`LoreScan`] out; the same input always gives the same
//! output. Must not know prompts, stores or where books come from. Start reading at [`LoreLibrary::scan`].
//!
//! Where it departs from SillyTavern on purpose: a key that is only white space is no key; a member of two groups that
//! lost in one takes no part in the other's draw, and a group counts as served when a member was called up whatever
//! else that member belongs to; two entries of one number are both kept.

mod admission;
mod chance;
mod decorators;
mod entry;
mod finish;
mod gate;
mod groups;
mod index;
mod keys;
mod levels;
mod lookup;
mod outcome;
mod pattern;
mod rounds;
mod scene;
mod search;
mod settings;
mod shelf;
mod surface;
mod timed;

#[cfg(test)]
mod tests;

pub(super) use decorators::standing_of;
pub(super) use entry::{looks_in_card, unmodelled};
pub use index::WordForms;
pub(super) use keys::is_usable_pattern;
pub use lookup::LorePage;
pub use outcome::{BudgetUse, EntryOutcome, FiredEntry, LoreScan};
pub(super) use pattern::{in_slashes, slashed};
pub use scene::{CardTexts, LoreScene, SceneLine};
pub use settings::{Fallback, LoreMode, LoreSettings, WordBoundary};
pub use shelf::{LoreLibrary, Shelved};
