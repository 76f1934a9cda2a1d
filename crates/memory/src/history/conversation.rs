//! A conversation as a prompt begins it: summaries of what is older, then turns word for word, read in one moment, so that no
//! turn falls between the two; and its newest part alone, by number or by size.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::beginnings::begins_behind;
use super::rows::{self, ReadTurn, TURN_COLUMNS, TURN_JOINS, is_seen, milliseconds};
use super::summaries::{chain, covered_to};
use super::{History, HistoryError, KeptSummary, Seen, Whole};
use crate::domain::{ChannelId, ChannelMode, StoredId, StoredTurn, TokenEncoding, Visible};
use crate::sqlite::{from_sql, to_sql};

/// Turns that one look at what is not summed up reads at most; the next look goes on behind them.
const UNCOVERED_MAX: u32 = 400;

/// Summaries and turns of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationAt {
    /// The summaries in force, and those that others took the place of lately, oldest first.
    pub summaries: Vec<KeptSummary>,
    /// How many turns are under summaries in force that may not be seen or wait to be made anew.
    pub hidden: u64,
    /// The last ordinal that is summed up; 0 for none.
    pub covered_to: u64,
    /// How many turns behind that still stand, in whatever mode.
    pub uncovered: u32,
    /// The newest turns, oldest first, whether they are summed up or not, without those that may not be seen.
    pub turns: Vec<PlacedTurn>,
}

/// What no summary covers yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncovered {
    /// The last ordinal that is summed up; 0 for none.
    pub covered_to: u64,
    /// The last ordinal that is no part of the conversation as it now begins.
    pub begins_behind: u64,
    /// The turns behind what is summed up, oldest first; at most the oldest 400.
    pub turns: Vec<StoredTurn>,
    /// How many there are in all.
    pub count: u32,
    /// The ordinals and tokens of the newest of them that are in the mode of the very newest, newest first: what would
    /// be shown word for word.
    pub newest: Vec<(u64, u32)>,
    /// The row of the newest turn.
    pub newest_id: Option<StoredId>,
}

impl Seen<'_> {
    /// The beginning of a prompt: the summaries, and the newest turns that are not older than so many tokens, without
    /// those that were taken back. Read in one snapshot, because a summary may come into force between two. Time grows
    /// with what is returned and with what no summary covers, of which only an index is read.
    pub async fn conversation(
        self,
        channel: &ChannelId,
        query: WindowQuery,
    ) -> Result<ConversationAt, HistoryError> {
        let (channel, visible) = (channel.clone(), self.visible.clone());
        let (summaries, covered_to, uncovered, mut read) = self
            .history
            .read(move |tx| {
                let covered = covered_to(tx, &channel, query.until)?;
                let begins = begins_behind(tx, &channel, query.until)?;
                let uncovered = count_behind(tx, &channel, covered.max(begins), query.until)?;
                let mut read = walk(tx, &channel, &query, &visible)?;
                read.retain(|(read, _)| read.turn.ordinal > begins);
                let mut chain = chain(tx, &channel, query.until)?;
                chain.retain(|summary| summary.first_ordinal > begins);
                Ok((chain, covered, uncovered, read))
            })
            .await?;
        let (summaries, hidden) = self.shown(summaries);
        read.reverse();
        let (read, places): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        let turns = self.with_tokens(read, query.encoding).await?;
        let turns = turns.into_iter().zip(places);
        let turns = turns.map(|(turn, said_before)| PlacedTurn { turn, said_before }).collect();
        Ok(ConversationAt { summaries, hidden, covered_to, uncovered, turns })
    }

    /// The summaries that may be seen and say something, and how many turns are under those in force that do not.
    fn shown(&self, chain: Vec<KeptSummary>) -> (Vec<KeptSummary>, u64) {
        let (shown, hidden): (Vec<KeptSummary>, Vec<KeptSummary>) = chain
            .into_iter()
            .partition(|summary| !summary.text.is_empty() && self.visible.includes(&summary.audience));
        let turns = |summary: &KeptSummary| summary.last_ordinal.saturating_sub(summary.first_ordinal) + 1;
        (shown, hidden.iter().filter(|summary| summary.replaced_at.is_none()).map(turns).sum())
    }

    /// As [`History::with_tokens`]; what a turn answers is told where that may be seen too.
    pub(super) async fn with_tokens(
        self,
        read: Vec<ReadTurn>,
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let mut turns = self.history.with_tokens(read, encoding).await?;
        for turn in &mut turns {
            turn.reply_to.take_if(|to| !self.visible.includes(&to.audience));
        }
        Ok(turns)
    }
}

