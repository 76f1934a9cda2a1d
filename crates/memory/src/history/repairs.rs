//! Replies that are repaired after they were given: other words in their place, or nothing.
//!
//! Owns how a stored reply comes to say what its messages say, and the rows of repairs that a killed program left. Must not
//! know who changes the messages. Start reading at [`History::begin_repair`].

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::domain::{ChannelId, MessageId, Place, Role, StoredId, StoredTurn, TokenEncoding};

use super::append::{StandingMessage, add_message, begin_at, count_tokens, empty, log, now_reads, take_back};
use super::rows::{self, TURN_COLUMNS, TURN_JOINS, from_json, is_seen, to_json, unreadable_column};
use super::state::forget_thoughts;
use super::{History, HistoryError, HistoryOptions, Seen};

/// What a reply is to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    pub reply: StoredId,
    pub place: Place,
    /// Its messages that stand, first to last.
    pub messages: Vec<MessageId>,
    /// What they are to read; none where the reply is to go.
    pub pieces: Vec<String>,
    /// The same for every attempt at this repair, at most 20 characters.
    pub once: String,
}

impl Seen<'_> {
    /// What was said in a message, with all messages of it that stand, first to last; `None` where it does not stand any more
    /// or may not be seen.
    pub async fn said_in(
        self,
        channel: &ChannelId,
        message: &MessageId,
        encoding: TokenEncoding,
    ) -> Result<Option<(StoredTurn, Vec<MessageId>)>, HistoryError> {
        let sql = format!(
            "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
             WHERE t.id = (SELECT m.turn_id FROM turn_messages m
                           WHERE m.channel = ?2 AND m.message = ?3 AND m.deleted_at_ms IS NULL)
               AND t.deleted_at_ms IS NULL AND {}",
            is_seen("?4")
        );
        let visible = rows::audience_pairs(self.visible);
        let bound = (encoding.as_str(), channel.to_string(), message.to_string(), visible);
        let found = self.history.read(move |tx| {
            let read = tx.prepare_cached(&sql)?.query_row(bound, rows::stored_turn).optional()?;
            read.map(|read| Ok((standing(tx, read.turn.id)?, read))).transpose()
        });
        let Some((messages, read)) = found.await? else { return Ok(None) };
        Ok(self.with_tokens(vec![read], encoding).await?.pop().map(|turn| (turn, messages)))
    }

    /// The same of the familiar's own words: `None` for what anybody else said.
    pub async fn reply_of(
        self,
        channel: &ChannelId,
        message: &MessageId,
        encoding: TokenEncoding,
    ) -> Result<Option<(StoredTurn, Vec<MessageId>)>, HistoryError> {
        let found = self.said_in(channel, message, encoding).await?;
        Ok(found.filter(|(turn, _)| turn.role == Role::Assistant))
    }
}

impl History {
    /// Repairs that a killed program left. To be called once at every start.
    pub async fn open_repairs(&self) -> Result<Vec<Repair>, HistoryError> {
        self.read(|tx| {
            let mut open =
                tx.prepare_cached("SELECT turn_id, place, pieces, once FROM repairs ORDER BY turn_id")?;
            let rows = open.query_map([], |row| {
                let reply = StoredId(row.get(0)?);
                let (place, pieces) = (from_json(row, 1)?, from_json(row, 2)?);
                Ok(Repair { reply, place, pieces, once: row.get(3)?, messages: standing(tx, reply)? })
            })?;
            rows.collect()
        })
        .await
    }

    /// A reply is about to be changed where people read it. Until that is closed a start finds it among the open ones.
    pub async fn begin_repair(&self, repair: &Repair) -> Result<(), HistoryError> {
        let (place, pieces) = (to_json(&repair.place)?, to_json(&repair.pieces)?);
        let bound = (repair.reply.0, place, pieces, repair.once.clone());
        self.change("INSERT OR REPLACE INTO repairs VALUES (?1, ?2, ?3, ?4)", bound).await.map(drop)
    }

    /// Nothing was changed.
    pub async fn drop_repair(&self, reply: StoredId) -> Result<(), HistoryError> {
        self.change("DELETE FROM repairs WHERE turn_id = ?1", [reply.0]).await.map(drop)
    }

    /// A reply is about to be taken away because another answer is to take its place. Until [`Self::end_replacing`] a start
    /// brings it back.
    pub async fn begin_replacing(&self, reply: StoredId) -> Result<(), HistoryError> {
        self.change("INSERT OR IGNORE INTO replaced VALUES (?1)", [reply.0]).await.map(drop)
    }

    /// The other answer is there, or none came and this one was said again.
    pub async fn end_replacing(&self, reply: StoredId) -> Result<(), HistoryError> {
        self.change("DELETE FROM replaced WHERE turn_id = ?1", [reply.0]).await.map(drop)
    }

    /// Has the replies stand again that a killed program had taken away to replace them; how many. To be called once at
    /// every start, before anything is said.
    pub async fn bring_back_replaced(&self) -> Result<usize, HistoryError> {
        let options = self.options.clone();
        self.write(move |tx| bring_back(tx, &options)).await
    }

