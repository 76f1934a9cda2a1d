//! Checking one file against its table of keys: unknown keys, wrong forms, ranges.

use super::error::{Problem, ProblemKind, closest};
use super::schema::{Key, Kind, placeholder};
use super::tree::{Item, Node};
use crate::domain::Section;

/// Every mistake of a file, in the order of its keys.
pub(super) fn check(root: &Node, keys: &[Key]) -> Vec<Problem> {
    check_under("", root, keys)
}

/// The same for a table that stands somewhere inside a file, such as `subscription[2]`.
pub(super) fn check_under(prefix: &str, root: &Node, keys: &[Key]) -> Vec<Problem> {
    if !matches!(root.item, Item::Table(_)) {
        return vec![unusable(root, prefix, "a table of settings".to_owned())];
    }
    let keys: Vec<Split> =
        keys.iter().map(|key| Split { segments: key.path.split('.').collect(), kind: key.kind }).collect();
    let mut walk = Walk { keys: &keys, problems: Vec::new() };
    walk.table(root, prefix, 0, &keys.iter().collect::<Vec<_>>());
    walk.problems.sort_by_key(|problem| problem.line_column());
    walk.problems
}

struct Split {
    segments: Vec<&'static str>,
    kind: Kind,
}

struct Walk<'k> {
    /// Every key of the file.
    keys: &'k [Split],
    problems: Vec<Problem>,
}

impl Walk<'_> {
    /// Checks the entries of one table. `candidates` are the keys whose first `depth` segments lead here.
    fn table(&mut self, node: &Node, prefix: &str, depth: usize, candidates: &[&Split]) {
        let Item::Table(entries) = &node.item else { return };
        for (name, entry) in entries {
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            let matching = matching(name, depth, candidates);
            let Some(first) = matching.first() else {
                self.problems.push(self.unknown(entry, name, path, depth, candidates));
                continue;
            };
            if first.segments.len() == depth + 1 {
                self.problems.extend(value(entry, &path, first.kind));
            } else if matches!(entry.item, Item::Table(_)) {
                self.table(entry, &path, depth + 1, &matching);
            } else {
                self.problems.push(unusable(entry, &path, "a table of settings".to_owned()));
            }
        }
    }

    fn unknown(
        &self,
        entry: &Node,
        name: &str,
        path: String,
        depth: usize,
        candidates: &[&Split],
    ) -> Problem {
        let (noun, allowed) = names_here(entry, depth, candidates);
        let suggestion = closest(name, allowed.iter().copied());
        let belongs = self.elsewhere(name);
        let allowed = allowed.into_iter().map(str::to_owned).collect();
        Problem::at(&entry.key, ProblemKind::UnknownKey { noun, key: path, suggestion, belongs, allowed })
    }

    /// The table that does know a key of that name, as its header without brackets. The usual slip: a key written
    /// below a table's header instead of above it.
    fn elsewhere(&self, name: &str) -> Option<String> {
        let known = self.keys.iter().find(|key| key.segments.last() == Some(&name))?;
        let header = &known.segments[..known.segments.len() - 1];
        let first_of = |segment| placeholder(segment).and_then(|(_, names)| names.first().copied());
        let named: Vec<&str> = header.iter().map(|segment| first_of(segment).unwrap_or(segment)).collect();
        Some(named.join("."))
    }
}

/// The names that exist at a place, and what they are called.
fn names_here(entry: &Node, depth: usize, candidates: &[&Split]) -> (&'static str, Vec<&'static str>) {
    let segments = || candidates.iter().filter_map(|key| key.segments.get(depth).copied());
    let keys = segments().filter(|segment| placeholder(segment).is_none());
    // Where a placeholder may stand, a table is meant as one of its names: `[llm.main_pros]`.
    let meant = segments().find_map(placeholder);
    let (noun, mut names) = match meant {
        Some(meant) if matches!(entry.item, Item::Table(_)) || keys.clone().next().is_none() => meant,
        _ => ("key", keys.collect()),
    };
    names.sort_unstable();
    names.dedup();
    (noun, names)
}

/// The keys that go on with `name`: by that very name, else by a placeholder that stands for it.
fn matching<'k>(name: &str, depth: usize, candidates: &[&'k Split]) -> Vec<&'k Split> {
    let by = |accepts: &dyn Fn(&str) -> bool| -> Vec<&'k Split> {
        let goes_on = |key: &&&'k Split| key.segments.get(depth).is_some_and(|segment| accepts(segment));
        candidates.iter().filter(goes_on).copied().collect()
    };
    let literal = by(&|segment| segment == name);
    if literal.is_empty() {
        by(&|segment| placeholder(segment).is_some_and(|(_, names)| names.contains(&name)))
    } else {
        literal
    }
}

