//! What is known of a fact besides its words: the `key=value` pairs of its comment.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;

use crate::domain::{AccountId, Audience, StoredId};

/// Letters of an id: no `l`, `o`, `0` or `1`, which people mistake for each other.
const ID_LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Letters of a new id: 40 bits, and a file holds thousands of facts at most.
const ID_LENGTH: usize = 8;

/// Longest id that is read.
const ID_MAX: usize = 32;

/// Most messages that one fact is shown to come from.
const EVIDENCE_MAX: usize = 64;

/// A fact's name, the same for as long as it stands somewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactId(String);

impl FactId {
    /// A new one, by chance.
    pub fn random() -> Self {
        let mut bits = rand::random::<u64>();
        let letter = |_| {
            let letter = ID_LETTERS[usize::try_from(bits % 32).unwrap_or(0)];
            bits /= 32;
            char::from(letter)
        };
        Self((0..ID_LENGTH).map(letter).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for FactId {
    type Err = InvalidFact;
    fn from_str(id: &str) -> Result<Self, InvalidFact> {
        let is_id = (1..=ID_MAX).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if is_id { Ok(Self(id.to_owned())) } else { Err(InvalidFact::value("f", id)) }
    }
}

/// What a fact's comment may not say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidFact {
    #[error("{word:?} is no key=value")]
    Word { word: String },
    /// A value its key does not take.
    #[error("{key}={value} is not understood")]
    Value { key: String, value: String },
    /// A key that stands there twice.
    #[error("{key}= stands there twice")]
    Twice { key: String },
    /// A second comment of that kind in one line.
    #[error("there are two comments with data")]
    TwoComments,
    /// A comment that does not end.
    #[error("a comment is not closed with -->")]
    NotClosed,
}

impl InvalidFact {
    fn value(key: &str, value: &str) -> Self {
        Self::Value { key: key.to_owned(), value: value.to_owned() }
    }
}

/// Whose word a fact is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    Person(AccountId),
    /// The familiar's own, as a promise it made; written `self`.
    Familiar,
}

/// Where a fact comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// A stored turn, written `t:1841`.
    Turn(StoredId),
    /// Something a later version knows; kept as it is.
    Other(String),
}

/// What sort of thing a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FactKind {
    /// Something that is so.
    #[default]
    Fact,
    /// Something that somebody says is so.
    Claim,
    /// Something somebody wants to do.
    Promise,
    /// Something somebody likes or wishes.
    Preference,
    /// Something that sets another right; it outranks what it corrects.
    Correction,
    /// Something the familiar itself can or cannot do; it ages fast.
    Ability,
    /// Something to do better.
    Lesson,
}

impl FactKind {
    pub const ALL: [Self; 7] = [
        Self::Fact,
        Self::Claim,
        Self::Promise,
        Self::Preference,
        Self::Correction,
        Self::Ability,
        Self::Lesson,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Whether a fact holds on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Validity {
    Holds,
    /// It will, from this day on.
    From(Date),
    /// It held until this day, the last one included; or until that day something else took its place.
    Until(Date),
}

/// The data of a fact. Everything may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactData {
    pub id: Option<FactId>,
    /// `to`: who may see it. Missing: whoever may see what it stands in.
    pub to: Option<Audience>,
    /// `by`: who said it.
    pub by: Option<By>,
    /// `on`: the day it was learnt.
    pub on: Option<Date>,
    /// `from`: the messages it comes from, at most 64.
    pub from: Vec<Evidence>,
    /// `imp`: how much it matters, 1 to 5.
    pub importance: Option<u8>,
    /// `since`: the first day it holds.
    pub since: Option<Date>,
    /// `until`: the last day it holds.
    pub until: Option<Date>,
    /// `was`: the fact whose place it takes.
    pub was: Option<FactId>,
    /// `gone`: the day another fact took its place.
    pub gone: Option<Date>,
    /// `now`: the fact that took its place.
    pub now: Option<FactId>,
    /// `kind`: what sort of thing it is.
    pub kind: FactKind,
    /// Keys that are not known here; kept in their order.
    pub rest: Vec<(String, String)>,
}

impl FactData {
    /// The messages it comes from.
    pub fn turns(&self) -> impl Iterator<Item = StoredId> + '_ {
        self.from.iter().filter_map(|from| match from {
            Evidence::Turn(turn) => Some(*turn),
            Evidence::Other(_) => None,
        })
    }

