//! Summaries of older turns: how they are kept, and how they stay true to what they were made from
//! (contradiction 9).
//!
//! A *leaf* covers a run of turns of one audience; leaves cover a channel from its first turn on without holes and are
//! never thrown away. A *fold* stands for all leaves of its audience up to a point, so that a prompt carries one text
//! for a long past. Whatever is changed or taken back empties every summary over it in the same transaction (triggers
//! of the schema, whose tables are called `crystals` and `crystal_words`).

use std::ops::Deref;

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use sha2::{Digest as _, Sha256};

use super::rows::{self, audience_columns, milliseconds};
use super::{History, HistoryError, Seen, Whole};
use crate::domain::{Audience, ChannelId, StoredTurn};
use crate::sqlite::{from_sql, to_sql};
use crate::text::short::hex;

/// Most summaries read at once. With a fold there are a handful; without one, after words were taken back, all leaves
/// are read once to make it anew: this many stand for 100,000 turns and more.
const CHAIN_MAX: u32 = 5_000;

/// Folds of one audience that are kept: the one in force, and earlier ones for prompts whose history was cut while they
/// were. Between two cuts at a quarter of 8,000 tokens about three are made.
const FOLDS_KEPT: u32 = 5;

/// A first fold up to this ordinal is that of a young conversation, whose history may have been cut before there was any
/// fold: the leaves under it are read as well. A later one was made anew, after words were taken back.
const YOUNG: u32 = 600;

/// The row of one summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SummaryId(pub i64);

/// What a summary was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SummaryLevel {
    Leaf,
    Fold,
}

impl SummaryLevel {
    fn as_sql(self) -> i64 {
        match self {
            Self::Leaf => 0,
            Self::Fold => 1,
        }
    }
}

/// A summary as it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What it was made from.
    pub level: SummaryLevel,
    /// Who could hear all of what it was made from.
    pub audience: Audience,
    /// The first channel ordinal it covers.
    pub first_ordinal: u64,
    pub last_ordinal: u64,
    /// When the first of its turns was said.
    pub first_at: Timestamp,
    /// When the last was.
    pub last_at: Timestamp,
    /// What the covered turns take in a prompt, in tokens.
    pub source_tokens: u32,
    /// What it takes itself, in tokens under the encoding it was made for.
    pub tokens: u32,
    /// The words; empty while it waits to be made anew.
    pub text: String,
    /// Who wrote it: a model's name, or `excerpts`.
    pub writer: String,
    pub made_at: Timestamp,
}

/// One summary that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptSummary {
    pub id: SummaryId,
    /// What it says, and of what.
    pub summary: Summary,
    /// Words under it were changed or taken back: to be made anew.
    pub stale: bool,
    /// Since when a fold that covers it stands for it; `None` while it is in force.
    pub replaced_at: Option<Timestamp>,
}

impl Deref for KeptSummary {
    type Target = Summary;
    fn deref(&self) -> &Summary {
        &self.summary
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewSummary {
    pub channel: ChannelId,
    /// What it says, and of what.
    pub summary: Summary,
    /// For a fold, the summaries it was made from.
    pub parts: Vec<SummaryId>,
    /// The fingerprint of what it was made from: [`fingerprint_of_turns`] or [`fingerprint_of_summaries`].
    pub inputs: String,
}

/// What storing a summary came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It holds from now on.
    Stored,
    /// What it was made from changed meanwhile, or another covers the same: thrown away.
    Outdated,
}

impl Whole<'_> {
    /// The summaries in force in a channel, of all audiences, oldest first; those that wait to be made anew among
    /// them.
    pub async fn summaries(self, channel: &ChannelId) -> Result<Vec<KeptSummary>, HistoryError> {
        let channel = channel.clone();
        let mut chain = self.0.read(move |tx| chain(tx, &channel, None)).await?;
        chain.retain(|summary| summary.replaced_at.is_none());
        Ok(chain)
    }
}

