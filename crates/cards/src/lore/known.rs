//! The fields that tools write into lorebooks, so that one nobody knows (a slip of the pen, a tool nobody has seen) is told.
//!
//! Owns the names. What stands below `extensions` is free. Start reading at [`note_unknown`].

use std::collections::{BTreeMap, HashSet};

use super::Lorebook;
use crate::payload::quoted_name;

/// Who writes fields, and their names; letter case and underscores do not matter.
type Known = [(&'static str, &'static [&'static str])];

const OF_ENTRIES: &Known = &[
    (
        "the card specs",
        &[
            "keys",
            "secondary_keys",
            "content",
            "extensions",
            "enabled",
            "insertion_order",
            "case_sensitive",
            "use_regex",
            "name",
            "priority",
            "id",
            "comment",
            "selective",
            "constant",
            "position",
        ],
    ),
    (
        "SillyTavern",
        &[
            "uid",
            "key",
            "keysecondary",
            "addMemo",
            "vectorized",
            "selectiveLogic",
            "order",
            "disable",
            "excludeRecursion",
            "preventRecursion",
            "delayUntilRecursion",
            "probability",
            "useProbability",
            "depth",
            "role",
            "scanDepth",
            "matchWholeWords",
            "useGroupScoring",
            "group",
            "groupOverride",
            "groupWeight",
            "sticky",
            "cooldown",
            "delay",
            "automationId",
            "characterFilter",
            "characterFilterNames",
            "characterFilterTags",
            "characterFilterExclude",
            "displayIndex",
            "matchPersonaDescription",
            "matchCharacterDescription",
            "matchCharacterPersonality",
            "matchCharacterDepthPrompt",
            "matchScenario",
            "matchCreatorNotes",
            "ignoreBudget",
            "triggers",
            "outletName",
            "world",
            "hash",
            "decorators",
        ],
    ),
    (
        "NovelAI",
        &[
            "text",
            "contextConfig",
            "lastUpdatedAt",
            "displayName",
            "searchRange",
            "forceActivation",
            "keyRelative",
            "nonStoryActivatable",
            "category",
            "loreBiasGroups",
            "hidden",
            "advancedConditions",
        ],
    ),
    ("Agnai", &["entry", "keywords", "weight", "_id", "kind"]),
    (
        "Risu",
        &[
            "secondkey",
            "insertorder",
            "mode",
            "alwaysActive",
            "activationPercent",
            "loreCache",
            "bookVersion",
            "folder",
            "extentions",
        ],
    ),
];

const OF_BOOKS: &Known = &[
    (
        "the card specs",
        &[
            "name",
            "description",
            "scan_depth",
            "token_budget",
            "recursive_scanning",
            "extensions",
            "entries",
            "spec",
            "spec_version",
        ],
    ),
    ("SillyTavern", &["originalData"]),
    ("NovelAI", &["lorebookVersion", "settings", "categories", "order"]),
    ("Agnai", &["kind", "_id", "userId", "createdAt", "updatedAt"]),
    ("Risu", &["type", "ver", "data"]),
    ("Chub", &["is_creation"]),
];

/// So many fields are named in a report.
const NAMED: usize = 20;

/// One line for each field of the book, and of its entries, that none of these tools writes.
pub(super) fn note_unknown(book: &Lorebook, warnings: &mut Vec<String>) {
    let (of_books, of_entries) = (plain_names(OF_BOOKS), plain_names(OF_ENTRIES));
    let odd = book.rest.keys().filter(|name| !of_books.contains(&plain_name(name)));
    let mut lines: Vec<String> = odd.map(|name| known_line(name, "the lorebook")).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    let fields = book.entries.iter().flat_map(|entry| entry.rest.keys());
    for name in fields.filter(|name| !of_entries.contains(&plain_name(name))) {
        *uses.entry(name).or_default() += 1;
    }
    lines.extend(uses.into_iter().map(|(name, entries)| match entries {
        1 => known_line(name, "a lorebook entry"),
        _ => known_line(name, &format!("{entries} lorebook entries")),
    }));
    let more = lines.len().saturating_sub(NAMED);
    warnings.extend(lines.into_iter().take(NAMED));
    if more > 0 {
        warnings.push(format!("{more} more fields of the lorebook are written by no tool that is known"));
    }
}

fn known_line(name: &str, of: &str) -> String {
    format!(
        "`{}` of {of} is written by no tool that is known; it is kept, and nothing reads it",
        quoted_name(name)
    )
}

fn plain_names(known: &Known) -> HashSet<String> {
    known.iter().flat_map(|(_, names)| *names).map(|name| plain_name(name)).collect()
}

fn plain_name(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lore::read_lorebook;

    fn told(book: &serde_json::Value) -> Vec<String> {
        read_lorebook(book.to_string().as_bytes()).unwrap().1
    }

    #[test]
    fn a_field_that_nobody_knows_is_told_once() {
        let entry = |id: u32| {
            serde_json::json!({"id": id, "keys": ["a"], "content": "b", "insertionorder": 3,
            "enabld": false, "extensions": {"mine": 1}})
        };
        let mut book = serde_json::json!({"name": "x", "scan_dept": 4, "extensions": {"any": {"thing": 1}},
            "entries": [entry(1), entry(2), {"id": 3, "keys": ["c"], "content": "d", "colour": "red"}]});
        assert_eq!(
            told(&book),
            [
                "`scan_dept` of the lorebook is written by no tool that is known; it is kept, and nothing reads it",
                "`colour` of a lorebook entry is written by no tool that is known; it is kept, and nothing reads it",
                "`enabld` of 2 lorebook entries is written by no tool that is known; it is kept, and nothing reads it",
            ]
        );
        for index in 0..30 {
            book[format!("odd {index}")] = true.into();
        }
        assert_eq!(told(&book).len(), NAMED + 1);
        assert!(told(&book)[NAMED].starts_with("13 more fields"));
    }

    /// What each of them exports, field by field.
    #[test]
    fn what_tools_write_is_known() {
        let mut world = serde_json::json!({"entries": {"0": {"uid": 0, "key": ["a"], "keysecondary": [], "comment": "",
            "content": "b", "selectiveLogic": 0, "order": 100, "position": 0, "delayUntilRecursion": 0,
            "probability": 100, "depth": 4, "outletName": "", "group": "", "groupWeight": 100, "automationId": "",
            "role": 0, "triggers": [], "displayIndex": 0,
            "characterFilter": {"isExclude": false, "names": [], "tags": []}}}, "originalData": {}});
        for name in [
            "constant",
            "vectorized",
            "selective",
            "addMemo",
            "disable",
            "ignoreBudget",
            "excludeRecursion",
            "preventRecursion",
            "matchPersonaDescription",
            "matchCharacterDescription",
            "matchCharacterPersonality",
            "matchCharacterDepthPrompt",
            "matchScenario",
            "matchCreatorNotes",
            "useProbability",
            "groupOverride",
        ] {
            world["entries"]["0"][name] = false.into();
        }
        for name in [
            "scanDepth",
            "caseSensitive",
            "matchWholeWords",
            "useGroupScoring",
            "sticky",
            "cooldown",
            "delay",
        ] {
            world["entries"]["0"][name] = serde_json::Value::Null;
        }
        for book in [
            world,
            serde_json::json!({"lorebookVersion": 5, "settings": {"orderByKeyLocations": false}, "categories": [],
                "entries": [{"text": "b", "contextConfig": {"budgetPriority": 400}, "lastUpdatedAt": 1,
                "displayName": "n", "id": "i", "keys": ["a"], "searchRange": 1000, "enabled": true,
                "forceActivation": false, "keyRelative": false, "nonStoryActivatable": false, "category": "",
                "loreBiasGroups": [], "hidden": false}]}),
            serde_json::json!({"kind": "memory", "name": "m", "_id": "1", "description": "", "entries": [{"name": "n",
                "entry": "b", "keywords": ["a"], "priority": 1, "weight": 1, "enabled": true}]}),
            serde_json::json!({"type": "risu", "ver": 1, "data": [{"key": "a", "secondkey": "", "insertorder": 100,
                "comment": "c", "content": "b", "mode": "normal", "alwaysActive": false, "selective": false,
                "extentions": {"risu_case_sensitive": false}, "activationPercent": 50, "useRegex": false,
                "bookVersion": 2, "folder": ""}]}),
            serde_json::json!({"name": "x", "description": "", "is_creation": false, "scan_depth": 2,
                "token_budget": 500, "recursive_scanning": false, "extensions": {"chub": {"expressions": null}},
                "entries": [{"uid": 1, "id": 1, "name": "n", "comment": "", "keys": ["a"], "secondary_keys": [],
                "content": "b", "constant": false, "selective": false, "selectiveLogic": 0, "order": 1,
                "insertion_order": 1, "priority": 10, "position": "before_char", "enabled": true,
                "case_sensitive": false, "probability": 100, "use_regex": false, "extensions": {"depth": 4}}]}),
        ] {
            assert_eq!(told(&book), Vec::<String>::new(), "{book}");
        }
    }
}
