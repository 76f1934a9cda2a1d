//! Edits and deletions: the turn follows, the event log remembers.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{ChannelId, MessageId, StoredId, StoredTurn};

use super::append::{count_tokens, read};
use super::thoughts::forget_thoughts;
use super::{History, HistoryError};

impl History {
    /// A message now reads differently. The old words go to the event log, the token counts and the search index
    /// follow, and what was thought in the channel goes. `None` when no such message is stored, it was taken back, or it is one part of a longer turn (only
    /// the familiar's own replies have parts, and nobody else can edit those). Saying the same again changes
    /// nothing.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn edit(
        &self,
        channel: &ChannelId,
        message: &MessageId,
        content: String,
        at: Timestamp,
    ) -> Result<Option<StoredTurn>, HistoryError> {
        let (channel, message, options) = (channel.clone(), message.clone(), self.options.clone());
        let edited = self.change(move |tx| {
            let Some(found) = find(tx, &channel, &message)? else { return Ok(None) };
            if found.parts_left != 1 {
                return Ok(None);
            }
            if found.content != content {
                log(tx, "edited", at, &channel, &message, &found)?;
                forget_thoughts(tx, &channel)?;
                tx.prepare_cached("UPDATE turns SET content = ?2, edited_at_ms = ?3 WHERE id = ?1")?
                    .execute(params![found.id.0, content, at.as_millisecond()])?;
                tx.prepare_cached("DELETE FROM turn_tokens WHERE turn_id = ?1")?.execute([found.id.0])?;
                count_tokens(tx, &options, found.id, &content)?;
            }
            read(tx, &options, found.id).map(Some)
        });
        Ok(edited.await?)
    }

    /// Messages were taken back. A turn is gone when all its messages are; its words then stand only in the event
    /// log, until they are forgotten. What was thought in the channel goes with them. Returns the turns that went now. Unknown messages are passed over.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn delete(
        &self,
        channel: &ChannelId,
        messages: &[MessageId],
        at: Timestamp,
    ) -> Result<Vec<StoredId>, HistoryError> {
        let (channel, messages) = (channel.clone(), messages.to_vec());
        let gone = self.change(move |tx| {
            let mut gone = Vec::new();
            forget_thoughts(tx, &channel)?;
            for message in &messages {
                let Some(found) = find(tx, &channel, message)? else { continue };
                log(tx, "deleted", at, &channel, message, &found)?;
                tx.prepare_cached(
                    "UPDATE turn_messages SET deleted_at_ms = ?3 WHERE channel = ?1 AND message = ?2",
                )?
                .execute(params![
                    channel.as_str(),
                    message.as_str(),
                    at.as_millisecond()
                ])?;
                if found.parts_left == 1 {
                    tx.prepare_cached("UPDATE turns SET content = '', deleted_at_ms = ?2 WHERE id = ?1")?
                        .execute(params![found.id.0, at.as_millisecond()])?;
                    tx.prepare_cached("DELETE FROM turn_tokens WHERE turn_id = ?1")?.execute([found.id.0])?;
                    gone.push(found.id);
                }
            }
            Ok(gone)
        });
        Ok(gone.await?)
    }
}

/// A message that still stands, and the turn it belongs to.
struct Found {
    id: StoredId,
    content: String,
    /// How many of the turn's messages still stand.
    parts_left: u32,
}

fn find(tx: &Transaction<'_>, channel: &ChannelId, message: &MessageId) -> rusqlite::Result<Option<Found>> {
    tx.prepare_cached(
        "SELECT t.id, t.content,
            (SELECT count(*) FROM turn_messages p WHERE p.turn_id = t.id AND p.deleted_at_ms IS NULL)
         FROM turn_messages m JOIN turns t ON t.id = m.turn_id
         WHERE m.channel = ?1 AND m.message = ?2 AND m.deleted_at_ms IS NULL",
    )?
    .query_row([channel.as_str(), message.as_str()], |row| {
        Ok(Found { id: StoredId(row.get(0)?), content: row.get(1)?, parts_left: row.get(2)? })
    })
    .optional()
}

fn log(
    tx: &Transaction<'_>,
    kind: &str,
    at: Timestamp,
    channel: &ChannelId,
    message: &MessageId,
    found: &Found,
) -> rusqlite::Result<()> {
    // Of a longer turn only the last deletion carries the words, so that they are not kept once per part.
    let old = (found.parts_left == 1).then_some(&found.content);
    tx.prepare_cached(
        "INSERT INTO events (at_ms, kind, channel, turn_id, message, old_content)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![at.as_millisecond(), kind, channel.as_str(), found.id.0, message.as_str(), old])?;
    Ok(())
}
