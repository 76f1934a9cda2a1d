//! How two things hang together over others, and what lies around one (specs mechanisms A11, G3).
//!
//! Must not know who asks but through a sight: what is not seen is not walked over. Start reading at [`Store::paths`].

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::edge::EdgeKind;
use super::node::NodeKind;
use super::sight::{Bond, Named, Sight};
use super::store::Store;
use crate::domain::{Audience, Visible};

/// Steps of a path at most.
const STEPS: usize = 4;

/// Nodes that one search walks over.
const WALKED: usize = 4_000;

/// Neighbours looked at from one node, the strongest.
const FAN: usize = 64;

/// What is beside more things than this says nothing about any two of them.
const HUB: usize = 400;

/// A way from one thing to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Step by step: what hangs together on each, never empty.
    pub steps: Vec<Step>,
    /// How far apart they are; the nearest way has the least.
    pub cost: f32,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// From which.
    pub from: Named,
    /// To which.
    pub to: Named,
    /// Everything seen between them, what says most first; never empty.
    pub bonds: Vec<Bond>,
}

/// Something near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// What.
    pub node: Named,
    /// Over how many steps.
    pub hops: u8,
}

impl Store {
    /// Ways from any of `from` to any of `to` over what is seen, the nearest first, at most `most`; no two of them over
    /// the same things.
    pub(super) fn paths(&self, from: &[u32], to: &[u32], most: usize, sight: &Sight) -> Vec<Path> {
        let mut used: HashSet<u32> = HashSet::new();
        let mut known = Surroundings::new();
        let mut found = Vec::new();
        while found.len() < most {
            let way = self.nearest([from, to], &used, found.is_empty(), &mut known, sight);
            let Some((nodes, cost)) = way else { break };
            used.extend(nodes.iter().filter(|at| !from.contains(at) && !to.contains(at)));
            let is_direct = nodes.len() == 2;
            let steps: Option<Vec<Step>> =
                nodes.windows(2).map(|pair| self.step(pair[0], pair[1], sight)).collect();
            let Some(steps) = steps else { break };
            found.push(Path { steps, cost });
            // Between them there is only one direct way, told whole.
            if is_direct && found.len() > 1 {
                break;
            }
        }
        found
    }

    /// Everything seen between two things that are beside each other, by the names they have where it was learnt.
    fn step(&self, from: u32, to: u32, sight: &Sight) -> Option<Step> {
        let mut bonds = self.between(from, to, sight);
        bonds.sort_by(|a, b| a.kind.cost().total_cmp(&b.kind.cost()).then_with(|| b.count.cmp(&a.count)));
        let first = bonds.first()?;
        let is_forward = self.node(from).is_some_and(|node| node.id == first.from.id);
        let (start, end) = if is_forward { (&first.from, &first.to) } else { (&first.to, &first.from) };
        Some(Step { from: start.clone(), to: end.clone(), bonds })
    }

    /// The nearest way that does not lead over what was used; direct ones only where they are asked for. What lies beside
    /// what is kept in `known`.
    fn nearest(
        &self,
        [from, to]: [&[u32]; 2],
        used: &HashSet<u32>,
        direct: bool,
        known: &mut Surroundings,
        sight: &Sight,
    ) -> Option<(Vec<u32>, f32)> {
        let before_the_end = self.touching(to);
        let mut costs: HashMap<u32, (f32, u32, usize)> = HashMap::new();
        let mut waiting: BinaryHeap<Reverse<(Ordered, u32)>> = BinaryHeap::new();
        for start in from {
            costs.insert(*start, (0.0, *start, 0));
            waiting.push(Reverse((Ordered(0.0), *start)));
        }
        let mut done: HashSet<u32> = HashSet::new();
        while let Some(Reverse((Ordered(cost), at))) = waiting.pop() {
            if !done.insert(at) {
                continue;
            }
            if to.contains(&at) {
                return Some((way(&costs, at), cost));
            }
            let steps = costs.get(&at).map_or(0, |(_, _, steps)| *steps);
            // The last step leads to the end or nowhere.
            let is_in_vain = steps + 1 == STEPS && !before_the_end.contains(&at);
            if done.len() >= WALKED || steps >= STEPS || is_in_vain {
                continue;
            }
            for &(other, kind) in known.entry(at).or_insert_with(|| self.beside(at, sight)).iter() {
                // That one day came after another connects nobody, and messages are evidence, no way.
                if matches!(kind, EdgeKind::PrecededBy | EdgeKind::DerivedFrom) {
                    continue;
                }
                let is_end = to.contains(&other);
                let is_direct = is_end && from.contains(&at);
                if used.contains(&other) || (is_direct && !direct) || !(is_end || self.may_lead(other)) {
                    continue;
                }
                let Some(node) = self.node(other) else { continue };
                // What many things are beside is a weak link.
                let spread = (1 + node.out.len() + node.into.len()) as f32;
                let through = if is_end { 0.0 } else { 0.3 * spread.ln() };
                let next = cost + kind.cost() + through;
                if costs.get(&other).is_none_or(|(known, ..)| next < *known) && !done.contains(&other) {
                    costs.insert(other, (next, at, steps + 1));
                    waiting.push(Reverse((Ordered(next), other)));
                }
            }
        }
        None
    }