impl History {
    /// Puts a summary in force, in one transaction and only if what it was made from still reads as it did: before,
    /// the old ones hold, after it the new one. A leaf takes the place of a stale one over the same turns, or goes on
    /// where the last leaf ends; a fold takes the place of the audience's earlier one, and is outdated while a leaf that it
    /// would stand for waits to be made anew.
    pub async fn add_summary(&self, new: NewSummary) -> Result<Added, HistoryError> {
        self.write(move |tx| insert_summary(tx, &new)).await
    }
}

fn insert_summary(tx: &Transaction<'_>, new: &NewSummary) -> rusqlite::Result<Added> {
    let made = &new.summary;
    let now = match made.level {
        SummaryLevel::Leaf => of_turns(tx, &new.channel, made.first_ordinal, made.last_ordinal)?,
        SummaryLevel::Fold => of_summaries(tx, &new.parts)?,
    };
    if now != new.inputs {
        return Ok(Added::Outdated);
    }
    let (kind, key) = audience_columns(&made.audience);
    match made.level {
        SummaryLevel::Leaf => {
            let replaced = tx
                .prepare_cached(
                    "DELETE FROM crystals WHERE channel = ?1 AND level = 0 AND stale = 1
                       AND first_ordinal = ?2 AND last_ordinal = ?3",
                )?
                .execute(params![
                    new.channel.as_str(),
                    to_sql(made.first_ordinal),
                    to_sql(made.last_ordinal)
                ])?;
            if replaced == 0 && covered_to(tx, &new.channel, None)? + 1 != made.first_ordinal {
                return Ok(Added::Outdated);
            }
        }
        SummaryLevel::Fold => {
            // It would stand for what is not in it.
            let is_waiting: bool = tx
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM crystals WHERE channel = ?1 AND level = 0 AND stale = 1
                       AND audience_kind = ?2 AND audience_key = ?3 AND last_ordinal <= ?4)",
                )?
                .query_row(params![new.channel.as_str(), kind, key, to_sql(made.last_ordinal)], |row| {
                    row.get(0)
                })?;
            if is_waiting {
                return Ok(Added::Outdated);
            }
            tx.prepare_cached(
                "DELETE FROM crystals WHERE id IN (
                   SELECT id FROM crystals
                   WHERE channel = ?1 AND level = 1 AND audience_kind = ?2 AND audience_key = ?3
                   ORDER BY last_ordinal DESC, id DESC LIMIT -1 OFFSET ?4)",
            )?
            .execute(params![new.channel.as_str(), kind, key, FOLDS_KEPT - 1])?;
        }
    }
    tx.prepare_cached(
        "INSERT INTO crystals (channel, level, audience_kind, audience_key, first_ordinal, last_ordinal, first_at_ms,
            last_at_ms, source_tokens, tokens, text, writer, inputs, made_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute(params![
        new.channel.as_str(),
        made.level.as_sql(),
        kind,
        key,
        to_sql(made.first_ordinal),
        to_sql(made.last_ordinal),
        made.first_at.as_millisecond(),
        made.last_at.as_millisecond(),
        made.source_tokens,
        made.tokens,
        made.text,
        made.writer,
        new.inputs,
        made.made_at.as_millisecond(),
    ])?;
    Ok(Added::Stored)
}

/// The last ordinal that a leaf covers, or covered at a moment of the past; 0 where there is none.
pub(super) fn covered_to(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    until: Option<Timestamp>,
) -> rusqlite::Result<u64> {
    tx.prepare_cached(
        "SELECT coalesce((SELECT last_ordinal FROM crystals WHERE channel = ?1 AND level = 0 AND made_at_ms <= ?2
         ORDER BY last_ordinal DESC LIMIT 1), 0)",
    )?
    .query_row(params![channel.as_str(), milliseconds(until)], |row| row.get(0).map(from_sql))
}

