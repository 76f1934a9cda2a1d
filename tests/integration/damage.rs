//! Databases that are damaged, empty or gone: what can be gone on without is, and everything else is said once.

use std::path::{Path, PathBuf};

use super::binary::{machine_with_mika, newest_turn};
use crate::support::binary::Machine;

fn file(machine: &Machine, name: &str) -> PathBuf {
    machine.data().join("familiars/mika").join(name)
}

/// One conversation in the terminal.
async fn says(machine: &Machine, words: &str) {
    let mut mika = machine.start(&["chat", "--as", "Ada"], &[]);
    mika.types(words).await;
    mika.leaves().await;
}

/// Overwrites the page at which a table begins.
fn damage(database: &Path, table: &str) {
    let connection = rusqlite::Connection::open(database).unwrap();
    let page: u64 = connection
        .query_row("SELECT rootpage FROM sqlite_master WHERE name = ?1", [table], |row| row.get::<_, i64>(0))
        .unwrap()
        .try_into()
        .unwrap();
    drop(connection);
    let mut bytes = std::fs::read(database).unwrap();
    let start = usize::try_from((page - 1) * 4096).unwrap();
    bytes[start..start + 4096].fill(0xA5);
    std::fs::write(database, bytes).unwrap();
}

#[tokio::test]
async fn without_its_record_of_turns_a_familiar_goes_on_with_a_new_one() {
    let machine = machine_with_mika().await;
    let traces = file(&machine, "traces.db");
    says(&machine, "hello").await;
    let last = newest_turn(&machine).await;
    let breaks: [&dyn Fn(); 3] = [
        &|| std::fs::write(&traces, "no database at all ".repeat(999)).unwrap(),
        &|| damage(&traces, "traces"),
        &|| {
            let whole = std::fs::read(&traces).unwrap();
            std::fs::write(&traces, &whole[..whole.len() / 2]).unwrap();
        },
    ];
    for (round, breaks) in breaks.into_iter().enumerate() {
        breaks();
        for verb in [&["context"][..], &["context", "--list"], &["context", "--why", "hello"]] {
            let refused = machine.run(verb).await;
            assert_eq!(refused.status.code(), Some(1), "{round} {verb:?}: {}", refused.out);
            for told in ["traces.db: ", "start the familiar again", "traces.db.damaged"] {
                assert!(refused.err.contains(told), "{round} {verb:?}: {}", refused.err);
            }
        }
        let mut mika = machine.start(&["chat", "--as", "Ada"], &[]);
        mika.logs("was set aside as").await;
        mika.types("hello again").await;
        mika.answers("/context", "# Turn t").await;
        mika.leaves().await;
        assert!(file(&machine, "traces.db.damaged").exists(), "{round}");
        let now = newest_turn(&machine).await;
        assert!(now > last, "no turn gets the number of an earlier one: {now} after {last}");
    }
}

#[tokio::test]
async fn notes_without_the_history_they_came_from_stop_the_start_and_nothing_is_made() {
    let machine = machine_with_mika().await;
    says(&machine, "my cat is called Biscuit").await;
    let people = file(&machine, "memory/people");
    std::fs::create_dir_all(&people).unwrap();
    let fact =
        "# Ada\n\n- Ada's cat is called Biscuit. <!-- f=aaaaaaaa to=dm:operator on=2026-01-01 from=t:1 -->\n";
    std::fs::write(people.join("discord-7.md"), fact).unwrap();
    let (history, kept) = (file(&machine, "history.db"), file(&machine, "kept.db"));
    std::fs::rename(&history, &kept).unwrap();
    for verb in ["chat", "mcp"] {
        let refused = machine.run(&[verb]).await;
        assert_eq!(refused.status.code(), Some(1), "{verb}: {}", refused.err);
        assert!(refused.err.contains("history.db is not there"), "{verb}: {}", refused.err);
        assert!(refused.err.contains("docs/operations/backup.md"), "{verb}: {}", refused.err);
        assert!(!history.exists(), "{verb}: an empty one would hide the loss");
    }
    std::fs::write(&history, "").unwrap();
    let refused = machine.run(&["chat"]).await;
    assert!(refused.err.contains("history.db is empty"), "{}", refused.err);
    // There is no backup, and that is known.
    std::fs::remove_file(&history).unwrap();
    let mut mika = machine.start(&["chat", "--without-history"], &[]);
    mika.types("hello").await;
    mika.leaves().await;
    says(&machine, "from now on it has one").await;
    std::fs::remove_file(&history).unwrap();
    std::fs::rename(&kept, &history).unwrap();
    says(&machine, "as before").await;
}

