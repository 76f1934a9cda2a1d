//! The context pipeline: [`TurnRequest`] in, [`Prompt`] and its figures out.
//!
//! Owns gathering, ingest, screening, budgeting and rendering. The stages are types — `Contribution` → `Chunk` →
//! `Screened` → `Budgeted` → `Prompt` — whose constructors are private to their stage, so that nothing reaches a prompt
//! unscreened. Must not know how a prompt is sent or where a reply goes. Start reading at [`ContextPipeline`].

mod budget;
mod case;
mod chunk;
mod contribution;
mod filter;
mod gather;
mod ingest;
mod layered;
mod layout;
mod live_st;
mod moments;
mod needed;
pub mod outlets;
mod pipeline;
mod plan;
mod providers;
pub mod pruning;
mod quality;
mod quote;
pub mod recall;
pub mod reflex;
mod request;
mod screen;
mod status;
mod tail;
mod variables;
mod warm;

use std::collections::HashSet;
use std::hash::Hash;

pub use budget::{BudgetPlan, Budgeted, HistoryBegan, HistoryCut, PromptTooLarge, fit, room_of_scenario};
pub use case::render_layered_case;
pub use chunk::{Chunk, Chunks};
pub use contribution::{
    Contribution, DOCUMENT_SOURCE, Facet, Importance, Need, Placement, Quoted, SharedCap, TailPart, Trust,
    TurnLine,
};
pub use filter::Sieve;
pub use ingest::ingest;
pub use pipeline::{Beside, ContextPipeline};
pub use plan::{Heard, HeardBy, Means, TOOLS_SHARE, classify, facets, plan_for};
pub use providers::{
    Addressee, CharacterSizes, addressee_of, character_macros, character_sizes, is_open, is_unfit_for,
    mood_word, noted_clock, skills_at_hand,
};
pub use recall::PipelineParts;
pub use request::{Prompt, TurnOpening, TurnRequest};
pub use screen::{Screened, may_be_used, screen};
pub use warm::{CalledBack, Lifetime, Recalling, WarmCache};

/// What was found, each once, in the order in which it was.
fn each_once<T: Clone + Eq + Hash>(found: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    found.into_iter().filter(|one| seen.insert(one.clone())).collect()
}
