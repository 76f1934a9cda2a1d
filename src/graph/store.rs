//! The graph itself: nodes, edges, and the indexes over them (specs mechanisms G1).
//!
//! Everything in it is said by a source, and goes when the source takes it back: what is left is the same as if the
//! source had never been, whatever came before or after. Must not know where sources come from, nor how anything is
//! looked up. Start reading at [`Store::put`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::edge::EdgeKind;
use super::node::{NodeId, NodeKind};
use super::source::SourceId;
use super::vectors;
use crate::domain::Audience;
use crate::text::keywords;

/// The weight of something said once, in thousandths.
pub(super) const ONCE: u16 = 1000;

/// What a source says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Saying {
    /// Something is called, or reads, like that.
    Named {
        #[serde(with = "as_text")]
        node: NodeId,
        label: Arc<str>,
        #[serde(with = "as_text")]
        audience: AudienceKey,
        at: i64,
    },
    /// Two things hang together.
    Edge {
        #[serde(with = "as_text")]
        from: NodeId,
        #[serde(with = "as_text")]
        to: NodeId,
        #[serde(with = "as_text")]
        kind: EdgeKind,
        #[serde(with = "as_text")]
        audience: AudienceKey,
        at: i64,
        /// In thousandths.
        weight: u16,
    },
}

/// An audience that can be put in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct AudienceKey(pub Audience);

impl PartialOrd for AudienceKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AudienceKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.to_string().cmp(&other.0.to_string())
    }
}

impl std::fmt::Display for AudienceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for AudienceKey {
    type Err = crate::domain::InvalidId;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// Ids as the words they are written by.
pub(super) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr,
        T::Err: Display,
        D: Deserializer<'de>,
    {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// That a source said something, when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seen {
    pub at: i64,
    pub source: u32,
    pub weight: u16,
}

/// One way something is called before one audience.
#[derive(Debug)]
pub(super) struct Name {
    pub audience: u16,
    pub label: Arc<str>,
    pub seen: Vec<Seen>,
    /// What the label is like as a whole; only of what is remembered.
    pub vector: Option<Box<[i16]>>,
    /// Among the node's names; never used again.
    pub number: u32,
}

#[derive(Debug)]
pub(super) struct Node {
    pub id: NodeId,
    pub names: Vec<Name>,
    next_name: u32,
    pub out: Vec<u32>,
    pub into: Vec<u32>,
}

/// Two things that hang together in one way before one audience.
#[derive(Debug)]
pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    pub kind: EdgeKind,
    pub audience: u16,
    /// In the order of time; never empty.
    pub seen: Vec<Seen>,
}

type EdgeKey = (u32, u32, EdgeKind, u16);

/// What a source holds on to.
#[derive(Debug)]
enum Held {
    Name { node: u32, audience: u16, label: Arc<str>, at: i64 },
    Edge { edge: u32, at: i64 },
}

/// All of it. The four indexes: edges by source ([`Node::out`]), by target ([`Node::into`]) and by type, nodes by type.
#[derive(Debug, Default)]
pub(super) struct Store {
    nodes: Vec<Option<Node>>,
    free_nodes: Vec<u32>,
    by_id: HashMap<NodeId, u32>,
    nodes_by_type: BTreeMap<NodeKind, BTreeSet<u32>>,
    edges: Vec<Option<Edge>>,
    free_edges: Vec<u32>,
    by_key: HashMap<EdgeKey, u32>,
    edges_by_type: BTreeMap<EdgeKind, BTreeSet<u32>>,
    /// Stem → the names that hold it, as node and number.
    words: HashMap<String, BTreeSet<(u32, u32)>>,
    audiences: Vec<Audience>,
    audience_numbers: HashMap<Audience, u16>,
    sources: Vec<SourceId>,
    source_numbers: HashMap<SourceId, u32>,
    held: HashMap<u32, Vec<Held>>,
    generation: u64,
}