#[tokio::test]
async fn a_history_that_is_damaged_is_not_written_on() {
    let machine = machine_with_mika().await;
    says(&machine, "hello").await;
    damage(&file(&machine, "history.db"), "digests");
    let mut mika = machine.start(&["chat", "--as", "Ada"], &[]);
    mika.logs("is damaged and is written no more").await;
    assert!(mika.log().contains("docs/operations/backup.md"), "{}", mika.log());
    mika.answers("does anybody hear this?", "so it was not answered: the history is damaged.").await;
    mika.hangs_up();
    mika.ends().await;
    assert_eq!(mika.log().matches("is written no more").count(), 1, "{}", mika.log());
}

#[tokio::test]
async fn a_history_that_is_none_is_named_once_and_the_way_back_is_said() {
    let machine = machine_with_mika().await;
    says(&machine, "hello").await;
    std::fs::write(file(&machine, "history.db"), "no database at all ".repeat(999)).unwrap();
    let refused = machine.run(&["chat"]).await;
    assert_eq!(refused.status.code(), Some(1));
    let error = refused.err.lines().find(|line| line.starts_with("familiar: ")).unwrap();
    // Besides, the advice names what it is to be called once it is moved away.
    let named = error.replace("history.db.damaged", "");
    assert_eq!(named.matches("history.db").count(), 1, "{error}");
    // SQLite says it in words and once more under a number.
    assert_eq!(error.matches("not a database").count(), 1, "{error}");
    for way in [
        "docs/operations/backup.md",
        ".recover`, with sqlite3 3.43 or newer",
        "move the file and its -wal away, to history.db.damaged and history.db.damaged-wal (the next /forget removes",
        "familiar run --without-history",
    ] {
        assert!(error.contains(way), "{way}: {error}");
    }
}

#[tokio::test]
async fn damage_amid_a_history_is_told_with_its_name_and_the_way_back() {
    let machine = machine_with_mika().await;
    says(&machine, "hello").await;
    let history = file(&machine, "history.db");
    let whole = std::fs::read(&history).unwrap();
    let (start, verify, why) = (&["chat"][..], &["memory", "verify"][..], &["context", "--why", "hello"][..]);
    for (table, verbs) in [
        ("installation", &[start, verify, why][..]),
        ("turns", &[start, verify, why][..]),
        ("deliveries", &[start, verify][..]),
        ("acquaintances", &[verify][..]),
        ("turn_words_data", &[verify][..]),
    ] {
        for &verb in verbs {
            for journal in ["history.db-wal", "history.db-shm"] {
                let _ = std::fs::remove_file(file(&machine, journal));
            }
            std::fs::write(&history, &whole).unwrap();
            damage(&history, table);
            let refused = machine.run(verb).await;
            assert_eq!(refused.status.code(), Some(1), "{table} {verb:?}: {}", refused.err);
            let error = refused.err.lines().find(|line| line.starts_with("familiar: ")).unwrap();
            for told in ["history.db: ", "docs/operations/backup.md", "familiar run --without-history"] {
                assert!(error.contains(told), "{table} {verb:?}: {error}");
            }
        }
    }
}
