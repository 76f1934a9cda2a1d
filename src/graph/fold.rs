//! From messages and notes to the graph: which of them stand decides what it says, not the order in which they came
//! (specs mechanisms G7: the graph is a fold).
//!
//! What a message says depends on the one before it and on the one it answers; when one of these changes, it is looked at
//! again. Must not know where messages and notes come from. Start reading at [`Fold::take`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::beside::{self, FactSeen};
use super::edge::EdgeKind;
use super::node::{NodeId, NodeKind};
use super::notes::NoteSeen;
use super::source::SourceId;
use super::store::{AudienceKey, ONCE, Saying, Store};
use super::turns::TurnSeen;
use crate::domain::{Regard, StoredId};

/// How soon after the other one has to speak to be talking with them, in milliseconds; the same as in
/// [`crate::history::Relation`].
const TOGETHER_MS: i64 = 10 * 60 * 1000;

/// How soon thanks, agreement and the like follow what they are meant for, in milliseconds.
const MEANT_MS: i64 = 5 * 60 * 1000;

/// A reaction is a tap: it weighs half of what is said in words, in thousandths.
const TAPPED: u16 = ONCE / 2;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What happened to what the graph is made of. The log's entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
pub(super) enum Event {
    /// A message stands as it is here.
    Turn(Box<TurnSeen>),
    /// A message is gone.
    TurnGone { id: i64 },
    /// A note reads as it is here.
    Note(NoteSeen),
    /// A note is gone.
    NoteGone { path: Arc<str> },
}

impl Event {
    /// Of what it tells; the newest event of a key is all that counts.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Turn(turn) => format!("t:{}", turn.id),
            Self::TurnGone { id } => format!("t:{id}"),
            Self::Note(note) => note.path.to_string(),
            Self::NoteGone { path } => path.to_string(),
        }
    }

    pub(super) fn is_gone(&self) -> bool {
        matches!(self, Self::TurnGone { .. } | Self::NoteGone { .. })
    }
}

/// A channel's day before one audience.
type Days = BTreeMap<(Arc<str>, AudienceKey), BTreeMap<i64, u32>>;

/// Everything that stands, and the graph of it.
#[derive(Debug, Default)]
pub(super) struct Fold {
    pub store: Store,
    turns: HashMap<i64, TurnSeen>,
    /// By channel: the messages that stand, by their ordinal.
    channels: HashMap<Arc<str>, BTreeMap<u64, i64>>,
    /// Which messages answer one.
    answers: HashMap<i64, BTreeSet<i64>>,
    days: Days,
    channel_names: HashMap<Arc<str>, Arc<str>>,
    notes: HashMap<Arc<str>, Vec<beside::Place>>,
    /// By note, of which bytes it was read.
    hashes: HashMap<Arc<str>, String>,
    facts: BTreeMap<beside::Place, FactSeen>,
}

impl Fold {
    /// Takes events in, in their order.
    pub(super) fn take(&mut self, events: impl IntoIterator<Item = Event>) {
        let mut turns: BTreeSet<i64> = BTreeSet::new();
        let mut facts: BTreeSet<beside::Place> = BTreeSet::new();
        for event in events {
            match event {
                Event::Turn(turn) => self.turn(*turn, &mut turns),
                Event::TurnGone { id } => self.turn_gone(id, &mut turns),
                Event::Note(note) => self.note(note, &mut facts),
                Event::NoteGone { path } => self.note_gone(&path, &mut facts),
            }
        }
        for id in turns {
            let sayings = self.turns.get(&id).map_or_else(Vec::new, |turn| self.sayings(turn));
            self.store.put(SourceId::Turn(StoredId(id)), sayings);
        }
        let touched = beside::touched(&self.facts, &facts);
        // What left its place goes first: it may have another one now, under the same name.
        let (stand, gone): (Vec<_>, Vec<_>) =
            touched.iter().partition(|place| self.facts.contains_key(place));
        for place in gone.into_iter().chain(stand) {
            let sayings = beside::sayings(&self.facts, place);
            self.store.put(SourceId::Beside(Arc::clone(&place.key)), sayings);
        }
    }

    /// A channel's name for people, as last told.
    pub(super) fn channel_name(&self, channel: &str) -> Option<Arc<str>> {
        self.channel_names.get(channel).cloned()
    }

