//! What is left of a request for good: hashes by which an old backup that was put back is recognised and forgets again. They
//! are hashed with the installation's own salt and tell nobody anything.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::journal::{Journal, JournalEntry};
use super::stores::{EraseError, Stores};
use crate::domain::AccountId;
use crate::history::{KeptTurn, SaidWords, SourceId, UnstoredPin};
use crate::memory::forget::{NotesPlan, facts_of, files_where};
use crate::memory::store::{ContentHash, NotePath, StoreError};

const FILE: &str = "tombstones.jsonl";

/// One request that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tombstone {
    pub id: String,
    /// What was said later is not covered.
    pub at: Timestamp,
    /// A person who was forgotten whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Their other accounts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub others: BTreeSet<String>,
    /// A channel that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Turns, where they are not covered by either.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub turns: BTreeSet<String>,
    /// Pins of messages that were never stored, likewise.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub pins: BTreeSet<String>,
    /// What else a person left that is no word of theirs, likewise.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub traces: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub facts: BTreeSet<String>,
    /// Notes as they read.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub notes: BTreeSet<String>,
}

impl Tombstone {
    /// Of what a request covers, in the stores and in the copies of earlier ones, before it is carried out: `traces` by whose
    /// they are and their times, as [`crate::history::History::left_traces`] has them.
    pub(super) fn of(
        journal: &Journal,
        order: &JournalEntry,
        turns: &[&KeptTurn],
        notes: &[&NotesPlan],
        traces: &[(&AccountId, i64)],
        pins: &[UnstoredPin],
    ) -> Self {
        let people = order.people();
        let mut people = people.iter().map(|who| journal.hash("person", &who.slug()));
        let person = people.next();
        let channel = order.channel().map(|channel| journal.hash("channel", channel.as_str()));
        let is_by_rule = person.is_some() || channel.is_some();
        // A rule covers by time what a backup brings back; what was said while the clock was fast it does not.
        let is_later = |at_ms: i64| at_ms > order.at.as_millisecond();
        let turns = turns.iter().filter(|turn| !is_by_rule || is_later(turn.at_ms));
        let pins = pins.iter().filter(|pin| !is_by_rule || is_later(pin.at_ms));
        let traces = traces.iter().filter(|(_, at_ms)| is_later(*at_ms));
        let ids = notes.iter().flat_map(|notes| notes.fact_ids());
        let whole = notes.iter().flat_map(|notes| &notes.edits).filter(|edit| edit.after.is_none());
        Self {
            id: order.id.clone(),
            at: order.at,
            person,
            others: people.collect(),
            channel,
            turns: turns.map(|turn| turn_mark(journal, &turn.channel, turn.ordinal, turn.at_ms)).collect(),
            pins: pins.map(|pin| pin_mark(journal, pin)).collect(),
            traces: traces.map(|(who, at_ms)| trace_mark(journal, who, *at_ms)).collect(),
            facts: ids.map(|id| journal.hash("fact", id.as_str())).collect(),
            notes: whole
                .map(|edit| note_mark(journal, &edit.path, ContentHash::of(edit.before.as_bytes())))
                .collect(),
        }
    }
}

fn turn_mark(journal: &Journal, channel: &str, ordinal: i64, at_ms: i64) -> String {
    journal.hash("turn", &format!("{channel} {ordinal} {at_ms}"))
}

fn pin_mark(journal: &Journal, pin: &UnstoredPin) -> String {
    journal.hash("pin", &format!("{} {}", pin.channel, pin.message))
}

fn trace_mark(journal: &Journal, who: &AccountId, at_ms: i64) -> String {
    journal.hash("trace", &format!("{who} {at_ms}"))
}

fn note_mark(journal: &Journal, path: &NotePath, content: ContentHash) -> String {
    journal.hash("note", &format!("{path} {content}"))
}

pub(super) fn all_tombstones(journal: &Journal) -> io::Result<Vec<Tombstone>> {
    let Some(bytes) = journal.read(FILE)? else { return Ok(Vec::new()) };
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).map_err(io::Error::from)).collect()
}

/// Adds one, unless it is there: a request that is finished after a crash covers less by then, and its first one holds.
pub(super) fn add_tombstone(journal: &Journal, new: Tombstone) -> io::Result<()> {
    let mut known = all_tombstones(journal)?;
    if known.iter().any(|one| one.id == new.id) {
        return Ok(());
    }
    known.push(new);
    write_tombstones(journal, &known)
}

