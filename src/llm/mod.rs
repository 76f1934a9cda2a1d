//! Language models.
//!
//! Owns the [`CompletionModel`] trait (all that other rooms see), its clients, the slots and what they cost.
//! Must not know prompts' meaning, stores or Discord. Start reading at [`CompletionModel`].

mod api;
mod rehearsal;

pub use api::{
    AttemptReport, CompletionModel, CompletionRequest, CompletionStream, Delta, ModelDescription, ModelError,
    SharedModel, ToolCallDelta,
};
pub use rehearsal::{ExampleLine, RehearsalModel, RehearsalScript};
