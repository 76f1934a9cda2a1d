//! `familiar memory` as the operator runs it.

use std::fs;

use familiar_connect::config::{Defaults, FamiliarHome, LiveConfig};
use familiar_connect::domain::{FamiliarId, StoredId};
use familiar_connect::history::{Hindrance, History, HistoryOptions, PassedOver};
use familiar_connect::memory::Memory;
use familiar_connect::memory::store::{NoteEditor, NotePath};

use crate::binary::machine_with_mika;
use crate::support::binary::Machine;
use crate::support::stage::{ferry, in_guild};

async fn machine() -> Machine {
    let machine = machine_with_mika().await;
    let memory = machine.data().join("familiars/mika/memory");
    for (name, text) in [
        ("people/discord-1.md", "# Ana\n\n- Keeps bees. <!-- f=a to=dm:discord:1 -->\n"),
        ("topics/bees.md", "Ten hives.\n\u{1b}[31mBEES\n"),
        (".index/other.txt", "bees"),
    ] {
        let path = memory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    machine
}

#[tokio::test]
async fn the_operator_sees_every_note() {
    let machine = machine().await;
    let listed = machine.run(&["memory", "list", "{people,topics}/*"]).await.assert_success().out;
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(names, ["people/discord-1.md", "topics/bees.md"]);
    assert!(machine.run(&["memory", "list"]).await.assert_success().out.contains("self/description.md"));

    let shown = machine.run(&["memory", "show", "people/discord-1.md"]).await.assert_success().out;
    assert_eq!(shown, "# Ana\n\n- Keeps bees. <!-- f=a to=dm:discord:1 -->\n");
    let shown = machine.run(&["memory", "show", "topics/bees.md"]).await.assert_success().out;
    assert!(!shown.contains('\u{1b}') && shown.contains("BEES"), "what steers a terminal is left out");

    let found = machine.run(&["memory", "grep", "bees"]).await.assert_success().out;
    assert_eq!(found, "people/discord-1.md:3: - Keeps bees. <!-- f=a to=dm:discord:1 -->\n");
    let found =
        machine.run(&["memory", "grep", "-i", "bees", "--files", "topics/*"]).await.assert_success().out;
    assert_eq!(found, "topics/bees.md:2:  [31mBEES\n");
    for (nothing, told) in [
        (&["memory", "grep", "wasps"][..], "no note holds that\n"),
        (&["memory", "list", "topics/wasps*"], "no note is called so\n"),
        (&["context", "--list"], "no turn is kept\n"),
        (&["context", "--list", "--json"], ""),
    ] {
        assert_eq!(machine.run(nothing).await.assert_success().out, told, "{nothing:?}");
    }
    for absent in [&["export", "nobody"][..], &["export", "mika", "-o", "no/such/folder/mika.png"]] {
        let failed = machine.run(absent).await;
        assert_eq!(failed.status.code(), Some(1), "{absent:?}: {}", failed.err);
    }

    for wrong in [
        vec!["memory", "show", "people/nobody.md"],
        vec!["memory", "grep", "("],
        vec!["memory", "list", "["],
        vec!["memory", "list", "--familiar", "nobody"],
    ] {
        let refused = machine.run(&wrong).await;
        assert!(refused.status.code() == Some(1) && !refused.err.is_empty(), "{wrong:?}: {}", refused.err);
    }
    let escape = machine.run(&["memory", "show", "../character.toml"]).await;
    assert!(escape.status.code() == Some(2) && escape.err.contains("it climbs"), "{}", escape.err);
}

#[tokio::test]
async fn contradiction_2_verify_proves_that_what_is_derived_is_what_would_be_made_anew() {
    let machine = machine().await;
    let said = machine.run(&["memory", "verify"]).await.assert_success().out;
    assert_eq!(said, "index of the notes: the same as made anew\n");
    // Edits since then are taken in, and are no difference.
    let memory = machine.data().join("familiars/mika/memory");
    fs::write(memory.join("topics/bees.md"), "Eleven hives.\n").unwrap();
    fs::remove_file(memory.join("people/discord-1.md")).unwrap();
    machine.run(&["memory", "verify"]).await.assert_success();
    let index = rusqlite::Connection::open(memory.join(".index/notes.sqlite")).unwrap();
    index.execute("UPDATE passages SET audience = 'canon', text = 'A secret.'", []).unwrap();
    drop(index);
    let wrong = machine.run(&["memory", "verify"]).await;
    assert_eq!(wrong.status.code(), Some(1), "{}", wrong.err);
    assert!(
        wrong.out.starts_with("index of the notes: topics/bees.md is not as in its file\n"),
        "{}",
        wrong.out
    );
    fs::remove_dir_all(memory.join(".index")).unwrap();
    machine.run(&["memory", "verify"]).await.assert_success();
}

#[tokio::test]
async fn a_topic_is_forgotten_by_its_title_and_two_of_one_title_are_asked_about() {
    let machine = machine().await;
    let topics = machine.data().join("familiars/mika/memory/topics");
    fs::write(topics.join("r1.md"), "# The Great Regatta\n\nIn May.\n").unwrap();
    machine.run(&["forget", "topic", "the great regatta", "--yes"]).await.assert_success();
    assert!(!topics.join("r1.md").exists());
    for name in ["r2.md", "r3.md"] {
        fs::write(topics.join(name), "# Café\n\nOn the quay.\n").unwrap();
    }
    let asked = machine.run(&["forget", "topic", "cafe", "--yes"]).await;
    assert!(!asked.status.success() && asked.err.contains("r2, r3"), "{}", asked.err);
    assert!(topics.join("r2.md").exists() && topics.join("r3.md").exists());
}

#[tokio::test]
async fn the_operator_forgets_takes_it_back_and_carries_memories_elsewhere() {
    let machine = machine().await;
    let nothing = machine.run(&["forget", "person", "42", "--yes"]).await;
    assert!(
        nothing.status.code() == Some(1) && nothing.out.contains("nothing found for "),
        "{}",
        nothing.out
    );
    assert!(!machine.run(&["forget", "person", "!"]).await.status.success());
    let unasked = machine.run(&["forget", "topic", "bees"]).await;
    assert!(unasked.status.code() == Some(1) && unasked.err.contains("--yes"), "{}", unasked.err);
    let note = machine.data().join("familiars/mika/memory/topics/bees.md");
    assert!(note.exists());
    let first = machine.run(&["memory", "export"]).await.assert_success().out;
    let done = machine.run(&["forget", "topic", "bees", "--yes"]).await.assert_success().out;
    assert!(done.starts_with("to be forgotten: 1 note\n") && done.contains("familiar forget undo"), "{done}");
    assert!(!note.exists());
    let back = machine.run(&["forget", "undo", "--yes"]).await.assert_success().out;
    assert!(back.contains("it is back"), "{back}");
    assert!(note.exists() && machine.run(&["forget", "undo", "--yes"]).await.status.code() == Some(1));
    assert_eq!(machine.run(&["memory", "export"]).await.assert_success().out, first);
    machine.run(&["forget", "person", "1", "--yes", "--hard"]).await.assert_success();
    assert!(!machine.data().join("familiars/mika/memory/people/discord-1.md").exists());

    let all = machine.path().join("all.jsonl");
    fs::write(&all, &first).unwrap();
    let kept = machine.run(&["memory", "export", "--out", "all.jsonl"]).await;
    assert!(kept.status.code() == Some(2) && kept.err.contains("--overwrite replaces it"), "{}", kept.err);
    assert_eq!(fs::read_to_string(&all).unwrap(), first, "what was there stays");
    for replaced in [&["--output", "now.jsonl"][..], &["--out", "now.jsonl", "--overwrite"]] {
        machine.run(&[&["memory", "export"][..], replaced].concat()).await.assert_success();
    }
    machine.run(&["init", "mika.json", "--id", "twin"]).await.assert_success();
    let read =
        machine.run(&["memory", "import", "all.jsonl", "--familiar", "twin"]).await.assert_success().out;
    assert_eq!(read, "0 messages and 2 notes taken in\n");
    let twin = machine.run(&["memory", "export", "--familiar", "twin"]).await.assert_success().out;
    assert_eq!(twin, first, "the same bytes");
    let wrong = machine.run(&["memory", "export", "--month", "march", "--familiar", "twin"]).await;
    assert_eq!(wrong.status.code(), Some(1));
    let verified = machine.run(&["memory", "verify", "--familiar", "twin"]).await.assert_success().out;
    assert_eq!(
        verified,
        "index of the notes: the same as made anew\nindex of what was said: the same as made anew\n\
         counts of what was said: the same as made anew\ncounts of who said it: the same as made anew\n\
         summaries: the same as made anew\n"
    );
}

#[tokio::test]
async fn a_chat_of_sillytavern_is_taken_in_beside_what_was_said() {
    let machine = machine().await;
    let chat = [
        r#"{"chat_metadata":{"integrity":"5f0c"},"user_name":"unused","character_name":"unused"}"#,
        r#"{"name":"Mika","is_user":false,"send_date":"June 3, 2024 5:10pm","mes":"The ferry is late."}"#,
        r#"{"name":"Ada","is_user":true,"send_date":"June 3, 2024 5:12pm","mes":"Which one?"}"#,
        r#"{"name":"Ada","is_user":true,"is_system":true,"mes":"hidden"}"#,
    ];
    fs::write(machine.path().join("chat.jsonl"), chat.join("\r\n")).unwrap();
    let taken = || machine.run(&["memory", "import", "chat.jsonl"]);
    let told = taken().await.assert_success().out;
    assert!(
        told.starts_with("2 messages with Mika taken in, as a talk of its own with you (sillytavern-"),
        "{told}"
    );
    assert!(told.ends_with("; 1 hidden or without words left out\n"), "{told}");
    assert_eq!(taken().await.assert_success().out, told, "again, nothing is added");
    let exported = machine.run(&["memory", "export"]).await.assert_success().out;
    assert_eq!(exported.matches("The ferry is late.").count(), 1, "{exported}");
}

#[tokio::test]
async fn every_write_of_a_program_can_be_looked_up() {
    let machine = machine().await;
    let memory = Memory::at(&home(&machine));
    for (path, text) in
        [("topics/hives.md", "Ten."), ("topics/wasps.md", "None."), ("topics/hives.md", "Eleven.")]
    {
        memory.whole().store.write(&NotePath::new(path).unwrap(), text, NoteEditor::Writer).unwrap();
    }
    memory.whole().store.delete(&NotePath::new("topics/wasps.md").unwrap(), NoteEditor::Sleep).unwrap();
    let all = machine.run(&["memory", "audit"]).await.assert_success().out;
    let last = all.lines().last().unwrap();
    assert!(last.contains("removed") && last.contains("sleep") && last.contains("topics/wasps.md"), "{all}");
    let one = machine.run(&["memory", "audit", "topics/hives.md", "--last", "1"]).await.assert_success().out;
    assert!(one.contains("(4 bytes before, 7 bytes after)") && one.lines().count() == 1, "{one}");
    assert!(!all.contains("Eleven"), "never the words");
    let none = machine.run(&["memory", "audit", "topics/nothing.md"]).await.assert_success().out;
    assert_eq!(none, "nothing was written\n");
}

#[tokio::test]
async fn y9_what_no_memory_is_made_of_is_listed_and_can_be_read_again() {
    let machine = machine().await;
    assert_eq!(machine.run(&["memory", "unwritten"]).await.assert_success().out, "nothing was said yet\n");
    let at = "2026-03-01T20:00:00Z".parse().unwrap();
    let history = History::open(&home(&machine).history_db(), HistoryOptions::default()).await.unwrap();
    let stretch = |last, not_before: Option<jiff::Timestamp>, answer| PassedOver {
        worker: "memory-writer".to_owned(),
        channel: 5_u64.into(),
        first: StoredId(last),
        last: StoredId(last),
        why: Hindrance::Unreadable,
        tries: if not_before.is_some() { 0 } else { 5 },
        not_before,
        since: at,
        answer,
    };
    history.pass_over(stretch(1, Some(at), None), at).await.unwrap();
    history.pass_over(stretch(2, None, Some("20260301-200000".to_owned())), at).await.unwrap();
    history.close().await.unwrap();
    let listed = machine.run(&["memory", "unwritten"]).await.assert_success().out;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].contains("given up") && lines[0].contains("waits as 20260301"),
        "{listed}"
    );
    assert!(lines[1].contains("is read again from 2026-03-01 20:00 UTC on"), "{listed}");
    assert!(lines[0].contains("read again 5 times in vain: "), "{listed}");
    assert!(lines[1].contains("not read again yet: the answer could not be read;"), "{listed}");
    machine.run(&["memory", "unwritten", "--again"]).await.assert_success();
    let listed = machine.run(&["memory", "unwritten"]).await.assert_success().out;
    assert!(!listed.contains("given up"), "{listed}");
}

