//! What is left of a wish for good: hashes by which an old backup that was put back is recognised and forgets again. They
//! are hashed with the installation's own salt and tell nobody anything.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::eraser::{EraseError, Stores, blocking};
use super::order::{Folder, Order};
use super::wish::{Plan, What};
use crate::domain::{AccountId, StoredId};
use crate::history::{KeptTurn, Said};
use crate::memory::facts::FactData;
use crate::memory::forget::{NotesPlan, facts_of};
use crate::memory::store::{ContentHash, MemoryStore, NotePath, StoreError};

/// The file.
const FILE: &str = "tombstones.jsonl";

/// One wish that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tombstone {
    pub id: String,
    /// What was said later is not covered.
    pub at: Timestamp,
    /// A person who was forgotten whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// A channel that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Turns, where they are not covered by either.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub turns: BTreeSet<String>,
    /// Facts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub facts: BTreeSet<String>,
    /// Notes as they read.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub notes: BTreeSet<String>,
}

/// What a wish covers, in the stores and in the copies of earlier wishes.
#[derive(Debug)]
pub(super) struct Gone<'a> {
    pub turns: Vec<&'a KeptTurn>,
    pub notes: Vec<&'a NotesPlan>,
}

impl Tombstone {
    /// Of what a wish covers, before it is carried out.
    pub fn of(folder: &Folder, order: &Order, gone: &Gone<'_>) -> Self {
        let what = order.wish.as_ref().map(|wish| &wish.what);
        let person = match what {
            Some(What::Person(person)) => Some(folder.hash("person", &person.slug())),
            _ => None,
        };
        let channel = match what {
            Some(What::Channel(channel)) => Some(folder.hash("channel", channel.as_str())),
            _ => None,
        };
        let is_by_rule = person.is_some() || channel.is_some();
        let turns = gone.turns.iter().filter(|_| !is_by_rule);
        let edits = || gone.notes.iter().flat_map(|notes| &notes.edits);
        let lines = edits().flat_map(|edit| &edit.lines);
        let ids = lines.filter_map(|line| line.data.parse::<FactData>().ok()?.id);
        let whole = edits().filter(|edit| edit.after.is_none());
        Self {
            id: order.id.clone(),
            at: order.at,
            person,
            channel,
            turns: turns.map(|turn| turn_mark(folder, &turn.channel, turn.ordinal, turn.at_ms)).collect(),
            facts: ids.map(|id| folder.hash("fact", id.as_str())).collect(),
            notes: whole
                .map(|edit| note_mark(folder, &edit.path, ContentHash::of(edit.before.as_bytes())))
                .collect(),
        }
    }
}

fn turn_mark(folder: &Folder, channel: &str, ordinal: i64, at_ms: i64) -> String {
    folder.hash("turn", &format!("{channel} {ordinal} {at_ms}"))
}

fn note_mark(folder: &Folder, path: &NotePath, content: ContentHash) -> String {
    folder.hash("note", &format!("{path} {content}"))
}

pub(super) fn all(folder: &Folder) -> io::Result<Vec<Tombstone>> {
    let Some(bytes) = folder.read(FILE)? else { return Ok(Vec::new()) };
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).map_err(io::Error::from)).collect()
}

pub(super) fn add(folder: &Folder, new: &Tombstone) -> io::Result<()> {
    let mut known = all(folder)?;
    known.retain(|one| one.id != new.id);
    known.push(new.clone());
    write(folder, &known)
}

pub(super) fn remove(folder: &Folder, id: &str) -> io::Result<()> {
    let mut known = all(folder)?;
    known.retain(|one| one.id != id);
    write(folder, &known)
}

fn write(folder: &Folder, all: &[Tombstone]) -> io::Result<()> {
    let mut text = Vec::new();
    for one in all {
        serde_json::to_writer(&mut text, one)?;
        text.push(b'\n');
    }
    folder.put(FILE, &text)
}

