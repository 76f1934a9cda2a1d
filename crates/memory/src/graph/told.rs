//! What the graph knows, in plain sentences: for prompts, tools and the command line. Names and notes are other people's
//! words; whoever shows these lines quotes them.
//!
//! Owns the wording. Must not know where it is shown. Start reading at [`DayTeller`].

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::kinds::{EdgeKind, NodeKind};
use super::people::{Acquainted, Expert, Mood};
use super::view::{Bond, NamedNode, Path};
use crate::text::names::prompt_label;
use crate::text::short::{one_line, shortened};

/// Bonds told of two people who are directly connected.
const BONDS: usize = 4;

/// Characters of a note that is quoted.
const QUOTE: usize = 240;

/// By whose clock days are told.
#[derive(Debug, Clone)]
pub struct DayTeller {
    tz: TimeZone,
}

impl DayTeller {
    /// Days are told in this zone.
    pub fn in_zone(tz: TimeZone) -> Self {
        Self { tz }
    }

    fn day(&self, at: Timestamp) -> String {
        at.to_zoned(self.tz.clone()).strftime("%-d %B %Y").to_string()
    }

    /// One bond between two people: `Ben helped Ana 2 times, last on 2 March 2026`.
    pub fn bond(&self, bond: &Bond) -> String {
        let (from, to) = (name_or_somebody(&bond.from), name_or_somebody(&bond.to));
        let did = match bond.kind {
            EdgeKind::Helped => format!("{from} helped {to}"),
            EdgeKind::AgreedWith => format!("{from} agreed with {to}"),
            EdgeKind::TalkedWith => format!("{from} spoke right after {to}"),
            EdgeKind::Answered => format!("{from} answered {to}"),
            EdgeKind::CloseTo => format!("{from} was fond of {to}"),
            EdgeKind::QuarrelledWith => format!("{from} was hard on {to}"),
            EdgeKind::ExpertIn => format!("{from} knows about {to}"),
            EdgeKind::TalksAbout => format!("{from} spoke of {to}"),
            other => format!("{from} {} {to}", other.as_str().replace('_', " ")),
        };
        match bond.count {
            1 => format!("{did} on {}", self.day(bond.last)),
            times => format!("{did} {times} times, last on {}", self.day(bond.last)),
        }
    }

    /// A way between two things, one sentence a part of it.
    pub fn path(&self, path: &Path) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for step in &path.steps {
            let is_people = step.from.id.kind == NodeKind::Person && step.to.id.kind == NodeKind::Person;
            if is_people {
                let bonds = step.bonds.iter().take(BONDS);
                told.push(bonds.map(|bond| self.bond(bond)).collect::<Vec<_>>().join("; "));
            }
        }
        // Whose it is that lies on the way.
        for step in &path.steps {
            let over = &step.to;
            let words = over.label.as_deref().map(|words| shortened(&one_line(words), QUOTE));
            match (over.id.kind, words) {
                (NodeKind::Fact | NodeKind::Learning | NodeKind::Lore, Some(words)) => {
                    told.push(format!("it is noted: “{words}”"));
                }
                (NodeKind::Topic, words) => {
                    let words = words.unwrap_or_else(|| over.id.key.to_string());
                    told.push(format!("what they have in common: {words}"));
                }
                (NodeKind::Episode, Some(day)) => told.push(format!("both wrote in one channel on {day}")),
                _ => {}
            }
        }
        told
    }

    /// How the two ends of a way are connected, by the names they have where that was learnt, and in which channels;
    /// `None` where nothing of it can be told.
    pub fn way(&self, way: &Path, channels: &[String]) -> Option<String> {
        let (first, last) = (&way.steps.first()?.from, &way.steps.last()?.to);
        let mut told = self.path(way);
        if told.is_empty() {
            return None;
        }
        if !channels.is_empty() {
            told.push(format!("in {}", channels.join(", ")));
        }
        let (first, last) = (name_or_somebody(first), name_or_somebody(last));
        Some(format!("How {first} and {last} are connected: {}.", told.join("; ")))
    }

    /// How two people stand to each other; `None` where that is not plain.
    pub fn standing(&self, a: &str, b: &str, standing: &Acquainted) -> Option<String> {
        let (a, b) = (prompt_label(a), prompt_label(b));
        let most = |kinds: &[EdgeKind]| {
            let own = standing.bonds.iter().filter(|bond| kinds.contains(&bond.kind));
            own.max_by_key(|bond| (bond.last, bond.count)).map(|bond| self.bond(bond))
        };
        let warm = || most(&[EdgeKind::Helped, EdgeKind::CloseTo, EdgeKind::AgreedWith]);
        let tense = || most(&[EdgeKind::QuarrelledWith]);
        match standing.mood {
            Mood::Ally => Some(format!("{a} and {b} get on well ({}).", warm()?)),
            Mood::Tense => Some(format!("It is tense between {a} and {b} ({}).", tense()?)),
            Mood::Mixed => {
                Some(format!("{a} and {b} are close and yet at odds lately ({}; {}).", warm()?, tense()?))
            }
            Mood::Plain => None,
        }
    }

    /// Somebody who knows about something.
    pub fn expert(&self, expert: &Expert, topic: &str) -> String {
        let who = name_or_somebody(&expert.person);
        let last = self.day(expert.last);
        match (expert.knows, expert.talks) {
            (0, 1) => format!("{who} spoke of {topic} on {last}"),
            (0, talks) => format!("{who} spoke of {topic} {talks} times, last on {last}"),
            (_, 0) => format!("{who} knows about {topic}"),
            (_, talks) => format!("{who} knows about {topic} and spoke of it {talks} times, last on {last}"),
        }
    }
}

/// What something is called; who may not be named is somebody.
pub fn name_or_somebody(named: &NamedNode) -> String {
    match (&named.label, named.id.kind) {
        (Some(label), _) => prompt_label(label),
        (None, NodeKind::Person) => "somebody".to_owned(),
        (None, NodeKind::Topic | NodeKind::Alias) => named.id.key.to_string(),
        (None, _) => "something".to_owned(),
    }
}
