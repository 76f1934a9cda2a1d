//! What is done behind the scenes: jobs that make something of what was said, off the path of every reply.
//!
//! Owns the list of jobs, who is woken when, how often a model may be asked, and the end of it all. Must not know
//! sessions, prompts or adapters: it is woken with a place and leaves its results in the stores. Start reading at
//! [`Workers`].

mod ask;
mod digest;
mod job;
mod journal;
mod lessons;
mod noting;
pub mod sleep;
mod summaries;
mod supervisor;
mod wording;
mod writer;

pub use job::WorkerParts;
pub use supervisor::Workers;
pub use writer::{AskedNote, AskedNoteError, AskedNoteFate, topic_note};
