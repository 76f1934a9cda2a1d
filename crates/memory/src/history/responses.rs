//! What people who let it learn from that did with its replies (M17).
//!
//! Owns the rows, and how many there may be. Must not know who lets it learn, or what the rows come to. Start reading at
//! [`History::respond`].

use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use super::rows::{self, is_seen};
use super::{History, HistoryError, Seen, Whole};
use crate::domain::{AccountId, Audience, ChannelId, Deed, MessageId, Response, StoredId, TurnId};
use crate::sqlite::{from_sql, to_sql};
use jiff::Timestamp;

/// Responses that are kept of one channel; beyond that the oldest goes.
pub const RESPONSES_OF_CHANNEL: u32 = 1_000;

/// The newest replies among which one is looked for by its turn.
const REPLIES: u32 = 50;

/// Tools of a reply that are kept.
const TOOLS_OF_REPLY: usize = 16;

/// By what a reply is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyKnownBy {
    Row(StoredId),
    /// Any of its messages.
    Message(MessageId),
    /// The turn that gave it, among the newest of its channel.
    Turn(TurnId),
}

/// A response with where the reply stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedResponse {
    pub channel: ChannelId,
    pub audience: Audience,
    pub response: Response,
}

impl History {
    /// Somebody did something with a reply that is stored in a channel; whether that is new.
    pub async fn respond(
        &self,
        channel: &ChannelId,
        reply: ReplyKnownBy,
        by: &AccountId,
        deed: Deed,
        at: Timestamp,
    ) -> Result<bool, HistoryError> {
        let (channel, by) = (channel.clone(), by.to_string());
        self.write(move |tx| {
            let Some(reply) = reply_row(tx, &channel, &reply)? else { return Ok(false) };
            let rows = tx
                .prepare_cached(
                    "INSERT OR IGNORE INTO responses (turn_id, account, deed, channel, chars, at_ms)
                         SELECT id, ?2, ?3, channel, length(content), ?4 FROM turns WHERE id = ?1",
                )?
                .execute(params![reply.0, by, deed.as_str(), at.as_millisecond()])?;
            tx.prepare_cached(
                "DELETE FROM responses WHERE channel = ?1 AND at_ms < (
                        SELECT at_ms FROM responses WHERE channel = ?1 ORDER BY at_ms DESC LIMIT 1 OFFSET ?2)",
            )?
            .execute(params![channel.as_str(), RESPONSES_OF_CHANNEL - 1])?;
            Ok(rows > 0)
        })
        .await
    }

    /// The turn of a reply used these tools.
    pub async fn used_tools(
        &self,
        channel: &ChannelId,
        reply: ReplyKnownBy,
        tools: Vec<String>,
    ) -> Result<(), HistoryError> {
        let channel = channel.clone();
        self.write(move |tx| {
            let Some(reply) = reply_row(tx, &channel, &reply)? else { return Ok(()) };
            let mut put =
                tx.prepare_cached("INSERT OR IGNORE INTO reply_tools (turn_id, tool) VALUES (?1, ?2)")?;
            tools
                .iter()
                .take(TOOLS_OF_REPLY)
                .try_for_each(|tool| put.execute(params![reply.0, tool]).map(drop))
        })
        .await
    }

    /// A deed was taken back: by one person, or by everybody.
    pub async fn respond_no_more(
        &self,
        channel: &ChannelId,
        reply: ReplyKnownBy,
        by: Option<&AccountId>,
        deed: Deed,
    ) -> Result<(), HistoryError> {
        let (channel, by) = (channel.clone(), by.map(ToString::to_string));
        self.write(move |tx| {
            let Some(reply) = reply_row(tx, &channel, &reply)? else { return Ok(()) };
            tx.prepare_cached(
                "DELETE FROM responses WHERE turn_id = ?1 AND account = coalesce(?2, account) AND deed = ?3",
            )?
            .execute(params![reply.0, by, deed.as_str()])
            .map(drop)
        })
        .await
    }

    /// Lets go of everything one person did with replies, wherever; of how much.
    pub async fn forget_responses_of(&self, account: &AccountId) -> Result<usize, HistoryError> {
        self.change("DELETE FROM responses WHERE account = ?1", [account.to_string()]).await
    }

    /// Lets go of everything people did with the replies of a channel; of how much.
    pub async fn forget_responses_in(&self, channel: &ChannelId) -> Result<usize, HistoryError> {
        self.change("DELETE FROM responses WHERE channel = ?1", [channel.to_string()]).await
    }
}

