//! The walls of the house, checked: who may import whom, how large a file may grow, which crates stay in which room,
//! and which words never stand in the code. `docs/architecture/map.md` explains each line of the table.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/words.rs"]
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Room → the rooms it may import. A room that is not listed here may not exist.
const ROOMS: &[(&str, &[&str])] = &[
    ("net", &[]),
    ("config", &[]),
    ("world", &["config"]),
    ("familiar", &["config"]),
    ("identity", &["config"]),
    ("trace", &["config"]),
    ("embedding", &["config", "net"]),
    ("llm", &["config", "net"]),
    ("processors", &["config", "llm"]),
    ("context", &["config", "world", "familiar", "embedding", "llm"]),
    ("workers", &["config", "net", "world", "familiar", "identity", "embedding", "llm"]),
    ("documents", &["config", "net"]),
    ("tools", &["config", "net", "world", "familiar", "documents", "context", "llm", "workers"]),
    ("mcp", &["config", "net", "tools"]),
    (
        "session",
        &[
            "config",
            "world",
            "familiar",
            "identity",
            "trace",
            "llm",
            "context",
            "processors",
            "workers",
            "documents",
            "tools",
        ],
    ),
    ("erase", &["config", "identity", "trace", "embedding"]),
    ("terminal", &["config", "familiar", "identity", "trace", "embedding", "session", "erase"]),
    ("voice", &["config", "net", "llm", "session"]),
    (
        "discord",
        &["config", "net", "world", "familiar", "identity", "trace", "llm", "erase", "session", "voice"],
    ),
    ("doctor", &["config", "familiar", "trace", "embedding", "llm", "context", "mcp", "voice", "discord"]),
    (
        "window",
        &[
            "config",
            "world",
            "familiar",
            "identity",
            "trace",
            "llm",
            "documents",
            "session",
            "erase",
            "terminal",
            "discord",
            "doctor",
            "voice",
            "workers",
        ],
    ),
    ("app", &["*"]),
    ("simulate", &["config", "identity", "world", "llm", "session", "voice", "app"]),
    ("cli", &["*"]),
];

/// Crates that only these rooms may name (design, "Only `discord/` names serenity …").
const CRATES: &[(&str, &[&str])] = &[
    ("davey", &["discord"]),
    ("lopdf", &["documents"]),
    ("open", &["cli"]),
    ("rubato", &["voice"]),
    ("rmcp", &["mcp", "cli"]),
    ("askama", &["window"]),
    ("pulldown_cmark", &["window"]),
    ("similar", &["window"]),
    ("tower_service", &["window"]),
    ("songbird", &["discord"]),
    ("symphonia", &["discord"]),
    ("serenity", &["discord"]),
    ("fluent_bundle", &["discord"]),
    ("async_openai", &["llm"]),
    ("eventsource_stream", &["llm", "voice"]),
    ("rusqlite", &["trace", "embedding"]),
    ("tokio_rusqlite", &["trace"]),
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

/// Where the rooms are: those that make a prompt are a crate, so are those of a turn, of Discord and of the window; the bot is
/// the rest.
const HOUSES: [&str; 5] =
    ["src", "crates/pipeline/src", "crates/session/src", "crates/discord/src", "crates/window/src"];

fn room_files() -> Vec<PathBuf> {
    HOUSES.iter().flat_map(|house| rust_files(&root().join(house))).collect()
}

/// What is ours: the rooms, and the crates beside them.
fn our_files() -> Vec<PathBuf> {
    let mut files = rust_files(&root().join("src"));
    files.extend(rust_files(&root().join("crates")));
    files
}

/// How pages name a file: a room's from its room on, a crate's from the root.
fn page_name(file: &Path) -> String {
    let in_house = HOUSES.iter().find_map(|house| file.strip_prefix(root().join(house)).ok());
    in_house.unwrap_or_else(|| file.strip_prefix(root()).unwrap()).to_string_lossy().into_owned()
}

/// The first path segment under `src/`, without `.rs`.
fn room_of(file: &Path) -> String {
    let in_house = HOUSES.iter().find_map(|house| file.strip_prefix(root().join(house)).ok());
    let relative = in_house.unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

fn is_test_file(file: &Path) -> bool {
    let here = file.strip_prefix(root()).unwrap();
    here.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Code that is not only there for tests: without comments, and without the items that stand under `#[cfg(test)]` or
/// `#[cfg(all(test, …))]`. An item ends with its first line, or where a brace closes as far in as its attribute stands:
/// everything here is formatted.
fn production_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        loop {
            let (number, line) = lines.next()?;
            if line.trim_start().starts_with("#[cfg(test)]")
                || line.trim_start().starts_with("#[cfg(all(test,")
            {
                let end = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
                let mut is_first = true;
                for (_, inner) in lines.by_ref() {
                    let is_attribute = inner.trim_start().starts_with('#') || is_comment(inner);
                    let is_one_line = is_first && !is_attribute && inner.ends_with([';', '}', ',']);
                    if inner.starts_with(&end) || is_one_line {
                        break;
                    }
                    is_first &= is_attribute;
                }
                continue;
            }
            if !is_comment(line) {
                return Some((number + 1, line));
            }
        }
    })
}

