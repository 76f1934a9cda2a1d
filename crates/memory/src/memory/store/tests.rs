use std::fs;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::clock::ManualClock;

fn clock() -> SharedClock {
    Arc::new(ManualClock::at("2026-11-02T10:00:00Z".parse().unwrap()))
}

/// A memory folder inside another folder, so that there is something beside it to escape to.
fn store() -> (TempDir, MemoryStore) {
    let outer = tempfile::tempdir().unwrap();
    let store = MemoryStore::in_folder(outer.path().join("memory"), clock());
    (outer, store)
}

fn path(path: &str) -> NotePath {
    NotePath::new(path).unwrap()
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn nothing_is_in_a_folder_that_is_not_there() {
    let (outer, store) = store();
    assert_eq!(store.list(None, None).unwrap(), Listing::default());
    assert!(matches!(store.read(&path("notes.md")), Err(StoreError::NotFound { .. })));
    assert!(store.audit(10).unwrap().is_empty());
    assert!(!outer.path().join("memory").exists(), "reading makes nothing");
}

#[test]
fn what_was_written_is_read_listed_found_and_removed() {
    let (_outer, store) = store();
    store.write(&path("people/discord-42.md"), "She keeps bees.\n", NoteEditor::Writer).unwrap();
    store.write(&path("topics/bees.md"), "Ten hives.\nAna's BEES.\n", NoteEditor::Import).unwrap();
    store.append(&path("notes.md"), "First.", NoteEditor::Operator).unwrap();
    store.append(&path("notes.md"), "Second.", NoteEditor::Operator).unwrap();

    assert_eq!(store.read(&path("notes.md")).unwrap().text, "First.\nSecond.\n");
    let everything = store.list(None, None).unwrap();
    assert_eq!(names(&everything), ["notes.md", "people/discord-42.md", "topics/bees.md"]);
    assert_eq!(names(&store.list(Some(&path("topics")), None).unwrap()), ["topics/bees.md"]);
    assert_eq!(names(&store.glob("*.md", None).unwrap()), ["notes.md"]);
    assert_eq!(names(&store.glob("**/*e*.md", None).unwrap()), ["notes.md", "topics/bees.md"]);

    let all = GrepOptions { ignore_case: true, ..GrepOptions::default() };
    let found = store.grep(r"\bbees\b", &all).unwrap();
    let lines: Vec<(&str, u32)> = found.lines.iter().map(|one| (one.path.as_str(), one.line)).collect();
    assert_eq!(lines, [("people/discord-42.md", 1), ("topics/bees.md", 2)]);
    assert_eq!(found.how_far, HowFar::Everything);
    let topics = GrepOptions { files: Some("topics/*".to_owned()), ..GrepOptions::default() };
    assert!(store.grep("bees", &topics).unwrap().lines.is_empty(), "letters count");

    store.delete(&path("notes.md"), NoteEditor::Operator).unwrap();
    assert!(matches!(store.read(&path("notes.md")), Err(StoreError::NotFound { .. })));
    assert!(matches!(
        store.delete(&path("notes.md"), NoteEditor::Operator),
        Err(StoreError::NotFound { .. })
    ));
}

#[test]
fn every_write_stands_in_the_log_without_its_words() {
    let (outer, store) = store();
    let note = path("people/discord-42.md");
    store.write(&note, "a secret", NoteEditor::Writer).unwrap();
    store.append(&note, "another", NoteEditor::Tool).unwrap();
    store.delete(&note, NoteEditor::Forget).unwrap();

    let log = store.audit(10).unwrap();
    let told: Vec<_> = log
        .iter()
        .map(|entry| {
            (
                entry.op,
                entry.source,
                entry.before.as_ref().map(|b| b.bytes),
                entry.after.as_ref().map(|a| a.bytes),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (AuditedWrite::Write, NoteEditor::Writer, None, Some(8)),
            (AuditedWrite::Append, NoteEditor::Tool, Some(8), Some(17)),
            (AuditedWrite::Delete, NoteEditor::Forget, Some(17), None),
        ]
    );
    assert_eq!(log[0].after, log[1].before);
    assert_eq!(log[0].after.as_ref().unwrap().sha256, ContentHash::of(b"a secret").to_string());
    let written = fs::read_to_string(outer.path().join("memory/.audit.jsonl")).unwrap();
    assert!(!written.contains("secret"), "{written}");

    // A crash in the middle of a line costs that line and no other.
    let cut = &written[..written.len() - 30];
    fs::write(outer.path().join("memory/.audit.jsonl"), cut).unwrap();
    let again = MemoryStore::in_folder(outer.path().join("memory"), clock());
    again.write(&note, "new", NoteEditor::Undo).unwrap();
    let sources: Vec<NoteEditor> = again.audit(10).unwrap().iter().map(|entry| entry.source).collect();
    assert_eq!(sources, [NoteEditor::Writer, NoteEditor::Tool, NoteEditor::Undo]);
    assert_eq!(again.audit(1).unwrap().len(), 1);
}

#[test]
fn a_write_that_comes_to_nothing_says_so_in_the_log() {
    let (outer, store) = store();
    let note = path("topics/bees.md");
    store.write(&note, "old", NoteEditor::Writer).unwrap();
    let mut log_before = store.audit(10).unwrap().len();
    let refused = store.write(&note, &"x".repeat(256 * 1024 + 1), NoteEditor::Writer);
    assert!(matches!(refused, Err(StoreError::TooLarge { bytes: 262_145, .. })));
    assert_eq!(store.audit(10).unwrap().len(), log_before, "refused before anything was begun");
    fs::create_dir(outer.path().join("memory/topics/folder.md")).unwrap();
    assert!(matches!(
        store.write(&path("topics/folder.md"), "x", NoteEditor::Writer),
        Err(StoreError::NotPlain { .. })
    ));
    log_before = store.audit(10).unwrap().len();
    assert_eq!(log_before, 1);
    assert_eq!(store.read(&note).unwrap().text, "old");
    let left: Vec<_> = fs::read_dir(outer.path().join("memory/topics")).unwrap().collect();
    assert_eq!(left.len(), 2, "no unfinished file is left");
}

#[test]
fn hand_edits_win() {
    let (outer, store) = store();
    let note = path("people/discord-42.md");
    let (text, seen) = store.read_or_none(&note).unwrap();
    assert_eq!((text.as_str(), seen), ("", ReadVersion::Nothing));
    store.write_if_unchanged(&note, seen, "one\n", NoteEditor::Writer).unwrap();
    let again = store.write_if_unchanged(&note, seen, "two\n", NoteEditor::Writer);
    assert!(matches!(again, Err(StoreError::Changed { .. })), "it is there by now");

    let seen = store.read(&note).unwrap().seen();
    fs::write(outer.path().join("memory/people/discord-42.md"), "by hand\n").unwrap();
    assert!(matches!(
        store.write_if_unchanged(&note, seen, "three\n", NoteEditor::Writer),
        Err(StoreError::Changed { .. })
    ));
    assert!(matches!(
        store.delete_if_unchanged(&note, seen, NoteEditor::Writer),
        Err(StoreError::Changed { .. })
    ));
    assert_eq!(store.read(&note).unwrap().text, "by hand\n");
    let seen = store.read(&note).unwrap().seen();
    let hash = store.write_if_unchanged(&note, seen, "four\n", NoteEditor::Writer).unwrap();
    assert_eq!(store.read(&note).unwrap().hash, hash);
    store.delete_if_unchanged(&note, ReadVersion::Text(hash), NoteEditor::Writer).unwrap();
}

#[test]
fn names_that_mean_something_else_somewhere_are_no_names() {
    for good in [
        "notes.md",
        "people/_aliases.json",
        "topics/bees & honey.md",
        "lore/harbour/zoë's boat.md",
        "sessions/2026-11-02-dm-7-night.md",
        "sessions/.pending/2026-11-02.md",
        "topics/東京.md",
        "topics/console.md",
        "topics/com10.md",
    ] {
        assert!(NotePath::new(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "/etc/passwd",
        "../secret.md",
        "people/../../secret.md",
        "people/./a.md",
        "people//a.md",
        "people/",
        "a\0.md",
        "a\n.md",
        "C:\\x.md",
        "c:x.md",
        "people\\a.md",
        ".index/notes.sqlite",
        ".audit.jsonl",
        ".pending/a.md",
        "topics/.pending/a.md",
        "people/.hidden.md",
        "con.md",
        "people/NUL",
        "people/aux .md",
        "people/Com1.tar.md",
        "people/lpt\u{b2}.md",
        "people/a.md.",
        "people/a ",
        " people/a.md",
        "a/b/c/d/e/f/g/h/i.md",
        &format!("{}.md", "x".repeat(200)),
        &"x/".repeat(300),
    ] {
        assert!(NotePath::new(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn only_notes_are_written() {
    let (_outer, store) = store();
    for wrong in ["people/picture.png", "notes", "people/other.json", "lore/run.sh"] {
        let refused = store.write(&path(wrong), "x", NoteEditor::Tool);
        assert!(matches!(refused, Err(StoreError::NotWritten { .. })), "{wrong}");
    }
    store.write(&path("people/_aliases.json"), "{}", NoteEditor::Writer).unwrap();
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let (outer, store) = store();
    let outside = outer.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.md"), "secret").unwrap();
    store.write(&path("people/discord-1.md"), "plain", NoteEditor::Operator).unwrap();
    let memory = outer.path().join("memory");
    symlink(&outside, memory.join("topics")).unwrap();
    symlink(outside.join("secret.md"), memory.join("people/discord-2.md")).unwrap();
    symlink("discord-1.md", memory.join("people/discord-3.md")).unwrap();
    symlink("people", memory.join("sessions")).unwrap();
    symlink(outside.join("new.md"), memory.join("notes.md")).unwrap();

    for link in ["topics/secret.md", "people/discord-2.md", "people/discord-3.md", "sessions/discord-1.md"] {
        assert!(matches!(store.read(&path(link)), Err(StoreError::NotPlain { .. })), "{link}");
        assert!(store.write(&path(link), "x", NoteEditor::Tool).is_err(), "{link}");
        assert!(store.delete(&path(link), NoteEditor::Tool).is_err(), "{link}");
    }
    assert!(store.write(&path("notes.md"), "x", NoteEditor::Tool).is_err());
    assert!(store.append(&path("topics/new.md"), "x", NoteEditor::Tool).is_err());
    assert_eq!(names(&store.list(None, None).unwrap()), ["people/discord-1.md"]);
    assert!(store.list(Some(&path("topics")), None).is_err());
    let found = store.grep("secret|plain", &GrepOptions::default()).unwrap();
    assert_eq!(found.lines.len(), 1);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "nothing came there");
    assert_eq!(fs::read_to_string(outside.join("secret.md")).unwrap(), "secret");
}

#[cfg(unix)]
#[test]
fn a_note_keeps_its_permissions_and_a_new_one_is_its_owners() {
    use std::os::unix::fs::PermissionsExt as _;
    let (outer, store) = store();
    let note = path("notes.md");
    store.write(&note, "one", NoteEditor::Operator).unwrap();
    let file = outer.path().join("memory/notes.md");
    let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    store.write(&note, "two", NoteEditor::Operator).unwrap();
    assert_eq!(mode(), 0o644);
}

#[test]
fn what_is_too_much_is_refused_or_told() {
    let (outer, store) = store();
    let largest = "x".repeat(256 * 1024);
    store.write(&path("topics/large.md"), &largest, NoteEditor::Import).unwrap();
    assert!(matches!(
        store.append(&path("topics/large.md"), "y", NoteEditor::Import),
        Err(StoreError::TooLarge { .. })
    ));
    let memory = outer.path().join("memory");
    fs::write(memory.join("topics/larger.md"), format!("{largest}y")).unwrap();
    assert!(matches!(store.read(&path("topics/larger.md")), Err(StoreError::TooLarge { .. })));
    fs::write(memory.join("topics/latin.md"), b"caf\xe9").unwrap();
    assert!(matches!(store.read(&path("topics/latin.md")), Err(StoreError::NotText { .. })));
    assert_eq!(store.read_bytes(&path("topics/latin.md")).unwrap(), b"caf\xe9");

    fs::create_dir(memory.join("people")).unwrap();
    for number in 0..10_000 {
        fs::write(memory.join(format!("people/p-{number:05}.md")), "some line").unwrap();
    }
    let full = store.write(&path("people/one-more.md"), "x", NoteEditor::Writer);
    assert!(matches!(full, Err(StoreError::FolderFull { .. })));
    store.write(&path("people/p-00007.md"), "known ones still change", NoteEditor::Writer).unwrap();

    let first = store.list(Some(&path("people")), None).unwrap();
    assert_eq!((first.files.len(), first.is_more), (1_000, true));
    let second = store.list(Some(&path("people")), Some(&first.files[999].path)).unwrap();
    assert_eq!(second.files[0].path, path("people/p-01000.md"));
    let rest = store.list(Some(&path("people")), Some(&path("people/p-08999.md"))).unwrap();
    assert_eq!((rest.files.len(), rest.is_more, rest.overfull.len()), (1_000, false, 0));
    fs::write(memory.join("people/p-10000.md"), "one too many").unwrap();
    assert_eq!(store.list(None, None).unwrap().overfull, ["people"]);

    // Slow disks may end it by time; never is it more than the cap.
    let found = store.grep("some", &GrepOptions::default()).unwrap();
    assert!(found.lines.len() <= 1_000 && found.how_far != HowFar::Everything, "{:?}", found.how_far);
    let in_time = store.grep_within("some", &GrepOptions::default(), Duration::from_secs(600)).unwrap();
    assert_eq!((in_time.lines.len(), in_time.how_far), (1_000, HowFar::Full));
    let at_once = store.grep_within("some", &GrepOptions::default(), Duration::ZERO).unwrap();
    assert_eq!((at_once.lines.len(), at_once.how_far), (0, HowFar::OutOfTime));

    fs::remove_file(memory.join("people/p-10000.md")).unwrap();
    let a_few = |after| GrepOptions { after, files_max: Some(3), ..GrepOptions::default() };
    let long = Duration::from_secs(600);
    let found = store.grep_within("some", &a_few(Some(path("people/p-04999.md"))), long).unwrap();
    let paths: Vec<_> = found.lines.iter().map(|line| line.path.as_str()).collect();
    assert_eq!(paths, ["people/p-05000.md", "people/p-05001.md", "people/p-05002.md"]);
    assert_eq!((found.how_far, found.last), (HowFar::Full, Some(path("people/p-05002.md"))));
    let none = store.grep_within("nowhere", &a_few(Some(path("people/p-09990.md"))), long).unwrap();
    assert_eq!((none.lines.len(), none.how_far), (0, HowFar::Everything));
}

#[test]
fn hostile_patterns_come_to_an_end() {
    let (_outer, store) = store();
    store.write(&path("notes.md"), &"a".repeat(200_000), NoteEditor::Operator).unwrap();
    for pattern in
        ["(a*)*b", "(a|aa)+$", "(?:a?){60}a{60}b", "(.*)*x", r"(\w+\s?)+!", "(?:(?:a{0,20}){0,20})b"]
    {
        match store.grep(pattern, &GrepOptions::default()) {
            Ok(found) => assert!(found.lines.len() <= 1, "{pattern}"),
            Err(error) => assert!(matches!(error, StoreError::Pattern { .. }), "{pattern}: {error}"),
        }
    }
    for wrong in ["(", r"(a)\1", "(?=a)", &"a".repeat(1_001), r"(?:\pL{100}){100}", &"(".repeat(400)] {
        let refused = store.grep(wrong, &GrepOptions::default());
        assert!(matches!(refused, Err(StoreError::Pattern { .. })), "{wrong}");
    }
    assert!(matches!(store.glob("a[", None), Err(StoreError::Pattern { .. })));
    assert!(matches!(store.glob(&"*".repeat(300), None), Err(StoreError::Pattern { .. })));
}

#[test]
fn a_long_line_is_searched_to_its_end() {
    let (_outer, store) = store();
    let line = format!("{}é needle in it {}", "hay ".repeat(2_000), "ö".repeat(5_000));
    store.write(&path("notes.md"), &format!("first\n{line}\n"), NoteEditor::Operator).unwrap();
    let found = store.grep("needle .. it", &GrepOptions::default()).unwrap();
    assert_eq!(
        found.lines.iter().map(|one| (one.line, one.text.chars().count())).collect::<Vec<_>>(),
        [(2, 500)]
    );
}

#[test]
fn what_a_crash_left_is_no_note_and_is_swept_up() {
    let (outer, store) = store();
    store.write(&path("people/discord-1.md"), "whole", NoteEditor::Writer).unwrap();
    let memory = outer.path().join("memory");
    fs::write(memory.join("people/.writing-00ff"), "half").unwrap();
    fs::write(memory.join(".writing-01ff"), "half").unwrap();
    assert_eq!(names(&store.list(None, None).unwrap()), ["people/discord-1.md"]);
    assert!(store.grep("half", &GrepOptions::default()).unwrap().lines.is_empty());
    assert_eq!(store.sweep().unwrap(), 2);
    assert_eq!(store.read(&path("people/discord-1.md")).unwrap().text, "whole");
    assert_eq!(store.sweep().unwrap(), 0);
}

#[test]
fn writers_of_two_processes_wait_for_each_other() {
    let (outer, store) = store();
    store.write(&path("notes.md"), "", NoteEditor::Operator).unwrap();
    let memory = outer.path().join("memory");
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            // A store of its own each: nothing but the lock on the disk is shared.
            let store = MemoryStore::in_folder(memory.clone(), clock());
            std::thread::spawn(move || {
                for number in 0..10 {
                    store
                        .append(&path("notes.md"), &format!("{writer}.{number}"), NoteEditor::Writer)
                        .unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(store.read(&path("notes.md")).unwrap().text.lines().count(), 40);
    let log = store.audit(100).unwrap();
    assert_eq!(log.len(), 41);
    assert!(log.windows(2).all(|pair| pair[0].after == pair[1].before), "each saw what the one before left");
}

/// Letters that paths are attacked with, mixed with ordinary ones.
fn paths() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        4 => "[a-z]{1,6}",
        2 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just(String::new()),
        1 => Just("link".to_owned()),
        1 => Just("outside".to_owned()),
        1 => Just(".index".to_owned()),
        1 => Just("CON".to_owned()),
        1 => Just("nul.md".to_owned()),
        1 => "[a-z]{0,3}[\\PC\u{0}\n\\\\:~$%]{0,4}",
        1 => any::<String>(),
    ];
    let separator = prop_oneof![6 => Just("/"), 1 => Just("\\"), 1 => Just("//"), 1 => Just("/./")];
    (proptest::collection::vec((name, separator), 1..6), any::<bool>(), any::<bool>()).prop_map(
        |(names, is_absolute, is_markdown)| {
            let mut path = String::new();
            if is_absolute {
                path.push('/');
            }
            for (at, (name, separator)) in names.iter().enumerate() {
                if at > 0 {
                    path.push_str(separator);
                }
                path.push_str(name);
            }
            if is_markdown {
                path.push_str(".md");
            }
            path
        },
    )
}

/// Every file below a folder, with its text; links are not followed.
fn files_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files_below(&entry.path()));
        } else if kind.is_file() {
            found.push((entry.path(), fs::read(entry.path()).unwrap()));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_name_leads_out_of_the_folder(names in proptest::collection::vec(paths(), 1..8)) {
        let (outer, store) = store();
        let outside = outer.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret.md"), "secret").unwrap();
        fs::create_dir_all(outer.path().join("memory/.index")).unwrap();
        fs::write(outer.path().join("memory/.index/secret.md"), "secret").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, outer.path().join("memory/link")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("..", outer.path().join("memory/up")).unwrap();
        for name in &names {
            let Ok(path) = NotePath::new(name.clone()) else { continue };
            let _ = store.write(&path, "mine", NoteEditor::Tool);
            let _ = store.append(&path, "mine", NoteEditor::Tool);
            if let Ok(read) = store.read(&path) {
                let is_ours = read.text.starts_with("mine");
                prop_assert!(is_ours, "{name:?} read {:?}", read.text);
            }
            let _ = store.list(Some(&path), None);
        }
        for secret in [outside.join("secret.md"), outer.path().join("memory/.index/secret.md")] {
            prop_assert_eq!(fs::read_to_string(secret).unwrap(), "secret");
        }
        prop_assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        prop_assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 2, "nothing came beside the folder");
        for (file, text) in files_below(&outer.path().join("memory")) {
            let relative = file.strip_prefix(outer.path().join("memory")).unwrap().to_str().unwrap().to_owned();
            let is_ours = relative.starts_with(".audit") || relative.starts_with(".index");
            prop_assert!(is_ours || (NotePath::new(relative.clone()).is_ok() && text.starts_with(b"mine")), "{relative}");
        }
    }

    #[test]
    fn any_pattern_is_searched_for_or_refused(pattern in any::<String>(), text in "\\PC{0,200}") {
        let (_outer, store) = store();
        store.write(&path("notes.md"), &text, NoteEditor::Operator).unwrap();
        match store.grep(&pattern, &GrepOptions::default()) {
            Ok(found) => prop_assert!(found.lines.len() <= text.lines().count()),
            Err(error) => {
                let is_said = matches!(error, StoreError::Pattern { .. });
                prop_assert!(is_said, "{error}");
            }
        }
    }
}

#[test]
fn a_long_log_of_writes_is_put_aside() {
    let (outer, store) = store();
    store.write(&path("topics/a.md"), "a", NoteEditor::Writer).unwrap();
    let log = outer.path().join("memory/.audit.jsonl");
    let line = fs::read_to_string(&log).unwrap();
    store.sweep().unwrap();
    assert_eq!(fs::read_to_string(&log).unwrap(), line, "a short one stays");
    fs::write(&log, line.repeat(4 * 1024 * 1024 / line.len() + 1)).unwrap();
    store.sweep().unwrap();
    assert_eq!(fs::read(&log).unwrap(), b"");
    assert!(fs::metadata(outer.path().join("memory/.audit.1.jsonl")).unwrap().len() > 4 * 1024 * 1024);
    store.write(&path("topics/b.md"), "b", NoteEditor::Writer).unwrap();
    let newest: Vec<String> = store.audit(3).unwrap().iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!(newest, ["topics/a.md", "topics/a.md", "topics/b.md"], "read on where it was put aside");
    // The second time the older one stays.
    let line = line.replace("topics/a.md", "topics/c.md");
    fs::write(&log, line.repeat(4 * 1024 * 1024 / line.len() + 1)).unwrap();
    store.sweep().unwrap();
    let aside =
        |number: u32| fs::read_to_string(outer.path().join(format!("memory/.audit.{number}.jsonl"))).unwrap();
    assert!(aside(1).contains("topics/a.md") && aside(2).contains("topics/c.md"));
    // Whoever is forgotten is not in those put aside either, and others still are.
    store.write(&path("topics/b.md"), "b", NoteEditor::Writer).unwrap();
    store.forget_in_audit(&[path("topics/c.md")].into()).unwrap();
    assert!(aside(1).contains("topics/a.md") && !aside(2).contains("topics/c.md"));
    let newest: Vec<String> = store.audit(2).unwrap().iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!(newest, ["topics/a.md", "topics/b.md"]);
}

/// Does something the moment it is asked for the time: between the look at a file and its change.
#[derive(Debug)]
struct Meddler(std::path::PathBuf, Option<&'static str>);

impl crate::clock::Clock for Meddler {
    fn now(&self) -> jiff::Timestamp {
        match self.1 {
            Some(text) => fs::write(&self.0, text).unwrap(),
            None => fs::remove_file(&self.0).unwrap(),
        }
        jiff::Timestamp::UNIX_EPOCH
    }
}

#[test]
fn a_write_that_fails_behind_its_entry_is_followed_by_one_that_says_so() {
    let (outer, plain) = store();
    let note = path("topics/bees.md");
    plain.write(&note, "old", NoteEditor::Operator).unwrap();
    let file = outer.path().join("memory/topics/bees.md");
    let with =
        |text| MemoryStore::in_folder(outer.path().join("memory"), Arc::new(Meddler(file.clone(), text)));
    let seen = plain.read(&note).unwrap().seen();
    let overtaken = with(Some("by hand")).write_if_unchanged(&note, seen, "new", NoteEditor::Writer);
    assert!(matches!(overtaken, Err(StoreError::Changed { .. })));
    assert_eq!(plain.read(&note).unwrap().text, "by hand", "hand edits win to the last moment");
    assert!(with(None).delete(&note, NoteEditor::Forget).is_err());
    let log = plain.audit(10).unwrap();
    let told: Vec<_> = log.iter().map(|entry| (entry.op, entry.source)).collect();
    use AuditedWrite::{Delete, Failed, Write};
    let (writer, forget) = (NoteEditor::Writer, NoteEditor::Forget);
    assert_eq!(told[1..], [(Write, writer), (Failed, writer), (Delete, forget), (Failed, forget)]);
    assert_eq!(log[2].after, log[2].before, "what was there is there");
}
