//! What a book's entries ask for, counted for the import report.

use std::collections::{BTreeMap, BTreeSet};

use super::matcher::{is_usable_pattern, looks_in_card, standing_of, unmodelled};
use super::{KeyLogic, LoreEntry, LorePosition, Lorebook};

/// What becomes of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Acted on in every order of the prompt.
    Honoured,
    /// Acted on in SillyTavern's order of the prompt; in the usual one, what was called up stands with the rest of what
    /// belongs to this message.
    HonouredInStOrder,
    /// Kept on disk for the way back and for later, not acted on.
    Preserved,
}

/// Decorator lines looked at per entry; real entries have a handful.
const DECORATORS_PER_ENTRY: usize = 64;

/// Decorators named in one report.
const DECORATORS_REPORTED: usize = 64;

type Uses = fn(&LoreEntry) -> bool;

/// One row per feature of cards-and-lore 4.1, and what the matcher and the prompt do about it.
const FEATURES: &[(&str, Support, Uses)] = &[
    ("disabled", Support::Honoured, |e| !e.enabled),
    ("folder headings", Support::Honoured, |e| e.section.is_some()),
    ("constant", Support::Honoured, |e| e.constant),
    ("filter keys", Support::Honoured, |e| e.selective && !e.secondary_keys.is_empty()),
    ("key logic other than AND ANY", Support::Honoured, |e| e.logic != KeyLogic::AndAny),
    ("regular expressions as keys", Support::Honoured, |e| {
        e.keys.iter().chain(&e.secondary_keys).any(|key| is_usable_pattern(key))
    }),
    ("own scan depth", Support::Honoured, |e| e.scan_depth.is_some()),
    ("own case or whole-word rule", Support::Honoured, |e| {
        e.case_sensitive.is_some() || e.match_whole_words.is_some()
    }),
    ("at depth", Support::HonouredInStOrder, |e| e.position == LorePosition::AtDepth),
    ("author's note position", Support::HonouredInStOrder, |e| {
        matches!(e.position, LorePosition::NoteTop | LorePosition::NoteBottom)
    }),
    ("example dialogue position", Support::HonouredInStOrder, |e| {
        matches!(e.position, LorePosition::BeforeExamples | LorePosition::AfterExamples)
    }),
    ("outlet", Support::Honoured, |e| e.position == LorePosition::Outlet),
    ("recursion rules", Support::Honoured, |e| {
        e.exclude_recursion || e.prevent_recursion || e.delay_until_recursion > 0
    }),
    ("probability", Support::Honoured, |e| e.use_probability && e.probability < 100.0),
    ("inclusion groups", Support::Honoured, |e| !e.group.is_empty()),
    ("sticky, cooldown or delay", Support::Honoured, |e| {
        [e.sticky, e.cooldown, e.delay].into_iter().any(|n| n.is_some_and(|n| n > 0))
    }),
    ("vectorized", Support::Honoured, |e| e.vectorized),
    ("ignore budget", Support::Honoured, |e| e.ignore_budget),
    ("triggers", Support::Honoured, |e| !e.triggers.is_empty()),
    ("a filter by character names", Support::Honoured, |e| filter_has(e, "names")),
    ("the card, or who is in play, as a place for keys", Support::Honoured, looks_in_card),
    ("a filter by character tags", Support::Preserved, |e| filter_has(e, "tags")),
];

/// Whether an entry is only for characters of certain names or tags; the model has no field for it.
fn filter_has(entry: &LoreEntry, what: &str) -> bool {
    let filter = unmodelled(entry, &["characterFilter", "character_filter"]);
    let list = filter.and_then(|filter| filter.get(what)).and_then(serde_json::Value::as_array);
    list.is_some_and(|list| !list.is_empty())
}

/// How often a feature is used and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureUse {
    /// What it is called; decorators with their `@@`.
    pub name: String,
    /// How many entries use it.
    pub entries: usize,
    /// What becomes of it.
    pub support: Support,
}

impl Lorebook {
    /// The features a book uses, decorators last.
    #[must_use]
    pub fn features(&self) -> Vec<FeatureUse> {
        let mut found: Vec<FeatureUse> = FEATURES
            .iter()
            .map(|&(name, support, uses)| FeatureUse {
                name: name.to_owned(),
                entries: self.entries.iter().filter(|entry| uses(entry)).count(),
                support,
            })
            .filter(|feature| feature.entries > 0)
            .collect();
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.entries {
            let own: BTreeSet<&str> = decorators(&entry.content).take(DECORATORS_PER_ENTRY).collect();
            for name in own {
                *names.entry(name).or_default() += 1;
            }
        }
        found.extend(names.into_iter().take(DECORATORS_REPORTED).map(|(name, entries)| FeatureUse {
            name: format!("@@{name}"),
            entries,
            support: standing_of(name),
        }));
        found
    }
}

/// The names of the decorator lines a content begins with (cards-and-lore 2.4).
fn decorators(content: &str) -> impl Iterator<Item = &str> {
    content
        .lines()
        .map(str::trim_start)
        .skip_while(|line| line.is_empty())
        .map_while(|line| line.strip_prefix("@@"))
        .map(|line| line.trim_start_matches('@').split_whitespace().next().unwrap_or_default())
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{LoreLibrary, Shelved, book_from_value};
    use super::*;

    #[test]
    fn no_more_is_claimed_than_holds() {
        let entries = json!({
            "0": {"uid": 0, "comment": "open", "key": ["/[unclosed/"], "content": "a"},
            "1": {"uid": 1, "comment": "sticky", "key": ["/violin/y"], "content": "b"},
            "2": {"uid": 2, "comment": "sound", "key": ["/viol(in|a)/i"], "content": "c"},
            "3": {"uid": 3, "comment": "deep", "key": ["cello"], "content": "@@depth 2\n@@role user\nd"},
            "4": {"uid": 4, "comment": "scene", "key": ["hall"], "matchScenario": true, "content": "e"},
        });
        let book = book_from_value(&json!({ "entries": entries }), &mut Vec::new()).unwrap();
        let used = |name: &str| {
            let features = book.features();
            let found = features.iter().find(|feature| feature.name == name);
            found.map(|feature| (feature.entries, feature.support))
        };
        assert_eq!(used("regular expressions as keys"), Some((1, Support::Honoured)));
        assert_eq!(used("@@depth"), Some((1, Support::HonouredInStOrder)));
        assert_eq!(used("@@role"), Some((1, Support::HonouredInStOrder)));
        let in_card = used("the card, or who is in play, as a place for keys");
        assert_eq!(in_card, Some((1, Support::Honoured)));
        let library = LoreLibrary::new(&[Shelved { name: "world".to_owned(), book, is_characters: true }]);
        let notes = library.notes();
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].starts_with("open: the key \"/[unclosed/\" is no usable"), "{notes:?}");
        assert!(notes[1].starts_with("sticky: the key \"/violin/y\" has the flag y"), "{notes:?}");
    }
}
