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
