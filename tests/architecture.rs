//! The walls of the house, checked: who may import whom, how large a file may grow, which crates stay in which room,
//! and which words never stand in the code. `docs/architecture/map.md` explains each line of the table.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Room → the rooms it may import. A room that is not listed here may not exist.
const ROOMS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("clock", &[]),
    ("text", &["domain"]),
    ("config", &["domain", "text"]),
    ("world", &["domain", "text", "clock", "config"]),
    ("familiar", &["domain", "text", "clock", "config"]),
    ("sqlite", &["domain", "text", "clock", "config"]),
    ("history", &["domain", "text", "clock", "config", "sqlite"]),
    ("trace", &["domain", "text", "clock", "config", "sqlite"]),
    ("embedding", &["domain", "text", "clock", "config", "sqlite"]),
    ("llm", &["domain", "text", "clock", "config"]),
    ("processors", &["domain", "text", "config", "llm"]),
    ("memory", &["domain", "text", "clock", "config", "sqlite"]),
    ("graph", &["domain", "text", "clock", "config", "sqlite", "history", "memory"]),
    (
        "context",
        &[
            "domain",
            "text",
            "clock",
            "config",
            "world",
            "familiar",
            "history",
            "memory",
            "graph",
            "embedding",
            "llm",
        ],
    ),
    (
        "tools",
        &["domain", "text", "clock", "config", "world", "familiar", "history", "memory", "graph", "llm"],
    ),
    (
        "session",
        &[
            "domain",
            "text",
            "clock",
            "config",
            "world",
            "familiar",
            "history",
            "trace",
            "llm",
            "context",
            "processors",
            "tools",
        ],
    ),
    (
        "workers",
        &["domain", "text", "clock", "config", "world", "familiar", "history", "memory", "embedding", "llm"],
    ),
    ("archive", &["domain", "text", "clock", "config", "history", "memory"]),
    ("erase", &["domain", "text", "clock", "config", "history", "trace", "embedding", "memory"]),
    (
        "terminal",
        &["domain", "text", "clock", "config", "familiar", "history", "trace", "embedding", "session"],
    ),
    ("voice", &["domain", "text", "clock", "config", "llm", "session"]),
    (
        "discord",
        &[
            "domain", "text", "clock", "config", "world", "familiar", "history", "trace", "llm", "memory",
            "erase", "session", "voice",
        ],
    ),
    ("doctor", &["*"]),
    ("app", &["*"]),
    ("cli", &["*"]),
];

/// Crates that only these rooms may name (design, "Only `discord/` names serenity …").
const CRATES: &[(&str, &[&str])] = &[
    ("earshot", &["voice"]),
    ("opus2", &["voice"]),
    ("rubato", &["voice"]),
    ("songbird", &["discord"]),
    ("symphonia", &["discord"]),
    ("serenity", &["discord"]),
    ("poise", &["discord"]),
    ("async_openai", &["llm"]),
    ("rusqlite", &["sqlite", "history", "trace", "embedding", "memory", "graph"]),
    ("tokio_rusqlite", &["sqlite", "history", "trace"]),
    ("cap_std", &["memory"]),
    ("rten_gemm", &["embedding"]),
    ("rten_simd", &["embedding"]),
    ("rten_tensor", &["embedding"]),
    ("rten_vecmath", &["embedding"]),
    ("safetensors", &["embedding"]),
    ("tokenizers", &["embedding"]),
];

/// A file beyond this wants a new module, by meaning (design, "Sizes").
const FILE_MAX_LINES: usize = 800;

const FORBIDDEN_WORDS: &[&str] = &["TODO", "FIXME", "XXX", "todo!(", "unimplemented!(", "dbg!("];

const FORBIDDEN_NAMES: &[&str] = &["manager", "util", "utils", "helper", "helpers", "common", "misc"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(under: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![under.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The first path segment under `src/`, without `.rs`.
fn room_of(file: &Path) -> String {
    let relative = file.strip_prefix(root().join("src")).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Code outside `#[cfg(test)]` modules; by convention those stand at the end of a file.
fn production_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .filter(|(_, line)| !is_comment(line))
        .map(|(number, line)| (number + 1, line))
}

#[test]
fn every_room_is_in_the_table_and_imports_only_what_the_table_allows() {
    let table: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("src")) {
        let room = room_of(&file);
        if room == "lib" || room == "main" {
            continue;
        }
        let Some(allowed) = table.get(room.as_str()) else {
            wrong.push(format!("{}: room {room:?} is not in the table", file.display()));
            continue;
        };
        if allowed.contains(&"*") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in production_lines(&text) {
            if line.contains("crate::{") {
                wrong.push(format!(
                    "{}:{number}: one room a line, or this test cannot read it",
                    file.display()
                ));
            }
            for target in line.match_indices("crate::").filter_map(|(at, _)| {
                let name: String =
                    line[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                table.contains_key(name.as_str()).then_some(name)
            }) {
                if target != room && !allowed.contains(&target.as_str()) {
                    wrong.push(format!("{}:{number}: {room} may not import {target}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A line of code with its string literals emptied: a log filter may name a crate.
fn without_strings(line: &str) -> String {
    line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

#[test]
fn outside_crates_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("src")) {
        let room = room_of(&file);
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in production_lines(&text) {
            for (name, rooms) in CRATES {
                let line = without_strings(line);
                let names_it = line.contains(&format!("{name}::")) || line.contains(&format!("use {name};"));
                let is_longer_name = line.contains(&format!("_{name}::"));
                if names_it && !is_longer_name && !rooms.contains(&room.as_str()) {
                    wrong.push(format!("{}:{number}: {name} belongs to {rooms:?}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_environment_is_read_in_one_place() {
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("src")) {
        if file.ends_with("config/secrets.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in production_lines(&text) {
            if line.contains("env::var") || line.contains("env::vars") {
                wrong.push(format!(
                    "{}:{number}: only config/secrets.rs reads the environment",
                    file.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_stay_small_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("src")) {
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().count();
        if lines > FILE_MAX_LINES {
            wrong.push(format!("{}: {lines} lines, more than {FILE_MAX_LINES}", file.display()));
        }
        let is_test_file = file.components().any(|part| {
            let part = part.as_os_str().to_string_lossy();
            part == "tests" || part == "tests.rs"
        });
        if !is_test_file && !text.starts_with("//!") {
            wrong.push(format!("{}: does not start with //!", file.display()));
        }
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        if FORBIDDEN_NAMES.contains(&stem.as_str()) {
            wrong.push(format!("{}: a name that says nothing", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_left_for_later() {
    let mut wrong = Vec::new();
    for folder in ["src", "tests"] {
        for file in rust_files(&root().join(folder)) {
            if file.ends_with("tests/architecture.rs") {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in text.lines().enumerate() {
                for word in FORBIDDEN_WORDS {
                    if stands_alone(line, word) {
                        wrong.push(format!("{}:{}: {word}", file.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether `word` stands in `line` and is not a part of a longer one (`\uXXXX` is no reminder).
fn stands_alone(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric)
            && (word.ends_with('(') || !after.is_some_and(char::is_alphanumeric))
    })
}

#[test]
fn tests_never_sleep() {
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("tests")) {
        if file.ends_with("tests/architecture.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            if line.contains("sleep(") && !is_comment(line) {
                wrong.push(format!("{}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "wait for an event instead:\n{}", wrong.join("\n"));
}
