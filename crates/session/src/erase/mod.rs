//! Forgetting for good: what a person, a fact, a topic or a channel left in any store (contradiction 16).
//!
//! Capacity never removes a memory; people do. A request is looked at first (how much would go), told, and then carried out
//! everywhere: history, summaries, notes, names, waiting proposals, records of turns, vectors, indexes, caches, files for
//! people. It is written down before anything is touched, so that a crash in the middle is finished at the next start. For
//! seven days it can be undone by whoever asked for it, from a sealed copy; without one it is gone at once. What is left is a
//! tombstone that holds no word, by which an old backup that was put back forgets again.
//!
//! Whoever has several accounts is forgotten by all of them; that two are one person's is said here as well, so that nobody
//! becomes one with another while they are being forgotten.
//!
//! Owns what of all stores belongs to a request, and that nothing of it stays. Must not know platforms or the words people
//! read. Start reading at [`Eraser`].

mod eraser;
mod files;
mod journal;
pub mod posted;
mod preview;
mod request;
mod scope;
mod stores;
#[cfg(test)]
mod tests;
mod tombstone;

pub use eraser::{Eraser, Living, NobodyThere};
pub use preview::{FIRST, Preview};
pub use request::{Asker, ForgetRequest, ForgetWhat, KeepCopy, Plan};
pub use stores::{EraseError, Forgotten, Stores};
