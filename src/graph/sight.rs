//! Who looks at the graph, and what they may see of it.
//!
//! Owns the audience rule as far as the graph goes: an edge is seen where everybody could see what it was read from, and
//! a path only where every edge of it is (specs mechanisms 4 row 8). Start reading at [`Lens`].

use std::sync::Arc;

use jiff::Timestamp;

use super::edge::EdgeKind;
use super::node::NodeId;
use super::source::SourceId;
use super::store::{Edge, Seen, Store};
use crate::domain::{Audience, StoredId, Visible};

/// Through whose eyes the graph is looked at.
#[derive(Debug, Clone)]
pub struct Lens {
    /// `None`: the operator's, on this machine, who may read the files anyway.
    visible: Option<Visible>,
    until: Option<Timestamp>,
    without: Vec<StoredId>,
}

impl Lens {
    /// What these may see.
    #[must_use]
    pub fn of(visible: Visible) -> Self {
        Self { visible: Some(visible), until: None, without: Vec::new() }
    }

    /// Everything: for the operator, and for whoever removes things.
    #[must_use]
    pub fn everything() -> Self {
        Self { visible: None, until: None, without: Vec::new() }
    }

    /// Without what was said later than that.
    #[must_use]
    pub fn until(mut self, until: Option<Timestamp>) -> Self {
        self.until = until;
        self
    }

    /// Without what these turns say: what is being answered is no evidence.
    #[must_use]
    pub fn without(mut self, turns: Vec<StoredId>) -> Self {
        self.without = turns;
        self
    }

    /// In which circle this is looked at, for what is kept of the answer: the audiences in order.
    pub(super) fn scope(&self) -> Vec<String> {
        let Some(visible) = &self.visible else { return vec!["everything".to_owned()] };
        let mut scope: Vec<String> = visible.audiences().map(Audience::to_string).collect();
        scope.sort_unstable();
        scope.push(format!("{:?} {:?}", self.until, self.without));
        scope
    }

    pub(super) fn sight(&self, store: &Store) -> Sight {
        let sees =
            |audience: &Audience| self.visible.as_ref().is_none_or(|visible| visible.includes(audience));
        Sight {
            audiences: store.audiences().iter().map(sees).collect(),
            until: self.until.map_or(i64::MAX, Timestamp::as_millisecond),
            without: self
                .without
                .iter()
                .filter_map(|turn| store.source_number(&SourceId::Turn(*turn)))
                .collect(),
        }
    }
}

/// A lens before one graph.
#[derive(Debug)]
pub(super) struct Sight {
    audiences: Vec<bool>,
    until: i64,
    without: Vec<u32>,
}

/// How much of something is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glimpse {
    /// How often it was said.
    pub count: u32,
    /// When last, in milliseconds.
    pub last: i64,
    /// Of how much weight the last time was, in thousandths.
    pub weight: u16,
}

impl Sight {
    pub(super) fn sees_audience(&self, audience: u16) -> bool {
        self.audiences.get(usize::from(audience)).copied().unwrap_or(false)
    }

    /// What of these is seen, in the order of time.
    pub(super) fn seen<'a>(&'a self, seen: &'a [Seen]) -> impl DoubleEndedIterator<Item = &'a Seen> {
        let until = seen.partition_point(|one| one.at <= self.until);
        seen[..until].iter().filter(|one| !self.without.contains(&one.source))
    }

    /// What is seen before an audience; `None` for nothing.
    pub(super) fn glimpse(&self, audience: u16, seen: &[Seen]) -> Option<Glimpse> {
        if !self.sees_audience(audience) {
            return None;
        }
        let of = |count: usize, last: &Seen| Glimpse {
            count: u32::try_from(count).unwrap_or(u32::MAX),
            last: last.at,
            weight: last.weight,
        };
        if self.without.is_empty() {
            let until = if self.until == i64::MAX {
                seen.len()
            } else {
                seen.partition_point(|one| one.at <= self.until)
            };
            return seen[..until].last().map(|last| of(until, last));
        }
        let last = self.seen(seen).next_back()?;
        Some(of(self.seen(seen).count(), last))
    }

    pub(super) fn edge(&self, edge: &Edge) -> Option<Glimpse> {
        self.glimpse(edge.audience, &edge.seen)
    }
}

/// Something by its name, as far as that may be known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Named {
    /// Which.
    pub id: NodeId,
    /// What it is called, or how it reads; `None` where nobody here may know.
    pub label: Option<Arc<str>>,
}

/// How two things hang together in one way, all that is seen of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bond {
    /// In which way.
    pub kind: EdgeKind,
    /// From which.
    pub from: Named,
    /// To which.
    pub to: Named,
    /// How often it was said.
    pub count: u32,
    /// When last.
    pub last: Timestamp,
    /// What it was read from, the newest first, at most [`EVIDENCE`].
    pub evidence: Vec<SourceId>,
    /// Before whom it was learnt: whoever is to see this must be able to see all of these.
    pub audiences: Vec<Audience>,
}

/// Sources told of one bond.
pub const EVIDENCE: usize = 3;

impl Bond {
    /// The smallest circle any of it was learnt in.
    #[must_use]
    pub fn narrowest(&self) -> Audience {
        Visible::only(self.audiences.iter().cloned()).narrowest()
    }
}

