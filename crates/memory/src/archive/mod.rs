//! Memories as JSON lines: everything that was said and everything that is believed, in a form that any program can read
//! and this one can take back without loss (contradiction 19, M7).
//!
//! Owns the form, the way out and the way in, and how chats of another program come in. What is derived (indexes, summaries, vectors) is not among it; it is made
//! anew. Must not know where lines are written to. Start reading at [`export`].

mod read;
mod sillytavern;
#[cfg(test)]
mod tests;
mod write;

pub use read::{ImportError, Imported, import_archive};
pub use sillytavern::{ImportedChat, import_chat, is_chat};
pub use write::{ArchiveLine, ExportError, NoteLine, ResponseLine, Span, export};
