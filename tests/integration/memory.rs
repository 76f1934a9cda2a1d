//! `familiar memory` as the operator runs it.

use std::fs;

use crate::support::binary::Machine;
use crate::support::stage::CARD;

async fn machine() -> Machine {
    let machine = Machine::new();
    fs::write(machine.path().join("mika.json"), CARD).unwrap();
    machine.run(&["init", "mika.json"]).await.assert_success();
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
    assert_eq!(machine.run(&["memory", "grep", "wasps"]).await.status.code(), Some(1));

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
async fn the_operator_forgets_takes_it_back_and_carries_memories_elsewhere() {
    let machine = machine().await;
    let nothing = machine.run(&["forget", "person", "42", "--yes"]).await;
    assert!(
        nothing.status.code() == Some(1) && nothing.out.contains("there is nothing of that"),
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

    fs::write(machine.path().join("all.jsonl"), &first).unwrap();
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
