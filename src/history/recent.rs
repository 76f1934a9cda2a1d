//! The newest part of a conversation: what every prompt starts from.

use jiff::Timestamp;
use rusqlite::{ToSql, params};

use crate::domain::{ChannelId, StoredTurn, TokenEncoding};

use super::rows::{self, ReadTurn, TURN_COLUMNS, TURN_JOINS};
use super::{History, HistoryError, RecentQuery};

impl History {
    /// The newest turns of a channel that may be seen, oldest first, without those that were taken back. What each answers is
    /// resolved in the same query; time grows with the number of turns asked for, not with the channel's age.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn recent(
        &self,
        channel: &ChannelId,
        query: RecentQuery,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let channel = channel.clone();
        let mut read = self
            .database
            .read(move |tx| {
                let encoding = query.encoding.as_str();
                let channel = channel.as_str();
                let limit = query.max_turns;
                let until = query.until.map_or(i64::MAX, Timestamp::as_millisecond);
                let visible = rows::audiences(&query.visible);
                match query.mode {
                    None => collect(tx, &recent_sql(), &[&encoding, &channel, &limit, &until, &visible]),
                    Some(mode) => {
                        let mode = mode.as_str();
                        let bound: [&dyn ToSql; 6] = [&encoding, &channel, &limit, &until, &visible, &mode];
                        collect(tx, &recent_in_mode_sql(), &bound)
                    }
                }
            })
            .await?;
        read.reverse();
        self.with_tokens(read, query.encoding).await
    }

    /// Counts what has never been counted under `encoding`, and keeps the counts.
    pub(super) async fn with_tokens(
        &self,
        mut read: Vec<ReadTurn>,
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        if read.iter().any(|read| !read.counted) {
            let counter = std::sync::Arc::clone(&self.options.counter);
            read = self
                .database
                .write(move |tx| {
                    // The words are compared because an edit may have come in between.
                    let mut keep = tx.prepare_cached(
                        "INSERT OR IGNORE INTO turn_tokens (turn_id, encoding, tokens)
                         SELECT id, ?2, ?3 FROM turns WHERE id = ?1 AND content = ?4",
                    )?;
                    for ReadTurn { turn, counted } in read.iter_mut().filter(|read| !read.counted) {
                        turn.tokens = counter(encoding, &turn.content);
                        keep.execute(params![turn.id.0, encoding.as_str(), turn.tokens, turn.content])?;
                        *counted = true;
                    }
                    drop(keep);
                    Ok(read)
                })
                .await?;
        }
        Ok(read.into_iter().map(|read| read.turn).collect())
    }
}

pub(super) fn collect(
    tx: &rusqlite::Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
) -> rusqlite::Result<Vec<ReadTurn>> {
    tx.prepare_cached(sql)?.query_map(parameters, rows::stored_turn)?.collect()
}

pub(super) fn recent_sql() -> String {
    format!(
        "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.deleted_at_ms IS NULL AND t.at_ms <= ?4
           AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?5))
         ORDER BY t.ordinal DESC LIMIT ?3"
    )
}

pub(super) fn recent_in_mode_sql() -> String {
    format!(
        "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.mode = ?6 AND t.deleted_at_ms IS NULL AND t.at_ms <= ?4
           AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?5))
         ORDER BY t.ordinal DESC LIMIT ?3"
    )
}
