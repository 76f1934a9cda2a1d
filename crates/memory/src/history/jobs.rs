//! What background jobs need: how far each has come, what it has not read yet, where something waits to be done, and which
//! stretches it could make nothing of.
//!
//! A job's mark moves past a stretch it could make nothing of all the same, so that it keeps nothing newer from being read
//! (familiar-connect 2.8); it is kept until it is read again or given up. Owns that neither gets lost.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::rows::parse_column;
use super::{History, HistoryError, Whole, rows};
use crate::domain::{Audience, ChannelId, MessageId, Place, Platform, StoredId, StoredTurn};
use crate::sqlite::from_sql;

/// Stretches read at once; a channel that never had a working model has more, and they come later.
const MOST: u32 = 500;

/// Why a job's model gave nothing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum Hindrance {
    /// It could not be reached or broke off, several times.
    Failed,
    /// It, or its provider, said no.
    Refused,
    Empty,
    /// Its answer could not be read, nor the one to the repeated question.
    Unreadable,
    /// What it answered could not be written.
    Unwritten,
}

impl Hindrance {
    /// Its name in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A stretch of a channel that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    pub worker: String,
    pub channel: ChannelId,
    pub first: StoredId,
    pub last: StoredId,
    /// Why, the last time.
    pub why: Hindrance,
    /// How often it was read again in vain.
    pub tries: u32,
    /// When it is read again; `None` where that was given up.
    pub not_before: Option<Timestamp>,
    pub since: Timestamp,
    /// The proposal that keeps the model's answer for people, by its name.
    pub answer: Option<String>,
}

/// A stretch in an export: job, channel, first and last turn, why, tries, when next, since when, answer.
pub type KeptPassedOver = (String, String, i64, i64, String, u32, Option<i64>, i64, Option<String>);

impl History {
    /// Moves a job's mark past a stretch and keeps the stretch, both or neither.
    pub async fn pass_over(&self, stretch: PassedOver, at: Timestamp) -> Result<(), HistoryError> {
        self.write(move |tx| {
            insert_passed_over(tx, &stretch)?;
            let (worker, scope) = (&stretch.worker, stretch.channel.as_str());
            advance(tx, worker, scope, stretch.last, at)
        })
        .await
    }

    /// Keeps a stretch as it is now. One with the same end is replaced.
    pub async fn keep_passed_over(&self, stretch: PassedOver) -> Result<(), HistoryError> {
        self.write(move |tx| insert_passed_over(tx, &stretch)).await
    }

    /// The stretches that `worker` passed over in a channel, oldest first, at most 500 that are still to be read again and
    /// then those given up.
    pub async fn passed_over(
        &self,
        worker: &str,
        channel: &ChannelId,
    ) -> Result<Vec<PassedOver>, HistoryError> {
        let sql = format!(
            "{SELECT} WHERE worker = ?1 AND channel = ?2
             ORDER BY not_before_ms IS NULL, last_turn LIMIT {MOST}"
        );
        self.all(sql, (worker.to_owned(), channel.to_string()), stretch).await
    }

    /// A stretch is done with.
    pub async fn no_longer_passed_over(&self, stretch: &PassedOver) -> Result<(), HistoryError> {
        let done = "DELETE FROM passed_over WHERE worker = ?1 AND channel = ?2 AND last_turn = ?3";
        let bound = (stretch.worker.clone(), stretch.channel.to_string(), stretch.last.0);
        self.change(done, bound).await.map(drop)
    }

    /// All stretches are read again as soon as their channels are looked at, those given up too; how many.
    pub async fn read_again(&self) -> Result<usize, HistoryError> {
        self.change("UPDATE passed_over SET tries = 0, not_before_ms = since_ms", ()).await
    }
}

fn only_read(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(std::time::Duration::from_secs(1))?;
    Ok(connection)
}

/// Every stretch that was passed over, in the file of a history that may be open elsewhere: read only, so nothing is
/// migrated. Blocks.
pub fn passed_over_in(path: &Path) -> rusqlite::Result<Vec<PassedOver>> {
    let connection = only_read(path)?;
    let mut all =
        connection.prepare(&format!("{SELECT} ORDER BY not_before_ms IS NULL DESC, channel, last_turn"))?;
    all.query_map([], stretch)?.collect()
}

/// Whether anybody asked to be reminded at a time, by the file of a history as [`passed_over_in`] reads it. Blocks.
pub fn has_reminders_in(path: &Path) -> rusqlite::Result<bool> {
    let connection = only_read(path)?;
    connection.prepare("SELECT 1 FROM reminders WHERE due_at_ms IS NOT NULL")?.exists([])
}

/// Whether anything was ever said, by the file of a history as [`passed_over_in`] reads it; a file in which nothing was laid
/// out yet holds nothing. Blocks.
pub fn has_messages_in(path: &Path) -> rusqlite::Result<bool> {
    let connection = only_read(path)?;
    let is_laid_out = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'turns'")?.exists([])?;
    Ok(is_laid_out && connection.prepare("SELECT 1 FROM turns")?.exists([])?)
}

