//! The one way to look at the graph: who looks, and what they may see of it.
//!
//! Owns the audience rule as far as the graph goes: an edge is seen where everybody could see what it was read from, and
//! a path only where every edge of it is (contradiction 8). Owns what lies around a thing, and the ways between
//! two. Start reading at [`View`].

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Params, Row, Transaction, params};

use super::GraphError;
use super::kinds::{EdgeKind, NodeId, NodeKind, SourceId};
use crate::domain::{AccountId, Audience, StoredId, Visible};
use crate::memory::store::NotePath;
use crate::sqlite::parse_column;
use crate::text::keywords;
use crate::text::topics::is_no_topic;

/// Sources told of one bond.
const EVIDENCE: u16 = 3;

/// Steps of a path at most, and nodes that one search walks over.
const STEPS: usize = 4;
const WALKED: usize = 2_000;

/// Neighbours looked at from one node, the strongest.
const FAN: usize = 64;

/// What is beside more things than this says nothing about any two of them.
const HUB: u32 = 400;

/// Steps from something to what depends on it, at most.
const DEPTH: u8 = 8;

/// What something is called, with when that was last so and before whom.
type Called = (i64, Reverse<Arc<str>>, String);

/// Through whose eyes the graph is looked at.
#[derive(Debug, Clone)]
pub struct Viewer {
    /// `None`: the operator's, on this machine, who may read the files anyway.
    visible: Option<Visible>,
    until: Option<Timestamp>,
    without: Vec<StoredId>,
}

impl Viewer {
    /// What these may see.
    pub fn of(visible: Visible) -> Self {
        Self { visible: Some(visible), until: None, without: Vec::new() }
    }

    /// Everything: for the operator, and for whoever removes things.
    pub fn everything() -> Self {
        Self { visible: None, until: None, without: Vec::new() }
    }

    /// Without what was said later than that.
    pub fn until(mut self, until: Option<Timestamp>) -> Self {
        self.until = until;
        self
    }

    /// Without what these turns say: what is being answered is no evidence.
    pub fn without(mut self, turns: Vec<StoredId>) -> Self {
        self.without = turns;
        self
    }
}

/// Something by its name, as far as that may be known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NamedNode {
    pub id: NodeId,
    /// What it is called, or how it reads; `None` where nobody here may know.
    pub label: Option<Arc<str>>,
}

/// How two things are connected in one way, all that is seen of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bond {
    pub kind: EdgeKind,
    pub from: NamedNode,
    pub to: NamedNode,
    pub count: u32,
    pub last: Timestamp,
    /// What it was read from, the newest first, three at most.
    pub evidence: Vec<SourceId>,
    /// Before whom it was learnt: whoever is to see this must be able to see all of these.
    pub audiences: Vec<Audience>,
}

/// A way from one thing to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Step by step: what hangs together on each, never empty.
    pub steps: Vec<PathStep>,
}

impl Path {
    /// Before whom any of it was learnt: whoever is told of it must be able to see all of it.
    pub fn audiences(&self) -> impl Iterator<Item = Audience> + '_ {
        self.steps.iter().flat_map(|step| &step.bonds).flat_map(|bond| bond.audiences.iter().cloned())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PathStep {
    pub from: NamedNode,
    pub to: NamedNode,
    /// Everything seen between them, what says most first; never empty.
    pub bonds: Vec<Bond>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    pub node: NamedNode,
    pub hops: u8,
}

/// Something that depends on something else: what has to go with it, or to be looked at again (G2, "blast
/// radius").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependent {
    pub node: NamedNode,
    pub on: NodeId,
    pub via: EdgeKind,
    /// How many steps from where the question began, from 1.
    pub depth: u8,
}

/// An edge as it is stored; [`View::seen`] tells what of it is seen.
pub(super) struct StoredEdge {
    pub id: i64,
    pub from: i64,
    pub to: i64,
    pub kind: EdgeKind,
    pub audience: String,
    pub count: u32,
    pub last: i64,
}

/// The columns of an [`StoredEdge`]: a question's own are numbered from 7.
pub(super) const EDGE: &str = "e.id, e.src, e.dst, e.kind, e.audience, e.count, e.last_ms";

/// The node of something, of an account that of whoever has it.
pub(super) const FIND: &str = "
    SELECT id FROM nodes WHERE kind = ?1
    AND key = coalesce((SELECT person FROM one_person WHERE account = ?2 AND ?1 = 'person'), ?2)";