impl Whole<'_> {
    /// What a channel has that no summary covers, and the newest `newest` of it that a prompt would show.
    pub async fn uncovered(
        self,
        channel: &ChannelId,
        newest: u32,
        encoding: TokenEncoding,
    ) -> Result<Uncovered, HistoryError> {
        let channel = channel.clone();
        let (covered_to, begins_behind, read, count, newest, newest_id) = self
            .0
            .read(move |tx| {
                let covered = covered_to(tx, &channel, None)?;
                let (mode, newest_id) = newest_turn(tx, &channel)?.unzip();
                // Without a newest turn none stands.
                let mode = mode.map_or("", ChannelMode::as_str);
                let bound = (encoding.as_str(), channel.as_str(), newest, to_sql(covered), mode);
                let newest = tx
                    .prepare_cached(&behind_sql())?
                    .query_map(bound, rows::stored_turn)?
                    .collect::<rusqlite::Result<Vec<_>>>()?;
                let read = turns_from(tx, &channel, covered + 1, None, encoding)?;
                let begins = begins_behind(tx, &channel, None)?;
                Ok((covered, begins, read, count_behind(tx, &channel, covered, None)?, newest, newest_id))
            })
            .await?;
        let newest = self.0.with_tokens(newest, encoding).await?;
        Ok(Uncovered {
            covered_to,
            begins_behind,
            turns: self.0.with_tokens(read, encoding).await?,
            count,
            newest: newest.into_iter().map(|turn| (turn.ordinal, turn.tokens)).collect(),
            newest_id,
        })
    }

    /// How many turns no summary covers that are in the mode of the newest, and what their words take, in tokens; of the
    /// newest `at_most` of them.
    pub async fn uncovered_weight(
        self,
        channel: &ChannelId,
        encoding: TokenEncoding,
        at_most: u32,
    ) -> Result<(u32, u32), HistoryError> {
        let channel = channel.clone();
        self.0
            .read(move |tx| {
                let covered = covered_to(tx, &channel, None)?;
                let Some((mode, _)) = newest_turn(tx, &channel)? else { return Ok((0, 0)) };
                tx.prepare_cached(WEIGHT)?.query_row(
                    params![encoding.as_str(), channel.as_str(), to_sql(covered), mode.as_str(), at_most],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
            })
            .await
    }

    /// The live turns of a stretch, oldest first; at most 400.
    pub async fn stretch(
        self,
        channel: &ChannelId,
        first: u64,
        last: u64,
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let channel = channel.clone();
        let read = self.0.read(move |tx| turns_from(tx, &channel, first, Some(last), encoding)).await?;
        self.0.with_tokens(read, encoding).await
    }
}

/// The newest turns of a mode behind an ordinal, newest first.
pub(super) fn behind_sql() -> String {
    format!(
        "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.mode = ?5 AND t.ordinal > ?4 AND t.deleted_at_ms IS NULL
         ORDER BY t.ordinal DESC LIMIT ?3"
    )
}

pub(super) const WEIGHT: &str = "SELECT count(*), coalesce(sum(k.tokens), 0)
     FROM (SELECT t.id FROM turns t
           WHERE t.channel = ?2 AND t.mode = ?4 AND t.ordinal > ?3 AND t.deleted_at_ms IS NULL
           ORDER BY t.ordinal DESC LIMIT ?5) newest
     LEFT JOIN turn_tokens k ON k.turn_id = newest.id AND k.encoding = ?1";

