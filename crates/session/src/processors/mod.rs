//! What is done around the main model: a character thinks before it answers, and what it wrote is polished, made
//! speakable and freed of thoughts before it leaves.
//!
//! Owns stepped thinking, the look at what was found, the recast passes and their guards, and the speech form. Must not know stores, prompts' layout or platforms: a turn hands in
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
pub use outlet::{Finished, Outlet};
pub use seam::{
    CharacterView, Note, PastThoughts, RunLog, Running, Scene, SceneLine, SceneReading, Trouble, TurnView,
};
