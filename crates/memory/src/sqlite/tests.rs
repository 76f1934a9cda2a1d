use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;

use rusqlite_migration::{M, Migrations};
use tempfile::TempDir;

use super::*;

static ONE: Migrations<'static> = Migrations::from_slice(ONE_STEP);
const ONE_STEP: &[M<'static>] = &[M::up("CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT")];

static TWO: Migrations<'static> = Migrations::from_slice(TWO_STEPS);
const TWO_STEPS: &[M<'static>] = &[
    M::up("CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT"),
    M::up("ALTER TABLE notes ADD COLUMN stars INTEGER NOT NULL DEFAULT 0"),
];

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("some.db")
}

async fn notes(database: &Database) -> Vec<String> {
    let texts = database.read(|tx| {
        tx.prepare_cached("SELECT text FROM notes ORDER BY text")?.query_map([], |row| row.get(0))?.collect()
    });
    texts.await.unwrap()
}

async fn note(database: &Database, text: &'static str) -> Result<(), DatabaseError> {
    database.write(move |tx| tx.execute("INSERT INTO notes (text) VALUES (?1)", [text]).map(drop)).await
}

#[tokio::test]
async fn work_that_fails_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let database = Database::open(&file(&folder), &ONE).await.unwrap();
    note(&database, "a").await.unwrap();
    let failed = database
        .write(|tx| {
            tx.execute("INSERT INTO notes (text) VALUES ('b')", [])?;
            tx.execute("INSERT INTO notes (text) VALUES ('a')", [])
        })
        .await;
    assert!(matches!(failed, Err(DatabaseError::Sqlite(_))));
    assert_eq!(notes(&database).await, ["a"]);
    note(&database, "c").await.unwrap();
    assert_eq!(notes(&database).await, ["a", "c"], "the writer goes on");
}

#[test]
fn a_disk_that_is_full_is_told_with_what_to_do_and_is_no_damage() {
    for code in [rusqlite::ffi::SQLITE_IOERR, rusqlite::ffi::SQLITE_FULL] {
        let why = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let error =
            DatabaseError::Open { path: PathBuf::from("some.db"), why, mend: "put a backup in its place" };
        let told = error.to_string();
        assert!(told.contains("make room on it") && !told.contains("backup"), "{told}");
        assert!(!error.is_damage(), "{told}");
    }
}

#[tokio::test]
async fn an_older_file_is_brought_up_to_date_with_its_rows() {
    let folder = TempDir::new().unwrap();
    let old = Database::open(&file(&folder), &ONE).await.unwrap();
    note(&old, "kept").await.unwrap();
    old.close().await.unwrap();
    let new = Database::open(&file(&folder), &TWO).await.unwrap();
    let stars = new.read(|tx| {
        tx.query_row("SELECT stars FROM notes WHERE text = 'kept'", [], |row| row.get::<_, i64>(0))
    });
    assert_eq!(stars.await.unwrap(), 0);
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused_untouched() {
    let folder = TempDir::new().unwrap();
    Database::open(&file(&folder), &TWO).await.unwrap().close().await.unwrap();
    let before = std::fs::read(file(&folder)).unwrap();
    let refused = Database::open(&file(&folder), &ONE).await;
    assert!(matches!(refused, Err(DatabaseError::Newer { .. })), "{refused:?}");
    assert_eq!(std::fs::read(file(&folder)).unwrap(), before);
}

#[tokio::test]
async fn a_newer_file_that_keeps_no_write_ahead_log_is_not_given_one() {
    let folder = TempDir::new().unwrap();
    let newer = rusqlite::Connection::open(file(&folder)).unwrap();
    newer.execute_batch("CREATE TABLE later (x TEXT); PRAGMA user_version = 9").unwrap();
    drop(newer);
    let before = std::fs::read(file(&folder)).unwrap();
    let refused = Database::open(&file(&folder), &ONE).await;
    assert!(matches!(refused, Err(DatabaseError::Newer { .. })), "{refused:?}");
    assert!(std::fs::read(file(&folder)).unwrap() == before, "nothing was changed");
    let beside = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(beside, 1, "nor is anything left beside it");
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named_in_the_error() {
    let folder = TempDir::new().unwrap();
    let error = Database::open(&folder.path().join("missing/some.db"), &ONE).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Open { .. }));
    assert!(error.to_string().contains("missing"));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let folder = TempDir::new().unwrap();
    std::fs::write(
        file(&folder),
        "these are not the bytes of a database, however long they go on ".repeat(99),
    )
    .unwrap();
    assert!(matches!(Database::open(&file(&folder), &ONE).await, Err(DatabaseError::Open { .. })));
}

#[tokio::test]
async fn readers_cannot_write() {
    let folder = TempDir::new().unwrap();
    let database = Database::open(&file(&folder), &ONE).await.unwrap();
    let refused = database.read(|tx| tx.execute("INSERT INTO notes (text) VALUES ('x')", []).map(drop)).await;
    assert!(matches!(refused, Err(DatabaseError::Sqlite(_))));
}