fn unusable(entry: &Node, path: &str, expected: String) -> Problem {
    let found = match &entry.item {
        Item::Table(_) | Item::List(_) => entry.item.noun().to_owned(),
        Item::Text(text) if text.chars().count() > 60 => {
            format!("{} characters long", text.chars().count())
        }
        value => value.to_string(),
    };
    Problem::at(
        &entry.place,
        ProblemKind::Unusable { key: path.to_owned(), expected, found, suggestion: None },
    )
}

/// The mistake in one value, if any.
fn value(entry: &Node, path: &str, kind: Kind) -> Option<Problem> {
    let wrong = |expected: String| Some(unusable(entry, path, expected));
    let fits = match (kind, &entry.item) {
        (Kind::Text, Item::Text(text)) => !text.trim().is_empty(),
        (Kind::Prose(max), Item::Text(text)) => text.chars().count() <= max,
        (Kind::Flag, Item::Flag(_)) => true,
        (Kind::Count(min, max), Item::Integer(number)) => (i64::from(min)..=i64::from(max)).contains(number),
        (Kind::Number(min, max) | Kind::Seconds(min, max), item) => {
            item.number().is_some_and(|number| (min..=max).contains(&number))
        }
        (Kind::NumberOr(word, ..), Item::Text(text)) => text == word,
        (Kind::NumberOr(_, min, max), item) => {
            item.number().is_some_and(|number| (min..=max).contains(&number))
        }
        (Kind::Choice(choices) | Kind::Words(choices), Item::Text(word)) => {
            let names = choices.iter().map(|choice| choice.name);
            return one_of(entry, path, kind, word, names);
        }
        (Kind::Words(choices), Item::List(items)) if !items.is_empty() => {
            return first_wrong(items, path, Kind::Choice(choices));
        }
        (Kind::Sections, Item::List(items)) => {
            return items.iter().enumerate().find_map(|(index, item)| {
                let path = format!("{path}[{index}]");
                let Item::Text(word) = &item.item else {
                    return Some(unusable(item, &path, "a section's name".to_owned()));
                };
                one_of(item, &path, kind, word, Section::OPTIONAL.iter().map(|section| section.as_str()))
            });
        }
        (Kind::TextOrTexts, Item::Text(text)) => !text.trim().is_empty(),
        (Kind::TextOrTexts, Item::List(items)) if !items.is_empty() => {
            return first_wrong(items, path, Kind::Text);
        }
        (Kind::FlagOr(_), Item::Flag(_)) => true,
        (Kind::FlagOr(word), Item::Text(text)) => text == word,
        (Kind::Conditions, Item::Table(_)) => true,
        (Kind::Conditions, Item::List(items)) => {
            !items.is_empty() && items.iter().all(|item| matches!(item.item, Item::Table(_)))
        }
        (Kind::Texts | Kind::Ids, Item::List(items)) => {
            let each = if matches!(kind, Kind::Ids) { Kind::Id } else { Kind::Text };
            return first_wrong(items, path, each);
        }
        (Kind::Id, Item::Integer(number)) => *number > 0,
        (Kind::Id, Item::Text(text)) => text.parse::<u64>().is_ok_and(|id| id > 0),
        (Kind::Cap, Item::Integer(number)) => u32::try_from(*number).is_ok(),
        (Kind::Cap, Item::Text(word)) => word == NO_CAP,
        (Kind::Zone, Item::Text(name)) => jiff::tz::TimeZone::get(name).is_ok(),
        (Kind::Moment, Item::Text(text)) => text.parse::<jiff::Timestamp>().is_ok(),
        (Kind::Uuid, Item::Text(text)) => is_uuid(text),
        (Kind::Address, Item::Text(text)) => is_address(text),
        _ => false,
    };
    if fits { None } else { wrong(kind.words()) }
}

/// The first mistake of a list whose items are all of one kind.
fn first_wrong(items: &[Node], path: &str, each: Kind) -> Option<Problem> {
    items.iter().enumerate().find_map(|(index, item)| value(item, &format!("{path}[{index}]"), each))
}

/// The mistake in a word that has to be one of several, with the one that was probably meant.
fn one_of(
    entry: &Node,
    path: &str,
    kind: Kind,
    word: &str,
    names: impl Iterator<Item = &'static str> + Clone,
) -> Option<Problem> {
    if names.clone().any(|name| name == word) {
        return None;
    }
    let mut problem = unusable(entry, path, kind.words());
    if let ProblemKind::Unusable { suggestion, .. } = problem.kind.as_mut() {
        *suggestion = closest(word, names);
    }
    Some(problem)
}

/// The word for a layer without a cap of its own.
pub(super) const NO_CAP: &str = "unlimited";

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text
            .char_indices()
            .all(|(at, c)| if matches!(at, 8 | 13 | 18 | 23) { c == '-' } else { c.is_ascii_hexdigit() })
}

fn is_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    text.is_empty()
        || host.is_some_and(|host| {
            !host.is_empty() && !host.starts_with('/') && !host.contains(char::is_whitespace)
        })
}