    /// Whether it holds on a day. From the day on which another took its place it never does again; before, as in a replay,
    /// it did.
    pub fn standing(&self, today: Date) -> Validity {
        let ended = self.until.filter(|until| *until < today);
        match (self.gone.filter(|gone| *gone <= today), ended, self.since.filter(|since| *since > today)) {
            (Some(gone), Some(ended), _) => Validity::Until(gone.min(ended)),
            (Some(day), None, _) | (None, Some(day), _) => Validity::Until(day),
            (None, None, Some(since)) => Validity::From(since),
            (None, None, None) => Validity::Holds,
        }
    }
}

impl fmt::Display for FactData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = Pairs { f, is_first: true };
        pairs.put("f", self.id.as_ref())?;
        pairs.put("to", self.to.as_ref())?;
        pairs.put(
            "by",
            self.by.as_ref().map(|by| match by {
                By::Person(account) => account.to_string(),
                By::Familiar => "self".to_owned(),
            }),
        )?;
        pairs.put("on", self.on)?;
        let from: Vec<String> = self.from.iter().map(Evidence::to_string).collect();
        pairs.put("from", (!from.is_empty()).then(|| from.join(",")))?;
        pairs.put("imp", self.importance)?;
        pairs.put("since", self.since)?;
        pairs.put("until", self.until)?;
        pairs.put("was", self.was.as_ref())?;
        pairs.put("gone", self.gone)?;
        pairs.put("now", self.now.as_ref())?;
        pairs.put("kind", (self.kind != FactKind::Fact).then(|| self.kind.as_str()))?;
        self.rest.iter().try_for_each(|(key, value)| pairs.put(key, Some(value)))
    }
}

struct Pairs<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    is_first: bool,
}

impl Pairs<'_, '_> {
    fn put(&mut self, key: &str, value: Option<impl fmt::Display>) -> fmt::Result {
        let Some(value) = value else { return Ok(()) };
        if !self.is_first {
            self.f.write_str(" ")?;
        }
        self.is_first = false;
        write!(self.f, "{key}={value}")
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(StoredId(turn)) => write!(f, "t:{turn}"),
            Self::Other(other) => f.write_str(other),
        }
    }
}

impl FromStr for FactData {
    type Err = InvalidFact;

    /// Reads what [`Display`](fmt::Display) writes, with any spacing between the pairs.
    fn from_str(text: &str) -> Result<Self, InvalidFact> {
        let mut data = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for word in text.split_whitespace() {
            let (key, value) = word
                .split_once('=')
                .filter(|(key, value)| is_key(key) && !value.is_empty())
                .ok_or_else(|| InvalidFact::Word { word: word.to_owned() })?;
            if seen.contains(&key) {
                return Err(InvalidFact::Twice { key: key.to_owned() });
            }
            seen.push(key);
            data.take(key, value)?;
        }
        Ok(data)
    }
}

impl FactData {
    fn take(&mut self, key: &str, value: &str) -> Result<(), InvalidFact> {
        let wrong = || InvalidFact::value(key, value);
        match key {
            "f" => self.id = Some(value.parse().map_err(|_| wrong())?),
            "to" => self.to = Some(value.parse().map_err(|_| wrong())?),
            "by" if value == "self" => self.by = Some(By::Familiar),
            "by" => self.by = Some(By::Person(value.parse().map_err(|_| wrong())?)),
            "on" => self.on = Some(parse_day(value).ok_or_else(wrong)?),
            "from" => self.from = evidence(value).ok_or_else(wrong)?,
            "imp" => {
                let importance = value.parse().ok().filter(|importance| (1..=5).contains(importance));
                self.importance = Some(importance.ok_or_else(wrong)?);
            }
            "since" => self.since = Some(parse_day(value).ok_or_else(wrong)?),
            "until" => self.until = Some(parse_day(value).ok_or_else(wrong)?),
            "was" => self.was = Some(value.parse().map_err(|_| wrong())?),
            "gone" => self.gone = Some(parse_day(value).ok_or_else(wrong)?),
            "now" => self.now = Some(value.parse().map_err(|_| wrong())?),
            "kind" => self.kind = value.parse().map_err(|_| wrong())?,
            _ => self.rest.push((key.to_owned(), value.to_owned())),
        }
        Ok(())
    }
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
}

/// `2026-11-02` and nothing else: a date with a time behind it is somebody's slip.
fn parse_day(value: &str) -> Option<Date> {
    (value.len() == 10).then(|| value.parse().ok()).flatten()
}

fn evidence(value: &str) -> Option<Vec<Evidence>> {
    let from: Vec<Evidence> = value
        .split(',')
        .map(|one| match one.strip_prefix("t:") {
            Some(turn) => turn.parse().ok().map(|turn| Evidence::Turn(StoredId(turn))),
            None => (!one.is_empty()).then(|| Evidence::Other(one.to_owned())),
        })
        .collect::<Option<_>>()?;
    (from.len() <= EVIDENCE_MAX).then_some(from)
}
