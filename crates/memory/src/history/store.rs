//! The open history and its tables.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use rusqlite_migration::{M, Migrations};
use tokio::sync::{Notify, broadcast};

use crate::domain::{ChannelId, Salt, StoredId, TokenEncoding, TurnId};
use crate::sqlite::{Database, DatabaseError, FileHealth, from_sql, is_newer_file, quick_check};
use crate::text::tokens;

/// How long looking through the whole file may take.
const CHECK_WITHIN: Duration = Duration::from_secs(600);

/// So many changes wait for whoever follows them.
const CHANGES: usize = 256;

/// Counts tokens; [`tokens::count`] unless a test listens in.
pub type TokenCounter = Arc<dyn Fn(TokenEncoding, &str) -> u32 + Send + Sync>;

#[derive(Clone)]
pub struct HistoryOptions {
    /// The encodings every turn is counted under when it is stored. Any other is counted when first asked for, and
    /// kept from then on.
    pub encodings: Vec<TokenEncoding>,
    pub counter: TokenCounter,
}

impl HistoryOptions {
    /// Counts under `encodings` as turns are stored.
    pub fn new(encodings: impl IntoIterator<Item = TokenEncoding>) -> Self {
        let mut encodings: Vec<_> = encodings.into_iter().collect();
        encodings.sort_unstable();
        encodings.dedup();
        Self { encodings, counter: Arc::new(tokens::count) }
    }
}

impl Default for HistoryOptions {
    /// Counts nothing in advance.
    fn default() -> Self {
        Self::new([])
    }
}

impl fmt::Debug for HistoryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HistoryOptions").field("encodings", &self.encodings).finish_non_exhaustive()
    }
}

/// Why the history could not be read or written. A write that failed left nothing behind.
pub type HistoryError = DatabaseError;

/// The record of what was said. Share it in an `Arc`; every method takes `&self`.
///
/// Writes queue up for one thread, reads for two. At most 64 calls wait for each; callers beyond that wait outside
/// the queue, so a stalled disk shows as slow turns and not as growing memory.
#[derive(Debug)]
pub struct History {
    pub(super) database: Database,
    pub(super) options: HistoryOptions,
    salt: Salt,
    /// Told when a reminder is kept.
    pub(super) reminded: Notify,
    /// Whether there may be a document or pin.
    pub(super) has_sources: AtomicBool,
    /// Told of a channel when something was said there, edited or taken back.
    pub(super) changed: broadcast::Sender<ChannelId>,
    pub(super) unstored: Mutex<Unstored>,
}

/// What was said since the history was opened and could not be stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unstored {
    pub messages: u64,
    /// Whether the last that was said is one of them, and no trial has shown since that it could be stored now.
    pub is_last: bool,
}

impl History {
    /// What to do where the file is damaged.
    pub const MEND: &str = "stop the familiar, keep a copy of its folder, and put a backup in its place \
                            (docs/operations/backup.md); where there is none, move the file and its -wal away, to history.db.damaged and \
                            history.db.damaged-wal (the next /forget removes them there; elsewhere they keep what people have \
                            forgotten), and either rescue what can still be read of it (`sqlite3 history.db.damaged .recover`, with \
                            sqlite3 3.43 or newer, as that page says) or go on with the notes alone: familiar run --without-history";

