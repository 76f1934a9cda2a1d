//! A conversation as a prompt begins it: summaries of what is older, then turns word for word, read in one moment, so
//! that no turn falls between the two.

use jiff::Timestamp;
use rusqlite::{Row, Transaction, params};

use crate::domain::{Audience, ChannelId, ChannelMode, StoredId, StoredTurn, TokenEncoding};
use crate::sqlite::{from_sql, to_sql};

use super::crystals::{chain, covered_to};
use super::rows::{self, ReadTurn, TURN_COLUMN_COUNT, TURN_COLUMNS, TURN_JOINS};
use super::window::{said_so_far, walk};
use super::{Crystal, History, HistoryError, PlacedTurn, WindowQuery};

/// Turns that one look at what is not summed up reads at most; the next look goes on behind them.
const UNCOVERED_MAX: u32 = 400;

/// Summaries and turns of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// The summaries in force, oldest first, of all audiences; whoever shows one asks whether it may.
    pub crystals: Vec<Crystal>,
    /// The last ordinal that is summed up; 0 for none.
    pub covered_to: u64,
    /// How many turns behind that still stand, in whatever mode.
    pub uncovered: u32,
    /// The newest turns, oldest first, whether they are summed up or not.
    pub turns: Vec<PlacedTurn>,
    /// What was said in the channel up to now: the place of the turn that comes next, in the measure of
    /// [`PlacedTurn::said_before`].
    pub said: u64,
}

/// A turn with whom could hear it.
#[derive(Debug, Clone, PartialEq)]
pub struct HeardTurn {
    /// The turn.
    pub turn: StoredTurn,
    /// Who could hear it.
    pub audience: Audience,
}

/// What no summary covers yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncovered {
    /// The last ordinal that is summed up; 0 for none.
    pub covered_to: u64,
    /// The turns behind it, oldest first; at most the oldest 400.
    pub turns: Vec<HeardTurn>,
    /// How many there are in all.
    pub count: u32,
    /// The ordinals and tokens of the newest of them that are in the mode of the very newest, newest first: what would
    /// be shown word for word.
    pub newest: Vec<(u64, u32)>,
    /// The row of the newest turn.
    pub newest_id: Option<StoredId>,
}

impl History {
    /// The beginning of a prompt: the summaries, and the newest turns that are not older than so many tokens, without
    /// those that were taken back. Read in one snapshot, because a summary may come into force between two. Time grows
    /// with what is returned and with what no summary covers, of which only an index is read.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn conversation(
        &self,
        channel: &ChannelId,
        query: WindowQuery,
    ) -> Result<Conversation, HistoryError> {
        let channel = channel.clone();
        let (crystals, covered_to, uncovered, mut read, said) = self
            .database
            .read(move |tx| {
                let covered = covered_to(tx, &channel, query.until)?;
                let uncovered = count_behind(tx, &channel, covered, query.until)?;
                let read = walk(tx, &channel, &query)?;
                let said = from_sql(said_so_far(tx, &channel)?);
                Ok((chain(tx, &channel, query.until)?, covered, uncovered, read, said))
            })
            .await?;
        read.reverse();
        let (read, places): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        let turns = self.with_tokens(read, query.encoding).await?;
        let turns = turns.into_iter().zip(places);
        let turns = turns.map(|(turn, said_before)| PlacedTurn { turn, said_before }).collect();
        Ok(Conversation { crystals, covered_to, uncovered, turns, said })
    }

    /// What a channel has that no summary covers, and the newest `newest` of it that a prompt would show.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn uncovered(
        &self,
        channel: &ChannelId,
        newest: u32,
        encoding: TokenEncoding,
    ) -> Result<Uncovered, HistoryError> {
        let channel = channel.clone();
        let (covered_to, read, count, newest, newest_id) = self
            .database
            .read(move |tx| {
                let covered = covered_to(tx, &channel, None)?;
                let (mode, newest_id) = newest_turn(tx, &channel)?.unzip();
                let newest = behind(tx, &channel, covered, mode, newest, encoding)?;
                let read = heard(tx, &channel, covered + 1, None, encoding)?;
                Ok((covered, read, count_behind(tx, &channel, covered, None)?, newest, newest_id))
            })
            .await?;
        let newest = self.with_tokens(newest, encoding).await?;
        Ok(Uncovered {
            covered_to,
            turns: self.heard_with_tokens(read, encoding).await?,
            count,
            newest: newest.into_iter().map(|turn| (turn.ordinal, turn.tokens)).collect(),
            newest_id,
        })
    }

    /// How many turns no summary covers that are in the mode of the newest, and what their words take, in tokens.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn uncovered_weight(
        &self,
        channel: &ChannelId,
        encoding: TokenEncoding,
    ) -> Result<(u32, u32), HistoryError> {
        let channel = channel.clone();
        let weight = self.database.read(move |tx| {
            let covered = covered_to(tx, &channel, None)?;
            let Some((mode, _)) = newest_turn(tx, &channel)? else { return Ok((0, 0)) };
            tx.prepare_cached(&weight_sql())?.query_row(
                params![encoding.as_str(), channel.as_str(), to_sql(covered), mode.as_str()],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
        });
        Ok(weight.await?)
    }

    /// The live turns of a stretch, oldest first, with whom could hear them; at most 400.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn stretch(
        &self,
        channel: &ChannelId,
        first: u64,
        last: u64,
        encoding: TokenEncoding,
    ) -> Result<Vec<HeardTurn>, HistoryError> {
        let channel = channel.clone();
        let read = self.database.read(move |tx| heard(tx, &channel, first, Some(last), encoding)).await?;
        self.heard_with_tokens(read, encoding).await
    }

    pub(super) async fn heard_with_tokens(
        &self,
        read: Vec<(ReadTurn, Audience)>,
        encoding: TokenEncoding,
    ) -> Result<Vec<HeardTurn>, HistoryError> {
        let (turns, audiences): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        let turns = self.with_tokens(turns, encoding).await?;
        Ok(turns.into_iter().zip(audiences).map(|(turn, audience)| HeardTurn { turn, audience }).collect())
    }
}

