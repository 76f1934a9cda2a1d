//! The newest part of a conversation by size, with a measure of where in the channel's whole talk each turn stands.

use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use crate::domain::{ChannelId, ChannelMode, StoredTurn, TokenEncoding};
use crate::sqlite::{from_sql, to_sql};

use super::rows::{self, ReadTurn, TURN_COLUMNS, TURN_JOINS};

/// What a message takes in a prompt besides its words, roughly: role, name, clock.
const FRAME_TOKENS: u64 = 16;

/// Which part of a conversation is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowQuery {
    /// Only turns of this mode.
    pub mode: ChannelMode,
    /// Turns are read backwards until this many rough tokens were said in the channel, and one turn more.
    pub rough_tokens: u64,
    /// At most this many turns.
    pub max_turns: u32,
    /// Nothing said later than this; `None` for up to now.
    pub until: Option<Timestamp>,
    /// Under which encoding the turns' tokens are wanted.
    pub encoding: TokenEncoding,
}

/// A turn and its place in the channel's whole talk.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedTurn {
    /// The turn.
    pub turn: StoredTurn,
    /// What was said in the channel before it, in rough tokens: [`rough_tokens`] of every older turn as it was stored.
    /// Never changes, whatever is edited or taken back.
    pub said_before: u64,
}

/// The measure of [`PlacedTurn::said_before`]: a token for four bytes, which suits every script well enough, and the
/// message's frame. The same formula stands in SQL where a turn is stored.
#[must_use]
pub fn rough_tokens(content: &str) -> u64 {
    (content.len() as u64).div_ceil(4) + FRAME_TOKENS
}

/// The turns, newest first, each with what was said before it. Time grows with what is returned, not with the channel's
/// age.
pub(super) fn walk(
    tx: &Connection,
    channel: &ChannelId,
    query: &WindowQuery,
) -> rusqlite::Result<Vec<(ReadTurn, u64)>> {
    let mut statement = tx.prepare_cached(&window_sql())?;
    let mut rows = statement.query(params![
        query.encoding.as_str(),
        channel.as_str(),
        query.max_turns,
        query.until.map_or(i64::MAX, Timestamp::as_millisecond),
        query.mode.as_str(),
    ])?;
    let mut read: Vec<(ReadTurn, u64)> = Vec::new();
    let mut reach = 0;
    while let Some(row) = rows.next()? {
        let said_before = said_before(row)?;
        let turn = rows::stored_turn(row)?;
        if read.is_empty() {
            let end = said_before + rough_tokens(&turn.turn.content);
            reach = end.saturating_sub(query.rough_tokens);
        }
        read.push((turn, said_before));
        // The one turn more: what follows it may depend on when it was said.
        if said_before < reach {
            break;
        }
    }
    Ok(read)
}

fn said_before(row: &Row<'_>) -> rusqlite::Result<u64> {
    row.get::<_, i64>("said_before").map(from_sql)
}

pub(super) fn window_sql() -> String {
    format!(
        "SELECT {TURN_COLUMNS}, t.said_before AS said_before FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.mode = ?5 AND t.deleted_at_ms IS NULL AND t.at_ms <= ?4
         ORDER BY t.ordinal DESC LIMIT ?3"
    )
}

/// What had been said in a channel when a turn is about to be stored there.
pub(super) fn said_so_far(tx: &Connection, channel: &ChannelId) -> rusqlite::Result<i64> {
    let mut newest = tx.prepare_cached(
        "SELECT said_before + (length(CAST(content AS BLOB)) + 3) / 4 + ?2
           FROM turns WHERE channel = ?1 ORDER BY ordinal DESC LIMIT 1",
    )?;
    let mut rows = newest.query(params![channel.as_str(), to_sql(FRAME_TOKENS)])?;
    rows.next()?.map_or(Ok(0), |row| row.get(0))
}