    /// Opens or creates `history.db`. What an earlier process had acknowledged is there, however it ended.
    pub async fn open(path: &Path, options: HistoryOptions) -> Result<Self, HistoryError> {
        let database = Database::open_copying(path, &MIGRATIONS, Self::MEND).await?;
        let (salt, has_sources) = database
            .read(|tx| {
                tx.query_row("SELECT salt, EXISTS (SELECT 1 FROM sources) FROM installation", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
            })
            .await
            .map_err(|error| database.as_at_opening(error))?;
        let has_sources = AtomicBool::new(has_sources);
        let changed = broadcast::Sender::new(CHANGES);
        let (salt, reminded, unstored) = (Salt::new(salt), Notify::new(), Mutex::default());
        Ok(Self { database, options, salt, reminded, has_sources, changed, unstored })
    }

    /// As [`Database::queues`].
    pub fn queues(&self) -> [(usize, usize); 2] {
        self.database.queues()
    }

    pub fn unstored(&self) -> Unstored {
        *self.unstored.lock()
    }

    /// Something that was said could not be stored, or was.
    pub fn counts_stored(&self, is_stored: bool) {
        let mut unstored = self.unstored.lock();
        unstored.messages += u64::from(!is_stored);
        unstored.is_last = !is_stored;
    }

    /// Channels in which something was said, edited or taken back, from now on.
    pub fn changes(&self) -> broadcast::Receiver<ChannelId> {
        self.changed.subscribe()
    }

    /// Looks through the whole file, for as long as ten minutes at most, beside everything else. Where it is damaged nothing
    /// more is written to it, and the log says what to do.
    pub async fn check(&self) {
        let path = self.database.path().to_owned();
        match tokio::task::spawn_blocking(move || quick_check(&path, CHECK_WITHIN)).await {
            Ok(FileHealth::Damaged(complaints)) => {
                self.database.stop_writing(complaints.first().map_or("", String::as_str));
            }
            Ok(FileHealth::Unfinished) => tracing::debug!("the history is too large to be looked through"),
            Ok(FileHealth::Sound | FileHealth::Closed(_) | FileHealth::DiskFails(_)) | Err(_) => {}
        }
    }

    /// The next message gets a larger number than this one, and than any that was ever given here.
    pub async fn begin_behind(&self, last: StoredId) -> Result<(), HistoryError> {
        let given = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'turns'";
        let given: i64 = self
            .one(given, (), |row| row.get(0))
            .await
            .map_err(|error| self.database.as_at_opening(error))?;
        // Nothing is written without need: a full disk stops no start.
        if given >= last.0 {
            return Ok(());
        }
        self.write(move |tx| {
            tx.execute("DELETE FROM sqlite_sequence WHERE name = 'turns'", [])?;
            tx.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('turns', ?1)", [last.0]).map(drop)
        })
        .await
    }

    /// The newest turn that gave a reply which is stored or may have arrived, and when the message was said that was stored
    /// last, where there is any.
    pub async fn extent(&self) -> Result<(TurnId, Option<Timestamp>), HistoryError> {
        self.one(NEWEST_TURN, [REPLIES_AT_ONCE], |row| {
            let at = row.get::<_, Option<i64>>(1)?;
            let at = at.map(|at| Timestamp::from_millisecond(at).unwrap_or(Timestamp::MIN));
            Ok((TurnId(from_sql(row.get(0)?)), at))
        })
        .await
        .map_err(|error| self.database.as_at_opening(error))
    }

    /// A value that only this history has, the same for as long as its file lives.
    pub fn salt(&self) -> &Salt {
        &self.salt
    }

    /// Finishes what is queued, folds the write-ahead log into the file and closes it. Later calls fail.
    pub async fn close(&self) -> Result<(), HistoryError> {
        self.database.close().await
    }
}

/// Replies that may be stored in another order than their turns were numbered in: no more are ever on their way.
const REPLIES_AT_ONCE: u32 = 1_000;

/// `?1` how many of the newest replies are looked at. Reads nothing older, however long the history is. What a killed program
/// was saying may still turn out to have arrived: its number is not given again.
pub(super) const NEWEST_TURN: &str = "SELECT
    max((SELECT coalesce(max(turn), 0) FROM (SELECT turn FROM turns WHERE turn IS NOT NULL ORDER BY id DESC LIMIT ?1)),
        (SELECT coalesce(max(turn), 0) FROM deliveries), (SELECT coalesce(max(turn), 0) FROM reminders)),
    (SELECT at_ms FROM turns ORDER BY id DESC LIMIT 1)";

/// Whether a newer version of the program wrote the file of a history. Reads only, and blocks.
pub fn is_newer_history(path: &Path) -> rusqlite::Result<bool> {
    is_newer_file(path, &MIGRATIONS)
}

/// Every step from an empty file to this version.
pub(super) static MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

const STEPS: &[M<'static>] = &[
    M::up(include_str!("schema/01_turns.sql")),
    M::up(include_str!("schema/02_people.sql")),
    M::up(include_str!("schema/03_thoughts.sql")),
    M::up(include_str!("schema/04_lore.sql")),
    M::up(include_str!("schema/05_stems.sql")),
    M::up(include_str!("schema/06_crystals.sql")),
    M::up(include_str!("schema/07_offsets.sql")),
    M::up(include_str!("schema/08_counted.sql")),
    M::up(include_str!("schema/09_salt.sql")),
    M::up(include_str!("schema/10_changes.sql")),
    M::up(include_str!("schema/11_regards.sql")),
    M::up(include_str!("schema/12_passed_over.sql")),
    M::up(include_str!("schema/13_happenings.sql")),
    M::up(include_str!("schema/14_deliveries.sql")),
    M::up(include_str!("schema/15_thoughts_anew.sql")),
    M::up(include_str!("schema/16_variables.sql")),
    M::up(include_str!("schema/17_forgotten.sql")),
    M::up(include_str!("schema/18_words.sql")),
    M::up(include_str!("schema/19_audiences.sql")),
    M::up(include_str!("schema/20_reminders.sql")),
    M::up(include_str!("schema/21_sources.sql")),
    M::up(include_str!("schema/22_repairs.sql")),
    M::up(include_str!("schema/23_beginnings.sql")),
    M::up(include_str!("schema/24_replaced.sql")),
    M::up(include_str!("schema/25_responses.sql")),
    M::up(include_str!("schema/26_growing.sql")),
    M::up(include_str!("schema/27_reply_tools.sql")),
    M::up(include_str!("schema/28_other_answers.sql")),
    M::up(include_str!("schema/29_pieces.sql")),
    M::up(include_str!("schema/30_forwards.sql")),
    M::up(include_str!("schema/31_reminded.sql")),
];

#[cfg(test)]
mod schema_tests {
    use super::*;

