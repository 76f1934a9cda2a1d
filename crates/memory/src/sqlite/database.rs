//! One writer and two readers, each on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Transaction, TransactionBehavior};
use rusqlite_migration::{MigrationDefinitionError, Migrations};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rusqlite::Connection;

use super::held::hold_time;
use super::{slow, words};
use crate::home::if_there;

/// How long a connection waits for another process (a backup, a shell) to let go, in milliseconds. Litestream asks
/// for at least 5 s.
const BUSY_TIMEOUT_MS: i64 = 5_000;

/// Calls that may wait for one thread. Beyond that callers wait outside the queue, where dropping them costs
/// nothing, so a stalled disk cannot grow memory.
const QUEUE_PER_THREAD: usize = 64;

/// Statements kept compiled per connection; every store has fewer.
const CACHED_STATEMENTS: usize = 64;

const READERS: usize = 2;

/// Pages that a reader keeps at hand, in KiB: single turns of a long history lie all over the file.
const READER_CACHE_KIB: i64 = 8 * 1024;

/// What SQLite holds for all databases of the process together, in bytes: beyond it, the pages that were not read for longest
/// make room, whosever they are.
const ALL_TOGETHER_BYTES: i64 = 24 * 1024 * 1024;

/// A database file in WAL mode: writes in order on one thread, reads on two others, never on an async thread.
///
/// The queue in front of each thread is bounded: a call holds its place until its work is done, even when whoever
/// asked is gone.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    /// What to do where the file is damaged.
    mend: &'static str,
    writer: Worker,
    /// None of a database without a file, which only its writer sees.
    readers: Vec<Worker>,
    /// It was found damaged: what is written now may be lost, or make it worse.
    is_damaged: AtomicBool,
}

#[derive(Debug)]
struct Worker {
    connection: Connection,
    places: Arc<Semaphore>,
}

/// What to do about a damaged file of which nothing else is known.
const MEND: &str =
    "stop the familiar, keep a copy of its folder, and put a backup in its place (docs/operations/backup.md)";

/// What to do about a disk that takes nothing. The file is not known to be damaged.
const MAKE_ROOM: &str = "the disk is full or cannot be used: make room on it, and see that it can be written";

/// Why a database could not be used. Without a source: the reason stands in the words, and SQLite would give it once more,
/// by number.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The file could not be opened or set up.
    #[error("cannot open the database {}: {}{}", path.display(), reason(why, path), advice(why, mend))]
    Open { path: PathBuf, why: rusqlite::Error, mend: &'static str },
    /// Its tables could not be brought to this version's layout.
    #[error(
        "cannot bring the database {} to this version's layout: {why}{}",
        path.display(),
        in_migration(why).map(|why| advice(why, mend)).unwrap_or_default()
    )]
    Migrate { path: PathBuf, why: Box<rusqlite_migration::Error>, mend: &'static str },
    /// A newer version of the program wrote it. Nothing was changed.
    #[error("the database {} was written by a newer version; update the program", path.display())]
    Newer { path: PathBuf },
    /// What was in it before its layout is changed could not be copied. Nothing was changed.
    #[error("cannot copy the database {} before it is brought to this version's layout: {why}", path.display())]
    Copy { path: PathBuf, why: rusqlite::Error },
    /// It was found damaged while it was in use. What was written before may still be there.
    #[error("the database {} is damaged; nothing more is written to it", path.display())]
    Damaged { path: PathBuf },
    /// It was closed, or its thread is gone.
    #[error("the database is closed")]
    Closed,
    /// A statement failed; its transaction was rolled back.
    #[error("database error: {0}")]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl DatabaseError {
    /// Whether the file itself is damaged, or is no database at all.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Open { why, .. } | Self::Sqlite(why) | Self::Copy { why, .. } => is_damage(why),
            Self::Migrate { why, .. } => in_migration(why).is_some_and(is_damage),
            Self::Damaged { .. } => true,
            Self::Newer { .. } | Self::Closed => false,
        }
    }
}