/// The folds that are kept, and the leaves that the earliest of them does not stand for, each with when it was replaced.
/// Of a young conversation all leaves: what stood before the first fold stands before histories that were cut then. Of a moment of the past only what had been made by then.
pub(super) fn chain(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    until: Option<Timestamp>,
) -> rusqlite::Result<Vec<KeptSummary>> {
    let mut chain: Vec<KeptSummary> = tx
        .prepare_cached(&format!(
            "WITH folded AS MATERIALIZED (
                SELECT f.audience_kind, f.audience_key,
                       CASE WHEN count(*) < {FOLDS_KEPT} AND min(f.last_ordinal) <= {YOUNG} THEN 0
                            ELSE min(f.last_ordinal) END AS to_ordinal
                FROM crystals f WHERE f.channel = ?1 AND f.level = 1 AND f.made_at_ms <= ?2
                GROUP BY f.audience_kind, f.audience_key)
             SELECT {COLUMNS} FROM crystals c LEFT JOIN folded USING (audience_kind, audience_key)
             WHERE c.channel = ?1 AND c.made_at_ms <= ?2
               AND (c.level = 1 OR c.last_ordinal > coalesce(folded.to_ordinal, 0))
             ORDER BY c.last_ordinal DESC, c.id DESC LIMIT {CHAIN_MAX}"
        ))?
        .query_map(params![channel.as_str(), milliseconds(until)], kept_summary)?
        .collect::<rusqlite::Result<_>>()?;
    chain.reverse();
    let folds: Vec<(SummaryId, Audience, u64, Timestamp)> = chain
        .iter()
        .filter(|summary| summary.level == SummaryLevel::Fold)
        .map(|fold| (fold.id, fold.audience.clone(), fold.last_ordinal, fold.made_at))
        .collect();
    for summary in &mut chain {
        let replaces = |(id, audience, last, _): &&(SummaryId, Audience, u64, Timestamp)| {
            let is_later = summary.level == SummaryLevel::Leaf || *id > summary.id;
            is_later && *audience == summary.audience && *last >= summary.last_ordinal
        };
        summary.replaced_at = folds.iter().filter(replaces).map(|(.., made_at)| *made_at).min();
    }
    Ok(chain)
}

pub(super) const COLUMNS: &str =
    "c.id, c.level, c.audience_kind, c.audience_key, c.first_ordinal, c.last_ordinal, c.first_at_ms,
    c.last_at_ms, c.source_tokens, c.tokens, c.text, c.writer, c.stale, c.made_at_ms";

pub(super) fn kept_summary(row: &Row<'_>) -> rusqlite::Result<KeptSummary> {
    Ok(KeptSummary {
        id: SummaryId(row.get(0)?),
        summary: Summary {
            level: if row.get::<_, i64>(1)? == 0 { SummaryLevel::Leaf } else { SummaryLevel::Fold },
            audience: rows::audience_at(row, 2)?,
            first_ordinal: from_sql(row.get(4)?),
            last_ordinal: from_sql(row.get(5)?),
            first_at: rows::millis_column(row, 6)?,
            last_at: rows::millis_column(row, 7)?,
            source_tokens: row.get(8)?,
            tokens: row.get(9)?,
            text: row.get(10)?,
            writer: row.get(11)?,
            made_at: rows::millis_column(row, 13)?,
        },
        stale: row.get(12)?,
        replaced_at: None,
    })
}

pub(super) fn of_turns(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    first: u64,
    last: u64,
) -> rusqlite::Result<String> {
    let turns: Vec<(i64, String)> = tx
        .prepare_cached(
            "SELECT ordinal, content FROM turns
             WHERE channel = ?1 AND ordinal BETWEEN ?2 AND ?3 AND deleted_at_ms IS NULL ORDER BY ordinal",
        )?
        .query_map(params![channel.as_str(), to_sql(first), to_sql(last)], |row| row.try_into())?
        .collect::<rusqlite::Result<_>>()?;
    Ok(fingerprint(turns.iter().map(|(ordinal, words)| (*ordinal, words.as_str()))))
}

