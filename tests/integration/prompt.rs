//! `familiar prompt` against prompts that SillyTavern's own functions built, and against our own cases.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::shared::shared;

fn familiar(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_familiar")).arg("prompt").args(arguments).output().unwrap()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

/// Runs every fixture of a folder and compares role, name and content of every message.
fn check(folder: &Path) -> usize {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    for file in &files {
        let fixture = json(&fs::read(file).unwrap());
        let expected = &fixture["expected"];
        let output = familiar(&["--case", file.to_str().unwrap(), "--mode", "st", "--json"]);
        let printed = json(&output.stdout);
        if expected["err"].is_null() {
            assert_eq!(output.status.code(), Some(0), "{}", file.display());
            assert_eq!(
                printed.as_array().map(Vec::len),
                expected["chat"].as_array().map(Vec::len),
                "{}: {printed:#}",
                file.display()
            );
            for (got, want) in printed.as_array().unwrap().iter().zip(expected["chat"].as_array().unwrap()) {
                assert_eq!(got, want, "{}", file.display());
            }
        } else {
            assert_eq!(output.status.code(), Some(2), "{}", file.display());
            assert!(printed["error"].is_string(), "{}: {printed:#}", file.display());
        }
    }
    files.len()
}

#[test]
#[cfg_attr(not(has_prompts), ignore = "needs prompts of FAMILIAR_SHARED_FIXTURES")]
fn prompts_equal_what_sillytavern_builds() {
    assert!(check(&shared("prompts")) > 0);
}

#[test]
fn every_rule_of_the_layout_holds_in_a_case_of_its_own() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/prompts");
    assert!(check(&folder) > 20);
}

fn written(folder: &tempfile::TempDir, name: &str, value: &Value) -> String {
    let path = folder.path().join(name);
    fs::write(&path, value.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn case() -> Value {
    serde_json::json!({
        "card": { "name": "Bob", "description": "DESC of {{char}}" },
        "chat": [["c", "Hi {{user}}, I am <BOT>."], ["u", "{{char}} {{user}} <BOT>"]],
    })
}

#[test]
fn the_case_alone_and_the_whole_fixture_read_the_same_and_st_is_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let alone = written(&folder, "alone.json", &case());
    let whole = written(&folder, "whole.json", &serde_json::json!({ "case": case(), "expected": {} }));
    let first = familiar(&["--case", &alone, "--json"]);
    let second = familiar(&["--json", "--mode", "st", "--case", &whole]);
    assert!(first.status.success(), "{first:?}");
    assert_eq!(first.stdout, second.stdout);
}

/// SillyTavern fills macros in whoever wrote them; our own layout takes people at their word.
#[test]
fn what_a_person_wrote_is_expanded_only_in_the_comparison_order() {
    let folder = tempfile::tempdir().unwrap();
    let case = written(&folder, "case.json", &case());
    let printed = json(&familiar(&["--case", &case, "--json"]).stdout);
    assert_eq!(printed[3]["content"], "Hi Alice, I am Bob.");
    assert_eq!(printed[4]["content"], "Bob Alice Bob");
    let printed = json(&familiar(&["--case", &case, "--mode", "layered", "--json"]).stdout);
    let said: Vec<&str> = printed.as_array().unwrap().iter().filter_map(|m| m["content"].as_str()).collect();
    assert!(said.contains(&"Hi Alice, I am Bob."), "{said:?}");
    assert!(said.contains(&"Alice: {{char}} {{user}} <BOT>"), "{said:?}");
}

#[test]
fn a_given_card_wins_over_the_one_in_the_case() {
    let folder = tempfile::tempdir().unwrap();
    let card = serde_json::json!({
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": { "name": "Diana", "nickname": "Di", "description": "D of {{char}}" },
    });
    let card = written(&folder, "card.json", &card);
    let case = written(&folder, "case.json", &case());
    let printed = json(&familiar(&["--card", &card, "--case", &case, "--json"]).stdout);
    assert_eq!(printed[1]["content"], "D of Diana");
}

#[test]
fn an_overflow_prints_no_prompt_and_exits_with_two() {
    let folder = tempfile::tempdir().unwrap();
    let mut small = case();
    small["ctx"] = 310.into();
    let path = written(&folder, "case.json", &small);
    let plain = familiar(&["--case", &path]);
    assert_eq!((plain.status.code(), plain.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&plain.stderr).contains("does not fit"));
    let printed = familiar(&["--case", &path, "--json"]);
    assert_eq!(printed.status.code(), Some(2));
    assert_eq!(json(&printed.stdout).as_object().map(|object| object.len()), Some(1));
}

#[test]
fn without_json_the_prompt_is_laid_out_for_people() {
    let folder = tempfile::tempdir().unwrap();
    let plain = familiar(&["--case", &written(&folder, "case.json", &case())]);
    let text = String::from_utf8(plain.stdout).unwrap();
    assert!(text.contains("── system\nDESC of Bob\n"), "{text}");
}

#[test]
fn what_cannot_be_read_is_said_and_exits_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.json");
    let none = familiar(&["--case", missing.to_str().unwrap()]);
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&none.stderr).contains("missing.json"));
    for (broken, named) in [
        (serde_json::json!({ "chat": [] }), "no card"),
        (serde_json::json!({ "card": { "name": "B" }, "chat": [["x", "hi"]] }), "chat line 1"),
        (serde_json::json!({ "card": { "name": "B" }, "names": 7 }), "names is 7"),
        (serde_json::json!({ "card": { "name": "B" }, "lorebook": { "a": 1 } }), "no lorebook"),
    ] {
        let output = familiar(&["--case", &written(&folder, "broken.json", &broken)]);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains(named), "{output:?}");
    }
}