impl Database {
    /// Opens or creates the file and brings its tables up to date.
    ///
    /// # Errors
    /// [`DatabaseError::Open`], [`DatabaseError::Migrate`] or [`DatabaseError::Newer`].
    pub async fn open(path: &Path, migrations: &'static Migrations<'static>) -> Result<Self, DatabaseError> {
        Self::open_as(path, migrations, MEND, BeforeMigration::Nothing).await
    }

    /// As [`Self::open`], for what cannot be made anew: what was in it before its layout is changed is kept in a copy
    /// beside it, `<name>.before-<layout>`, in the place of older ones. `mend` says what to do where it is damaged.
    ///
    /// # Errors
    /// As [`Self::open`], and [`DatabaseError::Copy`].
    pub async fn open_copying(
        path: &Path,
        migrations: &'static Migrations<'static>,
        mend: &'static str,
    ) -> Result<Self, DatabaseError> {
        Self::open_as(path, migrations, mend, BeforeMigration::Copy).await
    }

    /// As [`Self::open`], for what can be made anew: a file that cannot be used is removed and begun anew, which `told` says
    /// in the log.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_or_anew(
        path: &Path,
        migrations: &'static Migrations<'static>,
        told: &'static str,
    ) -> Result<Self, DatabaseError> {
        match Self::open(path, migrations).await {
            Err(error) => {
                tracing::warn!(%error, "{told}");
                remove_database(path);
                Self::open(path, migrations).await
            }
            opened => opened,
        }
    }

    /// A database of its own that nobody else can open: SQLite keeps it in a file that has no name and goes with it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn temporary(migrations: &'static Migrations<'static>) -> Result<Self, DatabaseError> {
        Self::open_as(Path::new(""), migrations, MEND, BeforeMigration::Nothing).await
    }

    async fn open_as(
        path: &Path,
        migrations: &'static Migrations<'static>,
        mend: &'static str,
        before: BeforeMigration,
    ) -> Result<Self, DatabaseError> {
        let writer = Worker::open(path, migrations, mend).await?;
        if before == BeforeMigration::Copy {
            let file = path.to_owned();
            let copied =
                move |connection: &mut rusqlite::Connection| copy_before(connection, migrations, &file);
            writer.connection.call(copied).await.map_err(flatten)?;
        }
        let file = path.to_owned();
        writer
            .connection
            .call(move |connection| {
                slow::tells_of_layout(connection, &file)?;
                match migrations.to_latest(connection) {
                    Err(rusqlite_migration::Error::MigrationDefinition(
                        MigrationDefinitionError::DatabaseTooFarAhead,
                    )) => return Err(DatabaseError::Newer { path: file }),
                    Err(why) => {
                        return Err(DatabaseError::Migrate { path: file, why: Box::new(why), mend });
                    }
                    Ok(()) => {}
                }
                Ok(slow::is_done(connection)?)
            })
            .await
            .map_err(flatten)?;
        let has_file = !path.as_os_str().is_empty();
        let readers =
            (0..if has_file { READERS } else { 0 }).map(|_| Worker::open_reader(path, migrations, mend));
        let readers = futures::future::try_join_all(readers).await?;
        Ok(Self { path: path.to_owned(), mend, writer, readers, is_damaged: AtomicBool::new(false) })
    }

    /// Nothing more is written from now on: every write fails with [`DatabaseError::Damaged`]. What can be read can still be
    /// read. Said in the log, once.
    pub fn stop_writing(&self, complaint: &str) {
        if !self.is_damaged.swap(true, Ordering::AcqRel) {
            let (path, mend) = (self.path.display(), self.mend);
            tracing::error!(complaint, "{path} is damaged and is written no more; {mend}");
        }
    }

    /// What was wrong, as opening would have told it: damage with the file's name and what to do about it. SQLite comes upon
    /// damage amid a file only once it reads there.
    pub fn as_at_opening(&self, error: DatabaseError) -> DatabaseError {
        match error {
            DatabaseError::Sqlite(why) if is_damage(&why) => {
                DatabaseError::Open { path: self.path.clone(), why, mend: self.mend }
            }
            other => other,
        }
    }

    async fn run_writer<R, F>(&self, work: F) -> Result<R, DatabaseError>
    where
        R: Send + 'static,
        F: FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<R> + Send + 'static,
    {
        if self.is_damaged.load(Ordering::Acquire) {
            return Err(DatabaseError::Damaged { path: self.path.clone() });
        }
        let written = self.writer.run(work).await;
        if let Err(DatabaseError::Sqlite(error)) = &written
            && is_damage(error)
        {
            self.stop_writing(&error.to_string());
        }
        written
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many calls wait or are carried out, and how many fit: those that write, and those that read.
    pub fn queues(&self) -> [(usize, usize); 2] {
        let of = |workers: &[Worker]| {
            let free: usize = workers.iter().map(|worker| worker.places.available_permits()).sum();
            let fit = workers.len() * QUEUE_PER_THREAD;
            (fit.saturating_sub(free), fit)
        };
        [of(std::slice::from_ref(&self.writer)), of(&self.readers)]
    }

    /// Runs `work` in one transaction on the writer's thread. An error rolls everything back. Once this has been
    /// polled to the point where the work is queued, dropping the future does not undo it.
    ///
    /// # Errors
    /// What `work` returned, or [`DatabaseError::Closed`].
    pub async fn write<R, F>(&self, work: F) -> Result<R, DatabaseError>
    where
        R: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> rusqlite::Result<R> + Send + 'static,
    {
        self.run_writer(move |connection| transact(connection, work)).await
    }

    /// As [`Self::write`], for what only the running program's death must not take: it is not waited until it is on the
    /// disk, so a power cut may take it, and nothing else with it.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn jot<R, F>(&self, work: F) -> Result<R, DatabaseError>
    where
        R: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> rusqlite::Result<R> + Send + 'static,
    {
        self.run_writer(move |connection| {
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            let written = transact(connection, work);
            connection.pragma_update(None, "synchronous", "FULL")?;
            written
        })
        .await
    }

    /// Runs `work` on one of the readers' threads, in one snapshot of the database.
    ///
    /// # Errors
    /// What `work` returned, or [`DatabaseError::Closed`].
    pub async fn read<R, F>(&self, work: F) -> Result<R, DatabaseError>
    where
        R: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> rusqlite::Result<R> + Send + 'static,
    {
        // Whoever has least to do: a short question does not wait behind a long one while the other thread is free.
        let idle = self.readers.iter().max_by_key(|reader| reader.places.available_permits());
        idle.unwrap_or(&self.writer)
            .run(move |connection| {
                let snapshot = connection.transaction()?;
                work(&snapshot)
            })
            .await
    }

    /// Writes the file anew from what is in it, so that nothing of what was deleted stays on a free page, and empties
    /// the write-ahead log. Writers wait meanwhile, a few seconds for 100 MB. Needs as much room on the disk once more.
    ///
    /// # Errors
    /// When the file cannot be written anew, or somebody reads an older state of it for longer than the busy timeout.
    pub async fn scrub(&self) -> Result<(), DatabaseError> {
        self.run_writer(|connection| {
            // In memory, a large database would not fit beside the rest.
            connection.pragma_update(None, "temp_store", "FILE")?;
            let written = connection.execute_batch("VACUUM");
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            written?;
            let is_read: bool =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            if is_read { Err(busy()) } else { Ok(()) }
        })
        .await
    }

    /// Finishes what is queued, moves the whole WAL into the main file and closes all connections. Later calls get
    /// [`DatabaseError::Closed`].
    ///
    /// # Errors
    /// When the checkpoint fails; the data is safe in the WAL then. Damage as [`Self::as_at_opening`] tells it.
    pub async fn close(&self) -> Result<(), DatabaseError> {
        for reader in &self.readers {
            reader.close().await?;
        }
        let checkpoint = |connection: &mut rusqlite::Connection| {
            connection.execute_batch("PRAGMA optimize")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        match self.run_writer(checkpoint).await {
            Ok(()) | Err(DatabaseError::Damaged { .. }) => self.writer.close().await,
            Err(error) => Err(self.as_at_opening(error)),
        }
    }
}

impl Worker {
    async fn open(
        path: &Path,
        migrations: &'static Migrations<'static>,
        mend: &'static str,
    ) -> Result<Self, DatabaseError> {
        let refused = move |path: &Path, why| DatabaseError::Open { path: path.to_owned(), why, mend };
        let connection = Connection::open(path).await.map_err(|why| refused(path, why))?;
        let file = path.to_owned();
        connection
            .call(move |connection| {
                wait_for_others(connection).map_err(|why| refused(&file, why))?;
                if is_newer(connection, migrations).map_err(|why| refused(&file, why))? {
                    return Err(DatabaseError::Newer { path: file });
                }
                set_up(connection).map_err(|why| refused(&file, why))
            })
            .await
            .map_err(flatten)?;
        Ok(Self { connection, places: Arc::new(Semaphore::new(QUEUE_PER_THREAD)) })
    }

    async fn open_reader(
        path: &Path,
        migrations: &'static Migrations<'static>,
        mend: &'static str,
    ) -> Result<Self, DatabaseError> {
        let worker = Self::open(path, migrations, mend).await?;
        let set_up = |connection: &mut rusqlite::Connection| {
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)
        };
        worker.run(set_up).await?;
        Ok(worker)
    }

    async fn run<R, F>(&self, work: F) -> Result<R, DatabaseError>
    where
        R: Send + 'static,
        F: FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<R> + Send + 'static,
    {
        let place: OwnedSemaphorePermit =
            Arc::clone(&self.places).acquire_owned().await.map_err(|_| DatabaseError::Closed)?;
        let _held = hold_time();
        self.connection
            .call(move |connection| {
                let result = work(connection);
                drop(place);
                result.map_err(DatabaseError::from)
            })
            .await
            .map_err(flatten)
    }

    async fn close(&self) -> Result<(), DatabaseError> {
        self.places.close();
        match self.connection.clone().close().await {
            Ok(()) => Ok(()),
            Err(tokio_rusqlite::Error::Close((_, source))) => Err(source.into()),
            Err(_) => Err(DatabaseError::Closed),
        }
    }
}