fn count_behind(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    covered: u64,
    until: Option<Timestamp>,
) -> rusqlite::Result<u32> {
    let (channel, covered) = (channel.as_str(), to_sql(covered));
    match until {
        None => tx.prepare_cached(COUNT_BEHIND)?.query_row(params![channel, covered], |row| row.get(0)),
        Some(_) => tx
            .prepare_cached(
                "SELECT count(*) FROM turns t
                 WHERE t.channel = ?1 AND t.ordinal > ?2 AND t.deleted_at_ms IS NULL AND t.at_ms <= ?3",
            )?
            .query_row(params![channel, covered, milliseconds(until)], |row| row.get(0)),
    }
}

/// Of the thousand that `?2` stands in an index is read, of the others their counts.
pub(super) const COUNT_BEHIND: &str =
    "SELECT (SELECT count(*) FROM turns t WHERE t.channel = ?1 AND t.deleted_at_ms IS NULL
               AND t.ordinal > ?2 AND t.ordinal < (?2 / 1000 + 1) * 1000)
          + (SELECT coalesce(sum(c.turns), 0) FROM live_turns c
              WHERE c.channel = ?1 AND c.thousand > ?2 / 1000)";

fn newest_turn(
    tx: &Transaction<'_>,
    channel: &ChannelId,
) -> rusqlite::Result<Option<(ChannelMode, StoredId)>> {
    tx.prepare_cached(
        "SELECT t.mode, t.id FROM turns t WHERE t.channel = ?1 AND t.deleted_at_ms IS NULL
         ORDER BY t.ordinal DESC LIMIT 1",
    )?
    .query_row([channel.as_str()], |row| Ok((rows::parse_column(row, 0)?, StoredId(row.get(1)?))))
    .optional()
}

fn turns_from(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    first: u64,
    last: Option<u64>,
    encoding: TokenEncoding,
) -> rusqlite::Result<Vec<ReadTurn>> {
    let last = last.map_or(i64::MAX, to_sql);
    tx.prepare_cached(&format!(
        "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 AND t.ordinal BETWEEN ?3 AND ?4 AND t.deleted_at_ms IS NULL
         ORDER BY t.ordinal LIMIT {UNCOVERED_MAX}"
    ))?
    .query_map(params![encoding.as_str(), channel.as_str(), to_sql(first), last], rows::stored_turn)?
    .collect()
}

/// What a message takes in a prompt besides its words, roughly: role, name, clock.
const FRAME_TOKENS: u64 = 16;

/// Which part of a conversation is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowQuery {
    /// Only turns of this mode.
    pub mode: ChannelMode,
    /// Turns are read backwards until this many rough tokens were said in the channel, and one turn more.
    pub rough_tokens: u64,
    pub max_turns: u32,
    /// Nothing said later than this; `None` for up to now.
    pub until: Option<Timestamp>,
    /// Under which encoding the turns' tokens are wanted.
    pub encoding: TokenEncoding,
}

/// A turn and its place in the channel's whole talk.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedTurn {
    pub turn: StoredTurn,
    /// What was said in the channel before it, in rough tokens: [`rough_tokens`] of every older turn as it was stored.
    /// Never changes, whatever is edited or taken back.
    pub said_before: u64,
}

/// The measure of [`PlacedTurn::said_before`]: a token for four bytes, which suits every script well enough, and the
/// message's frame. The same formula stands in SQL where a turn is stored.
pub fn rough_tokens(content: &str) -> u64 {
    (content.len() as u64).div_ceil(4) + FRAME_TOKENS
}

