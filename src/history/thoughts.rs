//! What was thought before the last few replies of a channel: kept for the next turns, shown to nobody.

use jiff::Timestamp;
use rusqlite::{Transaction, params};

use crate::domain::{ChannelId, Place, TurnId};
use crate::sqlite::{from_sql, to_sql};

use super::rows::audience_columns;
use super::{History, HistoryError};

/// Thoughts before one reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thoughts {
    /// Before which reply.
    pub turn: TurnId,
    /// Whom that reply answered, by the name in prompts.
    pub answered: Option<String>,
    /// The words.
    pub content: String,
}

impl History {
    /// Keeps the thoughts of a reply that was said, and of earlier ones in that channel only so many that `keep`
    /// remain.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn keep_thoughts(
        &self,
        place: &Place,
        thoughts: Thoughts,
        at: Timestamp,
        keep: u32,
    ) -> Result<(), HistoryError> {
        let (channel, (kind, key)) = (place.channel.clone(), audience_columns(&place.audience));
        let kept = self.database.write(move |tx| {
            tx.prepare_cached(
                "INSERT INTO thoughts (channel, turn, audience_kind, audience_key, answered, at_ms, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (channel, turn) DO UPDATE SET content = excluded.content, at_ms = excluded.at_ms",
            )?
            .execute(params![
                channel.as_str(),
                to_sql(thoughts.turn.0),
                kind,
                key,
                thoughts.answered,
                at.as_millisecond(),
                thoughts.content
            ])?;
            tx.prepare_cached(
                "DELETE FROM thoughts WHERE channel = ?1 AND turn NOT IN
                    (SELECT turn FROM thoughts WHERE channel = ?1 ORDER BY at_ms DESC, turn DESC LIMIT ?2)",
            )?
            .execute(params![channel.as_str(), keep])
            .map(drop)
        });
        Ok(kept.await?)
    }

    /// The newest thoughts of a channel, at most `most`, oldest first; only those from when the same people could see
    /// it as now.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn thoughts(&self, place: &Place, most: u32) -> Result<Vec<Thoughts>, HistoryError> {
        let (channel, (kind, key)) = (place.channel.clone(), audience_columns(&place.audience));
        let mut read: Vec<Thoughts> = self
            .database
            .read(move |tx| {
                tx.prepare_cached(
                    "SELECT turn, answered, content FROM thoughts
                     WHERE channel = ?1 AND audience_kind = ?2 AND audience_key = ?3 ORDER BY at_ms DESC, turn DESC LIMIT ?4",
                )?
                .query_map(params![channel.as_str(), kind, key, most], |row| {
                    Ok(Thoughts {
                        turn: TurnId(from_sql(row.get(0)?)),
                        answered: row.get(1)?,
                        content: row.get(2)?,
                    })
                })?
                .collect()
            })
            .await?;
        read.reverse();
        Ok(read)
    }
}

/// Thoughts are made of what people said: when something of it is taken back or said otherwise, all of
/// them go.
pub(super) fn forget_thoughts(tx: &Transaction<'_>, channel: &ChannelId) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM thoughts WHERE channel = ?1")?.execute([channel.as_str()]).map(drop)
}