/// What is done before a layout is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BeforeMigration {
    Nothing,
    Copy,
}

/// Between a database's name and the number of the layout that a copy has.
const BEFORE: &str = ".before-";

fn copy_before(
    connection: &rusqlite::Connection,
    migrations: &Migrations<'_>,
    path: &Path,
) -> Result<(), DatabaseError> {
    let failed = |why| DatabaseError::Copy { path: path.to_owned(), why };
    let layout: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    let is_behind = migrations.pending_migrations(connection).is_ok_and(|pending| pending > 0);
    if layout == 0 || !is_behind {
        return Ok(());
    }
    let copy = beside(path, &format!("{BEFORE}{layout}"));
    let older = set_aside_names(path)
        .into_iter()
        .filter(|found| found.file_name().is_some_and(|name| name.to_string_lossy().contains(BEFORE)));
    // One that cannot be removed is in the way of nothing, but of its own name.
    older.for_each(|older| drop(std::fs::remove_file(older)));
    slow::tells_of_layout(connection, path).map_err(failed)?;
    connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()]).map_err(failed)?;
    tracing::info!(copy = %copy.display(), "the database gets a new layout; this is how it was");
    Ok(())
}

/// The file beside a database that has its name and this ending, as `-wal`.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Removes a database that can be made anew, with its journal, as far as it is there.
pub fn remove_database(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        // What stays is what the next opening finds.
        let _ = std::fs::remove_file(beside(path, ending));
    }
}

