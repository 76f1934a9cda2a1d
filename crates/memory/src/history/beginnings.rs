//! Where a channel's conversation begins. What was said before stays remembered and can be found; a prompt no longer begins
//! with it.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::domain::ChannelId;
use crate::sqlite::{from_sql, to_sql};

use super::state::forget_thoughts;
use super::{History, HistoryError};

/// The beginning of a conversation, by the last ordinal that is no part of it; 0 for the first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning(pub u64);

impl History {
    /// From now on a channel's conversation begins with what is said next. Gives where it began, and where it does now;
    /// `None` where nothing was said since.
    pub async fn begin_conversation(
        &self,
        channel: &ChannelId,
        at: Timestamp,
    ) -> Result<Option<(Beginning, Beginning)>, HistoryError> {
        let channel = channel.clone();
        self.write(move |tx| {
            let known: Option<(i64, i64)> = tx
                .query_row(
                    "SELECT begins_behind, last_ordinal FROM channels WHERE channel = ?1",
                    [channel.as_str()],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((before, now)) = known.filter(|(before, now)| before < now) else { return Ok(None) };
            begin_behind(tx, &channel, now, at)?;
            Ok(Some((Beginning(from_sql(before)), Beginning(from_sql(now)))))
        })
        .await
    }

    /// Where a channel's conversation begins now.
    pub async fn beginning(&self, channel: &ChannelId) -> Result<Beginning, HistoryError> {
        let channel = channel.clone();
        self.read(move |tx| begins_behind(tx, &channel, None).map(Beginning)).await
    }

    /// It begins again where it began, if nobody has had it begin elsewhere meanwhile; whether it does.
    pub async fn begin_again(
        &self,
        channel: &ChannelId,
        from: Beginning,
        to: Beginning,
        at: Timestamp,
    ) -> Result<bool, HistoryError> {
        let channel = channel.clone();
        self.write(move |tx| {
            let is_so: bool = tx.query_row(
                "SELECT EXISTS (SELECT 1 FROM channels WHERE channel = ?1 AND begins_behind = ?2)",
                params![channel.as_str(), to_sql(from.0)],
                |row| row.get(0),
            )?;
            if is_so {
                begin_behind(tx, &channel, to_sql(to.0), at)?;
            }
            Ok(is_so)
        })
        .await
    }
}

fn begin_behind(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    behind: i64,
    at: Timestamp,
) -> rusqlite::Result<()> {
    forget_thoughts(tx, channel)?;
    tx.execute(
        "UPDATE channels SET begins_behind = ?2, begins_at_ms = ?3 WHERE channel = ?1",
        params![channel.as_str(), behind, at.as_millisecond()],
    )
    .map(drop)
}

/// The last ordinal that is no part of a channel's conversation, or was not at a moment of the past.
pub(super) fn begins_behind(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    until: Option<Timestamp>,
) -> rusqlite::Result<u64> {
    let found = tx
        .prepare_cached("SELECT begins_behind FROM channels WHERE channel = ?1 AND begins_at_ms <= ?2")?
        .query_row(params![channel.as_str(), until.map_or(i64::MAX, Timestamp::as_millisecond)], |row| {
            row.get(0)
        })
        .optional()?;
    Ok(found.map_or(0, from_sql))
}
