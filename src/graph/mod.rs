//! How people, topics, notes and messages hang together (specs mechanisms G1 to G8, A11).
//!
//! Owns a graph in memory that is derived from the history and the notes, kept in step with both, and looked at only
//! through a [`Lens`]: what everybody present could already see. Must not know prompts, models or rims. Start reading at
//! [`Graph`].

mod beside;
mod dependents;
mod edge;
mod fold;
mod keep;
mod log;
mod node;
mod notes;
mod path;
mod search;
mod sight;
mod social;
mod source;
mod stance;
mod store;
#[cfg(test)]
mod tests;
mod told;
mod turns;
mod vectors;

pub use dependents::Dependent;
pub use edge::EdgeKind;
pub use keep::{Counts, Difference, GraphError};
pub use node::{InvalidNode, NodeId, NodeKind};
pub use path::{Near, Path, Step};
pub use search::{Hit, SearchClass};
pub use sight::{Bond, EVIDENCE, Lens, Named};
pub use social::{Expert, Mood, Standing};
pub use source::SourceId;
pub use told::{Teller, name};

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::history::History;
use crate::memory::Memory;
use crate::text::keywords;
use fold::Fold;
use keep::Upkeep;
use search::{CacheKey, SearchCache};

/// The graph of one familiar. Empty until [`Self::keep_up`] is first called; every question afterwards is answered from
/// memory, in microseconds, and as of the last time.
#[derive(Debug)]
pub struct Graph {
    upkeep: Arc<Upkeep>,
    cache: Mutex<SearchCache>,
}

impl Graph {
    /// Of this history and these notes. Writes nothing: a start reads everything anew.
    #[must_use]
    pub fn over(history: Arc<History>, memory: Arc<Memory>) -> Self {
        Self { upkeep: Upkeep::over(history, memory), cache: Mutex::default() }
    }

    /// From the next time it is brought up to date on, keeps a log in `memory/.index/`, so that a start reads on where
    /// the last one stopped. To be said before anything is read.
    pub async fn keep_log(&self) {
        let file = self.upkeep.memory.store.root().join(keep::FOLDER).join(keep::FILE);
        self.upkeep.keeper.lock().await.log_to(file);
    }

    /// What two things have to do with each other, directly: all bonds between them.
    #[must_use]
    pub fn between(&self, a: &NodeId, b: &NodeId, lens: &Lens) -> Vec<Bond> {
        self.look(lens, |fold, sight| match (fold.store.find(a), fold.store.find(b)) {
            (Some(a), Some(b)) => fold.store.between(a, b, sight),
            _ => Vec::new(),
        })
    }

    /// Ways from any of some things to any of others, the nearest first. Every edge of every way is seen through the
    /// lens.
    #[must_use]
    pub fn paths(&self, from: &[NodeId], to: &[NodeId], most: usize, lens: &Lens) -> Vec<Path> {
        self.look(lens, |fold, sight| {
            let find =
                |ids: &[NodeId]| -> Vec<u32> { ids.iter().filter_map(|id| fold.store.find(id)).collect() };
            let (from, to) = (find(from), find(to));
            if from.is_empty() || to.is_empty() || from.iter().any(|at| to.contains(at)) {
                return Vec::new();
            }
            fold.store.paths(&from, &to, most, sight)
        })
    }

    /// What lies around something within `hops` steps, the nearest first.
    #[must_use]
    pub fn around(&self, of: &NodeId, hops: u8, most: usize, lens: &Lens) -> Vec<Near> {
        self.look(lens, |fold, sight| match fold.store.find(of) {
            Some(at) => fold.store.around(at, hops, most, sight),
            None => Vec::new(),
        })
    }

    /// How two people stand to each other; `None` where nothing is seen between them.
    #[must_use]
    pub fn standing(&self, a: &NodeId, b: &NodeId, now: Timestamp, lens: &Lens) -> Option<Standing> {
        self.look(lens, |fold, sight| {
            fold.store.standing(fold.store.find(a)?, fold.store.find(b)?, now, sight)
        })
    }

    /// People of a name, or of the beginning of one, as far as it may be known here that they have it.
    #[must_use]
    pub fn called(&self, name: &str, lens: &Lens) -> Vec<Named> {
        self.look(lens, |fold, sight| {
            fold.store.called(name, sight).into_iter().filter_map(|at| fold.store.named(at, sight)).collect()
        })
    }

    /// Who knows about what these words are about, best first.
    #[must_use]
    pub fn experts(&self, words: &str, now: Timestamp, most: usize, lens: &Lens) -> Vec<Expert> {
        self.look(lens, |fold, sight| {
            let topics: Vec<u32> = keywords::terms(words)
                .iter()
                .filter_map(|stem| fold.store.find(&NodeId::topic(stem)))
                .collect();
            fold.store.experts(&topics, now, most, sight)
        })
    }

    /// What is called up by words and by likeness, best first (specs mechanisms G5). The answers of the last 128
    /// questions are kept, each for its own circle of people and for as long as nothing changes.
    #[must_use]
    pub fn search(&self, text: &str, class: SearchClass, most: usize, lens: &Lens) -> Arc<[Hit]> {
        self.look(lens, |fold, sight| {
            let generation = fold.store.generation();
            let key = CacheKey { generation, scope: lens.scope(), text: text.to_owned(), class, most };
            let kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&key);
            kept.unwrap_or_else(|| {
                let hits: Arc<[Hit]> = fold.store.search(text, class, most, sight).into();
                self.cache.lock().unwrap_or_else(PoisonError::into_inner).put(key, Arc::clone(&hits));
                hits
            })
        })
    }

    /// Everything that depends on something: what has to go with it, or to be looked at again (specs mechanisms G2,
    /// "blast radius"). The operator's view.
    #[must_use]
    pub fn dependents(&self, of: &NodeId) -> Vec<Dependent> {
        self.read(|fold| fold.store.dependents(of))
    }

    /// What something is called, through a lens.
    #[must_use]
    pub fn named(&self, id: &NodeId, lens: &Lens) -> Option<Named> {
        self.look(lens, |fold, sight| {
            let at = fold.store.find(id).filter(|at| fold.store.is_seen(*at, sight))?;
            fold.store.named(at, sight)
        })
    }

    /// A channel's name for people, as last told.
    #[must_use]
    pub fn channel_name(&self, channel: &str) -> Option<Arc<str>> {
        self.read(|fold| fold.channel_name(channel))
    }

    /// All bonds of one kind that are seen, in the order of their ends (the edges-by-type index).
    #[must_use]
    pub fn bonds_of(&self, kind: EdgeKind, lens: &Lens) -> Vec<Bond> {
        self.look(lens, |fold, sight| fold.store.bonds(fold.store.edges_of(kind), sight))
    }

    /// How large it is.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.read(|fold| {
            let (nodes, edges) = fold.store.counts();
            Counts { nodes, edges, messages: fold.standing(), notes: fold.hashes().count() }
        })
    }

    fn read<R>(&self, look: impl FnOnce(&Fold) -> R) -> R {
        look(&self.upkeep.fold.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn look<R>(&self, lens: &Lens, look: impl FnOnce(&Fold, &sight::Sight) -> R) -> R {
        self.read(|fold| look(fold, &lens.sight(&fold.store)))
    }
}