impl Store {
    /// What something is called, by the newest name that is seen; of two of one moment the one that comes first.
    pub(super) fn label(&self, at: u32, sight: &Sight) -> Option<(Arc<str>, u16)> {
        let names = self.node(at)?.names.iter().filter_map(|name| {
            let glimpse = sight.glimpse(name.audience, &name.seen)?;
            Some((glimpse.last, std::cmp::Reverse(Arc::clone(&name.label)), name.audience))
        });
        names.max().map(|(_, std::cmp::Reverse(label), audience)| (label, audience))
    }

    pub(super) fn named(&self, at: u32, sight: &Sight) -> Option<Named> {
        let id = self.node(at)?.id.clone();
        Some(Named { id, label: self.label(at, sight).map(|(label, _)| label) })
    }

    /// What something is called by those who learnt what is told of it: by a name of their own, or everybody's. Where it
    /// has none there, its audience is one of those that must be able to see all of it.
    pub(super) fn named_within(&self, at: u32, audiences: &mut Vec<u16>, sight: &Sight) -> Option<Named> {
        let node = self.node(at)?;
        let own = node.names.iter().filter(|name| {
            audiences.contains(&name.audience)
                || self.audiences().get(usize::from(name.audience)) == Some(&Audience::Canon)
        });
        let own = own.filter_map(|name| {
            let glimpse = sight.glimpse(name.audience, &name.seen)?;
            Some((glimpse.last, std::cmp::Reverse(Arc::clone(&name.label))))
        });
        let label = match own.max() {
            Some((_, std::cmp::Reverse(label))) => Some(label),
            None => self.label(at, sight).map(|(label, audience)| {
                audiences.push(audience);
                label
            }),
        };
        Some(Named { id: node.id.clone(), label })
    }

    /// The audiences of these numbers, in order, each once.
    pub(super) fn audiences_of(&self, numbers: &[u16]) -> Vec<Audience> {
        let mut audiences: Vec<Audience> =
            numbers.iter().filter_map(|at| self.audiences().get(usize::from(*at)).cloned()).collect();
        audiences.sort_by_key(Audience::to_string);
        audiences.dedup();
        audiences
    }

    /// Whether anybody here may know that it is there.
    pub(super) fn is_seen(&self, at: u32, sight: &Sight) -> bool {
        let Some(node) = self.node(at) else { return false };
        node.names.iter().any(|name| sight.glimpse(name.audience, &name.seen).is_some())
            || node
                .out
                .iter()
                .chain(&node.into)
                .filter_map(|edge| self.edge(*edge))
                .any(|edge| sight.edge(edge).is_some())
    }

    /// All that is seen between two things, whichever way it goes, one bond a kind and direction.
    pub(super) fn between(&self, a: u32, b: u32, sight: &Sight) -> Vec<Bond> {
        let (Some(first), Some(second)) = (self.node(a), self.node(b)) else { return Vec::new() };
        // The shorter list of the two.
        let edges: Vec<u32> = if first.out.len() + first.into.len() <= second.out.len() + second.into.len() {
            first.out.iter().chain(&first.into).copied().collect()
        } else {
            second.out.iter().chain(&second.into).copied().collect()
        };
        let is_between = |edge: &Edge| (edge.from == a && edge.to == b) || (edge.from == b && edge.to == a);
        let mut numbers: Vec<u32> =
            edges.into_iter().filter(|at| self.edge(*at).is_some_and(is_between)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        self.bonds(numbers.into_iter(), sight)
    }

    /// Edges as bonds: those of one kind and direction become one, whatever their audiences.
    pub(super) fn bonds(&self, edges: impl Iterator<Item = u32>, sight: &Sight) -> Vec<Bond> {
        let mut grouped: std::collections::BTreeMap<(EdgeKind, u32, u32), Vec<&Edge>> = Default::default();
        for edge in edges.filter_map(|at| self.edge(at)).filter(|edge| sight.edge(edge).is_some()) {
            grouped.entry((edge.kind, edge.from, edge.to)).or_default().push(edge);
        }
        let mut bonds: Vec<Bond> = grouped
            .into_iter()
            .filter_map(|((kind, from, to), edges)| {
                let mut seen: Vec<&Seen> = edges.iter().flat_map(|edge| sight.seen(&edge.seen)).collect();
                seen.sort_unstable_by(|a, b| {
                    b.at.cmp(&a.at).then_with(|| self.source(b.source).cmp(&self.source(a.source)))
                });
                let last = Timestamp::from_millisecond(seen.first()?.at).ok()?;
                let evidence = seen.iter().take(EVIDENCE).filter_map(|one| self.source(one.source).cloned());
                let mut numbers: Vec<u16> = edges.iter().map(|edge| edge.audience).collect();
                let from = self.named_within(from, &mut numbers, sight)?;
                let to = self.named_within(to, &mut numbers, sight)?;
                Some(Bond {
                    kind,
                    from,
                    to,
                    count: u32::try_from(seen.len()).unwrap_or(u32::MAX),
                    last,
                    evidence: evidence.collect(),
                    audiences: self.audiences_of(&numbers),
                })
            })
            .collect();
        bonds.sort_by(|a, b| (a.kind, &a.from.id, &a.to.id).cmp(&(b.kind, &b.from.id, &b.to.id)));
        bonds
    }
}