fn of_summaries(tx: &Transaction<'_>, parts: &[SummaryId]) -> rusqlite::Result<String> {
    let mut read = tx.prepare_cached("SELECT id, text FROM crystals WHERE id = ?1 AND stale = 0")?;
    let mut standing: Vec<(i64, String)> = Vec::new();
    for part in parts {
        // A part that is gone changes the fingerprint as well.
        let found: Option<(i64, String)> = read.query_row([part.0], |row| row.try_into()).optional()?;
        standing.extend(found);
    }
    Ok(fingerprint(standing.iter().map(|(id, text)| (*id, text.as_str()))))
}

/// What turns come to, as a fingerprint: it changes when any of them is edited, taken back or forgotten. Taken of the
/// words that were really read, so that a change between reading and asking cannot slip in. `turns` are all that stand
/// in their stretch.
pub fn fingerprint_of_turns<'a>(turns: impl IntoIterator<Item = &'a StoredTurn>) -> String {
    fingerprint(turns.into_iter().map(|turn| (to_sql(turn.ordinal), turn.content.as_str())))
}

/// What summaries come to, as a fingerprint, of the words that were really read.
pub fn fingerprint_of_summaries<'a>(parts: impl IntoIterator<Item = &'a KeptSummary>) -> String {
    fingerprint(parts.into_iter().map(|part| (part.id.0, part.text.as_str())))
}

fn fingerprint<'a>(parts: impl IntoIterator<Item = (i64, &'a str)>) -> String {
    let mut digest = Sha256::new();
    for (number, text) in parts {
        digest.update(number.to_le_bytes());
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    }
    hex(&digest.finalize()[..16])
}

/// One summary of turns, with where they were said.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    /// The summary. Whether another stands for it says `is_in_force`.
    pub summary: KeptSummary,
    /// Whether it stands for its turns in its own channel, and no summary of summaries in its place.
    pub is_in_force: bool,
}

/// What is wanted: written, as opposed to excerpts of turns, and still true to its turns.
const WRITTEN: &str = "c.level = 0 AND c.stale = 0 AND c.text <> '' AND c.writer <> 'excerpts'";

const BESIDE: &str = "c.channel, (SELECT name FROM channels WHERE channel = c.channel),
    NOT EXISTS (SELECT 1 FROM crystals f WHERE f.channel = c.channel AND f.level = 1
      AND f.audience_kind = c.audience_kind AND f.audience_key = c.audience_key
      AND f.last_ordinal >= c.last_ordinal)";

impl Seen<'_> {
    /// These of them, where they still hold and may be seen, in their order.
    pub async fn leaves(self, ids: Vec<SummaryId>) -> Result<Vec<Leaf>, HistoryError> {
        let visible = self.visible.clone();
        let read = move |tx: &Transaction<'_>| {
            let sql = format!("SELECT {COLUMNS}, {BESIDE} FROM crystals c WHERE c.id = ?1 AND {WRITTEN}");
            let mut single = tx.prepare_cached(&sql)?;
            let mut leaves: Vec<Leaf> = Vec::with_capacity(ids.len());
            for id in ids {
                let mut rows = single.query([id.0])?;
                let Some(row) = rows.next()? else { continue };
                let one = leaf(row)?;
                leaves.extend(visible.includes(&one.summary.audience).then_some(one));
            }
            Ok(leaves)
        };
        self.history.read(read).await
    }
}

/// The columns behind those of the summary.
const CHANNEL: usize = 14;

fn leaf(row: &Row<'_>) -> rusqlite::Result<Leaf> {
    Ok(Leaf {
        channel: super::rows::parse_column(row, CHANNEL)?,
        channel_name: row.get(CHANNEL + 1)?,
        is_in_force: row.get(CHANNEL + 2)?,
        summary: kept_summary(row)?,
    })
}
