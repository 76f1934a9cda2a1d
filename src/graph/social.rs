//! How two people stand to each other, and who knows about something, in few words' worth of figures (specs mechanisms
//! G3, G4).
//!
//! Owns what counts for and against, and how it fades. Must not know how it is told. Start reading at [`Standing`].

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::edge::EdgeKind;
use super::node::NodeKind;
use super::sight::{Bond, Named, Sight};
use super::source::SourceId;
use super::store::{ONCE, Seen, Store};
use crate::domain::Audience;

/// What was between people counts half after so long (specs mechanisms M4: the 30-day tier).
const HALF_LIFE_MS: f64 = 30.0 * 24.0 * 60.0 * 60.0 * 1000.0;

/// From so much on somebody is a friend; a thank-you counts two, so a few of them in a month do.
const WARM: f64 = 4.0;

/// From so much on it is tense: two hard words in a month.
const TENSE: f64 = 3.0;

/// How people stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// They help and like each other.
    Ally,
    /// They are hard on each other.
    Tense,
    /// Both, lately.
    Mixed,
    /// Neither is plain.
    Plain,
}

/// How two people stand to each other, as far as is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// In one word.
    pub mood: Mood,
    /// What speaks for them, faded.
    pub warm: f64,
    /// What speaks against, faded.
    pub tense: f64,
    /// What there is between them, by kind and direction.
    pub bonds: Vec<Bond>,
}

/// What one of a kind counts, for and against.
fn counts(kind: EdgeKind) -> (f64, f64) {
    match kind {
        EdgeKind::Helped => (2.0, 0.0),
        EdgeKind::CloseTo => (2.0, 0.0),
        EdgeKind::AgreedWith => (0.7, 0.0),
        EdgeKind::Answered => (0.1, 0.0),
        EdgeKind::TalkedWith => (0.02, 0.0),
        EdgeKind::QuarrelledWith => (0.0, 1.8),
        _ => (0.0, 0.0),
    }
}

/// Somebody who knows about something.
#[derive(Debug, Clone, PartialEq)]
pub struct Expert {
    /// Who.
    pub person: Named,
    /// How much speaks for it, faded; the most comes first.
    pub score: f64,
    /// How often they said they know about it, helped with it, or a note says so.
    pub knows: u32,
    /// How often they spoke of it.
    pub talks: u32,
    /// When last.
    pub last: Timestamp,
    /// What it was read from, newest first.
    pub evidence: Vec<SourceId>,
    /// Before whom that was learnt.
    pub audiences: Vec<Audience>,
}

fn faded(at: i64, now: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "spans of time in milliseconds are far below 2^52")]
    let age = now.saturating_sub(at).max(0) as f64;
    0.5_f64.powf(age / HALF_LIFE_MS)
}

impl Store {
    /// How two people stand to each other; `None` where nothing is seen between them.
    pub(super) fn standing(&self, a: u32, b: u32, now: Timestamp, sight: &Sight) -> Option<Standing> {
        let bonds: Vec<Bond> =
            self.between(a, b, sight).into_iter().filter(|bond| bond.kind.is_social()).collect();
        if bonds.is_empty() {
            return None;
        }
        let (mut warm, mut tense) = (0.0, 0.0);
        let node = self.node(a)?;
        for edge in node.out.iter().chain(&node.into).filter_map(|at| self.edge(*at)) {
            let other = if edge.from == a { edge.to } else { edge.from };
            let (good, bad) = counts(edge.kind);
            if other != b || !sight.sees_audience(edge.audience) || good + bad == 0.0 {
                continue;
            }
            let weighed =
                |one: &Seen| faded(one.at, now.as_millisecond()) * f64::from(one.weight) / f64::from(ONCE);
            let sum: f64 = sight.seen(&edge.seen).map(weighed).sum();
            warm += good * sum;
            tense += bad * sum;
        }
        let mood = match (warm >= WARM, tense >= TENSE) {
            (true, true) => Mood::Mixed,
            (true, false) => Mood::Ally,
            (false, true) => Mood::Tense,
            (false, false) => Mood::Plain,
        };
        Some(Standing { mood, warm, tense, bonds })
    }

