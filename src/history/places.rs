//! Places as far as the history knows them, where something waits to be done.

use rusqlite::{OptionalExtension as _, Row};

use crate::domain::{Audience, ChannelId, MessageId, Paired, Place, Platform};
use crate::sqlite::from_sql;

use super::rows;
use super::{History, HistoryError};

/// See [`History::afterwards`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Afterwards {
    /// It, or something said after it there, was forgotten, and it is not stored: it must not be again. Nor what was said
    /// since, where everything was forgotten: nobody knows any more who could hear it.
    pub is_forgotten: bool,
    /// Before whom the newest message there that is stored was said.
    pub heard_before: Option<Audience>,
}

impl History {
    /// Places with summaries that wait to be made anew, as far as the history knows them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn places_to_mend(&self) -> Result<Vec<Place>, HistoryError> {
        self.places(
            "c.channel IN (SELECT DISTINCT channel FROM crystals WHERE stale = 1)",
            String::new(),
            u32::MAX,
        )
        .await
    }

    /// Places that `worker` has not read to the end, or passed over a part of, those with the newest messages first; at most
    /// so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn places_behind(&self, worker: &str, most: u32) -> Result<Vec<Place>, HistoryError> {
        let behind = "(t.id > coalesce((SELECT last_turn_id FROM watermarks WHERE worker = ?1 AND scope = c.channel), 0)
            OR EXISTS (SELECT 1 FROM passed_over p
                WHERE p.worker = ?1 AND p.channel = c.channel AND p.not_before_ms IS NOT NULL))";
        self.places(behind, worker.to_owned(), most).await
    }

    /// The channels of conversations alone with somebody on Discord, the newest first; at most so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn direct_messages(&self, most: usize) -> Result<Vec<ChannelId>, HistoryError> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let alone = "c.kind = 'dm' AND c.platform = ?1";
        let places = self.places(alone, Platform::Discord.as_str().to_owned(), most).await?;
        Ok(places.into_iter().map(|place| place.channel).collect())
    }

    /// The newest message of a channel that has an id on its platform, stored or forgotten.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn newest_message(&self, channel: &ChannelId) -> Result<Option<MessageId>, HistoryError> {
        let channel = channel.clone();
        let newest = self.database.read(move |tx| {
            let stored: Option<MessageId> = tx
                .prepare_cached(
                    "SELECT m.message FROM turns t JOIN turn_messages m ON m.turn_id = t.id
                     WHERE t.channel = ?1 ORDER BY t.ordinal DESC, m.part DESC LIMIT 1",
                )?
                .query_row([channel.as_str()], |row| rows::parsed(row, 0))
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
        });
        Ok(newest.await?)
    }

    /// What is to be known of a message that is read from its platform afterwards, before it is stored.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn afterwards(
        &self,
        channel: &ChannelId,
        message: &MessageId,
    ) -> Result<Afterwards, HistoryError> {
        let (channel, message) = (channel.clone(), message.clone());
        let found = self.database.read(move |tx| {
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
        });
        Ok(found.await?)
    }

    async fn places(
        &self,
        condition: &'static str,
        worker: String,
        most: u32,
    ) -> Result<Vec<Place>, HistoryError> {
        let places = self.database.read(move |tx| {
            let mut statement = tx.prepare_cached(&format!(
                "SELECT c.channel, c.platform, c.kind, c.guild, c.name, c.guild_name, t.audience_kind, t.audience_key
                 FROM channels c JOIN turns t ON t.id = (
                    SELECT n.id FROM turns n WHERE n.channel = c.channel AND n.deleted_at_ms IS NULL
                    ORDER BY n.ordinal DESC LIMIT 1)
                 WHERE {condition} ORDER BY t.id DESC LIMIT ?2"
            ))?;
            let mut rows = statement.query((worker, most))?;
            let mut places = Vec::new();
            while let Some(row) = rows.next()? {
                places.extend(place(row)?);
            }
            Ok(places)
        });
        Ok(places.await?)
    }
}

fn place(row: &Row<'_>) -> rusqlite::Result<Option<Place>> {
    let (platform, kind): (String, String) = (row.get(1)?, row.get(2)?);
    let Some((platform, kind)) = rows::platform(&platform).zip(rows::kind(&kind)) else { return Ok(None) };
    Ok(Some(Place {
        platform,
        channel: rows::parsed(row, 0)?,
        parent: None,
        guild: rows::optional(row, 3)?,
        kind,
        channel_name: row.get(4)?,
        guild_name: row.get(5)?,
        audience: rows::audience_at(row, 6)?,
        sees: Vec::new(),
        paired: Paired::default(),
    }))
}
