//! "Why did you say that?" — what every turn leaves behind, and how people read it.
//!
//! Owns the ring of the newest traces, `traces.db`, the x-ray view and the logging set-up. Must not know sessions,
//! prompts or platforms: it is handed finished [`TurnTrace`](crate::domain::TurnTrace)s. Start reading at
//! [`TraceStore`].

mod forget;
pub mod logging;
mod reader;
pub mod render;
mod seen;
mod store;
#[cfg(test)]
mod tests;
mod told;

pub use reader::{RecordWords, Rights, Sent, TraceReader, WordsAsked, find_words};
pub use seen::{SeenTraces, TraceViewer, TurnSeen, WholeTraces};
pub use store::{
    ErasedWords, Numbering, Silences, Spent, TraceError, TraceOptions, TraceStore, is_newer_record,
};
pub use told::{ToldWords, TurnTold};