#[tokio::test]
async fn m19_what_a_server_has_settled_is_told_there_and_nowhere_else() {
    let machine = machine().await;
    let quest = "The guild looks for the lost ferry.";
    machine.run(&["memory", "canon", "guild-7", quest]).await.assert_success();
    machine.run(&["memory", "canon", "guild-7", "Nobody may row at night."]).await.assert_success();
    let shown = machine.run(&["memory", "canon", "guild-7"]).await.assert_success().out;
    assert_eq!(shown, format!("{quest}\n\nNobody may row at night.\n"));
    for wrong in ["guild-x", "../x", "topics"] {
        assert!(!machine.run(&["memory", "canon", wrong, "words"]).await.status.success(), "{wrong}");
    }
    let config = LiveConfig::load(home(&machine), Defaults::embedded()).unwrap();
    let pages = config.pages();
    let [note] = pages.places() else { panic!("{:?}", pages.places()) };
    assert!(note.text.contains(quest));
    let [elsewhere, there] = [8, 7].map(|guild| in_guild(guild, ferry()));
    assert!(note.is_for(&there) && !note.is_for(&elsewhere));
}

fn home(machine: &Machine) -> FamiliarHome {
    FamiliarHome::new(&machine.data(), &FamiliarId::new("mika").unwrap())
}