/// What has come back of what was forgotten, as orders to forget it again.
pub(super) async fn come_back(stores: &Stores, folder: &Folder) -> Result<Vec<Order>, EraseError> {
    let known = all(folder)?;
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let accounts = stores.history.accounts().await?;
    let marked: HashSet<String> = known.iter().flat_map(|one| one.turns.iter().cloned()).collect();
    let marked_turns = if marked.is_empty() {
        BTreeSet::new()
    } else {
        let folder = folder.clone();
        let is_marked =
            move |channel: &str, ordinal, at| marked.contains(&turn_mark(&folder, channel, ordinal, at));
        stores.history.standing_where(is_marked).await?
    };
    let channels = stores.history.kept_channels().await?;
    let (mut people, mut turns) = (BTreeMap::<AccountId, BTreeSet<StoredId>>::new(), marked_turns);
    for one in &known {
        let who = accounts.iter().find(|who| one.person == Some(folder.hash("person", &who.slug())));
        let place = channels.iter().find(|place| one.channel == Some(folder.hash("channel", &place.channel)));
        let place = place.and_then(|place| crate::domain::ChannelId::new(place.channel.clone()).ok());
        let said = who.map(|who| Said::By(who.clone())).or_else(|| place.map(Said::In));
        if let Some(said) = said {
            let chosen = stores.history.chosen(said, HashSet::new(), one.at).await?;
            let left = match who {
                Some(who) => stores.history.left_traces(who, one.at).await?,
                None => 0,
            };
            if !chosen.said.is_empty() || left > 0 {
                let of_whom = match who {
                    Some(who) => people.entry(who.clone()).or_default(),
                    None => &mut turns,
                };
                of_whom.extend(chosen.turns());
            }
        }
    }
    let (facts, notes) = noted_again(stores, folder, &known).await?;
    // What is left of a person besides words goes with an order of their own.
    let mut orders: Vec<Order> =
        people.into_iter().map(|(who, turns)| again(&known, turns, Some(who))).collect();
    if orders.is_empty() && !(turns.is_empty() && facts.is_empty() && notes.is_empty()) {
        orders.push(again(&known, BTreeSet::new(), None));
    }
    if let Some(first) = orders.first_mut() {
        first.turns.extend(turns);
        (first.facts, first.notes) = (facts, notes);
    }
    Ok(orders)
}

fn again(known: &[Tombstone], turns: BTreeSet<StoredId>, person: Option<AccountId>) -> Order {
    let at = known.iter().map(|one| one.at).max().unwrap_or(Timestamp::UNIX_EPOCH);
    Order {
        id: Folder::new_id(at),
        at,
        wish: None,
        turns,
        facts: BTreeSet::new(),
        notes: BTreeSet::new(),
        plan: Plan::default(),
        person,
    }
}

/// Facts and whole notes that were forgotten and stand there again.
async fn noted_again(
    stores: &Stores,
    folder: &Folder,
    known: &[Tombstone],
) -> Result<(BTreeSet<String>, BTreeSet<NotePath>), EraseError> {
    let facts: HashSet<String> = known.iter().flat_map(|one| one.facts.iter().cloned()).collect();
    let notes: HashSet<String> = known.iter().flat_map(|one| one.notes.iter().cloned()).collect();
    if facts.is_empty() && notes.is_empty() {
        return Ok((BTreeSet::new(), BTreeSet::new()));
    }
    let (store, folder) = (Arc::clone(&stores.memory.store), folder.clone());
    let again = blocking(move || -> Result<_, StoreError> {
        let is_again = |id: &str| facts.contains(&folder.hash("fact", id));
        let found = facts_of(&store, |fact| is_again(fact.id.as_str()))?;
        let whole = notes_again(&store, |path, content| notes.contains(&note_mark(&folder, path, content)))?;
        Ok((found.into_iter().map(|fact| fact.id.to_string()).collect(), whole))
    });
    Ok(again.await??)
}

fn notes_again(
    store: &MemoryStore,
    is_wanted: impl Fn(&NotePath, ContentHash) -> bool,
) -> Result<BTreeSet<NotePath>, StoreError> {
    let mut found = BTreeSet::new();
    let mut after = None;
    loop {
        let listing = store.list(None, after.as_ref())?;
        for file in &listing.files {
            if store.read_bytes(&file.path).is_ok_and(|bytes| is_wanted(&file.path, ContentHash::of(&bytes)))
            {
                found.insert(file.path.clone());
            }
        }
        after = listing.files.last().map(|file| file.path.clone());
        if !listing.is_more {
            return Ok(found);
        }
    }
}
