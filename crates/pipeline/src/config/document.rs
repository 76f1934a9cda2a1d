//! A settings file that remembers where everything in it stands, and such files laid over each other.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::error::Problem;
pub(super) use super::source::{Rank, SourceSpan, SourceText};

/// A settings file as it was read.
#[derive(Debug)]
pub(super) struct Document {
    pub source: Arc<SourceText>,
    pub values: Table,
    /// Where the key and the value of each path stand, such as `llm.base_url` or `subscription[1].kind`.
    places: BTreeMap<String, (Range<usize>, Range<usize>)>,
}

impl Document {
    pub(super) fn parse(source: &Arc<SourceText>) -> Result<Self, Problem> {
        Self::parse_part(source, &source.text)
    }

    /// Reads the part of a file that is TOML. `part` begins where the file does and has everything that is not TOML
    /// blanked out, so that places are those of the file.
    pub(super) fn parse_part(source: &Arc<SourceText>, part: &str) -> Result<Self, Problem> {
        let spanned = DeTable::parse(part)
            .map_err(|error| Problem::syntax(source, error.span().unwrap_or(0..0), error.message()))?;
        let mut read = Self { source: source.clone(), values: Table::new(), places: BTreeMap::new() };
        read.places.insert(String::new(), (spanned.span(), spanned.span()));
        read.values = read.table("", spanned.get_ref())?;
        Ok(read)
    }

    fn table(&mut self, path: &str, entries: &DeTable<'_>) -> Result<Table, Problem> {
        let mut table = Table::new();
        for (key, value) in entries {
            let name = key.get_ref().to_string();
            let value = self.value(&key_path(path, &name), key.span(), value)?;
            table.insert(name, value);
        }
        Ok(table)
    }

    fn value(
        &mut self,
        path: &str,
        key: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Value, Problem> {
        self.places.insert(path.to_owned(), (key, value.span()));
        let too_large = || Problem::syntax(&self.source, value.span(), "this number is too large");
        Ok(match value.get_ref() {
            // A file with Windows line ends says the same as one without.
            DeValue::String(text) => Value::String(text.replace("\r\n", "\n")),
            DeValue::Integer(number) => {
                let read = i64::from_str_radix(number.as_str(), number.radix());
                Value::Integer(read.map_err(|_| too_large())?)
            }
            DeValue::Float(number) => Value::Float(number.as_str().parse().map_err(|_| too_large())?),
            DeValue::Boolean(flag) => Value::Boolean(*flag),
            DeValue::Datetime(date) => Value::Datetime(*date),
            DeValue::Array(items) => {
                let items = items.iter().enumerate();
                let read = items.map(|(at, item)| self.value(&format!("{path}[{at}]"), item.span(), item));
                Value::Array(read.collect::<Result<_, _>>()?)
            }
            DeValue::Table(entries) => Value::Table(self.table(path, entries)?),
        })
    }

    /// Where the value under a path stands; the whole file where it is not written.
    pub(super) fn place(&self, path: &str) -> SourceSpan {
        self.at(path, |(_, value)| value.clone())
    }

    /// Where the key under a path stands.
    pub(super) fn key_place(&self, path: &str) -> SourceSpan {
        self.at(path, |(key, _)| key.clone())
    }

    fn at(&self, path: &str, which: impl Fn(&(Range<usize>, Range<usize>)) -> Range<usize>) -> SourceSpan {
        let spans = self.places.get(path).or_else(|| self.places.get(""));
        SourceSpan { source: self.source.clone(), span: spans.map(which).unwrap_or_default() }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.places.contains_key(path)
    }
}

/// Files laid over each other, the last on top: tables merge key by key at every depth; anything else, lists included,
/// is replaced whole.
#[derive(Debug, Clone)]
pub(super) struct Layers(Vec<Arc<Document>>);

impl Layers {
    pub(super) fn of(document: Document) -> Self {
        Self(vec![Arc::new(document)])
    }

    pub(super) fn with(&self, document: &Arc<Document>) -> Self {
        Self(self.0.iter().chain([document]).cloned().collect())
    }

    pub(super) fn merged(&self) -> Table {
        let mut merged = Table::new();
        for document in &self.0 {
            merge_tables(&mut merged, &document.values);
        }
        merged
    }

    /// The settings as `T`. A blank text counts as none.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let mut merged = self.merged();
        drop_blanks(&mut merged);
        merged.try_into().map_err(|error: toml::de::Error| self.problem("", error.message().to_owned()))
    }