/// Every edge that hangs two things together. Word for word as in the indexes, which serve no other way to put it.
pub(super) const IS_BOND: &str = "e.kind NOT IN ('shown', 'reads')";

impl StoredEdge {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            from: row.get(1)?,
            to: row.get(2)?,
            kind: parse_column(row, 3)?,
            audience: row.get(4)?,
            count: row.get(5)?,
            last: row.get(6)?,
        })
    }
}

/// That a source said something, when, of how much weight in thousandths.
pub(super) struct Weighed {
    pub at: i64,
    pub source: SourceId,
    pub weight: u16,
}

/// What is beside a node.
struct Beside {
    node: i64,
    /// Whether a way may lead over it.
    leads: bool,
    /// What a step there costs on a way: what many things are beside is a weak link.
    cost: f64,
    strength: f64,
    last: i64,
}

/// The graph as of one moment, through a viewer.
#[derive(Debug)]
pub struct View<'a> {
    pub(super) tx: &'a Transaction<'a>,
    visible: Option<HashSet<String>>,
    until: i64,
    /// The turns that are left out, as a list that SQLite reads, and how often they speak of an edge.
    without: String,
    doubtful: HashMap<i64, u32>,
}

impl<'a> View<'a> {
    pub(super) fn of(tx: &'a Transaction<'a>, viewer: Viewer) -> rusqlite::Result<Self> {
        let visible = viewer.visible.map(|visible| visible.audiences().map(Audience::to_string).collect());
        let until = viewer.until.map_or(i64::MAX, Timestamp::as_millisecond);
        let without = serde_json::json!(viewer.without).to_string();
        let mut spoken_of = tx.prepare_cached(
            "SELECT edge, count(*) FROM said WHERE source IN (SELECT value FROM json_each(?1)) GROUP BY edge",
        )?;
        let edges = spoken_of.query_map([&without], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let doubtful: HashMap<i64, u32> = edges.collect::<rusqlite::Result<_>>()?;
        Ok(Self { tx, visible, until, without, doubtful })
    }

    /// How often an edge was said and when last, as far as that is seen; `None` for nothing.
    fn seen(&self, edge: &StoredEdge) -> rusqlite::Result<Option<(u32, i64)>> {
        if self.visible.as_ref().is_some_and(|visible| !visible.contains(&edge.audience)) {
            return Ok(None);
        }
        if edge.last <= self.until {
            let Some(left_out) = self.doubtful.get(&edge.id) else {
                return Ok(Some((edge.count, edge.last)));
            };
            // Of years of talk only the newest is read.
            let newest = self.sayings(edge, 1)?;
            return Ok(newest.first().map(|newest| (edge.count.saturating_sub(*left_out), newest.at)));
        }
        let mut counted = self.tx.prepare_cached(
            "SELECT count(*), max(at_ms) FROM said
             WHERE edge = ?1 AND at_ms <= ?2 AND source NOT IN (SELECT value FROM json_each(?3))",
        )?;
        let (count, last): (u32, Option<i64>) = counted
            .query_row(params![edge.id, self.until, self.without], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(last.map(|last| (count, last)))
    }

    /// Who said so, as far as that is seen, the newest first, at most so many.
    pub(super) fn sayings(&self, edge: &StoredEdge, most: u16) -> rusqlite::Result<Vec<Weighed>> {
        let mut newest = self.tx.prepare_cached(
            "SELECT at_ms, weight, source, CASE WHEN source < 0 THEN (SELECT path FROM notes WHERE id = -source) END
             FROM said WHERE edge = ?1 AND at_ms <= ?2 AND source NOT IN (SELECT value FROM json_each(?3))
             ORDER BY at_ms DESC, source DESC LIMIT ?4",
        )?;
        let sayings = newest.query_map(params![edge.id, self.until, self.without, most], |row| {
            let (turn, note) = (StoredId(row.get(2)?), row.get::<_, Option<Arc<str>>>(3)?);
            let source = note.map_or(SourceId::Turn(turn), SourceId::Note);
            Ok(Weighed { at: row.get(0)?, weight: row.get(1)?, source })
        })?;
        sayings.collect()
    }

    /// What is made of edges and what stands behind them in their rows: of those that are seen, with how often and when
    /// last, in the order of the question, at most so many. The columns of [`EDGE`] come first.
    pub(super) fn seen_rows<T>(
        &self,
        question: &str,
        parameters: impl Params,
        most: usize,
        mut read: impl FnMut(StoredEdge, &Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut statement = self.tx.prepare_cached(question)?;
        let mut rows = statement.query(parameters)?;
        let mut found = Vec::new();
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            let edge = StoredEdge::read(row)?;
            if let Some((count, last)) = self.seen(&edge)? {
                found.push(read(StoredEdge { count, last, ..edge }, row)?);
            }
        }
        Ok(found)
    }

    /// Edges as far as they are seen, with how often and when last.
    pub(super) fn edges(&self, which: &str, parameters: impl Params) -> rusqlite::Result<Vec<StoredEdge>> {
        let question = format!("SELECT {EDGE} FROM edges e WHERE {which} AND {IS_BOND}");
        self.seen_rows(&question, parameters, usize::MAX, |edge, _| Ok(edge))
    }

    /// The node of whoever has an account, whichever of theirs it is.
    pub fn person(&self, account: &AccountId) -> Result<NodeId, GraphError> {
        let person = "SELECT coalesce((SELECT person FROM one_person WHERE account = ?1), ?1)";
        let person =
            self.tx.prepare_cached(person)?.query_row([account.slug()], |row| row.get::<_, Arc<str>>(0));
        Ok(NodeId::new(NodeKind::Person, person?))
    }

    pub(super) fn find(&self, id: &NodeId) -> rusqlite::Result<Option<i64>> {
        self.tx
            .prepare_cached(FIND)?
            .query_row(params![id.kind.as_str(), id.key], |row| row.get(0))
            .optional()
    }

    pub(super) fn find_all(&self, ids: &[NodeId]) -> rusqlite::Result<Vec<i64>> {
        ids.iter().filter_map(|id| self.find(id).transpose()).collect()
    }

    pub(super) fn id(&self, node: i64) -> rusqlite::Result<NodeId> {
        self.tx
            .prepare_cached("SELECT kind, key FROM nodes WHERE id = ?1")?
            .query_row([node], |row| Ok(NodeId::new(parse_column(row, 0)?, row.get::<_, Arc<str>>(1)?)))
    }

    /// What something is called where that is seen, with when and before whom, the newest first; of two of one moment the
    /// one that comes first.
    fn labels(&self, node: i64) -> rusqlite::Result<Vec<Called>> {
        let question = format!(
            "SELECT {EDGE}, n.key FROM edges e JOIN nodes n ON n.id = e.dst
             WHERE e.src = ?1 AND e.kind IN ('shown', 'reads')"
        );
        let mut labels: Vec<Called> = self.seen_rows(&question, [node], usize::MAX, |edge, row| {
            Ok((edge.last, Reverse(row.get(7)?), edge.audience))
        })?;
        labels.sort_unstable_by(|a, b| b.cmp(a));
        Ok(labels)
    }

    pub(super) fn named_at(&self, node: i64) -> rusqlite::Result<NamedNode> {
        let newest = self.labels(node)?.into_iter().next();
        Ok(NamedNode { id: self.id(node)?, label: newest.map(|(_, Reverse(label), _)| label) })
    }

    /// What something is called by those who learnt what is told of it: by a name of their own, or everybody's. Where it
    /// has none there, its audience is one of those that must be able to see all of it.
    pub(super) fn named_within(
        &self,
        node: i64,
        audiences: &mut BTreeSet<String>,
    ) -> rusqlite::Result<NamedNode> {
        let labels = self.labels(node)?;
        let canon = Audience::Canon.to_string();
        let own = labels.iter().find(|(_, _, audience)| audiences.contains(audience) || *audience == canon);
        let label = own.or(labels.first()).map(|(_, Reverse(label), audience)| {
            if own.is_none() {
                audiences.insert(audience.clone());
            }
            Arc::clone(label)
        });
        Ok(NamedNode { id: self.id(node)?, label })
    }

    /// What something is called; `None` where nobody here may know that it is there.
    pub fn named(&self, id: &NodeId) -> Result<Option<NamedNode>, GraphError> {
        let Some(node) = self.find(id)? else { return Ok(None) };
        let named = self.named_at(node)?;
        let is_seen = named.label.is_some() || !self.beside(node)?.is_empty();
        Ok(is_seen.then_some(named))
    }

    /// Notes with a line that points to this one, by path, at most so many.
    pub fn linked_from(&self, path: &NotePath, most: usize) -> Result<Vec<NotePath>, GraphError> {
        let Some(note) = self.find(&NodeId::note(path.as_str()))? else { return Ok(Vec::new()) };
        let question = format!(
            "SELECT {EDGE}, n.key FROM edges e JOIN nodes n ON n.id = e.src
             WHERE e.dst = ?1 AND e.kind = 'links' AND {IS_BOND}"
        );
        let lines = self.seen_rows(&question, [note], usize::MAX, |_, row| row.get::<_, String>(7))?;
        // A line is known by its note and its place there.
        let paths = lines.iter().filter_map(|line| line.rsplit_once('#'));
        let notes: BTreeSet<NotePath> = paths.filter_map(|(path, _)| NotePath::new(path).ok()).collect();
        Ok(notes.into_iter().take(most).collect())
    }

    /// All that is seen between two things, whichever way it goes.
    pub(super) fn joining(&self, a: i64, b: i64) -> rusqlite::Result<Vec<StoredEdge>> {
        self.edges("((e.src = ?1 AND e.dst = ?2) OR (e.src = ?2 AND e.dst = ?1))", [a, b])
    }

    /// Edges as bonds: those of one kind and direction become one, whatever their audiences.
    pub(super) fn bonds(&self, edges: Vec<StoredEdge>) -> rusqlite::Result<Vec<Bond>> {
        let mut grouped: BTreeMap<(EdgeKind, i64, i64), Vec<StoredEdge>> = BTreeMap::new();
        for edge in edges {
            grouped.entry((edge.kind, edge.from, edge.to)).or_default().push(edge);
        }
        let mut bonds: Vec<Bond> = Vec::with_capacity(grouped.len());
        for ((kind, from, to), edges) in grouped {
            let last = edges.iter().map(|edge| edge.last).max().unwrap_or_default();
            let mut audiences: BTreeSet<String> = edges.iter().map(|edge| edge.audience.clone()).collect();
            bonds.push(Bond {
                kind,
                from: self.named_within(from, &mut audiences)?,
                to: self.named_within(to, &mut audiences)?,
                count: edges.iter().map(|edge| edge.count).sum(),
                last: Timestamp::from_millisecond(last).unwrap_or_default(),
                evidence: self.evidence(&edges)?,
                audiences: read_audiences(&audiences),
            });
        }
        bonds.sort_by(|a, b| (a.kind, &a.from.id, &a.to.id).cmp(&(b.kind, &b.from.id, &b.to.id)));
        Ok(bonds)
    }

    /// What edges were read from, the newest first.
    pub(super) fn evidence(&self, edges: &[StoredEdge]) -> rusqlite::Result<Vec<SourceId>> {
        let mut sources: Vec<(i64, SourceId)> = Vec::new();
        for edge in edges {
            sources.extend(self.sayings(edge, EVIDENCE)?.into_iter().map(|one| (one.at, one.source)));
        }
        sources.sort_unstable_by(|a, b| b.cmp(a));
        sources.dedup();
        Ok(sources.into_iter().take(EVIDENCE.into()).map(|(_, source)| source).collect())
    }

    /// What is beside a node as far as is seen, each once with the cheapest kind; the strongest of many. The one question
    /// by which the graph is walked.
    fn beside(&self, at: i64) -> rusqlite::Result<Vec<Beside>> {
        // Two things are beside each other in a few ways at most: of four times as many enough are left.
        let mut beside = self.seen_rows(&beside_sql(), [at], 4 * FAN, |edge, row| {
            let (node_kind, edges): (NodeKind, u32) = (parse_column(row, 7)?, row.get(8)?);
            // Not over what everybody speaks of, or says.
            let tells = node_kind != NodeKind::Topic || !is_no_topic(row.get_ref(9)?.as_str()?);
            let may_lead = node_kind == NodeKind::Person || (tells && edges <= HUB);
            Ok(Beside {
                node: if edge.from == at { edge.to } else { edge.from },
                leads: may_lead && leads(edge.kind),
                cost: edge.kind.cost() + 0.3 * f64::from(1 + edges).ln(),
                strength: f64::from(edge.count) / edge.kind.cost(),
                last: edge.last,
            })
        })?;
        beside.sort_unstable_by(|a, b| a.node.cmp(&b.node).then_with(|| a.cost.total_cmp(&b.cost)));
        beside.dedup_by_key(|one| one.node);
        // The strongest first, of equally strong ones the newest.
        beside.sort_unstable_by(|a, b| {
            b.strength.total_cmp(&a.strength).then_with(|| (b.last, a.node).cmp(&(a.last, b.node)))
        });
        beside.truncate(FAN);
        Ok(beside)
    }

    /// What lies around something within `hops` steps, the nearest first.
    pub fn around(&self, of: &NodeId, hops: u8, most: usize) -> Result<Vec<Neighbour>, GraphError> {
        let Some(start) = self.find(of)? else { return Ok(Vec::new()) };
        let (mut near, mut known) = (Vec::new(), HashSet::from([start]));
        let mut outermost = vec![start];
        for hop in 1..=hops {
            for from in std::mem::take(&mut outermost) {
                for other in self.beside(from)? {
                    if near.len() < most && known.insert(other.node) {
                        near.push(Neighbour { node: self.named_at(other.node)?, hops: hop });
                        outermost.push(other.node);
                    }
                }
            }
        }
        Ok(near)
    }

    /// Ways from any of some things to any of others, the nearest first; no two of them over the same things. Every edge of
    /// every way is seen through the viewer.
    pub fn paths(&self, from: &[NodeId], to: &[NodeId], most: usize) -> Result<Vec<Path>, GraphError> {
        let are_people = from.iter().chain(to).all(|end| end.kind == NodeKind::Person);
        let (from, to) = (self.find_all(from)?, self.find_all(to)?);
        let mut found: Vec<Path> = Vec::new();
        if from.iter().any(|at| to.contains(at)) {
            return Ok(found);
        }
        let names = if are_people { self.topics_of_names(from.iter().chain(&to))? } else { HashSet::new() };
        let (mut used, mut known) = (names, HashMap::new());
        while found.len() < most {
            let Some(way) = self.nearest([&from, &to], &used, found.is_empty(), &mut known)? else { break };
            used.extend(way.iter().filter(|at| !from.contains(at) && !to.contains(at)));
            let steps = way.windows(2).filter_map(|pair| self.step(pair[0], pair[1]).transpose());
            found.push(Path { steps: steps.collect::<rusqlite::Result<_>>()? });
        }
        Ok(found)
    }

    /// The topics that are names of these people: that both write one of them connects nobody.
    fn topics_of_names<'p>(&self, people: impl Iterator<Item = &'p i64>) -> rusqlite::Result<HashSet<i64>> {
        let mut topics = HashSet::new();
        for person in people {
            for (_, Reverse(label), _) in self.labels(*person)? {
                for stem in keywords::terms(&label) {
                    topics.extend(self.find(&NodeId::topic(&stem))?);
                }
            }
        }
        Ok(topics)
    }

    /// The way between two things that are beside each other; `None` where they are not, as far as is seen.
    pub fn direct(&self, from: &NodeId, to: &NodeId) -> Result<Option<Path>, GraphError> {
        let (Some(from), Some(to)) = (self.find(from)?, self.find(to)?) else { return Ok(None) };
        Ok(self.step(from, to)?.map(|step| Path { steps: vec![step] }))
    }

    /// Everything seen between two things, by the names they have where it was learnt; `None` for nothing.
    fn step(&self, from: i64, to: i64) -> rusqlite::Result<Option<PathStep>> {
        let mut bonds = self.bonds(self.joining(from, to)?)?;
        bonds.sort_by(|a, b| a.kind.cost().total_cmp(&b.kind.cost()).then_with(|| b.count.cmp(&a.count)));
        let Some(first) = bonds.first() else { return Ok(None) };
        let (one, other) = (first.from.clone(), first.to.clone());
        let (from, to) = if one.id == self.id(from)? { (one, other) } else { (other, one) };
        Ok(Some(PathStep { from, to, bonds }))
    }

    /// The nearest way that does not lead over what was used; direct ones only where they are asked for. What lies beside
    /// what is kept in `known`.
    fn nearest(
        &self,
        [from, to]: [&[i64]; 2],
        used: &HashSet<i64>,
        direct: bool,
        known: &mut HashMap<i64, Vec<Beside>>,
    ) -> rusqlite::Result<Option<Vec<i64>>> {
        // What it costs to get there, where that is, over how many steps and from where. The bits of costs, which are never
        // negative, are in their order.
        let mut waiting: BinaryHeap<Reverse<(u64, i64, usize, i64)>> =
            from.iter().map(|at| Reverse((0, *at, 0, *at))).collect();
        let mut before: HashMap<i64, i64> = HashMap::new();
        while let Some(Reverse((cost, at, steps, came_from))) = waiting.pop() {
            let Entry::Vacant(unknown) = before.entry(at) else { continue };
            unknown.insert(came_from);
            if to.contains(&at) {
                let back = |at: &i64| before.get(at).copied().filter(|earlier| earlier != at);
                let mut way: Vec<i64> = std::iter::successors(Some(at), back).collect();
                way.reverse();
                return Ok(Some(way));
            }
            if before.len() >= WALKED || steps >= STEPS {
                continue;
            }
            let mut next = |other: i64, step: f64| {
                if !before.contains_key(&other) {
                    let cost = f64::from_bits(cost) + step;
                    waiting.push(Reverse((cost.to_bits(), other, steps + 1, at)));
                }
            };
            if direct || !from.contains(&at) {
                for end in to {
                    let ways = self.joining(at, *end)?.into_iter().filter(|edge| leads(edge.kind));
                    if let Some(step) = ways.map(|edge| edge.kind.cost()).min_by(f64::total_cmp) {
                        next(*end, step);
                    }
                }
            }
            // The last step leads to the end or nowhere.
            if steps + 1 == STEPS {
                continue;
            }
            let beside = match known.entry(at) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(self.beside(at)?),
            };
            for other in beside.iter().filter(|other| other.leads) {
                if !used.contains(&other.node) && !to.contains(&other.node) {
                    next(other.node, other.cost);
                }
            }
        }
        Ok(None)
    }