/// The turns that may be seen, newest first, each with what was said before it. Time grows with the window, not with the
/// channel's age, however much of it may not be seen.
pub(super) fn walk(
    tx: &Connection,
    channel: &ChannelId,
    query: &WindowQuery,
    visible: &Visible,
) -> rusqlite::Result<Vec<(ReadTurn, u64)>> {
    let mut statement = tx.prepare_cached(&window_sql())?;
    let mut rows = statement.query(params![
        query.encoding.as_str(),
        channel.as_str(),
        query.max_turns,
        milliseconds(query.until),
        query.mode.as_str(),
    ])?;
    let mut read: Vec<(ReadTurn, u64)> = Vec::new();
    let mut reach = None;
    while let Some(row) = rows.next()? {
        let said_before = row.get("said_before").map(from_sql)?;
        let turn = rows::stored_turn(row)?;
        let end = said_before + rough_tokens(&turn.turn.content);
        let reach = *reach.get_or_insert(end.saturating_sub(query.rough_tokens));
        if visible.includes(&turn.turn.audience) {
            read.push((turn, said_before));
        }
        // The one turn more: what follows it may depend on when it was said.
        if said_before < reach {
            break;
        }
    }
    Ok(read)
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
    let said =
        newest.query_row(params![channel.as_str(), to_sql(FRAME_TOKENS)], |row| row.get(0)).optional()?;
    Ok(said.unwrap_or(0))
}

impl Seen<'_> {
    /// The newest turns of a channel, oldest first, without those that were taken back. What each answers is
    /// resolved in the same query; time grows with the number of turns asked for, not with the channel's age.
    pub async fn recent(
        self,
        channel: &ChannelId,
        query: RecentQuery,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        let bound = (
            query.encoding.as_str(),
            channel.to_string(),
            query.max_turns,
            milliseconds(query.until),
            rows::audience_pairs(self.visible),
        );
        let mut read = self.history.all(recent_sql(query.mode), bound, rows::stored_turn).await?;
        read.reverse();
        self.with_tokens(read, query.encoding).await
    }
}

impl History {
    /// Counts what has never been counted under `encoding`, and keeps the counts.
    pub(super) async fn with_tokens(
        &self,
        mut read: Vec<ReadTurn>,
        encoding: TokenEncoding,
    ) -> Result<Vec<StoredTurn>, HistoryError> {
        if read.iter().any(|read| !read.counted) {
            let counter = std::sync::Arc::clone(&self.options.counter);
            read = self
                .write(move |tx| {
                    // The words are compared because an edit may have come in between.
                    let mut keep = tx.prepare_cached(
                        "INSERT OR IGNORE INTO turn_tokens (turn_id, encoding, tokens)
                         SELECT id, ?2, ?3 FROM turns WHERE id = ?1 AND content = ?4",
                    )?;
                    for ReadTurn { turn, counted } in read.iter_mut().filter(|read| !read.counted) {
                        turn.tokens = counter(encoding, &turn.content);
                        keep.execute(params![turn.id.0, encoding.as_str(), turn.tokens, turn.content])?;
                        *counted = true;
                    }
                    drop(keep);
                    Ok(read)
                })
                .await?;
        }
        Ok(read.into_iter().map(|read| read.turn).collect())
    }
}

pub(super) fn recent_sql(mode: Option<ChannelMode>) -> String {
    let in_mode = mode.map_or_else(String::new, |mode| format!("AND t.mode = '{}'", mode.as_str()));
    format!(
        "SELECT {TURN_COLUMNS} FROM turns t {TURN_JOINS}
         WHERE t.channel = ?2 {in_mode} AND t.deleted_at_ms IS NULL AND t.at_ms <= ?4 AND {}
         ORDER BY t.ordinal DESC LIMIT ?3",
        is_seen("?5")
    )
}

/// The newest part of a channel's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentQuery {
    /// Only turns of this mode; `None` for all.
    pub mode: Option<ChannelMode>,
    /// At most this many, the newest.
    pub max_turns: u32,
    /// Nothing said later than this; `None` for up to now.
    pub until: Option<Timestamp>,
    /// Under which encoding [`StoredTurn::tokens`](crate::domain::StoredTurn::tokens) is wanted.
    pub encoding: TokenEncoding,
}