pub(super) fn remove_tombstone(journal: &Journal, id: &str) -> io::Result<()> {
    let mut known = all_tombstones(journal)?;
    known.retain(|one| one.id != id);
    write_tombstones(journal, &known)
}

fn write_tombstones(journal: &Journal, all: &[Tombstone]) -> io::Result<()> {
    let mut text = Vec::new();
    for one in all {
        serde_json::to_writer(&mut text, one)?;
        text.push(b'\n');
    }
    journal.put(FILE, &text)
}

/// What has come back of what was forgotten, as an order to forget it again; `None` where nothing has.
pub(super) async fn come_back(
    stores: &Stores,
    journal: &Journal,
) -> Result<Option<JournalEntry>, EraseError> {
    let known = all_tombstones(journal)?;
    if known.is_empty() {
        return Ok(None);
    }
    let known_accounts = stores.history.whole().accounts().await?;
    let marked: HashSet<String> = known.iter().flat_map(|one| one.turns.iter().cloned()).collect();
    let mut turns = if marked.is_empty() {
        BTreeSet::new()
    } else {
        let journal = journal.clone();
        let is_marked =
            move |channel: &str, ordinal, at| marked.contains(&turn_mark(&journal, channel, ordinal, at));
        stores.history.standing_where(is_marked).await?
    };
    let mut pins = stores.history.whole().unstored_pins().await?;
    pins.retain(|pin| known.iter().any(|one| one.pins.contains(&pin_mark(journal, pin))));
    let mut pins: BTreeSet<SourceId> = pins.into_iter().map(|pin| pin.id).collect();
    let channels = stores.history.whole().kept_channels().await?;
    // What is left of a person besides words goes as well.
    let mut accounts = BTreeSet::new();
    for one in &known {
        let is_marked = |who: &&AccountId| {
            let mark = journal.hash("person", &who.slug());
            one.person.as_ref() == Some(&mark) || one.others.contains(&mark)
        };
        let people = known_accounts.iter().filter(is_marked);
        let people: Vec<_> = people.map(|who| (Some(who), SaidWords::By(who.clone()))).collect();
        let place =
            channels.iter().find(|place| one.channel == Some(journal.hash("channel", &place.channel)));
        let place = place.and_then(|place| crate::domain::ChannelId::new(place.channel.clone()).ok());
        let place = place.map(|place| (None, SaidWords::In(place)));
        for (who, said) in people.into_iter().chain(place) {
            let chosen = stores.history.chosen([said], BTreeSet::new(), HashSet::new(), one.at).await?;
            pins.extend(&chosen.pins);
            let has_left_more = match who {
                Some(who) => stores.history.left_traces(who).await?.into_iter().any(|at_ms| {
                    at_ms <= one.at.as_millisecond() || one.traces.contains(&trace_mark(journal, who, at_ms))
                }),
                None => false,
            };
            if !chosen.said.is_empty() || !chosen.pins.is_empty() || has_left_more {
                accounts.extend(who.cloned());
                turns.extend(chosen.turns());
            }
        }
    }
    let (facts, notes) = noted_again(stores, journal, &known).await?;
    let at = known.iter().map(|one| one.at).max().unwrap_or(Timestamp::UNIX_EPOCH);
    if [turns.len(), accounts.len(), facts.len(), notes.len(), pins.len()] == [0; 5] {
        return Ok(None);
    }
    Ok(Some(JournalEntry { accounts, turns, facts, notes, pins, ..JournalEntry::new(at, None) }))
}

/// Facts and whole notes that were forgotten and stand there again.
async fn noted_again(
    stores: &Stores,
    journal: &Journal,
    known: &[Tombstone],
) -> Result<(BTreeSet<String>, BTreeSet<NotePath>), EraseError> {
    let facts: HashSet<String> = known.iter().flat_map(|one| one.facts.iter().cloned()).collect();
    let notes: HashSet<String> = known.iter().flat_map(|one| one.notes.iter().cloned()).collect();
    if facts.is_empty() && notes.is_empty() {
        return Ok((BTreeSet::new(), BTreeSet::new()));
    }
    let (store, journal) = (Arc::clone(stores.memory.whole().store), journal.clone());
    let again = spawn_blocking(move || -> Result<_, StoreError> {
        let is_again = |id: &str| facts.contains(&journal.hash("fact", id));
        let found = facts_of(&store, |fact| is_again(fact.id.as_str()))?;
        let whole = files_where(&store, |path, bytes| {
            notes.contains(&note_mark(&journal, path, ContentHash::of(bytes)))
        })?;
        Ok((found.into_iter().map(|fact| fact.id.to_string()).collect(), whole))
    });
    Ok(again.await??)
}
