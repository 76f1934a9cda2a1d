//! Looking things up by words and by likeness, fused as the question asks for it (specs mechanisms G5, M8).
//!
//! Owns the weights and what is kept of answers. Must not know prompts. Start reading at [`SearchClass`].

use std::collections::HashMap;
use std::sync::Arc;

use super::node::{NodeId, NodeKind};
use super::sight::Sight;
use super::store::{Name, Node, Store};
use super::vectors;
use crate::domain::Audience;
use crate::text::cues::Cues;
use crate::text::keywords;

/// Answers that are kept (specs mechanisms G1: 128).
pub(super) const KEPT: usize = 128;

/// Words of one question.
const WORDS: usize = 32;

/// A word that stands in none of so many names is as rare as can be.
const MANY: f32 = 10_000.0;

/// Likeness below this is chance.
const ALIKE: f32 = 0.2;

/// What sort of question it is; decides how much words and likeness count (specs mechanisms M8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchClass {
    /// Who somebody is.
    Identity,
    /// How something is done.
    Procedural,
    /// One particular thing.
    Specific,
    /// What something is, or why.
    Conceptual,
    /// Everything about something.
    Exploratory,
    /// Anything else.
    Plain,
}

impl SearchClass {
    /// Told by the words of a question.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let cues = Cues::of(text);
        if cues.any(&["who is", "who am i", "whats my name", "what is my name", "wer ist", "wer bin ich"]) {
            Self::Identity
        } else if cues.any(&[
            "how to",
            "how do i",
            "how do you",
            "how can i",
            "wie macht man",
            "wie kann ich",
        ]) {
            Self::Procedural
        } else if cues.any(&[
            "everything about",
            "anything about",
            "tell me about",
            "all about",
            "alles über",
        ]) {
            Self::Exploratory
        } else if cues.any(&["why", "what does it mean", "what is", "explain", "warum", "was ist"]) {
            Self::Conceptual
        } else if text.contains(['"', '“', '„']) || text.chars().any(|c| c.is_ascii_digit()) {
            Self::Specific
        } else {
            Self::Plain
        }
    }

    /// How much words and likeness count; together 1.
    #[must_use]
    pub fn weights(self) -> (f32, f32) {
        match self {
            Self::Identity => (0.9, 0.1),
            Self::Procedural => (0.6, 0.4),
            Self::Specific => (0.8, 0.2),
            Self::Conceptual => (0.2, 0.8),
            Self::Exploratory => (0.3, 0.7),
            Self::Plain => (0.4, 0.6),
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// What.
    pub node: NodeId,
    /// How it reads, by a name that may be seen.
    pub label: Arc<str>,
    /// Before whom that was learnt.
    pub audience: Audience,
    /// How well it fits, 0 to 1.
    pub score: f32,
}

impl Store {
    /// Nodes that a question calls up, best first, by names that are seen and nothing else.
    pub(super) fn search(&self, text: &str, class: SearchClass, most: usize, sight: &Sight) -> Vec<Hit> {
        let mut stems = keywords::terms(text);
        stems.sort_unstable();
        stems.dedup();
        stems.truncate(WORDS);
        let (by_words, by_likeness) = class.weights();
        // How much of the question's words a node's names hold. What is not seen counts for nothing, not even for how
        // rare a word is.
        let mut held = Held::of(self.places());
        let mut all = 0.0;
        let mut names: Vec<(u32, u32)> = Vec::new();
        for stem in &stems {
            names.clear();
            names.extend(
                self.holding(stem).filter(|(node, number)| self.seen_name(*node, *number, sight).is_some()),
            );
            let rarity = (1.0 + MANY / (1.0 + names.len() as f32)).ln();
            all += rarity;
            for (node, number) in &names {
                held.add(*node, *number, rarity);
            }
        }
        let share = by_words / f32::max(all, f32::EPSILON);
        let asked = vectors::vector(text);
        let mut scored: Vec<(f32, u32, u32)> = Vec::new();
        let mut take = |at: u32, node: &Node| {
            let mut best: Option<(f32, u32)> = None;
            for name in &node.names {
                let near = likeness(&asked, name);
                let words = held.get(at, name.number);
                if near + words > 0.0 && sight.glimpse(name.audience, &name.seen).is_some() {
                    let score = share * words + by_likeness * near;
                    if best.is_none_or(|(known, number)| (score, number) > (known, name.number)) {
                        best = Some((score, name.number));
                    }
                }
            }
            scored.extend(best.map(|(score, number)| (score, at, number)));
        };
        for kind in NodeKind::ALL.iter().filter(|kind| vectors::is_for(**kind)) {
            for at in self.nodes_of(*kind) {
                if let Some(node) = self.node(at) {
                    take(at, node);
                }
            }
        }
        for at in &held.nodes {
            // Those with vectors were looked at above.
            if let Some(node) = self.node(*at).filter(|node| !vectors::is_for(node.id.kind)) {
                take(*at, node);
            }
        }
        let id = |at: u32| self.node(at).map(|node| &node.id);
        let better = |a: &(f32, u32, u32), b: &(f32, u32, u32)| {
            b.0.total_cmp(&a.0).then_with(|| id(a.1).cmp(&id(b.1)))
        };
        if most > 0 && scored.len() > most {
            scored.select_nth_unstable_by(most - 1, better);
        }
        scored.truncate(most);
        scored.sort_by(better);
        let hit = |(score, node, number): (f32, u32, u32)| {
            let name = self.seen_name(node, number, sight)?;
            let audience = self.audiences().get(usize::from(name.audience))?.clone();
            let id = self.node(node)?.id.clone();
            Some(Hit { node: id, label: Arc::clone(&name.label), audience, score: score.clamp(0.0, 1.0) })
        };
        scored.into_iter().filter_map(hit).collect()
    }

    fn seen_name(&self, node: u32, number: u32, sight: &Sight) -> Option<&Name> {
        let name = self.node(node)?.names.iter().find(|name| name.number == number)?;
        sight.glimpse(name.audience, &name.seen).map(|_| name)
    }
}

/// How much of a question's words names hold. Nearly every node has one name, so that is kept by node alone.
struct Held {
    /// By node: the first name that holds one, and how much it holds.
    first: Vec<(u32, f32)>,
    others: HashMap<(u32, u32), f32>,
    nodes: Vec<u32>,
}

impl Held {
    fn of(places: usize) -> Self {
        Self { first: vec![(0, 0.0); places], others: HashMap::new(), nodes: Vec::new() }
    }

    fn add(&mut self, node: u32, number: u32, rarity: f32) {
        let Some((known, sum)) = self.first.get_mut(node as usize) else { return };
        if *sum == 0.0 {
            (*known, *sum) = (number, rarity);
            self.nodes.push(node);
        } else if *known == number {
            *sum += rarity;
        } else {
            *self.others.entry((node, number)).or_default() += rarity;
        }
    }

    fn get(&self, node: u32, number: u32) -> f32 {
        match self.first.get(node as usize) {
            Some((known, sum)) if *known == number || *sum == 0.0 => *sum,
            Some(_) => self.others.get(&(node, number)).copied().unwrap_or(0.0),
            None => 0.0,
        }
    }
}

/// How alike a question and a name are, where that is more than chance.
fn likeness(asked: &[i16], name: &Name) -> f32 {
    let near = name.vector.as_ref().map_or(0.0, |vector| vectors::cosine(asked, vector));
    if near >= ALIKE { near } else { 0.0 }
}

/// Under what an answer is kept: what was asked, in which circle, of which graph.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    pub generation: u64,
    pub scope: Vec<String>,
    pub text: String,
    pub class: SearchClass,
    pub most: usize,
}

/// The answers that were asked for last.
#[derive(Debug, Default)]
pub(super) struct SearchCache {
    kept: HashMap<CacheKey, (u64, Arc<[Hit]>)>,
    asked: u64,
}

impl SearchCache {
    pub(super) fn get(&mut self, key: &CacheKey) -> Option<Arc<[Hit]>> {
        self.asked += 1;
        let (asked, hits) = self.kept.get_mut(key)?;
        *asked = self.asked;
        Some(Arc::clone(hits))
    }

    pub(super) fn put(&mut self, key: CacheKey, hits: Arc<[Hit]>) {
        // What an earlier graph said is asked by nobody any more.
        self.kept.retain(|known, _| known.generation == key.generation);
        if self.kept.len() >= KEPT
            && let Some(oldest) =
                self.kept.iter().min_by_key(|(_, (asked, _))| *asked).map(|(key, _)| key.clone())
        {
            self.kept.remove(&oldest);
        }
        self.asked += 1;
        self.kept.insert(key, (self.asked, hits));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }
}
