//! Which tools turns of which shape used (G9, G16): counted, learnt from, kept on the disk.
//!
//! Two learn from the same counts: a table of what occurs with what, and the small network. On a fifth of the shapes that
//! neither learnt from they are compared, and only the better one is listened to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::network::{LONGEST, Network, THEN, TrainingExample};
use super::shape::TurnShape;
use crate::config::{ConfigError, write_atomic};

/// Shapes and tools that are counted. When there are more, all counts are halved, and what occurred once is let go.
pub(super) const KEPT: usize = 4_096;

/// What a turn without a tool used.
pub(in crate::tools) const NOTHING: &str = "-";

/// Nothing is learnt from fewer turns.
pub(super) const LEAST: u32 = 50;

/// Shapes of which one is held back.
const HELD_BACK_OF: u64 = 5;

/// How the network is trained.
const STEPS: usize = 300;
const SEED: u64 = 7;

/// How often one count is repeated at most while the network trains.
const MOST_TIMES: f32 = 8.0;

/// How much of everything is mixed into what occurs with one tool.
const SMOOTHING: f32 = 4.0;

/// How often turns of each shape used each tool.
#[derive(Debug, Clone, Default)]
pub(super) struct UseCounts {
    counts: BTreeMap<(TurnShape, String), u32>,
}

impl UseCounts {
    /// Those of a file; none where it cannot be read, for they come again.
    pub(super) fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let counts = text.lines().take(KEPT).filter_map(|line| {
            let mut fields = line.split('\t');
            let count = fields.next()?.parse().ok()?;
            let tool = fields.next()?.to_owned();
            Some(((TurnShape::read(fields.next()?), tool), count))
        });
        Self { counts: counts.collect() }
    }

    /// Writes them down.
    ///
    /// # Errors
    /// When the disk does not take them; what stood there stays.
    pub(super) fn save(&self, path: &Path) -> Result<(), ConfigError> {
        let lines =
            self.counts.iter().map(|((shape, tool), count)| format!("{count}\t{tool}\t{}\n", shape.told()));
        write_atomic(path, &lines.collect::<String>())
    }

    pub(super) fn note(&mut self, shape: TurnShape, tool: &str) {
        *self.counts.entry((shape, tool.to_owned())).or_insert(0) += 1;
        if self.counts.len() > KEPT {
            self.counts.values_mut().for_each(|count| *count /= 2);
            self.counts.retain(|_, count| *count > 0);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn turns(&self) -> u32 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    fn rows(&self) -> impl Iterator<Item = (&TurnShape, &str, f32)> {
        self.counts.iter().map(|((shape, tool), count)| (shape, &**tool, *count as f32))
    }
}

/// What was learnt, by whichever of the two was better.
#[derive(Debug)]
pub(super) enum LearntUse {
    Table(UseTable),
    Network(Box<UseNetwork>),
}

/// How the two compared on what was held back, in nats for each turn; less is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contest {
    pub(super) table: f32,
    pub(super) network: f32,
}

impl LearntUse {
    /// What is learnt from the counts; nothing from few. Takes about a second.
    pub(super) fn from(counts: &UseCounts) -> Option<(Self, Contest)> {
        if counts.turns() < LEAST {
            return None;
        }
        let (held_back, learnt): (Vec<_>, Vec<_>) =
            counts.rows().partition(|(shape, _, _)| shape.number() % HELD_BACK_OF == 0);
        if held_back.is_empty() || learnt.is_empty() {
            return None;
        }
        let table = UseTable::of(&learnt);
        let network = UseNetwork::of(&learnt);
        let contest = Contest {
            table: loss(&held_back, |shape, tool| table.chance(shape, tool)),
            network: loss(&held_back, |shape, tool| network.chance(shape, tool)),
        };
        let all: Vec<_> = counts.rows().collect();
        let winner = if contest.network < contest.table {
            Self::Network(Box::new(UseNetwork::of(&all)))
        } else {
            Self::Table(UseTable::of(&all))
        };
        Some((winner, contest))
    }

