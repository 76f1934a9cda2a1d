//! The context pipeline: [`TurnRequest`] in, [`Prompt`] and its figures out.
//!
//! Owns gathering, ingest, weeding, budgeting and rendering. The stages are types — `Contribution` → `Chunk` →
//! `Weeded` → `Budgeted` → `Prompt` — whose constructors are private to their stage, so that nothing reaches a prompt
//! unweeded. Must not know how a prompt is sent or where a reply goes. Start reading at [`ContextPipeline`].

mod active_cache;
mod budget;
mod case;
mod chunk;
mod condense;
mod confidence;
mod contribution;
mod filter;
mod finds;
mod gather;
mod layered;
mod layout;
mod live_st;
mod moments;
mod needed;
pub mod outlets;
mod pipeline;
mod plan;
mod prompt;
pub mod providers;
pub mod pruning;
mod quality;
mod quote;
mod read_ahead;
pub mod recall;
pub mod reflex;
mod request;
mod skip;
mod spillover;
mod status;
mod tail;
mod variables;
mod weed;

pub use active_cache::ACTIVE_CACHE_MAX;
pub use budget::{BudgetPlan, Budgeted, HistoryCut, PromptTooLarge, fit};
pub use case::{CaseRenderError, render_layered_case};
pub use chunk::{Chunk, Chunks, ingest};
pub use condense::Condenser;
pub use contribution::{
    Contribution, DepthRole, Importance, Placement, Quoted, Share, TailPart, Trust, TurnLine,
};
pub use filter::Sieve;
pub use pipeline::{AssembleError, Beside, ContextPipeline, PipelineParts, Sides};
pub use plan::{Called, Heard, Means, classify, facets, plan_for};
pub use prompt::Prompt;
pub use providers::{
    CharacterSizes, ContextProvider, Facet, Kept, Lifetime, Need, Part, ProviderError, Wave, character_sizes,
    skills_at_hand,
};
pub use read_ahead::ReadAhead;
pub use request::TurnRequest;
pub use spillover::{CalledBack, Spilled, Spillover, Wanted};
pub use weed::{Weeded, may_be_used, weed};