#[test]
fn only_items_for_tests_are_passed_over() {
    let text = "fn a() {}\n#[cfg(test)]\nmod one;\nfn b() {}\n#[cfg(test)]\n#[expect(x)]\nmod tests {\n    fn c() {\n    }\n}\n\
                impl D {\n    #[cfg(test)]\n    fn e() {\n        f();\n    }\n    fn g() {}\n}\n";
    let kept: Vec<&str> = production_lines(text).map(|(_, line)| line.trim()).collect();
    assert_eq!(kept, ["fn a() {}", "fn b() {}", "impl D {", "fn g() {}", "}"]);
}

#[test]
fn every_room_is_in_the_table_and_imports_only_what_the_table_allows() {
    let table: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut wrong = Vec::new();
    for file in room_files() {
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

/// `text::short::counted` is the one way to count things.
#[test]
fn no_text_leaves_it_to_its_reader_how_many_there_are() {
    let mut wrong = Vec::new();
    for file in our_files() {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in production_lines(&text) {
            let in_strings = line.split('"').skip(1).step_by(2).map(|text| text.replace("http(s)", ""));
            if in_strings.into_iter().any(|text| text.contains("(s)")) {
                wrong.push(format!("{}:{number}: {}", file.display(), line.trim()));
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
    for file in room_files() {
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

/// What the compiler cannot say of a crate: that a stranger finds it, reads a page of it and sees it at work.
#[test]
fn every_crate_is_on_the_map_with_a_page_and_an_example() {
    let map = fs::read_to_string(root().join("docs/architecture/map.md")).unwrap();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        assert!(map.contains(&format!("`{name}`")), "{name} is not on the map");
        assert!(folder.join("README.md").is_file(), "{name} has no README.md");
        assert!(!rust_files(&folder.join("examples")).is_empty(), "{name} has no example");
    }
}

#[test]
fn the_environment_is_read_in_one_place() {
    let mut wrong = Vec::new();
    for file in our_files() {
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
    for file in our_files() {
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().count();
        if lines > FILE_MAX_LINES {
            wrong.push(format!("{}: {lines} lines, more than {FILE_MAX_LINES}", file.display()));
        }
        if !is_test_file(&file) && !text.starts_with("//!") {
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
    for folder in ["src", "crates", "tests"] {
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

/// Simulated services and people that take their time, by the clock of the test.
const TAKE_THEIR_TIME: [&str; 8] = [
    "tests/bench/voice.rs",
    "tests/integration/soak/engines.rs",
    "tests/support/call.rs",
    "tests/support/discord/rest.rs",
    "tests/support/provider/reply.rs",
    "tests/support/talk/ears.rs",
    "tests/support/talk/tongue.rs",
    "tests/support/voice/mod.rs",
];

#[test]
fn tests_never_sleep() {
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("tests")) {
        let takes_its_time = TAKE_THEIR_TIME.iter().any(|path| file.ends_with(path));
        if takes_its_time || file.ends_with("tests/architecture.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            if (line.contains("sleep(") || line.contains("sleep_until(")) && !is_comment(line) {
                wrong.push(format!("{}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "wait for an event instead:\n{}", wrong.join("\n"));
}

/// `12,345` and `16 * 1024 * 1024` as numbers.
fn number(written: &str) -> Option<u64> {
    written.split('*').try_fold(1, |product: u64, factor| {
        let digits = factor.trim().replace([',', '_'], "");
        product.checked_mul(digits.parse().ok()?)
    })
}

/// The value of a numeric constant in a file.
fn constant(file: &str, name: &str) -> Option<u64> {
    let places = HOUSES.iter().copied().chain([""]);
    let text = places.map(|place| fs::read_to_string(root().join(place).join(file))).find_map(Result::ok)?;
    let head = format!("const {name}: ");
    let line = text.lines().find(|line| line.contains(&head))?;
    number(line.split_once(" = ")?.1.trim_end_matches(';'))
}

/// What keeps something across turns: collections under a lock. Queues are bounded where they are made.
fn keeps_something(line: &str) -> bool {
    const KEPT: [&str; 7] = ["HashMap<", "HashSet<", "BTreeMap<", "BTreeSet<", "VecDeque<", "Vec<", "Uses<"];
    let is_locked = ["Mutex<", "RwLock<"].iter().any(|lock| {
        line.match_indices(lock).any(|(at, _)| {
            let inside = line[at + lock.len()..].trim_start_matches("std::collections::");
            KEPT.iter().any(|kept| inside.starts_with(kept))
        })
    });
    // What is handed to a function is somebody else's to tell of.
    is_locked && !line.contains("&Mutex<")
}

#[test]
fn y4_every_ceiling_in_memory_stands_in_the_table_with_its_value() {
    let page = fs::read_to_string(root().join("docs/reference/limits.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let mut wrong = Vec::new();
    let mut told: Vec<String> = Vec::new();
    let mut compared = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [_, most, at] = cells[..] else { continue };
        let names: Vec<&str> = at.split('`').skip(1).step_by(2).collect();
        told.extend(names.iter().filter(|name| name.ends_with(".rs")).map(|name| (*name).to_owned()));
        let [file, name] = names[..] else { continue };
        if file.ends_with(".rs") && !name.ends_with(".rs") {
            compared += 1;
            let (documented, real) = (number(most), constant(file, name));
            if documented.is_none() || documented != real {
                wrong.push(format!("{file} {name} is {real:?}, the page says {most:?}"));
            }
        }
    }
    assert!(compared > 50, "only {compared} rows were read; is the reader broken?");
    for file in our_files() {
        let name = page_name(&file);
        let is_for_tests = name.contains("test");
        let text = fs::read_to_string(&file).unwrap();
        if !is_for_tests
            && !told.contains(&name)
            && production_lines(&text).any(|(_, line)| keeps_something(line))
        {
            wrong.push(format!("{name} keeps something that docs/reference/limits.md does not tell of"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn contradiction_3_detectors_read_no_lore() {
    for file in rust_files(&root().join("crates/pipeline/src/context/reflex")) {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in production_lines(&text) {
            assert!(!line.to_lowercase().contains("lore"), "{}:{number}: {line}", file.display());
        }
    }
}

/// Each stage's result is made in that stage's file and nowhere else, so none can be skipped: what has not been screened
/// cannot be given room, what has no room cannot be rendered.
#[test]
fn contradiction_5_a_stages_result_is_made_in_its_own_file() {
    for (made, at) in [
        ("Chunks {", "context/ingest.rs"),
        ("Screened {", "context/screen.rs"),
        ("Budgeted {", "context/budget.rs"),
        ("Visible(", "crates/chat/src/domain/visible.rs"),
    ] {
        for file in our_files() {
            let name = page_name(&file);
            // A trace has a fate of that name.
            if name.contains("tests") || (name.contains("/domain/") && at.starts_with("context/")) {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in production_lines(&text) {
                let makes = line.match_indices(made).any(|(at, _)| {
                    let before = line[..at].trim_end();
                    !before.ends_with("struct")
                        && !before.ends_with("impl")
                        && !before.ends_with("let")
                        && !before.ends_with("->")
                        && !before.ends_with("::")
                        && !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                });
                assert!(!makes || name == at, "{name}:{number} makes what only {at} may: {line}");
            }
        }
    }
}

/// Rooms that answer nobody: they sum up, carry, check, play scenes and forget, for which all of a memory is theirs.
const KEEPERS: [&str; 6] = ["app", "cli", "doctor", "erase", "simulate", "workers"];

/// What gives out all of a memory or every record of a turn, whoever may see it.
const WHOLE: [&str; 4] = [".whole()", "everything()", "MemoryStore", "TraceReader"];

/// Where else: what is made of every turn and reached through its own gate, how a reply came about that is seen where somebody
/// repairs it, the names that nobody else may be given, what is told to whoever asked for it and where they did, how much the
/// operator may not see from where they ask, and what the operator sees at the keyboard and in the window.
const WHOLE_BESIDES: [&str; 8] = [
    "context/recall/index.rs",
    "context/recall/meaning.rs",
    "session/conversation/repairing.rs",
    "session/handle.rs",
    "session/reminders.rs",
    "session/replay.rs",
    "terminal/mod.rs",
    "window/operator.rs",
];

/// These words stand in production code of these files only, and in all of them.
fn stands_only_in(
    besides: &[&'static str],
    words: &[&str],
    files: impl Iterator<Item = PathBuf>,
    instead: &str,
) {
    let (mut wrong, mut used) = (Vec::new(), Vec::new());
    for file in files {
        let (name, text) = (page_name(&file), fs::read_to_string(&file).unwrap());
        if name.contains("tests") {
            continue;
        }
        for (number, line) in production_lines(&text) {
            if words.iter().any(|word| without_strings(line).contains(word)) {
                match besides.iter().find(|besides| **besides == name) {
                    Some(besides) => used.push(*besides),
                    None => wrong.push(format!("{name}:{number}: {}", line.trim())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{instead}:\n{}", wrong.join("\n"));
    assert!(besides.iter().all(|besides| used.contains(besides)), "no longer needed: {used:?}");
}

#[test]
fn contradiction_8_who_answers_people_reads_only_what_may_be_seen() {
    // `llm` reads no memory, and counts a prompt by a method of that name; `trace` is where the records are.
    let is_held = |file: &PathBuf| {
        let room = room_of(file);
        !KEEPERS.contains(&room.as_str()) && !["llm", "trace"].contains(&room.as_str())
    };
    let files = room_files().into_iter().filter(is_held);
    stands_only_in(&WHOLE_BESIDES, &WHOLE, files, "read by somebody, with `seen_by`");
}

/// Where what may be seen is put together by hand, and not of where somebody is: all that was said, for its keepers; what an
/// answer was read from that its asker has; what everybody sees who shares a server with it; and what those can hear to whom
/// something is noted or told behind the scenes.
const SEES_ONLY: [&str; 8] = [
    "crates/memory/src/graph/mod.rs",
    "crates/memory/src/history/around.rs",
    "crates/memory/src/history/forget.rs",
    "discord/presence.rs",
    "workers/digest.rs",
    "workers/writer/asked.rs",
    "workers/writer/shown.rs",
    "workers/writer/take.rs",
];

#[test]
fn contradiction_8_what_may_be_seen_follows_from_where_somebody_is() {
    let files = our_files().into_iter();
    stands_only_in(&SEES_ONLY, &["Visible::only"], files, "seen from a place, with `Visible::at`");
}

#[test]
fn contradiction_21_only_the_window_listens_on_a_port() {
    let (mut wrong, mut used) = (Vec::new(), Vec::new());
    // What fetches is tried against servers of its tests' own.
    for file in our_files().into_iter().filter(|file| !page_name(file).contains("tests")) {
        let (name, text) = (page_name(&file), fs::read_to_string(&file).unwrap());
        for (number, line) in production_lines(&text) {
            for listener in ["TcpListener", "UnixListener", "axum::", "hyper::", "hyper_util::"] {
                if without_strings(line).contains(listener) {
                    match name.starts_with("window/") {
                        true => used.push(name.clone()),
                        false => wrong.push(format!("{name}:{number}: {line}")),
                    }
                }
            }
            // And there in one file.
            if line.contains("TcpListener::bind") && name != "window/server.rs" {
                wrong.push(format!("{name}:{number}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(used.iter().any(|name| name == "window/server.rs"), "is the window somewhere else?");
}

/// The names of all tests.
fn test_names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for folder in ["src", "crates", "tests"] {
        for file in rust_files(&root().join(folder)) {
            let text = fs::read_to_string(&file).unwrap();
            let mut is_test = false;
            for line in text.lines().map(str::trim_start) {
                is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
                if line.starts_with('#') || line.starts_with("//") || !is_test {
                    continue;
                }
                let function = line.split_once("fn ").map_or("", |(_, rest)| rest);
                names.push(
                    function
                        .chars()
                        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                        .collect::<String>(),
                );
                is_test = false;
            }
        }
    }
    names
}

/// Rows of the specification, each with tests named after it: `a5_…`, `y10_…`, `contradiction_17_…`.
#[test]
fn every_row_of_the_pipeline_has_a_test_of_its_name() {
    let names = test_names();
    let is_told = |id: &str| {
        let (first, later) = (format!("{id}_"), format!("_{id}_"));
        names.iter().any(|name| name.starts_with(&first) || name.contains(&later))
    };
    let rows = (1..=30).map(|row| format!("a{row}")).chain((1..=17).map(|row| format!("y{row}")));
    // Of memory M18 (learning across servers and familiars) is not built, on purpose.
    let memory = (1..=17).chain([19]).map(|row| format!("m{row}"));
    let rows = rows.chain(memory).chain((1..=16).map(|row| format!("g{row}")));
    let conflicts = (1..=23).map(|row| format!("contradiction_{row}"));
    let missing: Vec<String> = rows.chain(conflicts).filter(|id| !is_told(id)).collect();
    assert!(missing.is_empty(), "no test is named after {missing:?}");
}

/// Rows of the tables in a page, cell by cell.
fn table_rows(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter(|line| line.starts_with("| "));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The text between single backticks.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// What a file says in comments, in one piece: a citation may be broken over two lines.
fn comments(text: &str) -> String {
    let lines = text.lines().map(str::trim_start).filter(|line| is_comment(line));
    lines.map(|line| line.trim_start_matches(['/', '!']).trim()).collect::<Vec<_>>().join(" ")
}

/// Whether a word is one of `letters` and a number below 100: `m5`.
fn is_row(word: &str, letters: &str) -> bool {
    let mut rest = word.chars();
    let begins = rest.next().is_some_and(|letter| letters.contains(letter));
    begins && (2..=3).contains(&word.len()) && rest.all(|c| c.is_ascii_digit())
}

/// `contradiction 8`, of words that say "contradiction 8" or "contradictions 8 and 20".
fn cited_contradictions(words: &[&str]) -> Vec<String> {
    let mut cited = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if matches!(word.to_lowercase().as_str(), "contradiction" | "contradictions") {
            let numbers = words[at + 1..].iter().filter(|word| **word != "and");
            let numbers = numbers.take_while(|word| word.parse::<u8>().is_ok_and(|number| number > 0));
            cited.extend(numbers.map(|number| format!("contradiction {number}")));
        }
    }
    cited
}

/// The ids that a name of a test cites: rows and findings where it begins, contradictions anywhere.
fn cited_by_name(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let rows = words.iter().take_while(|word| is_row(word, "acdfgmy")).map(|word| (*word).to_owned());
    rows.chain(cited_contradictions(&words)).collect()
}

/// The ids that comments cite: rows, contradictions, and of each working paper the first section that is named.
fn cited_by_comments(text: &str) -> Vec<String> {
    let text = comments(text);
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let rows = words.iter().filter(|word| is_row(word, "AGMY")).map(|word| word.to_lowercase());
    let mut cited: Vec<String> = rows.chain(cited_contradictions(&words)).collect();
    for paper in ["cards-and-lore", "voice", "memory", "familiar-connect", "stack"] {
        for rest in text.split(&format!("{paper} ")).skip(1) {
            let section =
                rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').next().unwrap_or_default();
            if section.starts_with(|c: char| c.is_ascii_digit()) {
                cited.push(format!("{paper} {}", section.trim_end_matches('.')));
            }
        }
    }
    cited
}

#[test]
fn every_id_that_is_cited_is_explained() {
    let page = fs::read_to_string(root().join("docs/architecture/mechanisms.md")).unwrap();
    let explained: Vec<String> = table_rows(&page).iter().map(|cells| cells[0].to_lowercase()).collect();
    let mut cited: BTreeMap<String, String> = BTreeMap::new();
    for name in test_names() {
        cited.extend(cited_by_name(&name).into_iter().map(|id| (id, name.clone())));
    }
    for folder in ["src", "crates", "tests"] {
        for file in rust_files(&root().join(folder)) {
            let text = fs::read_to_string(&file).unwrap();
            let at = file.display().to_string();
            cited.extend(cited_by_comments(&text).into_iter().map(|id| (id, at.clone())));
        }
    }
    assert!(cited.len() > 150, "only {} ids were found; is the reader broken?", cited.len());
    cited.retain(|id, _| !explained.contains(id));
    assert!(cited.is_empty(), "docs/architecture/mechanisms.md does not explain {cited:#?}");
}

#[test]
fn what_the_map_and_the_page_of_mechanisms_name_is_there() {
    let names = test_names();
    let mut wrong = Vec::new();
    for name in ["mechanisms.md", "map.md"] {
        let page = fs::read_to_string(root().join("docs/architecture").join(name)).unwrap();
        let files = page.lines().flat_map(code_spans).filter(|span| span.ends_with(".rs"));
        wrong.extend(files.filter(|file| !root().join(file).is_file()).map(str::to_owned));
        for cells in table_rows(&page) {
            match cells[..] {
                // The tables of mechanisms: what, where, and a test.
                [_, _, _, tests] if name == "mechanisms.md" => {
                    let missing = code_spans(tests).filter(|test| !names.iter().any(|known| known == test));
                    wrong.extend(missing.map(|test| format!("no test is called {test}")));
                }
                // The map's table of behaviours: what, a file, and functions in it.
                [_, file, functions] if name == "map.md" => {
                    let file = code_spans(file).next().unwrap_or_default();
                    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
                    let missing =
                        code_spans(functions).filter(|function| !text.contains(&format!("fn {function}")));
                    wrong.extend(missing.map(|function| format!("no {function} in {file}")));
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