    /// By what name it is told of.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Table(_) => "table",
            Self::Network(_) => "network",
        }
    }

    /// How likely turns of this shape use each of these tools.
    pub(super) fn chances<'t>(&self, shape: &TurnShape, tools: impl Iterator<Item = &'t str>) -> Vec<f32> {
        match self {
            Self::Table(table) => {
                let chances = table.chances(shape);
                tools.map(|tool| chances.get(tool).copied().unwrap_or(0.0)).collect()
            }
            Self::Network(network) => {
                let chances = network.network.chances(&network.read(shape));
                let chance = |tool| network.characters.get(tool).map_or(0.0, |at| chances[*at]);
                tools.map(chance).collect()
            }
        }
    }
}

/// The mean loss, in nats. What neither has met is as unlikely for both.
fn loss(rows: &[(&TurnShape, &str, f32)], chance: impl Fn(&TurnShape, &str) -> f32) -> f32 {
    let all: f32 = rows.iter().map(|(_, _, times)| times).sum();
    let each = rows.iter().map(|(shape, tool, times)| -times * chance(shape, tool).max(1e-4).ln());
    each.sum::<f32>() / all.max(1.0)
}

/// Which part of a shape occurs with which tool how often; these are the edges from a sort of task to a tool. Parts are taken
/// as if they had nothing to do with each other.
#[derive(Debug, Default)]
pub(super) struct UseTable {
    tools: BTreeMap<String, f32>,
    parts: BTreeMap<String, f32>,
    together: BTreeMap<(String, String), f32>,
    all: f32,
}

impl UseTable {
    fn of(rows: &[(&TurnShape, &str, f32)]) -> Self {
        let mut table = Self::default();
        for (shape, tool, times) in rows {
            *table.tools.entry((*tool).to_owned()).or_default() += times;
            table.all += times;
            for part in &shape.0 {
                *table.parts.entry(part.clone()).or_default() += times;
                *table.together.entry((part.clone(), (*tool).to_owned())).or_default() += times;
            }
        }
        table
    }

    fn chances(&self, shape: &TurnShape) -> BTreeMap<&str, f32> {
        let weigh = |(tool, times): (&String, &f32)| {
            let parts = shape.0.iter().filter_map(|part| {
                let everywhere = self.parts.get(part)? / self.all;
                let together = self.together.get(&(part.clone(), tool.clone())).copied().unwrap_or(0.0);
                Some(((together + SMOOTHING * everywhere) / (times + SMOOTHING)).ln())
            });
            (times / self.all).ln() + parts.sum::<f32>()
        };
        let weights: Vec<(&str, f32)> = self.tools.iter().map(|entry| (&**entry.0, weigh(entry))).collect();
        let highest = weights.iter().map(|(_, weight)| *weight).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = weights.iter().map(|(_, weight)| (weight - highest).exp()).sum();
        weights.into_iter().map(|(tool, weight)| (tool, (weight - highest).exp() / sum)).collect()
    }

    fn chance(&self, shape: &TurnShape, tool: &str) -> f32 {
        self.chances(shape).get(tool).copied().unwrap_or(0.0)
    }
}

/// The network with its characters: parts of shapes, and tools.
#[derive(Debug)]
pub(super) struct UseNetwork {
    characters: BTreeMap<String, usize>,
    network: Network,
}

impl UseNetwork {
    fn of(rows: &[(&TurnShape, &str, f32)]) -> Self {
        let words: BTreeSet<&str> = rows
            .iter()
            .flat_map(|(shape, tool, _)| shape.0.iter().map(|part| &**part).chain([*tool]))
            .collect();
        let characters: BTreeMap<String, usize> =
            words.into_iter().map(str::to_owned).zip(THEN + 1..).collect();
        let mut learning = Self { network: Network::new(characters.len() + 1, SEED), characters };
        let examples: Vec<TrainingExample> = rows
            .iter()
            .filter_map(|(shape, tool, times)| {
                let followed = *learning.characters.get(*tool)?;
                Some(TrainingExample { seen: learning.read(shape), followed, times: times.min(MOST_TIMES) })
            })
            .collect();
        learning.network.train(&examples, STEPS, SEED);
        learning
    }

    fn read(&self, shape: &TurnShape) -> Vec<usize> {
        let known = shape.0.iter().filter_map(|part| self.characters.get(part).copied());
        known.take(LONGEST - 1).chain([THEN]).collect()
    }

    fn chance(&self, shape: &TurnShape, tool: &str) -> f32 {
        self.characters.get(tool).map_or(0.0, |at| self.network.chances(&self.read(shape))[*at])
    }
}