#[tokio::test]
async fn g2_an_import_says_what_hangs_on_the_lore_it_changes() {
    let machine = machine().await;
    let history = History::open(&home(&machine).history_db(), HistoryOptions::default()).await.unwrap();
    history.close().await.unwrap();
    let book = |words: &str| {
        serde_json::json!({"name": "Harbour", "entries": {
            "0": {"uid": 0, "key": ["pier"], "comment": "Pier", "content": words},
            "1": {"uid": 1, "key": ["tower"], "comment": "Tower", "content": "The tower stands."}
        }})
        .to_string()
    };
    let import = async |words: &str| {
        fs::write(machine.path().join("harbour.json"), book(words)).unwrap();
        let arguments = ["lore", "import", "harbour.json", "--familiar", "mika", "--overwrite"];
        machine.run(&arguments).await.assert_success().out
    };
    let first = import("The pier is old.").await;
    assert!(!first.contains("depends on it"), "{first}");
    let folder = home(&machine).memory_dir().join("lore/harbour");
    let entry = |what: &str| {
        let files =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        files.into_iter().find(|name| name.contains(what)).unwrap()
    };
    let note = format!("- Ana mends the [pier](../lore/harbour/{}). <!-- f=p1 -->\n", entry("pier"));
    fs::write(home(&machine).memory_dir().join("topics/piers.md"), note).unwrap();
    let again = import("The pier fell into the sea.").await;
    assert!(again.contains("depends on it") && again.contains("topics/piers.md"), "{again}");
    assert!(!again.contains("tower"), "what did not change is not told of: {again}");
}