    /// Who knows about a topic, best first, at most `most`. Whoever only speaks of it counts little.
    pub(super) fn experts(&self, topics: &[u32], now: Timestamp, most: usize, sight: &Sight) -> Vec<Expert> {
        #[derive(Default)]
        struct Sum {
            score: f64,
            knows: u32,
            talks: u32,
            seen: Vec<(i64, u32)>,
            audiences: Vec<u16>,
        }
        let mut people: BTreeMap<u32, Sum> = BTreeMap::new();
        for edge in topics.iter().filter_map(|at| self.node(*at)).flat_map(|node| &node.into) {
            let Some(edge) = self.edge(*edge) else { continue };
            let knows = match edge.kind {
                EdgeKind::ExpertIn => true,
                EdgeKind::TalksAbout => false,
                _ => continue,
            };
            let Some(glimpse) = sight.edge(edge) else { continue };
            let sum = people.entry(edge.from).or_default();
            let (count, freshness) = (f64::from(glimpse.count), faded(glimpse.last, now.as_millisecond()));
            // A skill is kept; what somebody only spoke of they may have dropped.
            sum.score += if knows { 3.0 * count.ln_1p() } else { 0.5 * count.ln_1p() * freshness.max(0.1) };
            *(if knows { &mut sum.knows } else { &mut sum.talks }) += glimpse.count;
            sum.seen.extend(
                sight.seen(&edge.seen).rev().take(super::sight::EVIDENCE).map(|one| (one.at, one.source)),
            );
            if !sum.audiences.contains(&edge.audience) {
                sum.audiences.push(edge.audience);
            }
        }
        let mut experts: Vec<Expert> = people
            .into_iter()
            .filter(|(at, _)| self.node(*at).is_some_and(|node| node.id.kind == NodeKind::Person))
            .filter_map(|(at, mut sum)| {
                sum.seen.sort_unstable_by_key(|(at, source)| (std::cmp::Reverse(*at), *source));
                let last = Timestamp::from_millisecond(sum.seen.first()?.0).ok()?;
                let evidence = sum.seen.iter().filter_map(|(_, source)| self.source(*source).cloned());
                let mut evidence: Vec<SourceId> = evidence.collect();
                evidence.dedup();
                evidence.truncate(super::sight::EVIDENCE);
                let person = self.named_within(at, &mut sum.audiences, sight)?;
                Some(Expert {
                    person,
                    score: sum.score,
                    knows: sum.knows,
                    talks: sum.talks,
                    last,
                    evidence,
                    audiences: self.audiences_of(&sum.audiences),
                })
            })
            .collect();
        experts.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.person.cmp(&b.person)));
        experts.truncate(most);
        experts
    }

    /// People of a name, as far as it may be known that they have it: those who are shown under it, and those a note
    /// calls so. The whole name, or the beginning of it.
    pub(super) fn called(&self, name: &str, sight: &Sight) -> Vec<u32> {
        let wanted: Vec<String> = crate::text::keywords::words(name).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let is_it = |label: &str| {
            let own: Vec<String> = crate::text::keywords::words(label).collect();
            own.starts_with(&wanted)
        };
        let mut people: Vec<u32> = self
            .nodes_of(NodeKind::Person)
            .filter(|at| {
                let Some(node) = self.node(*at) else { return false };
                let shown = node
                    .names
                    .iter()
                    .any(|name| is_it(&name.label) && sight.glimpse(name.audience, &name.seen).is_some());
                shown
                    || *node.id.key == *name
                    || node.out.iter().filter_map(|edge| self.edge(*edge)).any(|edge| {
                        edge.kind == EdgeKind::Called
                            && sight.edge(edge).is_some()
                            && self.node(edge.to).is_some_and(|alias| is_it(&alias.id.key))
                    })
            })
            .collect();
        people.sort_by_key(|at| self.node(*at).map(|node| node.id.clone()));
        people
    }
}