const SELECT: &str =
    "SELECT worker, channel, first_turn, last_turn, why, tries, not_before_ms, since_ms, answer
    FROM passed_over";

fn stretch(row: &Row<'_>) -> rusqlite::Result<PassedOver> {
    let moment = |ms: i64| Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(PassedOver {
        worker: row.get(0)?,
        channel: parse_column(row, 1)?,
        first: StoredId(row.get(2)?),
        last: StoredId(row.get(3)?),
        why: row.get::<_, String>(4)?.parse().unwrap_or(Hindrance::Failed),
        tries: row.get(5)?,
        not_before: row.get::<_, Option<i64>>(6)?.map(moment),
        since: moment(row.get(7)?),
        answer: row.get(8)?,
    })
}

fn insert_passed_over(tx: &Transaction<'_>, one: &PassedOver) -> rusqlite::Result<()> {
    let kept = (
        one.worker.clone(),
        one.channel.as_str().to_owned(),
        one.first.0,
        one.last.0,
        one.why.as_str().to_owned(),
        one.tries,
        one.not_before.map(Timestamp::as_millisecond),
        one.since.as_millisecond(),
        one.answer.clone(),
    );
    put_kept(tx, &kept)
}

pub(super) fn put_kept(tx: &Transaction<'_>, one: &KeptPassedOver) -> rusqlite::Result<()> {
    let (worker, channel, first, last, why, tries, not_before, since, answer) = one;
    tx.prepare_cached("INSERT OR REPLACE INTO passed_over VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?
        .execute(params![worker, channel, first, last, why, tries, not_before, since, answer])
        .map(drop)
}

pub(super) fn all_kept(tx: &Transaction<'_>) -> rusqlite::Result<Vec<KeptPassedOver>> {
    tx.prepare_cached(&format!("{SELECT} ORDER BY worker, channel, last_turn"))?
        .query_map([], |row| row.try_into())?
        .collect()
}

impl History {
    /// The last turn that `worker` is done with in `scope` (a channel's id, an audience, or empty for all); `None`
    /// before its first pass.
    pub async fn watermark(&self, worker: &str, scope: &str) -> Result<Option<StoredId>, HistoryError> {
        let mark = "SELECT last_turn_id FROM watermarks WHERE worker = ?1 AND scope = ?2";
        let bound = [worker.to_owned(), scope.to_owned()];
        Ok(self.all(mark, bound, |row| row.get(0).map(StoredId)).await?.pop())
    }

    /// Moves a mark forward; one that is further already stays. A worker moves its mark on every way out, failures
    /// included, or it pays for the same turns again and again (familiar-connect 2.8).
    pub async fn advance_watermark(
        &self,
        worker: &str,
        scope: &str,
        done: StoredId,
        at: Timestamp,
    ) -> Result<(), HistoryError> {
        let (worker, scope) = (worker.to_owned(), scope.to_owned());
        self.write(move |tx| advance(tx, &worker, &scope, done, at)).await
    }
}

pub(super) fn advance(
    tx: &Transaction<'_>,
    worker: &str,
    scope: &str,
    done: StoredId,
    at: Timestamp,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO watermarks (worker, scope, last_turn_id, updated_at_ms) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (worker, scope) DO UPDATE
         SET last_turn_id = excluded.last_turn_id, updated_at_ms = excluded.updated_at_ms
         WHERE excluded.last_turn_id > last_turn_id",
    )?
    .execute(params![worker, scope, done.0, at.as_millisecond()])
    .map(drop)
}

/// Where counting stops; every threshold is at most this.
const COUNT_MAX: u32 = 10_000;

/// The turns behind a mark.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unread {
    /// The oldest of them, oldest first. Their tokens are not counted, and their messages and what they answer are not
    /// read.
    pub turns: Vec<StoredTurn>,
    /// How many there are in all; counted up to 10,000.
    pub count: u32,
}

impl Whole<'_> {
    /// The turns of a channel that still stand and came after the row `after` (`None`: all), at most the oldest `most`.
    pub async fn unread(
        self,
        channel: &ChannelId,
        after: Option<StoredId>,
        most: u32,
    ) -> Result<Unread, HistoryError> {
        let channel = channel.clone();
        self.0.read(move |tx| unread(tx, &channel, after, most)).await
    }
}

fn unread(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    after: Option<StoredId>,
    most: u32,
) -> rusqlite::Result<Unread> {
    // From the newest turn back to the mark, by the channel's own numbers: as far as is unread.
    let read: Option<i64> = match after {
        None => None,
        Some(after) => tx
            .prepare_cached(
                "SELECT ordinal FROM turns WHERE channel = ?1 AND id <= ?2 ORDER BY ordinal DESC LIMIT 1",
            )?
            .query_row(params![channel.as_str(), after.0], |row| row.get(0))
            .optional()?,
    };
    let read = read.unwrap_or(0);
    let count = tx
        .prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM turns
             WHERE channel = ?1 AND ordinal > ?2 AND deleted_at_ms IS NULL LIMIT ?3)",
        )?
        .query_row(params![channel.as_str(), read, COUNT_MAX], |row| row.get(0))?;
    let mut select = tx.prepare_cached(
        "SELECT id, ordinal, role, author_account, author_username, author_display, author_is_bot, content, at_ms,
            mode, turn, audience_kind, audience_key
         FROM turns WHERE channel = ?1 AND ordinal > ?2 AND deleted_at_ms IS NULL ORDER BY ordinal LIMIT ?3",
    )?;
    let turns = select.query_map(params![channel.as_str(), read, most], |row| {
        rows::bare_turn(row, rows::audience_at(row, 11)?)
    })?;
    Ok(Unread { turns: turns.collect::<rusqlite::Result<_>>()?, count })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Afterwards {
    /// It, or something said after it there, was forgotten, and it is not stored: it must not be again. Nor what was said
    /// since, where everything was forgotten: nobody knows any more who could hear it.
    pub is_forgotten: bool,
    /// Before whom the newest message there that is stored was said.
    pub heard_before: Option<Audience>,
}