    /// Every path at which something is written.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|document| document.places.keys()).map(String::as_str)
    }

    /// The file whose value holds.
    pub(super) fn holding(&self, path: &str) -> Option<&Document> {
        self.0.iter().rev().find(|document| document.has(path)).map(Arc::as_ref)
    }

    /// The layer a value comes from.
    pub(super) fn rank(&self, path: &str) -> Option<Rank> {
        self.holding(path).map(|document| document.source.rank)
    }

    /// Whether somebody chose the value that holds under a path: it is the familiar's own, or a folder of defaults has another
    /// than the program. Such a folder is usually a copy of what is built in.
    pub(super) fn is_chosen(&self, path: &str) -> bool {
        self.holding(path).is_some_and(|holding| {
            let built_in = get(&self.0[0].values, path);
            holding.source.rank > Rank::Defaults || get(&holding.values, path) != built_in
        })
    }

    /// A mistake in the value that holds under a path.
    pub(super) fn problem(&self, path: &str, what: String) -> Problem {
        let document = self.holding(path).unwrap_or(&self.0[0]);
        Problem::at(&document.place(path), what)
    }

    /// Refuses two values that do not stand in order. The error points at the one that was written in the later layer,
    /// which is the one somebody just changed.
    pub(super) fn in_order(&self, low: &str, high: &str, relation: ValueRelation) -> Result<(), Problem> {
        let merged = self.merged();
        let (Some(below), Some(above)) = (self.holding(low), self.holding(high)) else { return Ok(()) };
        let (Some(low_value), Some(high_value)) = (get(&merged, low), get(&merged, high)) else {
            return Ok(());
        };
        let (Some(less), Some(more)) = (as_number(low_value), as_number(high_value)) else { return Ok(()) };
        let (holds, must) = match relation {
            ValueRelation::AtMost => (less <= more, "not exceed"),
            ValueRelation::LessThan => (less < more, "be less than"),
        };
        if holds {
            return Ok(());
        }
        let (blamed, path) = if below.source.rank > above.source.rank { (below, low) } else { (above, high) };
        let shown = |value: &Value, of: &Document| match of.source == blamed.source {
            true => value_on_one_line(value),
            false => format!("{} in {}", value_on_one_line(value), of.source.name),
        };
        let (low_shown, high_shown) = (shown(low_value, below), shown(high_value, above));
        let what = format!("`{low}` is {low_shown}, which must {must} `{high}`, which is {high_shown}");
        Err(Problem::at(&blamed.place(path), what).labelled("contradicts the other"))
    }
}

/// How two values must stand.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueRelation {
    AtMost,
    LessThan,
}

fn merge_tables(base: &mut Table, over: &Table) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => merge_tables(below, above),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

fn drop_blanks(table: &mut Table) {
    table.retain(|_, value| match value {
        Value::Table(inner) => {
            drop_blanks(inner);
            true
        }
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    });
}

pub(super) fn key_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The value under a path such as `when.any[0].effort`.
pub(super) fn get<'t>(table: &'t Table, path: &str) -> Option<&'t Value> {
    let mut steps = path.split(['.', '[']);
    let first = table.get(steps.next()?)?;
    steps.try_fold(first, |value, step| match step.strip_suffix(']') {
        Some(index) => value.get(index.parse::<usize>().ok()?),
        None => value.get(step),
    })
}

/// The number, whether written with decimals or without.
pub(super) fn as_number(value: &Value) -> Option<f64> {
    match value {
        // Settings are far below 2^53, where the conversion starts to round.
        #[expect(clippy::cast_precision_loss, reason = "see above; ranges refuse larger ones")]
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// A value as it would be written, on one line.
pub(super) fn value_on_one_line(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Float(number) => format!("{number:?}"),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(value_on_one_line).collect::<Vec<_>>().join(", "))
        }
        Value::Table(_) => "{…}".to_owned(),
        other => other.to_string(),
    }
}

/// Every leaf as `dotted.key` and its written form, for comparing two moments.
pub(super) fn leaves(table: &Table) -> BTreeMap<String, String> {
    fn collect(path: &str, table: &Table, found: &mut BTreeMap<String, String>) {
        for (key, value) in table {
            let path = key_path(path, key);
            match value {
                Value::Table(inner) => collect(&path, inner, found),
                leaf => {
                    found.insert(path, value_on_one_line(leaf));
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    collect("", table, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::parse(&SourceText::of("t", text, Rank::Familiar)).unwrap()
    }

    #[test]
    fn tables_merge_deeply_and_lists_are_replaced() {
        let base = document("a = 1\nlist = [1, 2]\n[t]\nx = 1\n[t.deep]\nkeep = true\nswap = 1");
        let over = document("list = [3]\n[t.deep]\nswap = 2\nnew = 3");
        let layers = Layers::of(base).with(&Arc::new(over));
        let leaves: Vec<_> =
            leaves(&layers.merged()).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(leaves, ["a=1", "list=[3]", "t.deep.keep=true", "t.deep.new=3", "t.deep.swap=2", "t.x=1"]);
    }

    #[test]
    fn values_remember_which_file_they_came_from() {
        let layers = Layers::of(document("a = 1\nb = 1")).with(&Arc::new(document("b = 2")));
        assert_eq!(layers.holding("a").unwrap().source.text, "a = 1\nb = 1");
        assert_eq!(layers.holding("b").unwrap().source.text, "b = 2");
    }
}
