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
