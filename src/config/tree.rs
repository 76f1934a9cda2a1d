//! A settings file as a tree of values that remember where they stand. The raw stage of the two.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Problem, ProblemKind};
use super::source::{Place, Source};

/// A value and where it was written.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub item: Item,
    /// The value.
    pub place: Place,
    /// The key before it; the whole value for list items and for the file itself.
    pub key: Place,
}

/// A TOML value.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Text(String),
    Integer(i64),
    Float(f64),
    Flag(bool),
    Date(String),
    List(Vec<Node>),
    Table(BTreeMap<String, Node>),
}

impl Item {
    /// What it is, for "expected …, found …".
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number with decimals",
            Self::Flag(_) => "true or false",
            Self::Date(_) => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Item {
    /// The number, whether written with decimals or without.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            // Settings are far below 2^53, where the conversion starts to round.
            #[expect(clippy::cast_precision_loss, reason = "see above; ranges refuse larger ones")]
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }
}

impl fmt::Display for Item {
    /// The value as it would be written, on one line; for reports of what changed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Date(date) => f.write_str(date),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, node) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{}", node.item)?;
                }
                f.write_str("]")
            }
            Self::Table(_) => f.write_str("{…}"),
        }
    }
}

impl Node {
    /// Reads a whole file.
    pub(super) fn parse(source: &Arc<Source>) -> Result<Self, Problem> {
        Self::parse_part(source, &source.text)
    }

    /// Reads the part of a file that is TOML. `part` begins where the file does and has everything that is not TOML
    /// blanked out, so that places are those of the file.
    pub(super) fn parse_part(source: &Arc<Source>, part: &str) -> Result<Self, Problem> {
        let spanned = DeTable::parse(part).map_err(|error| {
            let place = Place { source: source.clone(), span: error.span().unwrap_or(0..0) };
            Problem::at(&place, ProblemKind::Syntax { message: error.message().to_owned() })
        })?;
        let span = spanned.span();
        let place = Place { source: source.clone(), span };
        let item = table(source, spanned.get_ref())?;
        Ok(Self { item, key: place.clone(), place })
    }

    /// The value under a path of keys.
    pub(super) fn get<'k>(&self, path: impl IntoIterator<Item = &'k str>) -> Option<&Self> {
        path.into_iter().try_fold(self, |node, key| match &node.item {
            Item::Table(entries) => entries.get(key),
            _ => None,
        })
    }

    /// Every leaf as `dotted.key` and its written form.
    pub(super) fn leaves(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        self.collect_leaves("", &mut found);
        found
    }

    fn collect_leaves(&self, prefix: &str, found: &mut BTreeMap<String, String>) {
        if let Item::Table(entries) = &self.item {
            for (key, node) in entries {
                let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                node.collect_leaves(&path, found);
            }
        } else {
            found.insert(prefix.to_owned(), self.item.to_string());
        }
    }
}

fn table(source: &Arc<Source>, entries: &DeTable<'_>) -> Result<Item, Problem> {
    let mut read = BTreeMap::new();
    for (key, value) in entries {
        read.insert(key.get_ref().to_string(), node(source, key.span(), value)?);
    }
    Ok(Item::Table(read))
}

fn node(source: &Arc<Source>, key: Range<usize>, value: &Spanned<DeValue<'_>>) -> Result<Node, Problem> {
    let place = Place { source: source.clone(), span: value.span() };
    let too_large =
        || Problem::at(&place, ProblemKind::Syntax { message: "this number is too large".to_owned() });
    let item = match value.get_ref() {
        // A file with Windows line ends says the same as one without.
        DeValue::String(text) => Item::Text(text.replace("\r\n", "\n")),
        DeValue::Integer(number) => {
            Item::Integer(i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| too_large())?)
        }
        DeValue::Float(number) => Item::Float(number.as_str().parse().map_err(|_| too_large())?),
        DeValue::Boolean(flag) => Item::Flag(*flag),
        DeValue::Datetime(date) => Item::Date(date.to_string()),
        DeValue::Array(values) => Item::List(
            values.iter().map(|value| node(source, value.span(), value)).collect::<Result<_, _>>()?,
        ),
        DeValue::Table(entries) => table(source, entries)?,
    };
    Ok(Node { item, key: Place { source: source.clone(), span: key }, place })
}