    #[test]
    fn every_migration_applies_to_an_empty_file() {
        let mut empty = rusqlite::Connection::open_in_memory().unwrap();
        crate::sqlite::words::register(&empty).unwrap();
        assert_eq!(MIGRATIONS.to_latest(&mut empty), Ok(()));
    }

    #[test]
    fn contradiction_8_what_was_kept_without_an_audience_is_for_the_fewest_it_can_be_for() {
        let mut old = rusqlite::Connection::open_in_memory().unwrap();
        crate::sqlite::words::register(&old).unwrap();
        MIGRATIONS.to_version(&mut old, 18).unwrap();
        old.execute_batch(
            "INSERT INTO feelings VALUES ('discord:1', -0.5, 0.0, 9), ('', 0.4, 0.1, 9);
             INSERT INTO channels (channel, platform, kind, last_ordinal) VALUES ('7', 'discord', 'guild_text', 2);
             INSERT INTO turns (channel, ordinal, platform, audience_kind, audience_key, role, content, at_ms, mode,
                modality, said_before)
             VALUES ('7', 1, 'discord', 'private', '7', 'user', 'a', 0, 'full_rp', 'text', 0),
                    ('7', 2, 'discord', 'guild', '1', 'user', 'b', 0, 'full_rp', 'text', 0);
             INSERT INTO card_variables VALUES ('7', 'said', 'a'), ('8', 'said', 'nobody knows where');",
        )
        .unwrap();
        MIGRATIONS.to_latest(&mut old).unwrap();
        let read = |sql: &str| -> Vec<String> {
            let mut rows = old.prepare(sql).unwrap();
            rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        let audience = "audience_kind || ':' || audience_key";
        let felt = read(&format!("SELECT towards || ' ' || {audience} || ' ' || valence FROM feelings"));
        assert_eq!(felt, ["discord:1 dm:discord:1 -0.5"]);
        let kept = read(&format!("SELECT channel || ' ' || {audience} FROM card_variables ORDER BY channel"));
        assert_eq!(kept, ["7 private:7", "8 :"]);
    }
}
