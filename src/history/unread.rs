//! What a background job has not read yet of a channel.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{ChannelId, StoredId, StoredTurn};

use super::rows;
use super::{History, HistoryError};

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

impl History {
    /// The turns of a channel that still stand and came after the row `after` (`None`: all), at most the oldest `most`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn unread(
        &self,
        channel: &ChannelId,
        after: Option<StoredId>,
        most: u32,
    ) -> Result<Unread, HistoryError> {
        let channel = channel.clone();
        Ok(self.database.read(move |tx| unread(tx, &channel, after, most)).await?)
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
