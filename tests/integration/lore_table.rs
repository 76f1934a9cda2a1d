//! SillyTavern's rules of activation, line by line (specs cards-and-lore 4.2.1 to 4.2.9), through `familiar lore test`.
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

    fn run(&self) -> Value {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("book.json"), self.book().to_string()).unwrap();
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
    let mut wrong = Vec::new();
    for case in &cases {
        let found = case.run();
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
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let lines: BTreeSet<&str> = cases.iter().map(|case| case.rule.split(' ').next().unwrap()).collect();
    assert_eq!(lines, BTreeSet::from(["1", "2", "3", "4", "5", "6", "7", "8", "9"]), "every line has a row");
}