#[test]
fn a_card_file_may_be_the_bare_data_and_without_a_name_takes_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = serde_json::json!({
        "description": "You: are {{char}}",
        "mes_example": "You: no speaker\n{{char}}: yes",
        "extensions": {},
    });
    let card = written(&folder, "Nadia.json", &data);
    let case = written(&folder, "case.json", &serde_json::json!({}));
    let printed = json(&familiar(&["--card", &card, "--case", &case, "--json"]).stdout);
    assert_eq!(printed[1]["content"], "You: are Nadia");
    assert_eq!(printed[3]["content"], "You: no speaker\n yes");
}

#[test]
#[cfg_attr(not(has_cards), ignore = "needs cards of FAMILIAR_SHARED_FIXTURES")]
fn real_cards_of_every_container_run_through() {
    let folder = tempfile::tempdir().unwrap();
    let case =
        written(&folder, "case.json", &serde_json::json!({ "chat": [["c", "I am {{char}}"], ["u", "hi"]] }));
    let cards = shared("cards");
    for (name, called) in [
        ("stc-capogpt.png", "CapoGPT"),
        ("stc-gloria.png", "Gloria, PA"),
        ("tav-cityexplorer.png", "City Explorer (Story)"),
        ("tk-ccv2-overrides.json", "Bob"),
        ("tk-ccv3-export.json", "Diana"),
        ("tk-lorebook.charx", "Lorebook Test Character"),
        ("tk-test-v2.png", "V2 Test Character"),
        ("tk-test.charx", "Test Character"),
        ("tk-test.png", "Test Character"),
    ] {
        let card = cards.join(name);
        let output = familiar(&["--card", card.to_str().unwrap(), "--case", &case, "--json"]);
        assert!(output.status.success(), "{name}: {output:?}");
        let printed = json(&output.stdout);
        let all = printed.to_string();
        assert!(all.contains(called), "{name}: {all}");
        assert!(!all.contains("{{char}}") && !all.contains("{{user}}"), "{name}: {all}");
    }
    let world = familiar(&["--card", cards.join("tav-konosuba.json").to_str().unwrap(), "--case", &case]);
    assert_eq!(world.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&world.stderr).contains("lorebook"));
}

/// Whoever has no case yet learns from the help how one is written, and the one that stands there does.
#[test]
fn the_help_says_what_a_case_is() {
    let help = familiar(&["--help"]);
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    for key in ["persona", "lorebook", "wiBefore", "wiDepth", "nickname"] {
        assert!(help.contains(key), "{key}: {help}");
    }
    let written = help.lines().map(str::trim).find(|line| line.starts_with("{\"card\"")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case.json");
    fs::write(&case, written).unwrap();
    let printed = familiar(&["--case", case.to_str().unwrap(), "--json"]);
    assert!(printed.status.success(), "{printed:?}");
    let messages = json(&printed.stdout).to_string();
    assert!(messages.contains("hello") && messages.contains("And?"), "{messages}");
}

/// The same case in our own layout: one stable block, the chat with names, what is true now, obligations last.
#[test]
fn the_layered_order_of_a_case() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/layered-case.json");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_familiar"))
        .args(["prompt", "--mode", "layered", "--case"])
        .arg(case)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    insta::assert_snapshot!("layered_case", String::from_utf8_lossy(&output.stdout));
}
