//! How two people stand to each other, who knows about something, and what is noted about somebody (G3,
//! G4, G5).
//!
//! Owns what counts for and against, and how it fades. Must not know how it is told. Start reading at [`Acquainted`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::params;

use super::GraphError;
use super::kinds::{EdgeKind, NodeId, NodeKind, ONCE, SourceId};
use super::view::{Bond, EDGE, IS_BOND, NamedNode, StoredEdge, View, read_audiences};
use crate::domain::Audience;
use crate::sqlite::parse_column;
use crate::text::keywords;

/// What was between people counts half after so long (M4: the 30-day tier).
const HALF_LIFE_MS: f64 = 30.0 * 24.0 * 60.0 * 60.0 * 1000.0;

/// From so much on somebody is a friend, and from so much on it is tense: a few thank-yous in a month, two hard words.
const WARM: f64 = 4.0;
const TENSE: f64 = 3.0;

/// So much of one kind and direction counts, the newest: twice as much as makes friends of two who only talk. Years of talk
/// are not read through.
const COUNTED: u16 = 400;

/// Topics of a question that somebody or what is noted is looked up by.
const TOPICS: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// They help and like each other.
    Ally,
    /// They are hard on each other.
    Tense,
    Mixed,
    Plain,
}

/// How two people stand to each other, as far as is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Acquainted {
    pub mood: Mood,
    /// What speaks for them, faded.
    pub warm: f64,
    /// What speaks against, likewise.
    pub tense: f64,
    /// What there is between them, by kind and direction.
    pub bonds: Vec<Bond>,
}

/// What one of a kind counts, for and against; `None` for what people do not do with each other.
fn kind_counts(kind: EdgeKind) -> Option<(f64, f64)> {
    match kind {
        EdgeKind::Helped | EdgeKind::CloseTo => Some((2.0, 0.0)),
        EdgeKind::AgreedWith => Some((0.7, 0.0)),
        EdgeKind::Answered => Some((0.1, 0.0)),
        EdgeKind::TalkedWith => Some((0.02, 0.0)),
        EdgeKind::QuarrelledWith => Some((0.0, 1.8)),
        _ => None,
    }
}

/// Somebody who knows about something.
#[derive(Debug, Clone, PartialEq)]
pub struct Expert {
    pub person: NamedNode,
    /// How much speaks for it, faded; the most comes first.
    pub score: f64,
    /// How often they said they know about it, helped with it, or a note says so.
    pub knows: u32,
    /// How often they spoke of it.
    pub talks: u32,
    pub last: Timestamp,
    pub evidence: Vec<SourceId>,
    pub audiences: Vec<Audience>,
}

/// Something that is noted about somebody.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedAbout {
    pub node: NodeId,
    pub label: Arc<str>,
    pub audience: Audience,
}

fn faded(at: i64, now: Timestamp) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "spans of time in milliseconds are far below 2^52")]
    let age = now.as_millisecond().saturating_sub(at).max(0) as f64;
    0.5_f64.powf(age / HALF_LIFE_MS)
}

/// The topics that are asked for, from the first parameter of a question: what [`stems_of`] makes of words.
const ASKED: &str =
    "(SELECT id FROM nodes WHERE kind = 'topic' AND key IN (SELECT value FROM json_each(?1)))";

/// What words are about, each once and not more than the first [`TOPICS`], as a list that SQLite reads.
fn stems_of(words: &str) -> String {
    let mut seen = BTreeSet::new();
    let mut stems = keywords::terms(words);
    stems.retain(|stem| seen.insert(stem.clone()));
    stems.truncate(TOPICS);
    serde_json::json!(stems).to_string()
}

/// The people that go by a name whose first word is given, and the whole name.
pub(super) fn called_sql() -> String {
    format!(
        "SELECT {EDGE}, n.key FROM nodes n JOIN edges e ON e.dst = n.id JOIN nodes p ON p.id = e.src
         WHERE n.word = ?1 AND e.kind IN ('shown', 'called') AND p.kind = 'person'"
    )
}

