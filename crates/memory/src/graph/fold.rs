//! From messages and notes to edges: which of them stand decides what there is, not the order in which they came (specs
//! mechanisms G7: the graph is a fold).
//!
//! Each is a source that says what hangs together and takes it all back when it goes; triggers keep what follows from
//! that. What a message says depends in part on the one before it and on the one it answers; when one of these changes,
//! that part is said anew. Must not know where messages and notes come from. Start reading at [`take_turns`].

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Params, Row, Transaction, params};

use super::kinds::{DAY_MS, EdgeKind, NodeId, NodeKind, ONCE, Saying, between, episode};
use super::notes::note_sayings;
use super::one_person::OnePerson;
use super::turns::SpokenMessage;
use crate::domain::Stance;
use crate::history::{HeardMessage, Told};
use crate::memory::NoteTold;
use crate::sqlite::to_sql;
use crate::text::keywords;

/// How soon after the other one has to speak to be talking with them, and how soon thanks, agreement and the like follow
/// what they are meant for, in milliseconds.
const TOGETHER_MS: i64 = 10 * 60 * 1000;
const MEANT_MS: i64 = 5 * 60 * 1000;

/// Takes messages in that were said, changed or taken back.
pub(super) fn take_turns(
    tx: &Transaction<'_>,
    told: &[Told],
    one_person: &OnePerson,
) -> rusqlite::Result<()> {
    overwrite(tx)?;
    let mut touched: BTreeSet<i64> = BTreeSet::new();
    for one in told {
        match one {
            Told::Stands(heard) => turn_stands(tx, heard, one_person, &mut touched)?,
            Told::Gone(id) => turn_gone(tx, id.0, &mut touched)?,
        }
    }
    for id in touched {
        retract_source(tx, id, true)?;
        if let Some(turn) = live_messages(tx, "WHERE id = ?1", params![id])? {
            add_sayings(tx, id, true, one_person, &leaning(tx, &turn)?)?;
        }
    }
    Ok(())
}

/// Takes notes in that were written, changed or removed.
pub(super) fn take_notes(
    tx: &Transaction<'_>,
    told: &[NoteTold],
    one_person: &OnePerson,
) -> rusqlite::Result<()> {
    overwrite(tx)?;
    for one in told {
        let path = one.path();
        let gone = "DELETE FROM notes WHERE path = ?1 RETURNING id";
        let gone = tx.prepare_cached(gone)?.query_row([path.as_str()], |row| row.get::<_, i64>(0));
        if let Some(id) = gone.optional()? {
            retract_source(tx, -id, false)?;
        }
        if let NoteTold::Stands { path, text, hash } = one {
            tx.prepare_cached("INSERT INTO notes (path, sha256) VALUES (?1, ?2)")?
                .execute(params![path.as_str(), hash.to_string()])?;
            add_sayings(tx, -tx.last_insert_rowid(), false, one_person, &note_sayings(path, text))?;
        }
    }
    Ok(())
}

/// Words that were taken back are overwritten, not only unlinked.
fn overwrite(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.pragma_update(None, "secure_delete", true)
}

fn turn_stands(
    tx: &Transaction<'_>,
    heard: &HeardMessage,
    one_person: &OnePerson,
    touched: &mut BTreeSet<i64>,
) -> rusqlite::Result<()> {
    let (turn, channel) = (&heard.turn, heard.channel.as_str());
    let (id, ordinal) = (turn.id.0, to_sql(turn.ordinal));
    turn_gone(tx, id, touched)?;
    let SpokenMessage { person, stance, topics, sayings } = SpokenMessage::of(heard);
    tx.prepare_cached("INSERT INTO turns VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?.execute(params![
        id,
        channel,
        ordinal,
        turn.at.as_millisecond(),
        turn.audience.to_string(),
        person.as_ref().map(|account| one_person.slug(account)),
        heard.answers.map(|answered| answered.0),
        stance,
        topics
    ])?;
    touch(tx, id, channel, ordinal, touched)?;
    add_sayings(tx, id, false, one_person, &sayings)
}

fn turn_gone(tx: &Transaction<'_>, id: i64, touched: &mut BTreeSet<i64>) -> rusqlite::Result<()> {
    let place = tx
        .prepare_cached("DELETE FROM turns WHERE id = ?1 RETURNING channel, ordinal")?
        .query_row([id], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))
        .optional()?;
    let Some((channel, ordinal)) = place else { return Ok(()) };
    retract_source(tx, id, false)?;
    touch(tx, id, &channel, ordinal, touched)
}

