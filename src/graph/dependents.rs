//! What depends on a source: what has to go, or to be looked at again, when it does (specs mechanisms G2, "blast
//! radius").

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::edge::EdgeKind;
use super::node::{NodeId, NodeKind};
use super::sight::{Lens, Named};
use super::store::Store;

/// Steps from the source at most.
const DEPTH: u8 = 8;

/// Something that depends on something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependent {
    /// What.
    pub node: Named,
    /// On what directly.
    pub on: NodeId,
    /// In which way.
    pub via: EdgeKind,
    /// How many steps from where the question began, from 1.
    pub depth: u8,
}

/// What goes with something, and what only points to it.
enum Reach {
    /// It was made of it: what was made of that depends as well.
    Goes,
    /// It speaks of it, and would speak of nothing.
    Points,
}

fn reach(kind: EdgeKind, is_out: bool) -> Option<Reach> {
    match (kind, is_out) {
        // A note's lines, and what lessons came to.
        (EdgeKind::Contains | EdgeKind::SynthesizedInto, true) => Some(Reach::Goes),
        (EdgeKind::DerivedFrom, false) => Some(Reach::Goes),
        (EdgeKind::Links | EdgeKind::Mentions | EdgeKind::About | EdgeKind::Contradicts, false) => {
            Some(Reach::Points)
        }
        _ => None,
    }
}

impl Store {
    /// Everything that depends on a node, the nearest first, then by name. The operator's view: whoever removes
    /// something has to see all of it.
    pub(super) fn dependents(&self, of: &NodeId) -> Vec<Dependent> {
        let sight = Lens::everything().sight(self);
        let Some(start) = self.find(of) else { return Vec::new() };
        let mut found: BTreeMap<(u8, NodeId), Dependent> = BTreeMap::new();
        let mut reached = HashSet::from([start]);
        let mut waiting = VecDeque::from([(start, 0_u8)]);
        // A person is also what their names say.
        if of.kind == NodeKind::Person {
            let names = self.node(start).into_iter().flat_map(|node| &node.out);
            let called =
                names.filter_map(|edge| self.edge(*edge)).filter(|edge| edge.kind == EdgeKind::Called);
            for alias in called.map(|edge| edge.to).collect::<Vec<_>>() {
                reached.insert(alias);
                waiting.push_back((alias, 0));
            }
        }
        while let Some((at, depth)) = waiting.pop_front() {
            let Some(node) = self.node(at).filter(|_| depth < DEPTH) else { continue };
            let out = node.out.iter().map(|edge| (*edge, true));
            let into = node.into.iter().map(|edge| (*edge, false));
            let mut next: Vec<(NodeId, u32, EdgeKind, bool)> = Vec::new();
            for (edge, is_out) in out.chain(into) {
                let Some(edge) = self.edge(edge) else { continue };
                let other = if is_out { edge.to } else { edge.from };
                let Some(reach) = reach(edge.kind, is_out) else { continue };
                let Some(id) = self.node(other).map(|node| node.id.clone()) else { continue };
                // What people say of somebody is their own; only what is written down depends on it.
                if id.kind != NodeKind::Person && id.kind != NodeKind::Episode {
                    next.push((id, other, edge.kind, matches!(reach, Reach::Goes)));
                }
            }
            next.sort();
            for (id, other, via, goes) in next {
                if !reached.insert(other) {
                    continue;
                }
                if let Some(node) = self.named(other, &sight) {
                    let on = self.node(at).map_or_else(|| of.clone(), |node| node.id.clone());
                    found.insert((depth + 1, id), Dependent { node, on, via, depth: depth + 1 });
                }
                if goes {
                    waiting.push_back((other, depth + 1));
                }
            }
        }
        found.into_values().collect()
    }
}
