//! What people said of days that were still to come: candidates for what is due now (specs mechanisms A24).
//!
//! Finds messages by the words days are called by. Must not know how a day is read from them.

use rusqlite::params;

use crate::domain::{AccountId, ChannelId, StoredId, StoredTurn, TokenEncoding, Visible};

use super::rows::{self, TURN_COLUMNS, TURN_JOINS};
use super::search::{audiences, query_words};
use super::{History, HistoryError};
use crate::sqlite::words;

/// Only so many of the newest messages are looked through: what lies beyond is hardly about this week.
const NEWEST: i64 = 20_000;

/// Messages given at most, the newest first.
const MOST: u32 = 200;

/// Which messages are wanted.
#[derive(Debug, Clone)]
pub struct SaidAhead {
    /// All that was said in this channel,
    pub channel: ChannelId,
    /// and what this person said elsewhere.
    pub account: Option<AccountId>,
    /// Messages before this row.
    pub before: Option<StoredId>,
    /// Any of these words stands in them.
    pub words: String,
}

impl History {
    /// People's messages that hold one of the words, the newest first, as far as `visible` allows to see them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn said_ahead(
        &self,
        wanted: SaidAhead,
        visible: &Visible,
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let words = words::expression(&query_words(&wanted.words).concat(), &audiences(visible));
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let visible = rows::audiences(visible);
        let read = self
            .database
            .read(move |tx| {
                tx.prepare_cached(&said_ahead_sql())?
                    .query_map(
                        params![
                            encoding.as_str(),
                            words,
                            visible,
                            NEWEST,
                            wanted.before.map_or(i64::MAX, |id| id.0),
                            wanted.channel.as_str(),
                            wanted.account.map(|account| account.to_string()),
                            MOST
                        ],
                        rows::stored_turn,
                    )?
                    .collect::<rusqlite::Result<Vec<_>>>()
            })
            .await?;
        self.with_tokens(read, encoding).await
    }
}

/// `?1` encoding, `?2` words, `?3` audiences as JSON, `?4` how many rows back, `?5` the row before which, `?6` channel,
/// `?7` account, `?8` how many.
fn said_ahead_sql() -> String {
    format!(
        "SELECT {TURN_COLUMNS} FROM turn_words f JOIN turns t ON t.id = f.rowid {TURN_JOINS}
         WHERE turn_words MATCH ?2 AND f.rowid > (SELECT coalesce(max(id), 0) FROM turns) - ?4 AND f.rowid < ?5
           AND t.role = 'user' AND t.deleted_at_ms IS NULL AND (t.channel = ?6 OR t.author_account = ?7)
           AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))
         ORDER BY f.rowid DESC LIMIT ?8"
    )
}
