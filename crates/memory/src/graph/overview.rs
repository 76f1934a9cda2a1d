//! People and topics at a glance: those most connected, and how strongly.

use std::collections::hash_map::Entry;
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
    pub things: Vec<Thing>,
    /// The strongest first.
    pub ties: Vec<Tie>,
}

/// Somebody, or something that is talked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Thing {
    pub named: NamedNode,
    /// How often a topic was spoken of.
    pub times: u32,
    /// A message in which a topic is spoken of: how it is written stands there.
    pub spoken_of: Option<StoredId>,
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
        let mut things: Vec<Thing> = Vec::new();
        let mut ties: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (edge, strength) in edges.into_iter().filter(|(edge, _)| edge.from != edge.to) {
            let missing = [edge.from, edge.to].iter().filter(|node| !numbers.contains_key(node)).count();
            if things.len() + missing > most {
                continue;
            }
            for node in [edge.from, edge.to] {
                if let Entry::Vacant(unknown) = numbers.entry(node) {
                    unknown.insert(things.len());
                    things.push(Thing { named: self.named_at(node)?, times: 0, spoken_of: None });
                }
            }
            let (one, other) = (numbers[&edge.from], numbers[&edge.to]);
            *ties.entry((one.min(other), one.max(other))).or_default() += strength;
            if edge.kind == EdgeKind::TalksAbout {
                let topic = &mut things[other];
                topic.times += edge.count;
                if topic.spoken_of.is_none() {
                    topic.spoken_of = self.sayings(&edge, 1)?.first().and_then(|newest| newest.source.turn());
                }
            }
        }
        let mut ties: Vec<Tie> =
            ties.into_iter().map(|((one, other), strength)| Tie { one, other, strength }).collect();
        ties.sort_by(|a, b| b.strength.total_cmp(&a.strength).then((a.one, a.other).cmp(&(b.one, b.other))));
        Ok(Overview { things, ties })
    }
}