impl Seen<'_> {
    /// What was done with the replies of a channel, the newest first.
    pub async fn responses(self, channel: &ChannelId) -> Result<Vec<Response>, HistoryError> {
        let bound = (channel.to_string(), rows::audience_pairs(self.visible), RESPONSES_OF_CHANNEL);
        self.history.all(responses_sql(), bound, response).await
    }
}

impl Whole<'_> {
    /// What was done with replies anywhere, by everybody or by one person; the oldest first.
    pub async fn all_responses(self, by: Option<&AccountId>) -> Result<Vec<PlacedResponse>, HistoryError> {
        let sql = format!(
            "SELECT {RESPONSE}, r.channel, t.audience_kind, t.audience_key
             FROM responses r JOIN turns t ON t.id = r.turn_id WHERE r.account = coalesce(?1, r.account)
             ORDER BY r.at_ms, r.turn_id, r.account, r.deed"
        );
        let placed = |row: &Row<'_>| {
            Ok(PlacedResponse {
                channel: rows::parse_column(row, 7)?,
                audience: rows::audience_at(row, 8)?,
                response: response(row)?,
            })
        };
        self.0.all(sql, [by.map(ToString::to_string)], placed).await
    }
}

/// The columns that [`response`] reads.
const RESPONSE: &str = "r.turn_id, t.turn, r.account, r.deed, r.chars, r.at_ms,
    (SELECT group_concat(u.tool, char(10)) FROM reply_tools u WHERE u.turn_id = r.turn_id)";

/// `?1` channel, `?2` audiences as JSON, `?3` how many.
pub(super) fn responses_sql() -> String {
    format!(
        "SELECT {RESPONSE} FROM responses r JOIN turns t ON t.id = r.turn_id
         WHERE r.channel = ?1 AND {} ORDER BY r.at_ms DESC LIMIT ?3",
        is_seen("?2")
    )
}

fn response(row: &Row<'_>) -> rusqlite::Result<Response> {
    Ok(Response {
        reply: StoredId(row.get(0)?),
        turn: row.get::<_, Option<i64>>(1)?.map(|turn| TurnId(from_sql(turn))),
        by: rows::parse_column(row, 2)?,
        deed: rows::parse_column(row, 3)?,
        chars: row.get(4)?,
        tools: row
            .get::<_, Option<String>>(6)?
            .map(|tools| tools.lines().map(str::to_owned).collect())
            .unwrap_or_default(),
        at: rows::millis_column(row, 5)?,
    })
}

/// The row of a reply, also of one that was taken back.
fn reply_row(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    reply: &ReplyKnownBy,
) -> rusqlite::Result<Option<StoredId>> {
    let channel = channel.as_str();
    let id = |row: &Row<'_>| row.get(0).map(StoredId);
    match reply {
        ReplyKnownBy::Row(row) => tx
            .prepare_cached("SELECT id FROM turns WHERE id = ?2 AND channel = ?1 AND role = 'assistant'")?
            .query_row(params![channel, row.0], id),
        ReplyKnownBy::Message(message) => tx
            .prepare_cached(
                "SELECT t.id FROM turn_messages m JOIN turns t ON t.id = m.turn_id
                 WHERE m.channel = ?1 AND m.message = ?2 AND t.role = 'assistant'",
            )?
            .query_row(params![channel, message.as_str()], id),
        ReplyKnownBy::Turn(turn) => tx
            .prepare_cached(
                "SELECT id FROM (SELECT id, turn FROM turns
                                 WHERE channel = ?1 AND role = 'assistant' ORDER BY ordinal DESC LIMIT ?3)
                 WHERE turn = ?2 ORDER BY id DESC LIMIT 1",
            )?
            .query_row(params![channel, to_sql(turn.0), REPLIES], id),
    }
    .optional()
}