impl Whole<'_> {
    /// Places with summaries that wait to be made anew, as far as the history knows them.
    pub async fn places_to_mend(self) -> Result<Vec<Place>, HistoryError> {
        self.0
            .places(
                "c.channel IN (SELECT DISTINCT channel FROM crystals WHERE stale = 1)",
                String::new(),
                u32::MAX,
            )
            .await
    }

    /// Places that `worker` has not read to the end, or passed over a part of, those with the newest messages first; at most
    /// so many.
    pub async fn places_behind(self, worker: &str, most: u32) -> Result<Vec<Place>, HistoryError> {
        let behind = "(t.id > coalesce((SELECT last_turn_id FROM watermarks WHERE worker = ?1 AND scope = c.channel), 0)
            OR EXISTS (SELECT 1 FROM passed_over p
                WHERE p.worker = ?1 AND p.channel = c.channel AND p.not_before_ms IS NOT NULL))";
        self.0.places(behind, worker.to_owned(), most).await
    }
}

impl History {
    /// The channels of conversations alone with somebody on Discord, the newest first; at most so many.
    pub async fn direct_messages(&self, most: usize) -> Result<Vec<ChannelId>, HistoryError> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let alone = "c.kind = 'dm' AND c.platform = ?1";
        let places = self.places(alone, Platform::Discord.as_str().to_owned(), most).await?;
        Ok(places.into_iter().map(|place| place.channel).collect())
    }

    /// These channels as places, as far as anything was said in them.
    pub async fn places_of(&self, channels: &[ChannelId]) -> Result<Vec<Place>, HistoryError> {
        let channels: Vec<&str> = channels.iter().map(ChannelId::as_str).collect();
        let channels = serde_json::to_string(&channels).unwrap_or_default();
        self.places("c.channel IN (SELECT value FROM json_each(?1))", channels, u32::MAX).await
    }

    /// The newest message of a channel that has an id on its platform, stored or forgotten.
    pub async fn newest_message(&self, channel: &ChannelId) -> Result<Option<MessageId>, HistoryError> {
        let channel = channel.clone();
        self.read(move |tx| {
            let stored: Option<MessageId> = tx
                .prepare_cached(
                    "SELECT m.message FROM turns t JOIN turn_messages m ON m.turn_id = t.id
                     WHERE t.channel = ?1 ORDER BY t.ordinal DESC, m.part DESC LIMIT 1",
                )?
                .query_row([channel.as_str()], |row| rows::parse_column(row, 0))
                .optional()?;
            let forgotten: Option<u64> = tx
                .prepare_cached("SELECT forgotten_to FROM channels WHERE channel = ?1")?
                .query_row([channel.as_str()], |row| row.get::<_, Option<i64>>(0))
                .optional()?
                .flatten()
                .map(from_sql);
            let number = |id: &MessageId| id.as_str().parse::<u64>().ok();
            Ok(match forgotten {
                Some(forgotten) if stored.as_ref().and_then(number) < Some(forgotten) => {
                    Some(forgotten.into())
                }
                _ => stored,
            })
        })
        .await
    }

    /// What is to be known of a message that is read from its platform afterwards, before it is stored.
    pub async fn afterwards(
        &self,
        channel: &ChannelId,
        message: &MessageId,
    ) -> Result<Afterwards, HistoryError> {
        let (channel, message) = (channel.clone(), message.clone());
        self.read(move |tx| {
            let is_forgotten = tx
                .prepare_cached(
                    "SELECT 1 FROM channels WHERE channel = ?1 AND forgotten_to IS NOT NULL
                     AND NOT EXISTS (SELECT 1 FROM turn_messages WHERE channel = ?1 AND message = ?2)
                     AND (forgotten_to >= CAST(?2 AS INTEGER)
                          OR NOT EXISTS (SELECT 1 FROM turns WHERE channel = ?1))",
                )?
                .exists([channel.as_str(), message.as_str()])?;
            let heard_before = tx
                .prepare_cached(
                    "SELECT audience_kind, audience_key FROM turns WHERE channel = ?1 ORDER BY ordinal DESC LIMIT 1",
                )?
                .query_row([channel.as_str()], |row| rows::audience_at(row, 0))
                .optional()?;
            Ok(Afterwards { is_forgotten, heard_before })
        }).await
    }
}