    /// What any edge, seen or not, leads to from one of these.
    fn touching(&self, these: &[u32]) -> HashSet<u32> {
        let nodes = these.iter().filter_map(|at| self.node(*at));
        let edges = nodes.flat_map(|node| node.out.iter().chain(&node.into)).filter_map(|at| self.edge(*at));
        edges.flat_map(|edge| [edge.from, edge.to]).collect()
    }

    /// Whether a way may lead over it: not over where and when everybody is, nor over what everybody speaks of.
    fn may_lead(&self, at: u32) -> bool {
        self.node(at).is_some_and(|node| {
            !matches!(node.id.kind, NodeKind::Channel | NodeKind::Message)
                && (node.id.kind == NodeKind::Person || node.out.len() + node.into.len() <= HUB)
        })
    }

    /// What is beside a node as far as is seen, each once with the cheapest kind; the strongest of many.
    fn beside(&self, at: u32, sight: &Sight) -> Vec<(u32, EdgeKind)> {
        let Some(node) = self.node(at) else { return Vec::new() };
        let edges = node.out.len() + node.into.len();
        let mut beside: Vec<Beside> = Vec::with_capacity(edges);
        for number in node.out.iter().chain(&node.into) {
            let Some(edge) = self.edge(*number) else { continue };
            let Some(glimpse) = sight.edge(edge) else { continue };
            let other = if edge.from == at { edge.to } else { edge.from };
            let strength = glimpse.count as f32 / edge.kind.cost();
            beside.push(Beside { other, kind: edge.kind, strength, last: glimpse.last });
        }
        // Two things are beside each other in a few ways at most: of twice as many enough are left.
        strongest(&mut beside, 2 * FAN);
        beside.sort_unstable_by(|a, b| {
            a.other.cmp(&b.other).then_with(|| a.kind.cost().total_cmp(&b.kind.cost()))
        });
        beside.dedup_by_key(|one| one.other);
        strongest(&mut beside, FAN);
        beside.sort_unstable_by(Beside::order);
        beside.into_iter().map(|one| (one.other, one.kind)).collect()
    }

    /// What lies around a node within `hops` steps, the nearest first, at most `most`.
    pub(super) fn around(&self, at: u32, hops: u8, most: usize, sight: &Sight) -> Vec<Near> {
        self.numbers_around(at, hops, most, sight)
            .into_iter()
            .filter_map(|(at, hops)| Some(Near { node: self.named(at, sight)?, hops }))
            .collect()
    }

    /// The same, as numbers.
    pub(super) fn numbers_around(&self, at: u32, hops: u8, most: usize, sight: &Sight) -> Vec<(u32, u8)> {
        let mut near: Vec<(u32, u8)> = Vec::new();
        let mut is_known = vec![false; self.places()];
        if let Some(start) = is_known.get_mut(at as usize) {
            *start = true;
        }
        let mut begin = 0;
        for hop in 1..=hops {
            let from: Vec<u32> =
                if hop == 1 { vec![at] } else { near[begin..].iter().map(|(at, _)| *at).collect() };
            begin = near.len();
            for from in from {
                for (other, _) in self.beside(from, sight) {
                    if near.len() == most {
                        return near;
                    }
                    if let Some(known) = is_known.get_mut(other as usize).filter(|known| !**known) {
                        *known = true;
                        near.push((other, hop));
                    }
                }
            }
        }
        near
    }
}

/// What is beside which node, as far as it was looked at.
type Surroundings = HashMap<u32, Vec<(u32, EdgeKind)>>;

/// Something beside a node.
struct Beside {
    other: u32,
    kind: EdgeKind,
    strength: f32,
    last: i64,
}

impl Beside {
    /// The strongest first, of equally strong ones the newest.
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        let newest = || b.last.cmp(&a.last).then_with(|| a.other.cmp(&b.other));
        b.strength.total_cmp(&a.strength).then_with(newest)
    }
}

/// Keeps the strongest, in no particular order.
fn strongest(beside: &mut Vec<Beside>, most: usize) {
    if beside.len() > most {
        beside.select_nth_unstable_by(most - 1, Beside::order);
        beside.truncate(most);
    }
}

/// A cost that can be put in order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn way(costs: &HashMap<u32, (f32, u32, usize)>, end: u32) -> Vec<u32> {
    let mut way = vec![end];
    let mut at = end;
    while let Some((_, before, _)) = costs.get(&at).filter(|(_, before, _)| *before != at) {
        at = *before;
        way.push(at);
    }
    way.reverse();
    way
}

impl Path {
    /// The smallest circle any of it was learnt in: whoever is told of it must be able to see all of it.
    #[must_use]
    pub fn narrowest(&self) -> Audience {
        let all = self.steps.iter().flat_map(|step| &step.bonds).flat_map(|bond| &bond.audiences);
        Visible::only(all.cloned()).narrowest()
    }
}
