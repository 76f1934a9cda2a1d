//! `familiar prompt` against prompts that SillyTavern's own functions built, and against our own cases.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Golden files that the team keeps outside the repository; `None` where they are not at hand.
fn shared_fixtures() -> Option<PathBuf> {
    let path = match std::env::var_os("FAMILIAR_SHARED_FIXTURES") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures"),
    };
    if path.is_dir() {
        Some(path)
    } else {
        println!(
            "skipped: no shared fixtures at {} (FAMILIAR_SHARED_FIXTURES names the folder)",
            path.display()
        );
        None
    }
}

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
fn prompts_equal_what_sillytavern_builds() {
    if let Some(fixtures) = shared_fixtures() {
        assert!(check(&fixtures.join("prompts")) > 0);
    }
}
