//! People and topics at a glance: those most connected, and how strongly.

use std::collections::{BTreeMap, HashMap};

use super::GraphError;
use super::kinds::EdgeKind;
use super::view::{EDGE, IS_BOND, NamedNode, View};
use crate::domain::StoredId;

/// Ties looked at for each thing that may be told of, the strongest of all.
const TIES_EACH: usize = 8;

/// People and topics with their ties.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overview {
    /// Those of the strongest ties first.
    pub things: Vec<NamedNode>,
    /// The strongest first.
    pub ties: Vec<Tie>,
    /// A message in which a topic is spoken of, by the topic's number: how it is written stands there.
    pub spoken_of: HashMap<usize, StoredId>,
    /// How often a topic was spoken of, by the topic's number.
    pub times: HashMap<usize, u32>,
}

/// That two of the things are connected, by their numbers among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tie {
    pub one: usize,
    pub other: usize,
    /// How often that was said, each time by how much it says about the two.
    pub strength: f64,
}

impl View<'_> {
    /// The strongest ties between people and topics, of at most so many of them. Looks at eight times as many ties at most.
    pub fn overview(&self, most: usize) -> Result<Overview, GraphError> {
        let question = format!(
            "SELECT {EDGE}, e.strength FROM edges e JOIN nodes a ON a.id = e.src JOIN nodes b ON b.id = e.dst
             WHERE a.kind IN ('person', 'topic') AND b.kind IN ('person', 'topic') AND {IS_BOND}
             ORDER BY e.strength DESC, e.id LIMIT ?1"
        );
        let looked_at = i64::try_from(most.saturating_mul(TIES_EACH)).unwrap_or(i64::MAX);
        let edges = self.seen_rows(&question, [looked_at], usize::MAX, |edge, row| {
            let strength: f64 = row.get(7)?;
            Ok((edge, strength))
        })?;
        let mut numbers: HashMap<i64, usize> = HashMap::new();
        let mut things = Vec::new();
        let mut ties: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        let mut spoken_of: HashMap<usize, StoredId> = HashMap::new();
        let mut times: HashMap<usize, u32> = HashMap::new();
        for (edge, strength) in edges.into_iter().filter(|(edge, _)| edge.from != edge.to) {
            let missing = [edge.from, edge.to].iter().filter(|node| !numbers.contains_key(node)).count();
            if things.len() + missing > most {
                continue;
            }
            let mut number = |node| {
                *numbers.entry(node).or_insert_with(|| {
                    things.push(node);
                    things.len() - 1
                })
            };
            let (one, other) = (number(edge.from), number(edge.to));
            *ties.entry((one.min(other), one.max(other))).or_default() += strength;
            if edge.kind == EdgeKind::TalksAbout {
                *times.entry(other).or_default() += edge.count;
                if !spoken_of.contains_key(&other) {
                    let newest = self.sayings(&edge, 1)?.first().and_then(|one| one.source.turn());
                    spoken_of.extend(newest.map(|turn| (other, turn)));
                }
            }
        }
        let mut ties: Vec<Tie> =
            ties.into_iter().map(|((one, other), strength)| Tie { one, other, strength }).collect();
        ties.sort_by(|a, b| b.strength.total_cmp(&a.strength).then((a.one, a.other).cmp(&(b.one, b.other))));
        let things = things.into_iter().map(|node| self.named_at(node)).collect::<rusqlite::Result<_>>()?;
        Ok(Overview { things, ties, spoken_of, times })
    }
}
