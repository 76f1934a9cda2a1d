//! What reactions under messages say to whoever wrote them (specs mechanisms G3).
//!
//! Owns who said what to which message. Must not know emojis, or what follows from it. Start at [`History::regard`].

use jiff::Timestamp;
use rusqlite::{Transaction, params};

use crate::domain::{AccountId, ChannelId, Reaction, Regard, Stands, StoredId};

use super::{History, HistoryError, rows};

/// Reactions kept under one message; more say the same again.
const EACH_MAX: u32 = 64;

/// What somebody says to whoever wrote a message, by a reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regarded {
    /// Who.
    pub by: AccountId,
    /// What it says.
    pub regard: Regard,
    /// Since when.
    pub at: Timestamp,
}

impl History {
    /// Keeps, or takes away, what a reaction says: under a message of somebody else that is stored and still stands.
    /// Whether that changed anything.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn regard(&self, channel: &ChannelId, reaction: Reaction) -> Result<bool, HistoryError> {
        let channel = channel.clone();
        let changed = self.database.write(move |tx| {
            let (by, regard) = (reaction.by.to_string(), reaction.regard.as_str());
            let (channel, message) = (channel.as_str(), reaction.message.as_str());
            let rows = match reaction.stands {
                Stands::Put => tx
                    .prepare_cached(
                        "INSERT OR IGNORE INTO regards (turn_id, account, regard, at_ms)
                         SELECT t.id, ?3, ?4, ?5 FROM turn_messages m JOIN turns t ON t.id = m.turn_id
                         WHERE m.channel = ?1 AND m.message = ?2 AND m.deleted_at_ms IS NULL
                           AND t.deleted_at_ms IS NULL AND t.role = 'user' AND t.author_is_bot = 0
                           AND t.author_account IS NOT NULL AND t.author_account <> ?3
                           AND (SELECT count(*) FROM regards r WHERE r.turn_id = t.id) < ?6",
                    )?
                    .execute(params![channel, message, by, regard, reaction.at.as_millisecond(), EACH_MAX])?,
                Stands::TakenAway => tx
                    .prepare_cached(
                        "DELETE FROM regards WHERE account = ?3 AND regard = ?4 AND turn_id =
                            (SELECT turn_id FROM turn_messages WHERE channel = ?1 AND message = ?2)",
                    )?
                    .execute(params![channel, message, by, regard])?,
            };
            Ok(rows > 0)
        });
        Ok(changed.await?)
    }
}

/// Whether there are any at all: most histories are followed without looking for them.
pub(super) fn any(tx: &Transaction<'_>) -> rusqlite::Result<bool> {
    tx.prepare_cached("SELECT EXISTS (SELECT 1 FROM regards)")?.query_row([], |row| row.get(0))
}

/// What is said to a turn.
pub(super) fn of(tx: &Transaction<'_>, turn: StoredId) -> rusqlite::Result<Vec<Regarded>> {
    tx.prepare_cached("SELECT account, regard, at_ms FROM regards WHERE turn_id = ?1")?
        .query_map([turn.0], |row| {
            Ok(Regarded {
                by: rows::parsed(row, 0)?,
                regard: rows::parsed(row, 1)?,
                at: rows::moment(row, 2)?,
            })
        })?
        .collect()
}
