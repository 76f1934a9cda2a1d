//! From messages and notes to edges: which of them stand decides what there is, not the order in which they came
//! (G7: the graph is a fold).
//!
//! Each is a source that says what hangs together and takes it all back when it goes; triggers keep what follows from
//! that. What a message says leans in part on the one before it and on the one it answers; when one of these changes,
//! that part is said anew. Must not know where messages and notes come from. Start reading at [`take_turns`].

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Row, Transaction, params};

use super::kinds::{DAY_MS, EdgeKind, NodeId, NodeKind, Saying, between, episode_at};
use super::notes::note_sayings;
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
pub(super) fn take_turns(tx: &Transaction<'_>, told: &[Told]) -> rusqlite::Result<()> {
    overwrite(tx)?;
    for one in told {
        let id = match one {
            Told::Stands(heard) => heard.turn.id,
            Told::Gone(id) => *id,
        };
        tx.prepare_cached("DELETE FROM turns WHERE id = ?1")?.execute([id.0])?;
        if let Told::Stands(heard) = one {
            turn_stands(tx, heard)?;
        }
    }
    let leaning = "DELETE FROM said WHERE leans = 1 AND source IN (SELECT id FROM touched)";
    tx.prepare_cached(leaning)?.execute([])?;
    let mut touched = tx.prepare_cached(TOUCHED)?;
    let mut rows = touched.query([TOGETHER_MS, MEANT_MS])?;
    while let Some(row) = rows.next()? {
        add_sayings(tx, row.get(0)?, true, &leaning_sayings(row)?)?;
    }
    tx.prepare_cached("DELETE FROM moved")?.execute([]).map(drop)
}

/// Takes notes in that were written, changed or removed.
pub(super) fn take_notes(tx: &Transaction<'_>, told: &[NoteTold]) -> rusqlite::Result<()> {
    overwrite(tx)?;
    for one in told {
        tx.prepare_cached("DELETE FROM notes WHERE path = ?1")?.execute([one.path().as_str()])?;
        if let NoteTold::Stands { path, text, hash } = one {
            tx.prepare_cached("INSERT INTO notes (path, sha256) VALUES (?1, ?2)")?
                .execute(params![path.as_str(), hash.to_string()])?;
            add_sayings(tx, -tx.last_insert_rowid(), false, &note_sayings(path, text))?;
        }
    }
    Ok(())
}

/// Words that were taken back are overwritten, not only unlinked.
fn overwrite(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.pragma_update(None, "secure_delete", true)
}

fn turn_stands(tx: &Transaction<'_>, heard: &HeardMessage) -> rusqlite::Result<()> {
    let turn = &heard.turn;
    let SpokenMessage { person, stance, topics, sayings } = SpokenMessage::of(heard);
    tx.prepare_cached(
        "INSERT INTO turns VALUES (?1, ?2, ?3, ?4, ?5,
             coalesce((SELECT person FROM one_person WHERE account = ?6), ?6), ?7, ?8, ?9)",
    )?
    .execute(params![
        turn.id.0,
        heard.channel.as_str(),
        to_sql(turn.ordinal),
        turn.at.as_millisecond(),
        turn.audience.to_string(),
        person,
        heard.answers.map(|answered| answered.0),
        stance,
        topics
    ])?;
    add_sayings(tx, turn.id.0, false, &sayings)
}

/// The touched messages, each with when something was said before it and by whom, and with whom it is meant for and what
/// they spoke of: where the same people could read it. What answers the familiar, or what may not be known here, is meant
/// for nobody of these.
const TOUCHED: &str = "
    SELECT t.id, t.channel, t.at_ms, t.audience, t.person, t.stance, t.answers IS NOT NULL, b.at_ms,
           CASE WHEN t.at_ms - b.at_ms BETWEEN 0 AND ?1 THEN nullif(b.person, t.person) END,
           nullif(m.person, t.person), m.topics
    FROM turns t
    LEFT JOIN turns b ON b.audience = t.audience AND b.id = (
        SELECT id FROM turns WHERE channel = t.channel AND ordinal < t.ordinal ORDER BY ordinal DESC LIMIT 1)
    LEFT JOIN turns m ON m.audience = t.audience AND m.id = CASE
        WHEN t.answers IS NOT NULL THEN t.answers
        WHEN t.at_ms - b.at_ms BETWEEN 0 AND ?2 THEN b.id END
    WHERE t.id IN (SELECT id FROM touched)";