/// What lies beside a database under its name and a dot: copies of older layouts, and damaged files that were set aside.
pub fn set_aside_names(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let beginning = format!("{}.", name.to_string_lossy());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&beginning))
        .map(|entry| entry.path())
        .collect()
}

/// Sets a database that cannot be used aside, as `<name>.damaged`, with its journal. One that was set aside before goes.
///
/// # Errors
/// When it cannot be renamed.
pub fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let with = |ending: &str| beside(path, ending);
    let aside = with(".damaged");
    for journal in ["-wal", "-shm"] {
        if_there(std::fs::rename(with(journal), with(&format!(".damaged{journal}"))))?;
    }
    std::fs::rename(path, &aside)?;
    Ok(aside)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase))
}

/// Whether the disk cannot be read or written, as where it is full. SQLite calls a full one an I/O error where it is the
/// index of its journal that finds no room.
pub(super) fn is_of_disk(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(rusqlite::ErrorCode::DiskFull | rusqlite::ErrorCode::SystemIoFailure))
}

/// SQLite's reason. Where it repeats the file's name, without it.
fn reason(source: &rusqlite::Error, path: &Path) -> String {
    let said = source.to_string();
    match said.strip_suffix(&path.display().to_string()) {
        Some(without) => without.trim_end_matches([' ', ':']).to_owned(),
        None => said,
    }
}

