//! Who came to a guild, and who left: told once, kept for good, until they are forgotten.
//!
//! Everybody in a guild can see who comes; nobody elsewhere is told. Start at [`Coming`].

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::domain::{AccountId, Coming, GuildId, Movement};

use super::rows;
use super::{History, HistoryError};

/// The same, told again within so long, is the same: a platform tells some things in two ways.
const SAME_WITHIN_MS: i64 = 3_600_000;

/// Those who came lately are told of up to this many.
const TOLD_MAX: u32 = 64;

/// Somebody who came, and since when they had been away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CameBack {
    /// Who came, and when.
    pub coming: Coming,
    /// When they had left before, where they had.
    pub away_since: Option<Timestamp>,
}

/// A coming in an export: guild, account, name, whether they came, when.
pub type KeptComing = (String, String, String, bool, i64);

impl History {
    /// Keeps that somebody came or left; whether that was news. With it, since when they had been away.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn came(&self, coming: Coming) -> Result<Option<CameBack>, HistoryError> {
        let came = self.database.write(move |tx| {
            let (guild, account) = (coming.guild.to_string(), coming.account.to_string());
            let (is_joining, at) = (coming.movement == Movement::Came, coming.at.as_millisecond());
            let last: Option<(bool, i64)> = tx
                .prepare_cached(
                    "SELECT is_joining, at_ms FROM comings WHERE guild = ?1 AND account = ?2 ORDER BY id DESC LIMIT 1",
                )?
                .query_row([&guild, &account], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            if last.is_some_and(|(was, then)| was == is_joining && (at - then).abs() <= SAME_WITHIN_MS) {
                return Ok(None);
            }
            tx.prepare_cached(
                "INSERT INTO comings (guild, account, name, is_joining, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![guild, account, coming.name, is_joining, at])?;
            let away_since = last.filter(|(was, _)| is_joining && !was).map(|(_, then)| then);
            let away_since = away_since.and_then(|then| Timestamp::from_millisecond(then).ok());
            Ok(Some(CameBack { coming, away_since }))
        });
        Ok(came.await?)
    }

    /// Who came since a moment and has not left, anywhere, the newest last; at most 64.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn came_since(&self, since: Timestamp) -> Result<Vec<CameBack>, HistoryError> {
        let found = self.database.read(move |tx| {
            let mut rows = tx
                .prepare_cached(
                    "SELECT c.guild, c.account, c.name, c.at_ms,
                        (SELECT iif(p.is_joining, NULL, p.at_ms) FROM comings p
                          WHERE p.guild = c.guild AND p.account = c.account AND p.id < c.id
                          ORDER BY p.id DESC LIMIT 1)
                     FROM comings c
                     WHERE c.is_joining = 1 AND c.at_ms >= ?1 AND NOT EXISTS (
                        SELECT 1 FROM comings n WHERE n.guild = c.guild AND n.account = c.account AND n.id > c.id)
                     ORDER BY c.at_ms DESC LIMIT ?2",
                )?
                .query_map(params![since.as_millisecond(), TOLD_MAX], |row| {
                    let away: Option<i64> = row.get(4)?;
                    Ok(CameBack {
                        coming: Coming {
                            guild: rows::parsed::<GuildId>(row, 0)?,
                            account: rows::parsed::<AccountId>(row, 1)?,
                            name: row.get(2)?,
                            movement: Movement::Came,
                            at: rows::moment(row, 3)?,
                        },
                        away_since: away.and_then(|then| Timestamp::from_millisecond(then).ok()),
                    })
                })?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            rows.reverse();
            Ok(rows)
        });
        Ok(found.await?)
    }
}

pub(super) fn all_kept(tx: &Transaction<'_>, of: Option<&str>) -> rusqlite::Result<Vec<KeptComing>> {
    tx.prepare_cached(
        "SELECT guild, account, name, is_joining, at_ms FROM comings WHERE ?1 IS NULL OR account = ?1 ORDER BY id",
    )?
    .query_map([of], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?
    .collect()
}

/// Puts one back where it is not there.
pub(super) fn put_kept(tx: &Transaction<'_>, one: &KeptComing) -> rusqlite::Result<()> {
    let (guild, account, name, is_joining, at) = one;
    tx.prepare_cached(
        "INSERT INTO comings (guild, account, name, is_joining, at_ms) SELECT ?1, ?2, ?3, ?4, ?5
         WHERE NOT EXISTS (SELECT 1 FROM comings
            WHERE guild = ?1 AND account = ?2 AND is_joining = ?4 AND at_ms = ?5)",
    )?
    .execute(params![guild, account, name, is_joining, at])
    .map(drop)
}
