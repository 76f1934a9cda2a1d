//! Taking checked values out of the merged tree. The step from raw to resolved.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::check::NO_CAP;
use super::error::{Problem, ProblemKind};
use super::source::Rank;
use super::tree::{Item, Node};

/// The merged tree with getters by dotted path. Values have passed [`super::check`]; a getter fails only when the
/// defaults do not set a required key.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'t> {
    root: &'t Node,
}

impl<'t> View<'t> {
    pub(super) fn new(root: &'t Node) -> Self {
        Self { root }
    }

    /// The node at a path, if anything was written there.
    pub(super) fn node(self, path: &str) -> Option<&'t Node> {
        self.root.get(path.split('.'))
    }

    /// The layer a value comes from.
    pub(super) fn rank(self, path: &str) -> Option<Rank> {
        self.node(path).map(|node| node.place.source.rank)
    }

    fn required<T>(self, path: &str, read: impl FnOnce(&'t Item) -> Option<T>) -> Result<T, Problem> {
        let missing = ProblemKind::Missing { key: path.to_owned() };
        match self.node(path) {
            Some(node) => read(&node.item).ok_or_else(|| Problem::at(&node.place, missing)),
            None => Err(Problem::at(&self.root.place, missing)),
        }
    }

    fn optional<T>(self, path: &str, read: impl FnOnce(&'t Item) -> Option<T>) -> Result<Option<T>, Problem> {
        if self.node(path).is_none() { Ok(None) } else { self.required(path, read).map(Some) }
    }

    pub(super) fn text(self, path: &str) -> Result<String, Problem> {
        self.required(path, text)
    }

    pub(super) fn optional_text(self, path: &str) -> Result<Option<String>, Problem> {
        Ok(self.optional(path, text)?.filter(|text| !text.trim().is_empty()))
    }

    pub(super) fn flag(self, path: &str) -> Result<bool, Problem> {
        self.required(path, flag)
    }

    pub(super) fn optional_flag(self, path: &str) -> Result<Option<bool>, Problem> {
        self.optional(path, flag)
    }

    pub(super) fn count(self, path: &str) -> Result<u32, Problem> {
        self.required(path, count)
    }

    pub(super) fn optional_count(self, path: &str) -> Result<Option<u32>, Problem> {
        self.optional(path, count)
    }

    pub(super) fn number(self, path: &str) -> Result<f64, Problem> {
        self.required(path, Item::number)
    }

    pub(super) fn optional_number(self, path: &str) -> Result<Option<f64>, Problem> {
        self.optional(path, Item::number)
    }

    /// A number; `None` where a word stands in its place.
    pub(super) fn number_unless_word(self, path: &str) -> Option<f64> {
        self.node(path).and_then(|node| node.item.number())
    }

    pub(super) fn seconds(self, path: &str) -> Result<Duration, Problem> {
        self.required(path, |item| Duration::try_from_secs_f64(item.number()?).ok())
    }

    pub(super) fn choice<T>(self, path: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, Problem> {
        self.required(path, |item| read(&text(item)?))
    }

    pub(super) fn optional_choice<T>(
        self,
        path: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        self.optional(path, |item| read(&text(item)?))
    }

    pub(super) fn texts(self, path: &str) -> Result<Vec<String>, Problem> {
        self.required(path, |item| list(item, text))
    }

    /// A list that may be left out.
    pub(super) fn optional_texts(self, path: &str) -> Result<Vec<String>, Problem> {
        Ok(self.optional(path, |item| list(item, text))?.unwrap_or_default())
    }

    /// One text or a list of them; empty where nothing is written.
    pub(super) fn text_or_texts(self, path: &str) -> Result<Vec<String>, Problem> {
        let read = |item: &Item| text(item).map(|one| vec![one]).or_else(|| list(item, text));
        Ok(self.optional(path, read)?.unwrap_or_default())
    }

    /// One word or a list of them; empty where nothing is written.
    pub(super) fn words<T>(self, path: &str, read: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, Problem> {
        let each = |item: &Item| read(&text(item)?);
        let read = |item: &Item| each(item).map(|one| vec![one]).or_else(|| list(item, each));
        Ok(self.optional(path, read)?.unwrap_or_default())
    }

    pub(super) fn ids(self, path: &str) -> Result<Vec<u64>, Problem> {
        self.required(path, |item| list(item, id))
    }

    pub(super) fn optional_ids(self, path: &str) -> Result<Vec<u64>, Problem> {
        Ok(self.optional(path, |item| list(item, id))?.unwrap_or_default())
    }

    pub(super) fn id(self, path: &str) -> Result<u64, Problem> {
        self.required(path, id)
    }

    pub(super) fn optional_id(self, path: &str) -> Result<Option<u64>, Problem> {
        self.optional(path, id)
    }

    /// A layer's cap; `None` where it is `"unlimited"`.
    pub(super) fn cap(self, path: &str) -> Result<Option<u32>, Problem> {
        self.required(path, |item| match item {
            Item::Text(word) if word == NO_CAP => Some(None),
            other => count(other).map(Some),
        })
    }

    pub(super) fn zone(self, path: &str) -> Result<TimeZone, Problem> {
        self.required(path, |item| TimeZone::get(&text(item)?).ok())
    }

    pub(super) fn optional_moment(self, path: &str) -> Result<Option<Timestamp>, Problem> {
        self.optional(path, |item| text(item)?.parse().ok())
    }

    /// The two values of keys that must stand in order, as an error when they do not. The error points at the one
    /// that was written in the later layer, which is the one somebody just changed.
    pub(super) fn in_order(self, low: &str, high: &str, order: Order) -> Result<(), Problem> {
        let (Some(below), Some(above)) = (self.node(low), self.node(high)) else { return Ok(()) };
        let (Some(low_value), Some(high_value)) = (below.item.number(), above.item.number()) else {
            return Ok(());
        };
        let (holds, relation) = match order {
            Order::AtMost => (low_value <= high_value, "not exceed"),
            Order::LessThan => (low_value < high_value, "be less than"),
        };
        if holds {
            return Ok(());
        }
        let blamed = if below.place.source.rank > above.place.source.rank { below } else { above };
        let shown = |node: &Node| {
            if node.place.source == blamed.place.source {
                node.item.to_string()
            } else {
                format!("{} in {}", node.item, node.place.source.name)
            }
        };
        Err(Problem::at(
            &blamed.place,
            ProblemKind::Order {
                low: low.to_owned(),
                low_value: shown(below),
                relation,
                high: high.to_owned(),
                high_value: shown(above),
            },
        ))
    }
}

/// How two values must stand.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    /// The first may equal the second.
    AtMost,
    /// It may not.
    LessThan,
}

fn text(item: &Item) -> Option<String> {
    match item {
        Item::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn flag(item: &Item) -> Option<bool> {
    match item {
        Item::Flag(flag) => Some(*flag),
        _ => None,
    }
}

fn count(item: &Item) -> Option<u32> {
    match item {
        Item::Integer(number) => u32::try_from(*number).ok(),
        _ => None,
    }
}

fn id(item: &Item) -> Option<u64> {
    match item {
        Item::Integer(number) => u64::try_from(*number).ok(),
        Item::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn list<T>(item: &Item, read: impl Fn(&Item) -> Option<T>) -> Option<Vec<T>> {
    match item {
        Item::List(items) => items.iter().map(|node| read(&node.item)).collect(),
        _ => None,
    }
}