fn advice(source: &rusqlite::Error, mend: &str) -> String {
    if is_damage(source) {
        format!("; {mend}")
    } else if is_of_disk(source) {
        format!("; {MAKE_ROOM}")
    } else {
        String::new()
    }
}

/// What SQLite said where a layout could not be brought up to date.
fn in_migration(why: &rusqlite_migration::Error) -> Option<&rusqlite::Error> {
    match why {
        rusqlite_migration::Error::RusqliteError { err, .. } => Some(err),
        _ => None,
    }
}

fn transact<R>(
    connection: &mut rusqlite::Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<R>,
) -> rusqlite::Result<R> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = work(&transaction)?;
    transaction.commit()?;
    Ok(result)
}

/// Comes first: whatever follows may need the lock that another process is holding.
fn wait_for_others(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "busy_timeout", BUSY_TIMEOUT_MS)
}

/// Whether the file has seen more steps than this version knows. Asked before anything is written, the switch to WAL
/// included.
pub(super) fn is_newer(connection: &rusqlite::Connection, known: &Migrations<'_>) -> rusqlite::Result<bool> {
    match known.pending_migrations(connection) {
        Ok(pending) => Ok(pending < 0),
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(err),
        // What else is wrong with the steps is said by the migration itself.
        Err(_) => Ok(false),
    }
}

fn busy() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
    rusqlite::Error::SqliteFailure(code, Some("an older state is being read".to_owned()))
}

fn set_up(connection: &mut rusqlite::Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What was acknowledged survives a power cut too: the log is on the disk before a write returns. That costs a fifth to a
    // third of a millisecond on a solid-state disk.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "soft_heap_limit", ALL_TOGETHER_BYTES)?;
    words::register(connection)?;
    connection.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(count_statement));
    connection.pragma_update(None, "temp_store", "MEMORY")
}

static STATEMENTS: AtomicU64 = AtomicU64::new(0);

fn count_statement(event: TraceEvent<'_>) {
    // What a trigger does is told as a comment.
    if matches!(event, TraceEvent::Stmt(_, sql) if !sql.starts_with("--")) {
        STATEMENTS.fetch_add(1, Ordering::Relaxed);
    }
}

/// SQL statements that this process has run in all its databases, FTS5's own included.
pub fn statements_run() -> u64 {
    STATEMENTS.load(Ordering::Relaxed)
}

fn flatten(error: tokio_rusqlite::Error<DatabaseError>) -> DatabaseError {
    match error {
        tokio_rusqlite::Error::Error(inner) => inner,
        tokio_rusqlite::Error::Close((_, source)) => source.into(),
        _ => DatabaseError::Closed,
    }
}