/// A message, the one behind it and those that answer it are to be looked at again.
fn touch(
    tx: &Transaction<'_>,
    id: i64,
    channel: &str,
    ordinal: i64,
    touched: &mut BTreeSet<i64>,
) -> rusqlite::Result<()> {
    touched.insert(id);
    let next = "SELECT id FROM turns WHERE channel = ?1 AND ordinal > ?2 ORDER BY ordinal LIMIT 1";
    let next = tx.prepare_cached(next)?.query_row(params![channel, ordinal], |row| row.get(0)).optional()?;
    touched.extend::<Option<i64>>(next);
    let mut answers = tx.prepare_cached("SELECT id FROM turns WHERE answers = ?1")?;
    for answer in answers.query_map([id], |row| row.get(0))? {
        touched.insert(answer?);
    }
    Ok(())
}

/// A message that stands, as far as those after it depend on it.
struct LiveMessage {
    channel: Arc<str>,
    ordinal: i64,
    at: i64,
    audience: Arc<str>,
    person: Option<NodeId>,
    answers: Option<i64>,
    stance: String,
    topics: String,
}

impl LiveMessage {
    fn day(&self) -> i64 {
        self.at.div_euclid(DAY_MS)
    }
}

fn live_messages(
    tx: &Transaction<'_>,
    which: &str,
    parameters: impl Params,
) -> rusqlite::Result<Option<LiveMessage>> {
    let columns = "channel, ordinal, at_ms, audience, person, answers, stance, topics";
    let mut found = tx.prepare_cached(&format!("SELECT {columns} FROM turns {which}"))?;
    let read = |row: &Row<'_>| {
        Ok(LiveMessage {
            channel: row.get(0)?,
            ordinal: row.get(1)?,
            at: row.get(2)?,
            audience: row.get(3)?,
            person: row.get::<_, Option<Arc<str>>>(4)?.map(|slug| NodeId::new(NodeKind::Person, slug)),
            answers: row.get(5)?,
            stance: row.get(6)?,
            topics: row.get(7)?,
        })
    };
    found.query_row(parameters, read).optional()
}

/// What a message says by standing where it stands: to whom it speaks, and what its day is called.
fn leaning(tx: &Transaction<'_>, turn: &LiveMessage) -> rusqlite::Result<Vec<Saying>> {
    let mut sayings: Vec<Saying> = Vec::new();
    let mut edge = |from: &NodeId, to: &NodeId, kind: EdgeKind| {
        let audience = Arc::clone(&turn.audience);
        sayings.push(Saying {
            from: from.clone(),
            to: to.clone(),
            kind,
            audience,
            at: turn.at,
            weight: ONCE,
        });
    };
    let which = "WHERE channel = ?1 AND ordinal < ?2 ORDER BY ordinal DESC LIMIT 1";
    let before = live_messages(tx, which, params![turn.channel, turn.ordinal])?
        // Where the same people could read it.
        .filter(|before| before.audience == turn.audience);
    if before.as_ref().is_none_or(|before| before.day() != turn.day()) {
        let today = episode(&turn.channel, turn.day());
        let label = Timestamp::from_millisecond(turn.day() * DAY_MS).unwrap_or_default().strftime("%F");
        edge(&today, &NodeId::new(NodeKind::Label, label.to_string()), EdgeKind::Reads);
    }
    let Some(me) = &turn.person else { return Ok(sayings) };
    let is_within = |other: &LiveMessage, span: i64| (0..=span).contains(&(turn.at - other.at));
    let is_other = |other: &&LiveMessage| other.person.as_ref().is_some_and(|other| other != me);
    let talked = before.as_ref().filter(|before| is_within(before, TOGETHER_MS)).filter(is_other);
    if let Some(other) = talked.and_then(|talked| talked.person.as_ref()) {
        edge(me, other, EdgeKind::TalkedWith);
    }
    let answered = match turn.answers {
        // What answers the familiar, or what may not be known here, is meant for nobody of these.
        Some(answered) => {
            live_messages(tx, "WHERE id = ?1", [answered])?.filter(|other| other.audience == turn.audience)
        }
        None => before.filter(|before| is_within(before, MEANT_MS)),
    };
    let Some(meant) = answered.as_ref().filter(is_other) else { return Ok(sayings) };
    let Some(other) = &meant.person else { return Ok(sayings) };
    if turn.answers.is_some() {
        edge(me, other, EdgeKind::Answered);
    }
    for stance in turn.stance.split(' ').filter_map(|word| word.parse::<Stance>().ok()) {
        let (from, to, kind) = between(me, other, stance);
        edge(from, to, kind);
        if stance == Stance::Thanks {
            for topic in meant.topics.split(' ').filter(|topic| !topic.is_empty()) {
                edge(other, &NodeId::topic(topic), EdgeKind::ExpertIn);
            }
        }
    }
    Ok(sayings)
}

