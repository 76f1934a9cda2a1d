//! What hangs together, in which way, and what that was read from.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use strum::{Display, EnumString, IntoStaticStr};

use crate::domain::{AccountId, Stance, StoredId};

/// Something that is no kind of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is nothing the graph knows")]
pub struct InvalidNode(String);

impl InvalidNode {
    fn of(word: &str) -> Self {
        Self(word.to_owned())
    }
}

/// What sort of thing a node is (G2 to G6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = InvalidNode, parse_err_fn = InvalidNode::of)]
pub enum NodeKind {
    /// Somebody, by the file name of their note: `discord-42`.
    Person,
    /// What is talked about, by the stem of a word.
    Topic,
    /// What was said in a channel on one day.
    Episode,
    Note,
    /// A line of a note, with or without an id.
    Fact,
    Lore,
    Message,
    Alias,
    /// Something to do better, or what several of these came to.
    Learning,
    /// How something reads, or how somebody is shown: no thing of its own.
    Label,
}

impl NodeKind {
    /// As it is stored, and written for the operator.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What an edge says, read from its source to its target (G2 to G6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", parse_err_ty = InvalidNode, parse_err_fn = InvalidNode::of)]
pub enum EdgeKind {
    Mentions,
    Contains,
    Links,
    About,
    DerivedFrom,
    Contradicts,
    /// Speaks of it in writing.
    RelatedTo,
    /// Took part in it, or lies in it.
    PartOf,
    /// Is called that by a note.
    Called,
    TalksAbout,
    ExpertIn,
    /// Was of help to them: they said thanks.
    Helped,
    AgreedWith,
    TalkedWith,
    /// Answered them by the platform's own reply.
    Answered,
    CloseTo,
    QuarrelledWith,
    SynthesizedInto,
    /// Is shown by that label: a person.
    Shown,
    /// Reads like that label: anything else.
    Reads,
}

impl EdgeKind {
    /// As it is stored, and written for the operator.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What a step over it costs on a path between two things: what says most about how they are connected is
    /// cheapest.
    pub(super) fn cost(self) -> f64 {
        match self {
            Self::CloseTo | Self::QuarrelledWith | Self::Helped | Self::Shown | Self::Reads => 1.0,
            Self::Answered | Self::AgreedWith => 1.1,
            Self::TalkedWith => 1.2,
            Self::About | Self::Mentions | Self::Called | Self::Links => 0.8,
            Self::ExpertIn | Self::Contradicts | Self::SynthesizedInto | Self::DerivedFrom => 1.2,
            Self::PartOf => 1.6,
            Self::RelatedTo | Self::TalksAbout => 2.0,
            Self::Contains => 2.5,
        }
    }
}

/// What a node is called: the same in every graph made of the same history and notes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    pub kind: NodeKind,
    pub key: Arc<str>,
}

impl NodeId {
    pub fn new(kind: NodeKind, key: impl Into<Arc<str>>) -> Self {
        Self { kind, key: key.into() }
    }

    pub fn person(account: &AccountId) -> Self {
        Self::new(NodeKind::Person, account.slug())
    }

    /// What is talked about, by a stem ([`crate::text::keywords::terms`]).
    pub fn topic(stem: &str) -> Self {
        Self::new(NodeKind::Topic, stem)
    }

    /// How something reads, or is shown.
    pub(super) fn label(words: &str) -> Self {
        Self::new(NodeKind::Label, words)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.key)
    }
}

impl FromStr for NodeId {
    type Err = InvalidNode;

    /// Reads what [`Display`](fmt::Display) writes: `person/discord-42`.
    fn from_str(text: &str) -> Result<Self, InvalidNode> {
        match text.split_once('/') {
            Some((kind, key)) if !key.is_empty() => Ok(Self::new(kind.parse()?, key)),
            _ => Err(InvalidNode(text.to_owned())),
        }
    }
}

/// What an edge was read from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceId {
    Turn(StoredId),
    Note(Arc<str>),
}

impl SourceId {
    /// The message, where it is one.
    pub(super) fn turn(&self) -> Option<StoredId> {
        match self {
            Self::Turn(turn) => Some(*turn),
            Self::Note(_) => None,
        }
    }
}

impl fmt::Display for SourceId {
    /// As provenance is written everywhere: `t:1841`, `people/discord-42.md`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(StoredId(turn)) => write!(f, "t:{turn}"),
            Self::Note(path) => f.write_str(path),
        }
    }
}

/// The weight of something said once, in thousandths.
pub(super) const ONCE: u16 = 1000;

pub(super) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// That two things are connected.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Saying {
    pub from: NodeId,
    pub to: NodeId,
    pub kind: EdgeKind,
    pub audience: Arc<str>,
    pub at: i64,
    pub weight: u16,
}

impl Saying {
    /// That it is said in so many words.
    pub(super) fn once(from: &NodeId, to: &NodeId, kind: EdgeKind, audience: &Arc<str>, at: i64) -> Self {
        let (from, to, audience) = (from.clone(), to.clone(), Arc::clone(audience));
        Self { from, to, kind, audience, at, weight: ONCE }
    }
}

/// What it makes of two people when one shows the other how they stand to them.
pub(super) fn between<'a>(
    from: &'a NodeId,
    to: &'a NodeId,
    stance: Stance,
) -> (&'a NodeId, &'a NodeId, EdgeKind) {
    match stance {
        Stance::Agrees => (from, to, EdgeKind::AgreedWith),
        Stance::Likes => (from, to, EdgeKind::CloseTo),
        Stance::Thanks => (to, from, EdgeKind::Helped),
        Stance::Against => (from, to, EdgeKind::QuarrelledWith),
    }
}

/// What was said in a channel on the day of a moment.
pub(super) fn episode_at(channel: &str, at: i64) -> NodeId {
    NodeId::new(NodeKind::Episode, format!("{channel}:{}", at.div_euclid(DAY_MS)))
}
