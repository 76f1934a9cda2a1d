//! What the session asks of a channel besides its newest turns.

use rusqlite::params;

use super::rows::{self, TURN_COLUMNS, TURN_JOINS, is_seen};
use super::search::{all_query_words, audience_marks};
use super::{HistoryError, Seen, Whole};
use crate::domain::{
    AccountId, Audience, Author, ChannelId, Role, StoredId, StoredTurn, TokenEncoding, Visible,
};
use crate::sqlite::words;

/// Where counting stops: every threshold is far below.
const COUNT_MAX: u32 = 1_000;

/// How many turns are looked through for people who spoke; a person further back is not "recent".
const AUTHORS_LOOKED_THROUGH: u32 = 400;

/// The ordinal of the familiar's last turn in channel `?2`. A reply that was taken back still answered.
const LAST_REPLY: &str = "coalesce((SELECT max(a.ordinal) FROM turns a
    WHERE a.channel = ?2 AND a.role = 'assistant'), 0)";

impl Seen<'_> {
    /// How many messages people wrote since the familiar last spoke; counted up to 1,000.
    pub async fn count_since_last_reply(self, channel: &ChannelId) -> Result<u32, HistoryError> {
        let bound = (COUNT_MAX, channel.to_string(), rows::audience_pairs(self.visible));
        self.history.one(count_sql(), bound, |row| row.get(0)).await
    }

    /// The familiar's last turn that still stands.
    pub async fn last_assistant(
        self,
        channel: &ChannelId,
        encoding: TokenEncoding,
    ) -> Result<Option<StoredTurn>, HistoryError> {
        let bound = (encoding.as_str(), channel.to_string(), rows::audience_pairs(self.visible));
        let read = self.history.all(last_assistant_sql(), bound, rows::stored_turn).await?;
        Ok(self.with_tokens(read, encoding).await?.pop())
    }

    /// Whether the familiar spoke first in a channel, be it that it took that back since.
    pub async fn began(self, channel: &ChannelId) -> Result<bool, HistoryError> {
        let sql = format!(
            "SELECT t.role = 'assistant' FROM turns t WHERE t.channel = ?1 AND {} ORDER BY t.ordinal LIMIT 1",
            is_seen("?2")
        );
        let bound = [channel.to_string(), rows::audience_pairs(self.visible)];
        Ok(self.history.all(sql, bound, |row| row.get(0)).await?.pop().unwrap_or_default())
    }

    /// The last `most` people who spoke, newest first, each once and with the names they had then. Looks through the
    /// newest 400 such turns, or those up to the row `up_to`.
    pub async fn recent_authors(
        self,
        channel: &ChannelId,
        most: usize,
        up_to: Option<StoredId>,
    ) -> Result<Vec<Author>, HistoryError> {
        let (channel, visible) = (channel.clone(), rows::audience_pairs(self.visible));
        let up_to = up_to.map_or(i64::MAX, |id| id.0);
        self.history
            .read(move |tx| {
                let mut statement = tx.prepare_cached(
                    "SELECT author_account, author_username, author_display, author_is_bot FROM turns
                 WHERE channel = ?1 AND role = ?2 AND deleted_at_ms IS NULL AND id <= ?4
                   AND (audience_kind, audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?5))
                 ORDER BY ordinal DESC LIMIT ?3",
                )?;
                let mut rows = statement.query(params![
                    channel.as_str(),
                    Role::User.as_str(),
                    AUTHORS_LOOKED_THROUGH,
                    up_to,
                    visible
                ])?;
                let mut authors: Vec<Author> = Vec::new();
                while let Some(row) = rows.next()? {
                    if authors.len() >= most {
                        break;
                    }
                    let Some(author) = rows::author_columns(row, 0)? else { continue };
                    if authors.iter().all(|known| known.account != author.account) {
                        authors.push(Author { is_bot: row.get(3)?, ..author });
                    }
                }
                Ok(authors)
            })
            .await
    }

    /// The turns with these ids that still stand, oldest first.
    pub async fn turns(
        self,
        ids: &[StoredId],
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let sql = format!(
            "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
             WHERE t.id IN (SELECT value FROM json_each(?2)) AND t.deleted_at_ms IS NULL AND {} ORDER BY t.id",
            is_seen("?3")
        );
        let bound = (encoding.as_str(), rows::row_numbers(ids), rows::audience_pairs(self.visible));
        self.with_tokens(self.history.all(sql, bound, rows::stored_turn).await?, encoding).await
    }
}

impl Whole<'_> {
    /// Whatever anybody may see: for the operator's own look at everything.
    pub async fn visible(self) -> Result<Visible, HistoryError> {
        let audiences = "SELECT DISTINCT audience_kind, audience_key FROM turns";
        let audiences = self.0.all(audiences, (), |row| rows::audience_at(row, 0)).await?;
        Ok(Visible::only(audiences.into_iter().chain([Audience::Canon])))
    }
}

pub(super) fn count_sql() -> String {
    format!(
        "SELECT count(*) FROM (SELECT 1 FROM turns t
         WHERE t.channel = ?2 AND t.deleted_at_ms IS NULL AND t.role = 'user' AND t.ordinal > {LAST_REPLY}
           AND {} LIMIT ?1)",
        is_seen("?3")
    )
}

pub(super) fn last_assistant_sql() -> String {
    format!(
        "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.role = 'assistant' AND t.deleted_at_ms IS NULL AND {}
         ORDER BY t.ordinal DESC LIMIT 1",
        is_seen("?3")
    )
}

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

impl Seen<'_> {
    /// People's messages that hold one of the words, the newest first.
    pub async fn said_ahead(
        self,
        wanted: SaidAhead,
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let words =
            words::expression(&all_query_words(&wanted.words).concat(), &audience_marks(self.visible));
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let bound = (
            encoding.as_str(),
            words,
            rows::audience_pairs(self.visible),
            NEWEST,
            wanted.before.map_or(i64::MAX, |id| id.0),
            wanted.channel.to_string(),
            wanted.account.map(|account| account.to_string()),
            MOST,
        );
        self.with_tokens(self.history.all(said_ahead_sql(), bound, rows::stored_turn).await?, encoding).await
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