impl Store {
    /// Counts changes: what was found in one generation holds in it, and no longer.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn audiences(&self) -> &[Audience] {
        &self.audiences
    }

    pub(super) fn source(&self, number: u32) -> Option<&SourceId> {
        self.sources.get(number as usize)
    }

    pub(super) fn source_number(&self, source: &SourceId) -> Option<u32> {
        self.source_numbers.get(source).copied()
    }

    pub(super) fn find(&self, id: &NodeId) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    pub(super) fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)?.as_ref()
    }

    pub(super) fn edge(&self, at: u32) -> Option<&Edge> {
        self.edges.get(at as usize)?.as_ref()
    }

    pub(super) fn nodes_of(&self, kind: NodeKind) -> impl Iterator<Item = u32> + '_ {
        self.nodes_by_type.get(&kind).into_iter().flatten().copied()
    }

    pub(super) fn edges_of(&self, kind: EdgeKind) -> impl Iterator<Item = u32> + '_ {
        self.edges_by_type.get(&kind).into_iter().flatten().copied()
    }

    /// Names that hold a word, as node and number.
    pub(super) fn holding(&self, stem: &str) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.words.get(stem).into_iter().flatten().copied()
    }

    /// How many places there are for nodes: a number beyond all of theirs.
    pub(super) fn places(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn counts(&self) -> (usize, usize) {
        (self.by_id.len(), self.by_key.len())
    }

    /// A source says this, and nothing else any more.
    pub(super) fn put(&mut self, source: SourceId, sayings: Vec<Saying>) {
        self.take_back(&source);
        if sayings.is_empty() {
            return;
        }
        self.generation += 1;
        let number = self.number_of_source(source);
        let mut held = Vec::with_capacity(sayings.len());
        let mut said: HashSet<u32> = HashSet::new();
        for saying in sayings {
            match saying {
                Saying::Named { node, label, audience, at } => {
                    let audience = self.number_of_audience(audience.0);
                    let node = self.node_of(node);
                    if self.name(node, audience, &label, Seen { at, source: number, weight: ONCE }) {
                        held.push(Held::Name { node, audience, label, at });
                    }
                }
                Saying::Edge { from, to, kind, audience, at, weight } => {
                    let audience = self.number_of_audience(audience.0);
                    let (from, to) = (self.node_of(from), self.node_of(to));
                    let edge = self.edge_of((from, to, kind, audience));
                    // Once a source, however often it says so.
                    if said.insert(edge) {
                        self.see(edge, Seen { at, source: number, weight });
                        held.push(Held::Edge { edge, at });
                    }
                }
            }
        }
        self.held.insert(number, held);
    }

    /// A source says nothing any more.
    pub(super) fn take_back(&mut self, source: &SourceId) {
        let Some(number) = self.source_number(source) else { return };
        let Some(held) = self.held.remove(&number) else { return };
        self.generation += 1;
        for one in held {
            match one {
                Held::Name { node, audience, label, at } => {
                    self.forget_name(node, audience, &label, at, number);
                }
                Held::Edge { edge, at } => self.forget_edge(edge, at, number),
            }
        }
    }

    /// Everything that is said, in an order of its own: two graphs that say the same give the same.
    pub(super) fn said(&self) -> BTreeSet<String> {
        let who = |seen: &[Seen]| {
            let each = seen.iter().map(|one| {
                let source = self.source(one.source).map(SourceId::to_string).unwrap_or_default();
                (one.at, source, one.weight)
            });
            let each: BTreeSet<(i64, String, u16)> = each.collect();
            format!("{each:?}")
        };
        let audience = |at: u16| self.audiences.get(usize::from(at)).map(Audience::to_string);
        let names = self.nodes.iter().flatten().flat_map(|node| {
            node.names.iter().map(|name| {
                format!(
                    "{} is {:?} to {:?} by {}",
                    node.id,
                    name.label,
                    audience(name.audience),
                    who(&name.seen)
                )
            })
        });
        let edges = self.edges.iter().flatten().map(|edge| {
            let id = |at: u32| self.node(at).map(|node| node.id.to_string()).unwrap_or_default();
            format!(
                "{} {} {} to {:?} by {}",
                id(edge.from),
                edge.kind,
                id(edge.to),
                audience(edge.audience),
                who(&edge.seen)
            )
        });
        let words = self.words.iter().map(|(word, nodes)| {
            let mut each: BTreeMap<String, u32> = BTreeMap::new();
            for (at, _) in nodes {
                let id = self.node(*at).map(|node| node.id.to_string()).unwrap_or_default();
                *each.entry(id).or_default() += 1;
            }
            format!("word {word} in {each:?}")
        });
        names.chain(edges).chain(words).collect()
    }

    fn number_of_audience(&mut self, audience: Audience) -> u16 {
        if let Some(known) = self.audience_numbers.get(&audience) {
            return *known;
        }
        // More circles of people than this nobody has; the last number would be shared, so it is nobody's.
        let number = u16::try_from(self.audiences.len()).unwrap_or(u16::MAX);
        if number < u16::MAX {
            self.audiences.push(audience.clone());
            self.audience_numbers.insert(audience, number);
        }
        number
    }

    fn number_of_source(&mut self, source: SourceId) -> u32 {
        if let Some(known) = self.source_numbers.get(&source) {
            return *known;
        }
        let number = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        self.sources.push(source.clone());
        self.source_numbers.insert(source, number);
        number
    }

    fn node_of(&mut self, id: NodeId) -> u32 {
        if let Some(known) = self.by_id.get(&id) {
            return *known;
        }
        let node =
            Node { id: id.clone(), names: Vec::new(), next_name: 0, out: Vec::new(), into: Vec::new() };
        let at = put_in(&mut self.nodes, &mut self.free_nodes, node);
        self.nodes_by_type.entry(id.kind).or_default().insert(at);
        self.by_id.insert(id, at);
        at
    }

    fn edge_of(&mut self, key: EdgeKey) -> u32 {
        if let Some(known) = self.by_key.get(&key) {
            return *known;
        }
        let (from, to, kind, audience) = key;
        let edge = Edge { from, to, kind, audience, seen: Vec::new() };
        let at = put_in(&mut self.edges, &mut self.free_edges, edge);
        self.edges_by_type.entry(kind).or_default().insert(at);
        self.by_key.insert(key, at);
        if let Some(node) = self.nodes.get_mut(from as usize).and_then(Option::as_mut) {
            node.out.push(at);
        }
        if let Some(node) = self.nodes.get_mut(to as usize).and_then(Option::as_mut) {
            node.into.push(at);
        }
        at
    }

    /// Whether that was not said by this source already.
    fn name(&mut self, at: u32, audience: u16, label: &Arc<str>, seen: Seen) -> bool {
        let Some(node) = self.nodes.get_mut(at as usize).and_then(Option::as_mut) else { return false };
        let known = node.names.iter_mut().find(|name| name.audience == audience && name.label == *label);
        if let Some(name) = known {
            if name.seen.iter().rev().take_while(|one| one.at >= seen.at).any(|one| one.source == seen.source)
            {
                return false;
            }
            insert(&mut name.seen, seen);
            return true;
        }
        let vector = vectors::is_for(node.id.kind).then(|| vectors::vector(label));
        let number = node.next_name;
        node.next_name += 1;
        node.names.push(Name { audience, label: Arc::clone(label), seen: vec![seen], vector, number });
        for stem in stems(label) {
            self.words.entry(stem).or_default().insert((at, number));
        }
        true
    }

    fn see(&mut self, edge: u32, seen: Seen) {
        if let Some(edge) = self.edges.get_mut(edge as usize).and_then(Option::as_mut) {
            insert(&mut edge.seen, seen);
        }
    }

    fn forget_name(&mut self, at: u32, audience: u16, label: &str, when: i64, source: u32) {
        let Some(node) = self.nodes.get_mut(at as usize).and_then(Option::as_mut) else { return };
        let known = node.names.iter().position(|name| name.audience == audience && *name.label == *label);
        if let Some(known) = known {
            remove(&mut node.names[known].seen, when, source);
            if node.names[known].seen.is_empty() {
                let name = node.names.swap_remove(known);
                for stem in stems(label) {
                    self.forget_word(&stem, (at, name.number));
                }
            }
        }
        self.sweep_node(at);
    }

    fn forget_word(&mut self, stem: &str, name: (u32, u32)) {
        let Some(names) = self.words.get_mut(stem) else { return };
        names.remove(&name);
        if names.is_empty() {
            self.words.remove(stem);
        }
    }

    fn forget_edge(&mut self, at: u32, when: i64, source: u32) {
        let Some(slot) = self.edges.get_mut(at as usize) else { return };
        let Some(edge) = slot.as_mut() else { return };
        remove(&mut edge.seen, when, source);
        if !edge.seen.is_empty() {
            return;
        }
        let (from, to, kind, audience) = (edge.from, edge.to, edge.kind, edge.audience);
        *slot = None;
        self.free_edges.push(at);
        self.by_key.remove(&(from, to, kind, audience));
        if let Some(edges) = self.edges_by_type.get_mut(&kind) {
            edges.remove(&at);
        }
        if let Some(node) = self.nodes.get_mut(from as usize).and_then(Option::as_mut) {
            node.out.retain(|edge| *edge != at);
        }
        if let Some(node) = self.nodes.get_mut(to as usize).and_then(Option::as_mut) {
            node.into.retain(|edge| *edge != at);
        }
        self.sweep_node(from);
        self.sweep_node(to);
    }

    /// What nothing is said of is not there.
    fn sweep_node(&mut self, at: u32) {
        let Some(slot) = self.nodes.get_mut(at as usize) else { return };
        let Some(node) = slot.as_ref() else { return };
        if !(node.names.is_empty() && node.out.is_empty() && node.into.is_empty()) {
            return;
        }
        let id = node.id.clone();
        *slot = None;
        self.free_nodes.push(at);
        if let Some(nodes) = self.nodes_by_type.get_mut(&id.kind) {
            nodes.remove(&at);
        }
        self.by_id.remove(&id);
    }
}

fn put_in<T>(slots: &mut Vec<Option<T>>, free: &mut Vec<u32>, value: T) -> u32 {
    if let Some(at) = free.pop()
        && let Some(slot) = slots.get_mut(at as usize)
    {
        *slot = Some(value);
        return at;
    }
    slots.push(Some(value));
    u32::try_from(slots.len() - 1).unwrap_or(u32::MAX)
}

/// Keeps the order of time; most come last.
fn insert(seen: &mut Vec<Seen>, new: Seen) {
    let at = seen.partition_point(|known| (known.at, known.source) <= (new.at, new.source));
    seen.insert(at, new);
}

fn remove(seen: &mut Vec<Seen>, at: i64, source: u32) {
    let from = seen.partition_point(|known| (known.at, known.source) < (at, source));
    if seen.get(from).is_some_and(|known| known.at == at && known.source == source) {
        seen.remove(from);
    }
}

/// Each stem of a label once, stop words left out.
fn stems(label: &str) -> BTreeSet<String> {
    keywords::terms(label).into_iter().collect()
}
