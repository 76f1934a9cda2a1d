//! People and topics at a glance: those most connected, and how strongly.

use std::collections::{BTreeMap, HashMap};

use rusqlite::OptionalExtension as _;

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
            let strength: f64 = row.get(8)?;
            Ok((edge, strength))
        })?;
        let mut numbers: HashMap<i64, usize> = HashMap::new();
        let mut things = Vec::new();
        let mut ties: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        let mut spoken: HashMap<i64, i64> = HashMap::new();
        let mut said: HashMap<i64, u32> = HashMap::new();
        for (edge, strength) in edges.into_iter().filter(|(edge, _)| edge.from != edge.to) {
            let missing = [edge.from, edge.to].iter().filter(|node| !numbers.contains_key(node)).count();
            if things.len() + missing > most {
                continue;
            }
            if edge.kind == EdgeKind::TalksAbout {
                spoken.entry(edge.to).or_insert(edge.id);
                *said.entry(edge.to).or_default() += edge.count;
            }
            let mut number = |node| {
                *numbers.entry(node).or_insert_with(|| {
                    things.push(node);
                    things.len() - 1
                })
            };
            let (one, other) = (number(edge.from), number(edge.to));
            *ties.entry((one.min(other), one.max(other))).or_default() += strength;
        }
        let mut ties: Vec<Tie> =
            ties.into_iter().map(|((one, other), strength)| Tie { one, other, strength }).collect();
        ties.sort_by(|a, b| b.strength.total_cmp(&a.strength).then((a.one, a.other).cmp(&(b.one, b.other))));
        let mut spoken_of = HashMap::new();
        for (node, edge) in spoken {
            if let (Some(number), Some(turn)) = (numbers.get(&node), self.newest_message(edge)?) {
                spoken_of.insert(*number, turn);
            }
        }
        let times =
            said.into_iter().filter_map(|(node, count)| Some((*numbers.get(&node)?, count))).collect();
        let things = things.into_iter().map(|node| self.named_at(node)).collect::<rusqlite::Result<_>>()?;
        Ok(Overview { things, ties, spoken_of, times })
    }

    /// The newest message that says so.
    fn newest_message(&self, edge: i64) -> rusqlite::Result<Option<StoredId>> {
        self.tx
            .prepare_cached(
                "SELECT source FROM said WHERE edge = ?1 AND source > 0 ORDER BY at_ms DESC LIMIT 1",
            )?
            .query_row([edge], |row| row.get(0).map(StoredId))
            .optional()
    }
}