/// What a message says by standing where it stands, from a row of [`TOUCHED`]: to whom it speaks, and what its day is
/// called.
fn leaning_sayings(row: &Row<'_>) -> rusqlite::Result<Vec<Saying>> {
    let person = |column: usize| -> rusqlite::Result<Option<NodeId>> {
        let slug: Option<Arc<str>> = row.get(column)?;
        Ok(slug.map(|slug| NodeId::new(NodeKind::Person, slug)))
    };
    let (at, audience): (i64, Arc<str>) = (row.get(2)?, row.get(3)?);
    let mut sayings: Vec<Saying> = Vec::new();
    let mut say = |from: &NodeId, to: &NodeId, kind| {
        sayings.push(Saying::once(from, to, kind, &audience, at));
    };
    let before: Option<i64> = row.get(7)?;
    if before.is_none_or(|before| before.div_euclid(DAY_MS) != at.div_euclid(DAY_MS)) {
        let label = Timestamp::from_millisecond(at).unwrap_or_default().strftime("%F");
        say(&episode_at(row.get_ref(1)?.as_str()?, at), &NodeId::label(&label.to_string()), EdgeKind::Reads);
    }
    let Some(me) = person(4)? else { return Ok(sayings) };
    if let Some(other) = person(8)? {
        say(&me, &other, EdgeKind::TalkedWith);
    }
    let Some(other) = person(9)? else { return Ok(sayings) };
    let answers: bool = row.get(6)?;
    if answers {
        say(&me, &other, EdgeKind::Answered);
    }
    for stance in row.get_ref(5)?.as_str()?.split(' ').filter_map(|word| word.parse::<Stance>().ok()) {
        let (from, to, kind) = between(&me, &other, stance);
        say(from, to, kind);
        if stance == Stance::Thanks {
            for topic in row.get_ref(10)?.as_str()?.split(' ').filter(|topic| !topic.is_empty()) {
                say(&other, &NodeId::topic(topic), EdgeKind::ExpertIn);
            }
        }
    }
    Ok(sayings)
}

/// What a source says; `leans` where that depends on other messages as well.
fn add_sayings(tx: &Transaction<'_>, source: i64, leans: bool, sayings: &[Saying]) -> rusqlite::Result<()> {
    let mut add = tx.prepare_cached(
        "INSERT INTO sayings SELECT
             ?1, coalesce((SELECT person FROM one_person WHERE account = ?2 AND ?1 = 'person'), ?2), ?3,
             ?4, coalesce((SELECT person FROM one_person WHERE account = ?5 AND ?4 = 'person'), ?5), ?6,
             ?7, ?8, ?9, ?10, ?11, ?12, ?13",
    )?;
    for Saying { from, to, kind, audience, at, weight } in sayings {
        let (from_kind, to_kind) = (from.kind.as_str(), to.kind.as_str());
        let (from_word, to_word) = (first_word(from), first_word(to));
        add.execute(params![
            from_kind,
            from.key,
            from_word,
            to_kind,
            to.key,
            to_word,
            kind.as_str(),
            audience,
            kind.cost(),
            at,
            source,
            leans,
            weight
        ])?;
    }
    Ok(())
}

/// What a name is looked up by.
fn first_word(node: &NodeId) -> Option<String> {
    match node.kind {
        NodeKind::Label | NodeKind::Alias => keywords::words(&node.key).next(),
        _ => None,
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
