//! Looking at a database file without taking part in its life.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rusqlite_migration::Migrations;

use super::database::{is_newer, is_of_disk};
use super::slow::STEPS_BETWEEN_LOOKS;

/// How a database file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileHealth {
    /// SQLite found nothing wrong.
    Sound,
    /// It cannot be read, or is damaged: the first few complaints of SQLite.
    Damaged(Vec<String>),
    /// Whoever looks has not the rights for it.
    Closed(String),
    /// The disk cannot be read or written, as where it is full: that says nothing of the file.
    DiskFails(String),
    /// It is too large to be looked through within the deadline; as far as that went it was sound.
    Unfinished,
}

/// Complaints that are handed on.
const COMPLAINTS: usize = 3;

/// Runs SQLite's quick check over a file, read only, for at most about `deadline`. Blocks; for a blocking thread.
/// Whoever has the file open is not disturbed.
pub fn quick_check(path: &Path, deadline: Duration) -> FileHealth {
    match complaints(path, deadline) {
        Ok(none) if none.is_empty() => FileHealth::Sound,
        Ok(complaints) => FileHealth::Damaged(complaints),
        Err(error) => told_by(&error),
    }
}

/// What an error of SQLite says of a file. One with a journal beside it is read only by whoever may write to its folder.
fn told_by(error: &rusqlite::Error) -> FileHealth {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => FileHealth::Unfinished,
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            FileHealth::Closed(error.to_string())
        }
        _ if is_of_disk(error) => FileHealth::DiskFails(error.to_string()),
        _ => FileHealth::Damaged(vec![error.to_string()]),
    }
}

/// Whether a newer version of the program wrote a file, which a start refuses. Reads only, and blocks.
pub fn is_newer_file(path: &Path, known: &Migrations<'_>) -> rusqlite::Result<bool> {
    is_newer(&Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?, known)
}

fn complaints(path: &Path, deadline: Duration) -> rusqlite::Result<Vec<String>> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(deadline)?;
    let started = std::time::Instant::now();
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || started.elapsed() >= deadline))?;
    let mut check = connection.prepare(&format!("PRAGMA quick_check({COMPLAINTS})"))?;
    let rows = check.query_map([], |row| row.get::<_, String>(0))?;
    rows.filter(|row| row.as_deref() != Ok("ok")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(folder: &Path) -> (std::path::PathBuf, Connection) {
        let path = folder.join("some.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                 INSERT INTO notes SELECT 'a note of some length, number ' || i FROM n;",
            )
            .unwrap();
        (path, connection)
    }

    #[test]
    fn a_file_in_use_is_sound() {
        let folder = tempfile::tempdir().unwrap();
        let (path, open) = database(folder.path());
        assert_eq!(quick_check(&path, Duration::from_secs(60)), FileHealth::Sound);
        assert_eq!(open.execute("INSERT INTO notes VALUES ('more')", []), Ok(1));
    }

    #[test]
    fn damage_is_found_and_a_file_that_is_no_database_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let (path, open) = database(folder.path());
        drop(open);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 4096].fill(0xAA);
        std::fs::write(&path, &bytes).unwrap();
        assert!(matches!(quick_check(&path, Duration::from_secs(60)), FileHealth::Damaged(_)));
        std::fs::write(&path, "no database at all ".repeat(99)).unwrap();
        assert!(matches!(quick_check(&path, Duration::from_secs(60)), FileHealth::Damaged(_)));
    }

    #[test]
    fn what_may_not_be_read_is_not_called_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("not").join("there.db");
        assert!(matches!(quick_check(&nowhere, Duration::from_secs(60)), FileHealth::Closed(_)));
        let told = |code| told_by(&rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None));
        for code in [rusqlite::ffi::SQLITE_READONLY, rusqlite::ffi::SQLITE_PERM] {
            assert!(matches!(told(code), FileHealth::Closed(_)), "{code}");
        }
        for code in [rusqlite::ffi::SQLITE_IOERR, rusqlite::ffi::SQLITE_FULL] {
            assert!(matches!(told(code), FileHealth::DiskFails(_)), "a full disk damages nothing: {code}");
        }
        assert!(matches!(told(rusqlite::ffi::SQLITE_CORRUPT), FileHealth::Damaged(_)));
    }

    #[test]
    fn a_check_that_takes_too_long_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _open) = database(folder.path());
        // Enough rows that the clock is looked at, and no time at all.
        assert_eq!(quick_check(&path, Duration::ZERO), FileHealth::Unfinished);
    }
}