fn add_sayings(
    tx: &Transaction<'_>,
    source: i64,
    leans: bool,
    one_person: &OnePerson,
    sayings: &[Saying],
) -> rusqlite::Result<()> {
    // Once a source, however often it says so.
    let mut said: HashSet<i64> = HashSet::new();
    for Saying { from, to, kind, audience, at, weight } in sayings {
        let (from, to) = (one_person.node(from), one_person.node(to));
        // Nobody stands to themselves somehow, whichever account they use.
        if from.kind == NodeKind::Person && from == to {
            continue;
        }
        let (from, to) = (node_of(tx, &from)?, node_of(tx, &to)?);
        let known = "SELECT id FROM edges WHERE src = ?1 AND dst = ?2 AND kind = ?3 AND audience = ?4";
        let key = params![from, to, kind.as_str(), audience];
        let edge = match tx.prepare_cached(known)?.query_row(key, |row| row.get(0)).optional()? {
            Some(edge) => edge,
            None => {
                tx.prepare_cached(
                    "INSERT INTO edges (src, dst, kind, audience, cost) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![from, to, kind.as_str(), audience, kind.cost()])?;
                tx.last_insert_rowid()
            }
        };
        if said.insert(edge) {
            tx.prepare_cached(
                "INSERT INTO said (edge, at_ms, source, leans, weight) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![edge, at, source, leans, weight])?;
        }
    }
    Ok(())
}

/// A source says nothing any more, or nothing that leans on others.
fn retract_source(tx: &Transaction<'_>, source: i64, only_leaning: bool) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM said WHERE source = ?1 AND leans >= ?2")?
        .execute(params![source, only_leaning])
        .map(drop)
}

fn node_of(tx: &Transaction<'_>, id: &NodeId) -> rusqlite::Result<i64> {
    let key = params![id.kind.as_str(), id.key];
    let known = tx
        .prepare_cached("SELECT id FROM nodes WHERE kind = ?1 AND key = ?2")?
        .query_row(key, |row| row.get(0))
        .optional()?;
    match known {
        Some(known) => Ok(known),
        None => {
            let names = matches!(id.kind, NodeKind::Label | NodeKind::Alias);
            let word = if names { keywords::words(&id.key).next() } else { None };
            tx.prepare_cached("INSERT INTO nodes (kind, key, word) VALUES (?1, ?2, ?3)")?
                .execute(params![id.kind.as_str(), id.key, word])?;
            Ok(tx.last_insert_rowid())
        }
    }
}

/// Everything that is said, in an order of its own: two graphs that say the same give the same.
pub(super) fn all_said(tx: &Transaction<'_>) -> rusqlite::Result<BTreeSet<String>> {
    let mut edges = tx.prepare(
        "SELECT f.kind || '/' || f.key || ' ' || e.kind || ' ' || t.kind || '/' || t.key || ' to ' || e.audience,
                format('%d times, %d to %d, ends %d and %d', e.count, e.first_ms, e.last_ms, f.edges, t.edges),
                (SELECT group_concat(by, ' ') FROM (
                    SELECT format('%s at %d (%d, %d)', coalesce(n.path, 't:' || s.source), at_ms, weight, leans) by
                    FROM said s LEFT JOIN notes n ON n.id = -s.source WHERE s.edge = e.id ORDER BY 1))
         FROM edges e JOIN nodes f ON f.id = e.src JOIN nodes t ON t.id = e.dst",
    )?;
    let rows = edges.query_map([], |row| {
        let (edge, size, by): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(format!("{edge} by {by} ({size})"))
    })?;
    rows.collect()
}