    /// Everything that depends on something, the nearest first, then by name: what was made of it, what was made of that,
    /// and what points to any of it. The operator's view.
    pub fn dependents(&self, of: &NodeId) -> Result<Vec<Dependent>, GraphError> {
        let Some(start) = self.find(of)? else { return Ok(Vec::new()) };
        // A person is also what their names say. What people say of somebody is their own; only what is written down
        // depends on it.
        let mut statement = self.tx.prepare_cached(
            "WITH RECURSIVE reached (node, onto, via, depth, goes) AS (
                SELECT ?1, ?1, '', 0, 1
                UNION SELECT e.dst, ?1, '', 0, 1 FROM edges e
                    WHERE e.src = ?1 AND e.kind = 'called' AND ?2 = 'person'
                UNION SELECT e.dst, r.node, e.kind, r.depth + 1, 1 FROM reached r JOIN edges e ON e.src = r.node
                    WHERE r.goes AND r.depth < ?3 AND e.kind IN ('contains', 'synthesized_into')
                UNION SELECT e.src, r.node, e.kind, r.depth + 1, e.kind = 'derived_from'
                    FROM reached r JOIN edges e INDEXED BY edges_by_target ON e.dst = r.node
                    WHERE r.goes AND r.depth < ?3 AND e.kind NOT IN ('shown', 'reads')
                      AND e.kind IN ('derived_from', 'links', 'mentions', 'about', 'contradicts'))
             SELECT r.node, r.onto, r.via, r.depth FROM reached r JOIN nodes n ON n.id = r.node
             WHERE n.kind NOT IN ('person', 'episode') AND r.via <> '' ORDER BY r.depth, r.goes DESC, r.via",
        )?;
        let mut rows = statement.query(params![start, of.kind.as_str(), DEPTH])?;
        let (mut found, mut reached) = (Vec::new(), HashSet::from([start]));
        while let Some(row) = rows.next()? {
            let node = row.get(0)?;
            if reached.insert(node) {
                let (node, on) = (self.named_at(node)?, self.id(row.get(1)?)?);
                found.push(Dependent { node, on, via: parse_column(row, 2)?, depth: row.get(3)? });
            }
        }
        found.sort_by(|a, b| (a.depth, &a.node.id).cmp(&(b.depth, &b.node.id)));
        Ok(found)
    }
}

/// What is beside a node on either side, the strongest first: read only as far as enough of it is seen.
pub(super) fn beside_sql() -> String {
    format!(
        "SELECT {EDGE}, n.kind, n.edges, n.key, e.strength AS strength
             FROM edges e CROSS JOIN nodes n ON n.id = e.dst WHERE e.src = ?1 AND {IS_BOND}
         UNION ALL SELECT {EDGE}, n.kind, n.edges, n.key, e.strength
             FROM edges e CROSS JOIN nodes n ON n.id = e.src WHERE e.dst = ?1 AND {IS_BOND}
         ORDER BY strength DESC"
    )
}

/// Whether a way may lead over an edge: messages are evidence, no way.
fn leads(kind: EdgeKind) -> bool {
    kind != EdgeKind::DerivedFrom
}

/// Audiences as they are stored.
pub(super) fn read_audiences(audiences: &BTreeSet<String>) -> Vec<Audience> {
    audiences.iter().filter_map(|audience| audience.parse().ok()).collect()
}