#[tokio::test]
async fn another_process_can_read_and_copy_while_the_database_is_open() {
    let folder = TempDir::new().unwrap();
    let database = Database::open(&file(&folder), &ONE).await.unwrap();
    note(&database, "shared").await.unwrap();
    let outside = rusqlite::Connection::open(file(&folder)).unwrap();
    let mode: String = outside.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    let text: String = outside.query_row("SELECT text FROM notes", [], |row| row.get(0)).unwrap();
    assert_eq!(text, "shared");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_went_away_do_not_make_the_queue_grow() {
    let folder = TempDir::new().unwrap();
    let database = Arc::new(Database::open(&file(&folder), &ONE).await.unwrap());
    let (started, writing) = mpsc::channel();
    let (go_on, wait) = mpsc::channel::<()>();
    let slow = tokio::spawn({
        let database = Arc::clone(&database);
        async move {
            database
                .write(move |_| {
                    let _ = started.send(());
                    let _ = wait.recv();
                    Ok(())
                })
                .await
        }
    });
    tokio::task::spawn_blocking(move || writing.recv()).await.unwrap().unwrap();
    // The disk hangs. Two hundred callers ask and give up; only so many of them may stand in the queue.
    let ran = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    for _ in 0..200 {
        let ran = Arc::clone(&ran);
        let mut call = Box::pin(database.write(move |_| {
            ran.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(())
        }));
        assert!(futures::poll!(&mut call).is_pending());
    }
    drop(go_on);
    slow.await.unwrap().unwrap();
    database.write(|_| Ok(())).await.unwrap();
    let ran = ran.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(ran, 63, "64 places, one of them taken by the slow call");
}

#[tokio::test]
async fn a_write_is_on_the_disk_when_it_is_acknowledged_and_a_jotted_one_changes_that_for_nobody_else() {
    let folder = TempDir::new().unwrap();
    let database = Database::open(&file(&folder), &ONE).await.unwrap();
    let level =
        |tx: &rusqlite::Transaction<'_>| tx.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0));
    const NORMAL: i64 = 1;
    const FULL: i64 = 2;
    assert_eq!(database.write(level).await.unwrap(), FULL);
    assert_eq!(database.jot(level).await.unwrap(), NORMAL);
    let failed = database.jot(|tx| tx.execute("INSERT INTO nowhere VALUES (1)", []).map(drop)).await;
    assert!(failed.is_err());
    assert_eq!(database.write(level).await.unwrap(), FULL);
}

/// A power cut: of the log only a beginning reached the disk, and its last pages may be torn.
#[tokio::test]
async fn whatever_a_power_cut_leaves_of_the_log_every_write_up_to_there_is_whole_and_in_order() {
    const NOTES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let folder = TempDir::new().unwrap();
    let database = Database::open(&file(&folder), &ONE).await.unwrap();
    let wal = folder.path().join("some.db-wal");
    let mut acknowledged_at = Vec::new();
    for text in NOTES {
        note(&database, text).await.unwrap();
        acknowledged_at.push(std::fs::metadata(&wal).unwrap().len());
    }
    let (main, log) = (std::fs::read(file(&folder)).unwrap(), std::fs::read(&wal).unwrap());
    let after = TempDir::new().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for cut in (0..=log.len()).step_by(512) {
        for is_torn in [false, true] {
            let mut left = log[..cut].to_vec();
            if is_torn {
                let from = left.len().saturating_sub(700);
                left[from..].fill(0xA5);
            }
            std::fs::write(file(&after), &main).unwrap();
            std::fs::write(after.path().join("some.db-wal"), &left).unwrap();
            let _none = std::fs::remove_file(after.path().join("some.db-shm"));
            let opened = Database::open(&file(&after), &ONE).await.unwrap();
            let there = notes(&opened).await;
            assert_eq!(there, NOTES[..there.len()], "cut at {cut}: nothing is missing in between");
            if !is_torn {
                let whole = acknowledged_at.iter().filter(|at| **at <= cut as u64).count();
                assert!(there.len() >= whole, "cut at {cut}: what the log holds is there");
            }
            opened.close().await.unwrap();
            assert_eq!(quick_check(&file(&after), std::time::Duration::from_secs(60)), FileHealth::Sound);
            seen.insert(there.len());
        }
    }
    assert!(seen.len() > NOTES.len() / 2, "the cuts fall between many writes: {seen:?}");
}

#[tokio::test]
async fn what_was_there_before_a_new_layout_is_kept_beside_it_once() {
    let folder = TempDir::new().unwrap();
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains(".before-"))
            .collect();
        names.sort();
        names
    };
    let old = Database::open_copying(&file(&folder), &ONE, "mend it").await.unwrap();
    note(&old, "kept").await.unwrap();
    assert!(names().is_empty(), "a new file has no past");
    // As it lies there after a kill: the newest of it is in the journal.
    std::fs::write(folder.path().join("some.db.before-0"), "an older one").unwrap();
    drop(old);
    let new = Database::open_copying(&file(&folder), &TWO, "mend it").await.unwrap();
    new.close().await.unwrap();
    assert_eq!(names(), ["some.db.before-1"]);
    let before = rusqlite::Connection::open(folder.path().join("some.db.before-1")).unwrap();
    let all: Vec<String> = before
        .prepare("SELECT * FROM notes")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(all, ["kept"]);
    drop(before);
    Database::open_copying(&file(&folder), &TWO, "mend it").await.unwrap().close().await.unwrap();
    assert_eq!(names(), ["some.db.before-1"], "nothing changes, nothing is copied");
    assert_eq!(set_aside_names(&file(&folder)), [folder.path().join("some.db.before-1")]);
}

#[tokio::test]
async fn a_database_that_turns_out_to_be_damaged_is_written_no_more() {
    let folder = TempDir::new().unwrap();
    let database = Database::open(&file(&folder), &ONE).await.unwrap();
    note(&database, "a").await.unwrap();
    let corrupt = || {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        rusqlite::Error::SqliteFailure(code, None)
    };
    assert!(database.write(move |_| Err::<(), _>(corrupt())).await.is_err());
    assert!(matches!(note(&database, "b").await, Err(DatabaseError::Damaged { .. })));
    assert_eq!(notes(&database).await, ["a"], "what can be read is read");
    database.close().await.unwrap();
}
