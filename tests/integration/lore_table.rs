//! SillyTavern's rules of activation, line by line (cards-and-lore 4.2.1 to 4.2.9), through `familiar lore test`.
//!
//! A row of the table is a book, a chat, and what fires in which order; its rule begins with the number of the line it
//! holds. Timed effects (4.2.10) need more than one turn: they are tested on the stage and in the matcher.

use std::collections::BTreeSet;
use std::fs;

use assert_cmd::Command;
use serde::Deserialize;
use serde_json::{Map, Value, json};

const TABLE: &str = include_str!("../fixtures/lore/sillytavern.json");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    rule: String,
    #[serde(default)]
    args: Vec<String>,
    /// Oldest first.
    chat: Vec<String>,
    /// Fields of a world file; number, title and text come of themselves.
    entries: Vec<Map<String, Value>>,
    /// In the order of the prompt.
    fired: Vec<u64>,
    /// In the order they were called up, where the row is about that.
    activated: Option<Vec<u64>>,
}

impl Case {
    fn book(&self) -> Value {
        let numbered = self.entries.iter().enumerate().map(|(uid, fields)| {
            let mut entry =
                json!({"uid": uid, "comment": format!("Entry {uid}"), "key": [], "content": "Here."});
            if let Some(entry) = entry.as_object_mut() {
                entry.extend(fields.clone());
            }
            (uid.to_string(), entry)
        });
        json!({"name": "Table", "entries": Value::Object(numbered.collect())})
    }

    /// The same book in a card, as SillyTavern exports it: `use_regex` on every entry, whatever its keys are.
    fn exported(&self) -> Value {
        let book = self.book();
        let entries = book["entries"].as_object().unwrap().values().map(|entry| {
            let or = |field: &str, default: Value| entry.get(field).cloned().unwrap_or(default);
            let extensions = json!({
                "position": or("position", json!(0)),
                "exclude_recursion": or("excludeRecursion", json!(false)),
                "display_index": entry["uid"],
                "probability": or("probability", json!(100)),
                "useProbability": or("useProbability", json!(true)),
                "depth": or("depth", json!(4)),
                "selectiveLogic": or("selectiveLogic", json!(0)),
                "outlet_name": or("outletName", json!("")),
                "group": or("group", json!("")),
                "group_override": or("groupOverride", json!(false)),
                "group_weight": or("groupWeight", Value::Null),
                "prevent_recursion": or("preventRecursion", json!(false)),
                "delay_until_recursion": or("delayUntilRecursion", json!(false)),
                "scan_depth": or("scanDepth", Value::Null),
                "match_whole_words": or("matchWholeWords", Value::Null),
                "use_group_scoring": or("useGroupScoring", json!(false)),
                "case_sensitive": or("caseSensitive", Value::Null),
                "automation_id": "",
                "role": or("role", json!(0)),
                "vectorized": or("vectorized", json!(false)),
                "sticky": or("sticky", Value::Null),
                "cooldown": or("cooldown", Value::Null),
                "delay": or("delay", Value::Null),
                "triggers": or("triggers", json!([])),
                "ignore_budget": or("ignoreBudget", json!(false)),
            });
            json!({
                "id": entry["uid"],
                "keys": entry["key"],
                "secondary_keys": or("keysecondary", json!([])),
                "comment": entry["comment"],
                "content": entry["content"],
                "constant": or("constant", json!(false)),
                "selective": or("selective", json!(true)),
                "insertion_order": or("order", json!(100)),
                "enabled": !entry.get("disable").is_some_and(|off| off == true),
                "position": if or("position", json!(0)) == 0 { "before_char" } else { "after_char" },
                "use_regex": true,
                "extensions": extensions,
            })
        });
        let book = json!({"name": "Table", "entries": entries.collect::<Vec<_>>()});
        let data = json!({"name": "Ada", "description": "", "personality": "", "scenario": "", "first_mes": "",
                          "mes_example": "", "character_book": book, "extensions": {}});
        json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": data})
    }

    /// Whether SillyTavern's export tells everything of it.
    fn survives_export(&self) -> bool {
        self.entries.iter().all(|entry| !entry.contains_key("characterFilter"))
    }

    fn run(&self, book: &Value) -> Value {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("book.json"), book.to_string()).unwrap();
        let chat: Vec<String> = self.chat.iter().map(|line| json!(line).to_string()).collect();
        fs::write(folder.path().join("chat.jsonl"), chat.join("\n")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_familiar"));
        command.current_dir(folder.path()).args([
            "lore",
            "test",
            "book.json",
            "--chat",
            "chat.jsonl",
            "--json",
        ]);
        let output = command.args(&self.args).output().unwrap();
        assert!(output.status.success(), "{}: {}", self.rule, String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

#[test]
fn lore_4_2_entries_fire_as_the_rules_of_sillytavern_say() {
    let cases: Vec<Case> = serde_json::from_str(TABLE).unwrap();
    assert!(cases.len() >= 40, "{}", cases.len());
    let wrong: Vec<String> = cases.iter().flat_map(|case| faults(case, &case.book())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let lines: BTreeSet<&str> = cases.iter().map(|case| case.rule.split(' ').next().unwrap()).collect();
    assert_eq!(lines, BTreeSet::from(["1", "2", "3", "4", "5", "6", "7", "8", "9"]), "every line has a row");
}

#[test]
fn lore_4_2_entries_that_sillytavern_exported_fire_the_same() {
    let mut cases: Vec<Case> = serde_json::from_str(TABLE).unwrap();
    cases.retain(Case::survives_export);
    assert!(cases.len() >= 40, "{}", cases.len());
    let wrong: Vec<String> = cases.iter().flat_map(|case| faults(case, &case.exported())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a book does otherwise than its row says.
fn faults(case: &Case, book: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let found = case.run(book);
    let fired: Vec<u64> =
        found["fired"].as_array().unwrap().iter().map(|entry| entry["uid"].as_u64().unwrap()).collect();
    if fired != case.fired {
        wrong.push(format!("{}: wanted {:?}, fired {fired:?}", case.rule, case.fired));
    }
    if let Some(activated) = &case.activated
        && found["activated_order"] != json!(activated)
    {
        let order = &found["activated_order"];
        wrong.push(format!("{}: wanted {activated:?} in this order, called up {order}", case.rule));
    }
    wrong
}
