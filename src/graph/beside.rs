//! Facts that remind of each other: what was written down about the same time and is much alike, shares its topics, or
//! was learnt on the same occasion (specs mechanisms M8).
//!
//! Which facts are among a fact's fifty depends on all of them; so this is worked out from what stands, never from the
//! order in which it came. Start reading at [`sayings`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::edge::EdgeKind;
use super::node::NodeId;
use super::store::{AudienceKey, ONCE, Saying, as_text};
use super::vectors;

/// Facts that one is compared with: so many that were written down before it (M8: among the 50 newest).
const AMONG: usize = 50;

/// From this cosine on one reminds of the other, and of so many at most (M8).
const ALIKE: f32 = 0.65;
const ALIKE_MOST: usize = 5;

/// Of one occasion: so many at most, at this weight, in thousandths (M8: 10, 0.5).
const OCCASION_MOST: usize = 10;
const OCCASION_WEIGHT: u16 = 500;

/// Topics that two have to share (M8: two or more tags), and what that weighs.
const SHARED: usize = 2;
const SHARED_WEIGHT: u16 = 600;

/// Where a fact stands among all: by the day it was learnt, then by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub at: i64,
    pub key: Arc<str>,
}

/// A fact as far as others are compared with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FactSeen {
    #[serde(with = "as_text")]
    pub node: NodeId,
    /// The start of the day it was learnt, in milliseconds; 0 where nobody knows.
    pub at: i64,
    #[serde(with = "as_text")]
    pub audience: AudienceKey,
    pub words: Arc<str>,
    /// The messages it comes from.
    pub from: Vec<i64>,
    /// Stems.
    pub topics: Vec<Arc<str>>,
    #[serde(skip)]
    vector: std::sync::OnceLock<Box<[i16]>>,
}

impl FactSeen {
    pub(super) fn new(
        node: NodeId,
        at: i64,
        audience: AudienceKey,
        words: Arc<str>,
        from: Vec<i64>,
        topics: Vec<Arc<str>>,
    ) -> Self {
        Self { node, at, audience, words, from, topics, vector: std::sync::OnceLock::new() }
    }

    pub(super) fn place(&self) -> Place {
        Place { at: self.at, key: Arc::clone(&self.node.key) }
    }

    fn vector(&self) -> &[i16] {
        self.vector.get_or_init(|| vectors::vector(&self.words))
    }
}

/// Facts to be looked at again after some came or went: these, and those behind them that are compared with them.
pub(super) fn touched(facts: &BTreeMap<Place, FactSeen>, changed: &BTreeSet<Place>) -> BTreeSet<Place> {
    let mut touched = changed.clone();
    for place in changed {
        let behind = facts.range((std::ops::Bound::Excluded(place), std::ops::Bound::Unbounded));
        touched.extend(behind.take(AMONG).map(|(place, _)| place.clone()));
    }
    touched
}

/// What a fact reminds of; nothing where it is gone.
pub(super) fn sayings(facts: &BTreeMap<Place, FactSeen>, place: &Place) -> Vec<Saying> {
    let Some(fact) = facts.get(place) else { return Vec::new() };
    let before: Vec<&FactSeen> = facts
        .range(..place)
        .rev()
        .take(AMONG)
        .map(|(_, other)| other)
        // What was learnt before other people is nobody's reminder.
        .filter(|other| other.audience == fact.audience)
        .collect();
    let edge = |other: &FactSeen, kind: EdgeKind, weight: u16| Saying::Edge {
        from: fact.node.clone(),
        to: other.node.clone(),
        kind,
        audience: fact.audience.clone(),
        at: fact.at,
        weight,
    };
    let mut sayings = Vec::new();
    let mut alike: Vec<(u16, &FactSeen)> = before
        .iter()
        .filter_map(|other| {
            let near = vectors::cosine(fact.vector(), other.vector());
            (near >= ALIKE).then(|| (thousandths(near), *other))
        })
        .collect();
    alike.sort_by(|(a, first), (b, second)| b.cmp(a).then_with(|| first.node.cmp(&second.node)));
    sayings
        .extend(alike.iter().take(ALIKE_MOST).map(|(near, other)| edge(other, EdgeKind::RemindedOf, *near)));
    let is_of_occasion = |other: &&&FactSeen| fact.from.iter().any(|turn| other.from.contains(turn));
    let occasion: Vec<&&FactSeen> = before.iter().filter(is_of_occasion).take(OCCASION_MOST).collect();
    sayings.extend(occasion.iter().map(|other| edge(other, EdgeKind::RelatedTo, OCCASION_WEIGHT)));
    let shares = |other: &&&FactSeen| {
        let common = fact.topics.iter().filter(|topic| other.topics.contains(topic)).count();
        common >= SHARED && !occasion.iter().any(|known| known.node == other.node)
    };
    sayings.extend(before.iter().filter(shares).map(|other| edge(other, EdgeKind::RelatedTo, SHARED_WEIGHT)));
    sayings
}

fn thousandths(share: f32) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 to 1")]
    let thousandths = (share.clamp(0.0, 1.0) * f32::from(ONCE)).round() as u16;
    thousandths
}