impl View<'_> {
    /// How two people stand to each other; `None` where nothing is seen between them.
    pub fn standing(&self, a: &NodeId, b: &NodeId, now: Timestamp) -> Result<Option<Acquainted>, GraphError> {
        let (Some(a), Some(b)) = (self.find(a)?, self.find(b)?) else { return Ok(None) };
        if a == b {
            return Ok(None);
        }
        let (mut bonds, mut warm, mut tense) = (Vec::new(), 0.0, 0.0);
        for edge in self.joining(a, b)? {
            let Some((good, bad)) = kind_counts(edge.kind) else { continue };
            let newest = self.sayings(&edge, COUNTED)?;
            let counts = newest.iter().map(|one| faded(one.at, now) * f64::from(one.weight));
            let weight = counts.sum::<f64>() / f64::from(ONCE);
            warm += good * weight;
            tense += bad * weight;
            bonds.push(edge);
        }
        if bonds.is_empty() {
            return Ok(None);
        }
        let mood = match (warm >= WARM, tense >= TENSE) {
            (true, true) => Mood::Mixed,
            (true, false) => Mood::Ally,
            (false, true) => Mood::Tense,
            (false, false) => Mood::Plain,
        };
        Ok(Some(Acquainted { mood, warm, tense, bonds: self.bonds(bonds)? }))
    }

    /// Who knows about what these words are about, best first. Whoever only speaks of it counts little.
    pub fn experts(&self, words: &str, now: Timestamp, most: usize) -> Result<Vec<Expert>, GraphError> {
        let mut people: BTreeMap<i64, Vec<StoredEdge>> = BTreeMap::new();
        let which = format!("e.dst IN {ASKED} AND e.kind IN ('expert_in', 'talks_about')");
        for edge in self.edges(&which, [stems_of(words)])? {
            people.entry(edge.from).or_default().push(edge);
        }
        let counts = |edge: &StoredEdge| match edge.kind {
            EdgeKind::ExpertIn => 3.0,
            // A skill is kept; what somebody only spoke of they may have dropped.
            _ => 0.5 * faded(edge.last, now).max(0.1),
        };
        let mut ranked = Vec::with_capacity(people.len());
        for (person, edges) in people {
            let score: f64 = edges.iter().map(|edge| counts(edge) * f64::from(edge.count).ln_1p()).sum();
            ranked.push((score, self.id(person)?, person, edges));
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let mut experts = Vec::with_capacity(most.min(ranked.len()));
        for (score, _, person, edges) in ranked.into_iter().take(most) {
            let often = |kind: EdgeKind| -> u32 {
                edges.iter().filter(|edge| edge.kind == kind).map(|edge| edge.count).sum()
            };
            let mut audiences: BTreeSet<String> = edges.iter().map(|edge| edge.audience.clone()).collect();
            let last = edges.iter().map(|edge| edge.last).max().unwrap_or_default();
            experts.push(Expert {
                person: self.named_within(person, &mut audiences)?,
                score,
                knows: often(EdgeKind::ExpertIn),
                talks: often(EdgeKind::TalksAbout),
                last: Timestamp::from_millisecond(last).unwrap_or_default(),
                evidence: self.evidence(&edges)?,
                audiences: read_audiences(&audiences),
            });
        }
        Ok(experts)
    }

    /// People of a name, as far as it may be known that they have it: those who are shown under it, and those a note calls
    /// so. The whole name, or the beginning of it.
    pub fn called(&self, name: &str) -> Result<Vec<NamedNode>, GraphError> {
        let wanted: Vec<String> = keywords::words(name).collect();
        let Some(first) = wanted.first() else { return Ok(Vec::new()) };
        let mut people: BTreeSet<i64> =
            self.find(&NodeId::new(NodeKind::Person, name))?.into_iter().collect();
        let so_called = self.seen_rows(&called_sql(), [first], usize::MAX, |edge, row| {
            let own: Vec<String> = keywords::words(row.get_ref(7)?.as_str()?).collect();
            Ok(own.starts_with(&wanted).then_some(edge.from))
        })?;
        people.extend(so_called.into_iter().flatten());
        let named = people.into_iter().map(|at| self.named_at(at));
        let mut named = named.collect::<rusqlite::Result<Vec<NamedNode>>>()?;
        named.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(named)
    }

    /// Whom or what a name means: people who are called so; where nobody is, the topics it names.
    pub fn meant(&self, word: &str) -> Result<Vec<NamedNode>, GraphError> {
        let people = self.called(word)?;
        if !people.is_empty() {
            return Ok(people);
        }
        let topics = keywords::terms(word);
        topics.iter().filter_map(|stem| self.named(&NodeId::topic(stem)).transpose()).collect()
    }

    /// What is noted about somebody that has most topics in common with these words, of equally many the newest first.
    pub fn noted(&self, person: &NodeId, words: &str, most: usize) -> Result<Vec<NotedAbout>, GraphError> {
        let Some(person) = self.find(person)? else { return Ok(Vec::new()) };
        // What a line reads like and speaks of is known to those who know whom it is about.
        let question = format!(
            "SELECT {EDGE}, n.kind, n.key, l.key FROM edges e JOIN nodes n ON n.id = e.src
             JOIN edges t ON t.src = e.src AND t.audience = e.audience AND t.kind = 'related_to' AND t.dst IN {ASKED}
             JOIN edges r ON r.src = e.src AND r.audience = e.audience AND r.kind = 'reads'
             JOIN nodes l ON l.id = r.dst
             WHERE e.dst = ?2 AND e.kind = 'about' AND {IS_BOND}
             GROUP BY e.id ORDER BY count(*) DESC, e.last_ms DESC, n.key"
        );
        let noted = self.seen_rows(&question, params![stems_of(words), person], most, |_, row| {
            let node = NodeId::new(parse_column(row, 7)?, row.get::<_, Arc<str>>(8)?);
            Ok(NotedAbout { node, label: row.get(9)?, audience: parse_column(row, 4)? })
        });
        Ok(noted?)
    }
}
