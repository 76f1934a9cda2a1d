//! Stretches that a background job could make nothing of and went past: kept until they are read again or given up.
//!
//! The job's mark moves past them all the same, so that they keep nothing newer from being read (specs familiar-connect
//! 2.8). Owns that neither gets lost. Start at [`PassedOver`].

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::domain::{ChannelId, StoredId};

use super::rows::parsed;
use super::{History, HistoryError};

/// Stretches read at once; a channel that never had a working model has more, and they come later.
const MOST: u32 = 500;

/// Why a job's model gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hindrance {
    /// It could not be reached or broke off, several times.
    Failed,
    /// It, or its provider, said no.
    Refused,
    /// It answered nothing.
    Empty,
    /// Its answer could not be read, nor the one to the repeated question.
    Unreadable,
    /// What it answered could not be written.
    Unwritten,
}

impl Hindrance {
    const ALL: [Self; 5] = [Self::Failed, Self::Refused, Self::Empty, Self::Unreadable, Self::Unwritten];

    /// Its name in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Empty => "empty",
            Self::Unreadable => "unreadable",
            Self::Unwritten => "unwritten",
        }
    }

    fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|one| one.as_str() == name).unwrap_or(Self::Failed)
    }
}

/// A stretch of a channel that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// The job.
    pub worker: String,
    /// Where.
    pub channel: ChannelId,
    /// Its first turn.
    pub first: StoredId,
    /// Its last turn.
    pub last: StoredId,
    /// Why, the last time.
    pub why: Hindrance,
    /// How often it was read again in vain.
    pub tries: u32,
    /// When it is read again; `None` where that was given up.
    pub not_before: Option<Timestamp>,
    /// Since when it waits.
    pub since: Timestamp,
    /// The proposal that keeps the model's answer for people, by its name.
    pub answer: Option<String>,
}

/// A stretch in an export: job, channel, first and last turn, why, tries, when next, since when, answer.
pub type KeptPassedOver = (String, String, i64, i64, String, u32, Option<i64>, i64, Option<String>);

impl History {
    /// Moves a job's mark past a stretch and keeps the stretch, both or neither.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn pass_over(&self, stretch: PassedOver, at: Timestamp) -> Result<(), HistoryError> {
        let passed = self.database.write(move |tx| {
            put(tx, &stretch)?;
            let (worker, scope) = (&stretch.worker, stretch.channel.as_str());
            super::watermark::advance(tx, worker, scope, stretch.last, at)
        });
        Ok(passed.await?)
    }

    /// Keeps a stretch as it is now. One with the same end is replaced.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn keep_passed_over(&self, stretch: PassedOver) -> Result<(), HistoryError> {
        Ok(self.database.write(move |tx| put(tx, &stretch)).await?)
    }

    /// The stretches that `worker` passed over in a channel, oldest first, at most 500 that are still to be read again and
    /// then those given up.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn passed_over(
        &self,
        worker: &str,
        channel: &ChannelId,
    ) -> Result<Vec<PassedOver>, HistoryError> {
        let (worker, channel) = (worker.to_owned(), channel.clone());
        let found = self.database.read(move |tx| {
            tx.prepare_cached(&format!(
                "{SELECT} WHERE worker = ?1 AND channel = ?2
                 ORDER BY not_before_ms IS NULL, last_turn LIMIT {MOST}"
            ))?
            .query_map(params![worker, channel.as_str()], stretch)?
            .collect()
        });
        Ok(found.await?)
    }

    /// A stretch is done with.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn no_longer_passed_over(&self, stretch: &PassedOver) -> Result<(), HistoryError> {
        let (worker, channel, last) = (stretch.worker.clone(), stretch.channel.clone(), stretch.last);
        let removed = self.database.write(move |tx| {
            tx.prepare_cached(
                "DELETE FROM passed_over WHERE worker = ?1 AND channel = ?2 AND last_turn = ?3",
            )?
            .execute(params![worker, channel.as_str(), last.0])
            .map(drop)
        });
        Ok(removed.await?)
    }

    /// All stretches are read again as soon as their channels are looked at, those given up too; how many.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn read_again(&self) -> Result<usize, HistoryError> {
        let asked = self
            .database
            .write(|tx| tx.execute("UPDATE passed_over SET tries = 0, not_before_ms = since_ms", []));
        Ok(asked.await?)
    }
}

/// Every stretch that was passed over, in the file of a history that may be open elsewhere: read only, so nothing is
/// migrated. Blocks.
///
/// # Errors
/// When the file cannot be read, or is from before there were any.
pub fn passed_over_in(path: &Path) -> rusqlite::Result<Vec<PassedOver>> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(std::time::Duration::from_secs(1))?;
    let mut all =
        connection.prepare(&format!("{SELECT} ORDER BY not_before_ms IS NULL DESC, channel, last_turn"))?;
    all.query_map([], stretch)?.collect()
}

const SELECT: &str =
    "SELECT worker, channel, first_turn, last_turn, why, tries, not_before_ms, since_ms, answer
    FROM passed_over";

fn stretch(row: &Row<'_>) -> rusqlite::Result<PassedOver> {
    let moment = |ms: i64| Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(PassedOver {
        worker: row.get(0)?,
        channel: parsed(row, 1)?,
        first: StoredId(row.get(2)?),
        last: StoredId(row.get(3)?),
        why: Hindrance::from_name(&row.get::<_, String>(4)?),
        tries: row.get(5)?,
        not_before: row.get::<_, Option<i64>>(6)?.map(moment),
        since: moment(row.get(7)?),
        answer: row.get(8)?,
    })
}

fn put(tx: &Transaction<'_>, one: &PassedOver) -> rusqlite::Result<()> {
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
        .query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
                row.get(6)?,
                row.get(7)?,
                row.get(8)?,
            ))
        })?
        .collect()
}