/// The newest turns behind an ordinal, newest first.
fn behind(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    covered: u64,
    mode: Option<ChannelMode>,
    most: u32,
    encoding: TokenEncoding,
) -> rusqlite::Result<Vec<ReadTurn>> {
    let (encoding, channel, covered) = (encoding.as_str(), channel.as_str(), to_sql(covered));
    match mode {
        None => tx
            .prepare_cached(&behind_sql())?
            .query_map(params![encoding, channel, most, covered], rows::stored_turn)?
            .collect(),
        Some(mode) => tx
            .prepare_cached(&behind_in_mode_sql())?
            .query_map(params![encoding, channel, most, covered, mode.as_str()], rows::stored_turn)?
            .collect(),
    }
}

/// A bound that may be absent.
pub(super) fn milliseconds(until: Option<Timestamp>) -> i64 {
    until.map_or(i64::MAX, Timestamp::as_millisecond)
}

pub(super) fn behind_sql() -> String {
    format!(
        "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.ordinal > ?4 AND t.deleted_at_ms IS NULL
         ORDER BY t.ordinal DESC LIMIT ?3"
    )
}

pub(super) fn behind_in_mode_sql() -> String {
    format!(
        "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.mode = ?5 AND t.ordinal > ?4 AND t.deleted_at_ms IS NULL
         ORDER BY t.ordinal DESC LIMIT ?3"
    )
}

pub(super) fn weight_sql() -> String {
    "SELECT count(*), coalesce(sum(k.tokens), 0) FROM turns t
     LEFT JOIN turn_tokens k ON k.turn_id = t.id AND k.encoding = ?1
     WHERE t.channel = ?2 AND t.mode = ?4 AND t.ordinal > ?3 AND t.deleted_at_ms IS NULL"
        .to_owned()
}

fn count_behind(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    covered: u64,
    until: Option<Timestamp>,
) -> rusqlite::Result<u32> {
    let (channel, covered) = (channel.as_str(), to_sql(covered));
    match until {
        None => {
            tx.prepare_cached(&count_behind_sql())?.query_row(params![channel, covered], |row| row.get(0))
        }
        Some(_) => tx
            .prepare_cached(
                "SELECT count(*) FROM turns t
                 WHERE t.channel = ?1 AND t.ordinal > ?2 AND t.deleted_at_ms IS NULL AND t.at_ms <= ?3",
            )?
            .query_row(params![channel, covered, milliseconds(until)], |row| row.get(0)),
    }
}

/// Of the thousand that `?2` stands in an index is read, of the others their counts.
pub(super) fn count_behind_sql() -> String {
    "SELECT (SELECT count(*) FROM turns t WHERE t.channel = ?1 AND t.deleted_at_ms IS NULL
               AND t.ordinal > ?2 AND t.ordinal < (?2 / 1000 + 1) * 1000)
          + (SELECT coalesce(sum(c.turns), 0) FROM live_turns c
              WHERE c.channel = ?1 AND c.thousand > ?2 / 1000)"
        .to_owned()
}

fn newest_turn(
    tx: &Transaction<'_>,
    channel: &ChannelId,
) -> rusqlite::Result<Option<(ChannelMode, StoredId)>> {
    let mut statement = tx.prepare_cached(
        "SELECT t.mode, t.id FROM turns t WHERE t.channel = ?1 AND t.deleted_at_ms IS NULL
         ORDER BY t.ordinal DESC LIMIT 1",
    )?;
    let mut rows = statement.query([channel.as_str()])?;
    rows.next()?.map(|row| Ok((rows::parsed(row, 0)?, StoredId(row.get(1)?)))).transpose()
}

fn heard(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    first: u64,
    last: Option<u64>,
    encoding: TokenEncoding,
) -> rusqlite::Result<Vec<(ReadTurn, Audience)>> {
    let last = last.map_or(i64::MAX, to_sql);
    tx.prepare_cached(&format!(
        "SELECT {TURN_COLUMNS}, t.audience_kind, t.audience_key FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.ordinal BETWEEN ?3 AND ?4 AND t.deleted_at_ms IS NULL
         ORDER BY t.ordinal LIMIT {UNCOVERED_MAX}"
    ))?
    .query_map(params![encoding.as_str(), channel.as_str(), to_sql(first), last], heard_row)?
    .collect()
}

pub(super) fn heard_row(row: &Row<'_>) -> rusqlite::Result<(ReadTurn, Audience)> {
    let (kind, key): (String, String) = (row.get(TURN_COLUMN_COUNT)?, row.get(TURN_COLUMN_COUNT + 1)?);
    let audience = rows::audience(&kind, &key).ok_or_else(|| rows::unreadable(TURN_COLUMN_COUNT))?;
    Ok((rows::stored_turn(row)?, audience))
}
