//! Each crate's example is run as the crate's page tells it, so that what a reader copies works.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use crate::documents::pdf;
use crate::support::cards::{png_card, v2};

/// The examples, and with what each begins.
const FIRST_WORDS: [(&str, &str); 8] = [
    ("examine", "Warn familiar: there is none in data/familiars yet\n"),
    ("inspect", "Ada (v2 card in png form)\n"),
    ("invite", "https://discord.com/oauth2/authorize?client_id=123456789012345678&"),
    ("judge", "\"When does the ferry leave, Pell?\": effort "),
    ("look", "Pell is named: true\na question: true\n"),
    ("read_pdf", "The ferry leaves at seven.\n"),
    ("talk", "  4200 ms  a turn: \"so I was thinking about the old lighthouse"),
    ("whisper", "in the server, \"ferry\" finds:\n  My ferry leaves on Friday.\nalone with Alice"),
];

/// The examples there are, with the crate's folder of each.
fn examples() -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let crates = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap();
    for folder in crates.map(|entry| entry.unwrap().path()).filter(|folder| folder.is_dir()) {
        let files = fs::read_dir(folder.join("examples")).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            found.insert(file.file_stem().unwrap().to_str().unwrap().to_owned(), folder.clone());
        }
    }
    found
}

/// What follows `cargo run --example` on the crate's page: arguments, or where the input comes from.
fn told_arguments(folder: &Path, example: &str) -> String {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let command = format!("cargo run -p familiar-{name} --example {example}");
    let page = fs::read_to_string(folder.join("README.md")).unwrap();
    let told = page.lines().find_map(|line| line.strip_prefix(&command));
    let told = told.unwrap_or_else(|| panic!("the page of {name} does not say `{command}`"));
    told.replacen(" -- ", " ", 1)
}

/// Whether a file that an example was built from has changed since, or is gone, or nothing tells. Beside it cargo writes down
/// which these are; what only tests are built from is not among them.
fn is_stale(built: &Path) -> bool {
    let changed_at = |path: &Path| fs::metadata(path).and_then(|about| about.modified());
    let built_at = changed_at(built).unwrap();
    let Ok(list) = fs::read_to_string(built.with_extension("d")) else { return true };
    let (_, files) = list.trim_end().split_once(": ").unwrap();
    // A space in a path has a backslash before it.
    let files = files.replace("\\ ", "\0");
    files.split(' ').any(|file| {
        let file = file.replace('\0', " ");
        changed_at(Path::new(&file)).ok().is_none_or(|at| at > built_at)
    })
}

/// Runs what cargo has built of an example, as a shell runs the told line.
fn run(example: &str, arguments: &str, at: &Path) -> Output {
    let beside = Path::new(env!("CARGO_BIN_EXE_familiar"));
    let built = beside.parent().unwrap().join("examples").join(example);
    assert!(
        built.is_file() && !is_stale(&built),
        "{} is not there or older than its sources: `cargo build --examples` and `cargo test` build it, \
         `cargo test --test integration` does not",
        built.display()
    );
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("\"$0\"{arguments}")).arg(built).current_dir(at);
    shell.env_clear().stdin(Stdio::null()).output().unwrap()
}

#[test]
fn what_the_page_of_each_crate_says_to_run_runs() {
    let examples = examples();
    assert_eq!(
        examples.keys().map(String::as_str).collect::<Vec<_>>(),
        FIRST_WORDS.map(|(example, _)| example)
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("card.png"), png_card("chara", &v2("Ada"))).unwrap();
    fs::write(folder.path().join("file.pdf"), pdf("The ferry leaves at seven.")).unwrap();
    for (example, first_words) in FIRST_WORDS {
        let ran = run(example, &told_arguments(&examples[example], example), folder.path());
        let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{example}: {}\n{err}", ran.status);
        assert!(out.starts_with(first_words), "{example}: {out}");
    }
}

#[test]
fn an_example_is_stale_once_a_file_it_was_built_from_is_newer_or_gone() {
    let folder = tempfile::tempdir().unwrap();
    let [built, list, source, part, test] =
        ["look", "look.d", "a room.rs", "part.rs", "tests.rs"].map(|name| folder.path().join(name));
    let written = |file: &Path| file.to_str().unwrap().replace(' ', "\\ ");
    let changed_at = |file: &Path, second| {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        fs::File::create(file).unwrap().set_modified(at).unwrap();
    };
    fs::write(&list, format!("{}: {} {}\n", written(&built), written(&source), written(&part))).unwrap();
    for (file, second) in [(&source, 1), (&part, 1), (&built, 2), (&test, 3)] {
        changed_at(file, second);
    }
    assert!(!is_stale(&built), "what it is not built from tells nothing");
    fs::rename(&list, &test).unwrap();
    assert!(is_stale(&built), "nothing tells");
    fs::rename(&test, &list).unwrap();
    changed_at(&source, 3);
    assert!(is_stale(&built), "newer");
    fs::remove_file(&source).unwrap();
    assert!(is_stale(&built), "gone");
}
