//! What is done around the main model: a character thinks before it answers, and what it wrote is polished, made
//! speakable and freed of thoughts before it leaves.
//!
//! Owns the chain (before in order, after in reverse order), stepped thinking, the recast passes and their guards, the
//! speech form and the stripping of hidden blocks. Must not know stores, prompts' layout or platforms: a turn hands in
//! what they need as a [`TurnView`]. Start reading at [`Processors`].

mod chain;
mod finds;
mod guards;
mod outlet;
mod recast;
mod seam;
mod tags;
#[cfg(test)]
mod testing;
mod thinking;

pub use chain::Processors;
pub use guards::{Passing, refusal_of_guards};
pub use outlet::{Finished, Outlet, SpeechForm};
pub use recast::Recast;
pub use seam::{
    CharacterView, Note, PastThoughts, PostProcessor, PreProcessor, RunLog, Running, Scene, SceneLine,
    SceneSource, SentenceWork, Trouble, TurnView, WholeWork, Work,
};
pub use tags::{TagFilter, strip_hidden};
pub use thinking::SteppedThinking;