    /// A reply reads like this now, in these messages, whose words begin there; without any it is gone. What is derived from
    /// it follows as it does when somebody edits or deletes. `false` where the reply is not there any more.
    pub async fn close_repair(
        &self,
        reply: StoredId,
        content: String,
        messages: Vec<MessageId>,
        begins: Vec<usize>,
        at: Timestamp,
    ) -> Result<bool, HistoryError> {
        let options = self.options.clone();
        self.write(move |tx| {
            let stands = close_repair(tx, &options, reply, content.trim(), &messages, at)?;
            if stands {
                begin_at(tx, reply, &messages, &begins)?;
            }
            Ok(stands)
        })
        .await
    }
}

/// Something is being forgotten: no open repair may keep it.
pub(super) fn let_go_of_repairs(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.execute("DELETE FROM repairs", [])?;
    tx.execute("DELETE FROM replaced", []).map(drop)
}

/// Replies that were taken away stand again, with their words and messages; not where some of the new one stands.
fn bring_back(tx: &Transaction<'_>, options: &HistoryOptions) -> rusqlite::Result<usize> {
    let mut gone = tx.prepare_cached(
        "SELECT t.id, t.deleted_at_ms, (SELECT e.old_content FROM events e
            WHERE e.turn_id = t.id AND e.kind = 'deleted' ORDER BY e.id DESC LIMIT 1)
         FROM replaced r JOIN turns t ON t.id = r.turn_id WHERE t.deleted_at_ms IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM turns n WHERE n.channel = t.channel AND n.role = 'assistant'
                AND n.id > t.id AND n.deleted_at_ms IS NULL)",
    )?;
    let gone: Vec<(i64, i64, Option<String>)> = gone
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut brought_back = 0;
    for (turn, since, words) in gone {
        let Some(words) = words.filter(|words| !words.is_empty()) else { continue };
        tx.prepare_cached("UPDATE turns SET content = ?2, deleted_at_ms = NULL WHERE id = ?1")?
            .execute(params![turn, words])?;
        tx.prepare_cached(
            "UPDATE turn_messages SET deleted_at_ms = NULL WHERE turn_id = ?1 AND deleted_at_ms = ?2",
        )?
        .execute([turn, since])?;
        count_tokens(tx, options, StoredId(turn), &words)?;
        brought_back += 1;
    }
    tx.execute("DELETE FROM replaced", [])?;
    Ok(brought_back)
}

/// The messages of a turn that stand, first to last.
fn standing(tx: &rusqlite::Connection, turn: StoredId) -> rusqlite::Result<Vec<MessageId>> {
    tx.prepare_cached(
        "SELECT message FROM turn_messages WHERE turn_id = ?1 AND deleted_at_ms IS NULL ORDER BY part",
    )?
    .query_map([turn.0], |row| MessageId::new(row.get::<_, String>(0)?).map_err(|_| unreadable_column(0)))?
    .collect()
}

fn close_repair(
    tx: &Transaction<'_>,
    options: &HistoryOptions,
    reply: StoredId,
    content: &str,
    messages: &[MessageId],
    at: Timestamp,
) -> rusqlite::Result<bool> {
    tx.execute("DELETE FROM repairs WHERE turn_id = ?1", [reply.0])?;
    let found = tx
        .prepare_cached("SELECT channel, content FROM turns WHERE id = ?1 AND deleted_at_ms IS NULL")?
        .query_row([reply.0], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    let Some((channel, old)) = found else { return Ok(false) };
    let channel = ChannelId::new(channel).map_err(|_| unreadable_column(0))?;
    let before = standing(tx, reply)?;
    let is_gone = messages.is_empty() || content.is_empty();
    let was = |parts_left| StandingMessage { id: reply, content: old.clone(), parts_left };
    let first = before.first().or(messages.first());
    if let Some(first) = first.filter(|_| is_gone || content != old) {
        log(tx, if is_gone { "deleted" } else { "edited" }, at, &channel, first, &was(1))?;
        forget_thoughts(tx, &channel)?;
    }
    for message in before.iter().filter(|message| is_gone || !messages.contains(message)) {
        if !is_gone {
            log(tx, "deleted", at, &channel, message, &was(2))?;
        }
        take_back(tx, &channel, message, at)?;
    }
    if is_gone {
        empty(tx, reply, at)?;
        return Ok(true);
    }
    tx.prepare_cached("UPDATE turn_messages SET begins_at = NULL WHERE turn_id = ?1")?.execute([reply.0])?;
    for message in messages.iter().filter(|message| !before.contains(message)) {
        add_message(tx, &channel, message, reply)?;
    }
    if content != old {
        tx.prepare_cached("UPDATE turns SET edited_at_ms = ?2 WHERE id = ?1")?
            .execute(params![reply.0, at.as_millisecond()])?;
        now_reads(tx, options, reply, content)?;
    }
    Ok(true)
}
