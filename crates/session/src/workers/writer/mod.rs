//! What of a conversation is remembered: facts, attributed and dated, in the notes (M5).
//!
//! Two jobs. [`TakeNotes`] needs no model: what people plainly say of themselves, and their names. [`WriteMemories`] shows
//! a model what was said and takes its answer for proposals, each of which is checked. Both read turns of one audience at
//! a time, so that what is written carries it, and both move their mark on every way out. Neither changes a line that a
//! person wrote.

mod asked;
mod check;
mod due;
mod shown;
mod take;
mod words;
mod write;

pub(super) use asked::note_down;
pub use asked::{AskedNote, AskedNoteError, AskedNoteFate};
pub use check::topic_note;
pub(super) use due::Conclusions;
pub(super) use take::TakeNotes;
pub(super) use write::{WATERMARK, WriteMemories};