    /// The notes that were read, with the hash of their bytes.
    pub(super) fn hashes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.hashes.iter().map(|(path, hash)| (&**path, hash.as_str()))
    }

    /// How many messages stand.
    pub(super) fn standing(&self) -> usize {
        self.turns.len()
    }

    fn turn(&mut self, turn: TurnSeen, touched: &mut BTreeSet<i64>) {
        if self.turns.contains_key(&turn.id) {
            self.turn_gone(turn.id, touched);
        }
        let id = turn.id;
        if let Some(name) = &turn.channel_name {
            self.channel_names.insert(Arc::clone(&turn.channel), Arc::clone(name));
        }
        self.channels.entry(Arc::clone(&turn.channel)).or_default().insert(turn.ordinal, id);
        if let Some(answered) = turn.answers {
            self.answers.entry(answered).or_default().insert(id);
        }
        self.touch_beside(&turn, touched);
        let day = (Arc::clone(&turn.channel), turn.audience.clone());
        let at = turn.at.div_euclid(DAY_MS);
        self.turns.insert(id, turn);
        let days = self.days.entry(day.clone()).or_default();
        *days.entry(at).or_default() += 1;
        if days.get(&at) == Some(&1) {
            self.day(&day, at);
        }
    }

    fn turn_gone(&mut self, id: i64, touched: &mut BTreeSet<i64>) {
        let Some(turn) = self.turns.remove(&id) else { return };
        if let Some(channel) = self.channels.get_mut(&turn.channel) {
            channel.remove(&turn.ordinal);
        }
        if let Some(answered) = turn.answers
            && let Some(those) = self.answers.get_mut(&answered)
        {
            those.remove(&id);
            if those.is_empty() {
                self.answers.remove(&answered);
            }
        }
        self.touch_beside(&turn, touched);
        let day = (Arc::clone(&turn.channel), turn.audience.clone());
        let at = turn.at.div_euclid(DAY_MS);
        let days = self.days.entry(day.clone()).or_default();
        if let Some(count) = days.get_mut(&at) {
            *count -= 1;
            if *count == 0 {
                days.remove(&at);
                self.day(&day, at);
            }
        }
    }

    /// It, the message behind it, and those that answer it are to be looked at again.
    fn touch_beside(&self, turn: &TurnSeen, touched: &mut BTreeSet<i64>) {
        touched.insert(turn.id);
        let channel = self.channels.get(&turn.channel);
        let next = channel.and_then(|channel| channel.range(turn.ordinal + 1..).next());
        touched.extend(next.map(|(_, id)| *id));
        touched.extend(self.answers.get(&turn.id).into_iter().flatten());
    }

    /// A day came or went: it and the one behind it say anew what came before them.
    fn day(&mut self, channel: &(Arc<str>, AudienceKey), day: i64) {
        let empty = BTreeMap::new();
        let days = self.days.get(channel).unwrap_or(&empty);
        let next = days.range(day + 1..).next().map(|(next, _)| *next);
        let mut said: Vec<(SourceId, Vec<Saying>)> = Vec::new();
        for day in [Some(day), next].into_iter().flatten() {
            let (name, audience) = channel;
            let source = SourceId::Day(format!("{name} {} {day}", audience.0).into());
            let mut sayings = Vec::new();
            if days.contains_key(&day) {
                let (at, edge) = (day * DAY_MS, |to, kind| Saying::Edge {
                    from: episode(name, day),
                    to,
                    kind,
                    audience: audience.clone(),
                    at: day * DAY_MS,
                    weight: ONCE,
                });
                sayings.push(edge(NodeId::new(NodeKind::Channel, Arc::clone(name)), EdgeKind::PartOf));
                let label: Arc<str> = jiff::Timestamp::from_millisecond(at)
                    .map(|at| at.strftime("%F").to_string())
                    .unwrap_or_default()
                    .into();
                let audience = audience.clone();
                sayings.push(Saying::Named { node: episode(name, day), label, audience, at });
                if let Some((before, _)) = days.range(..day).next_back() {
                    sayings.push(edge(episode(name, *before), EdgeKind::PrecededBy));
                }
            }
            said.push((source, sayings));
        }
        for (source, sayings) in said {
            self.store.put(source, sayings);
        }
        if self.days.get(channel).is_some_and(BTreeMap::is_empty) {
            self.days.remove(channel);
        }
    }

    /// What a message says, as things stand now.
    fn sayings(&self, turn: &TurnSeen) -> Vec<Saying> {
        let Some(who) = &turn.who else { return Vec::new() };
        let me = NodeId::new(NodeKind::Person, Arc::clone(&who.slug));
        let mut sayings: Vec<Saying> = Vec::new();
        for (rank, label) in (0..).zip(&who.names) {
            sayings.push(Saying::Named {
                node: me.clone(),
                label: Arc::clone(label),
                audience: turn.audience.clone(),
                // Of one message's names the one that is shown counts as the newer one.
                at: turn.at - rank,
            });
        }
        for (by, regard, at) in turn.regards.iter().filter(|(by, ..)| *by != who.slug) {
            let other = NodeId::new(NodeKind::Person, Arc::clone(by));
            let (from, to, kind) = match regard {
                Regard::Agrees => (other, me.clone(), EdgeKind::AgreedWith),
                Regard::Likes => (other, me.clone(), EdgeKind::CloseTo),
                Regard::Thanks => (me.clone(), other, EdgeKind::Helped),
                Regard::Against => (other, me.clone(), EdgeKind::QuarrelledWith),
            };
            let audience = turn.audience.clone();
            sayings.push(Saying::Edge { from, to, kind, audience, at: *at, weight: TAPPED });
        }
        let mut edge = |from: &NodeId, to: NodeId, kind: EdgeKind| {
            let (from, audience) = (from.clone(), turn.audience.clone());
            sayings.push(Saying::Edge { from, to, kind, audience, at: turn.at, weight: ONCE });
        };
        edge(&me, episode(&turn.channel, turn.at.div_euclid(DAY_MS)), EdgeKind::PartOf);
        for topic in &turn.topics {
            edge(&me, NodeId::new(NodeKind::Topic, Arc::clone(topic)), EdgeKind::TalksAbout);
        }
        for topic in &turn.knows {
            edge(&me, NodeId::new(NodeKind::Topic, Arc::clone(topic)), EdgeKind::ExpertIn);
        }
        for name in &turn.mentions {
            edge(&me, NodeId::new(NodeKind::Alias, Arc::clone(name)), EdgeKind::Mentions);
        }
        let person = |other: &TurnSeen| {
            let slug = &other.who.as_ref()?.slug;
            (*slug != who.slug).then(|| NodeId::new(NodeKind::Person, Arc::clone(slug)))
        };
        let before = self.before(turn).filter(|before| (0..=TOGETHER_MS).contains(&(turn.at - before.at)));
        if let Some(other) = before.and_then(person) {
            edge(&me, other, EdgeKind::TalkedWith);
        }
        let meant = match turn.answers {
            // What answers the familiar, or what may not be known here, is meant for nobody of these.
            Some(answered) => self.turns.get(&answered).filter(|other| other.audience == turn.audience),
            None => before.filter(|before| (0..=MEANT_MS).contains(&(turn.at - before.at))),
        };
        let Some((other, meant)) = meant.and_then(|meant| Some((person(meant)?, meant))) else {
            return sayings;
        };
        if turn.answers.is_some() {
            edge(&me, other.clone(), EdgeKind::Answered);
        }
        if turn.stance.thanks {
            edge(&other, me.clone(), EdgeKind::Helped);
            for topic in meant.topics.iter().take(3) {
                edge(&other, NodeId::new(NodeKind::Topic, Arc::clone(topic)), EdgeKind::ExpertIn);
            }
        }
        if turn.stance.agrees {
            edge(&me, other.clone(), EdgeKind::AgreedWith);
        }
        if turn.stance.likes {
            edge(&me, other.clone(), EdgeKind::CloseTo);
        }
        if turn.stance.quarrels {
            edge(&me, other, EdgeKind::QuarrelledWith);
        }
        sayings
    }

    /// The message right before one in its channel, where the same people could read it.
    fn before(&self, turn: &TurnSeen) -> Option<&TurnSeen> {
        let (_, id) = self.channels.get(&turn.channel)?.range(..turn.ordinal).next_back()?;
        self.turns.get(id).filter(|before| before.audience == turn.audience)
    }

    fn note(&mut self, note: NoteSeen, touched: &mut BTreeSet<beside::Place>) {
        self.note_gone(&note.path, touched);
        let places: Vec<beside::Place> = note.facts.iter().map(FactSeen::place).collect();
        touched.extend(places.iter().cloned());
        for fact in note.facts {
            self.facts.insert(fact.place(), fact);
        }
        self.notes.insert(Arc::clone(&note.path), places);
        self.hashes.insert(Arc::clone(&note.path), note.sha256);
        self.store.put(SourceId::Note(note.path), note.sayings);
    }

    fn note_gone(&mut self, path: &Arc<str>, touched: &mut BTreeSet<beside::Place>) {
        for place in self.notes.remove(path).unwrap_or_default() {
            self.facts.remove(&place);
            touched.insert(place);
        }
        self.hashes.remove(path);
        self.store.take_back(&SourceId::Note(Arc::clone(path)));
    }
}

fn episode(channel: &str, day: i64) -> NodeId {
    NodeId::new(NodeKind::Episode, format!("{channel}:{day}"))
}
