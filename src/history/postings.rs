//! Which turns hold a question's words, best first.
//!
//! Owns which words are looked up and how the turns that hold them are ordered. Only the numbers of turns are read from
//! the index, a fifth of a microsecond each: SQLite's own ranking looks up every turn's length and is six times as slow.
//! Must not know what is done with the turns. Start at [`by_words`].

use std::collections::BinaryHeap;

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::StoredId;
use crate::text::keywords;

use super::Visible;
use super::rows;
use super::search::{match_expression, query_words};
use super::survey::{FINDABLE, SurveyQuery};

/// So many entries of the index are read for one question at most, two milliseconds' worth.
const ENTRIES: i64 = 8_000;

/// A turn that was found, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub id: StoredId,
    pub channel: String,
    pub ordinal: i64,
}

impl Place {
    /// From the columns id, channel, ordinal.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { id: StoredId(row.get(0)?), channel: row.get(1)?, ordinal: row.get(2)? })
    }
}

/// The turns that hold any of the question's words, those first whose words are rarest together, the newest first among
/// equals; at most `query.most`. Words are looked up from the rarest on, as far as the index is read. Where even the
/// rarest is too common for that, it tells nothing, and the newest turns that hold it are as good as any.
pub(super) fn by_words(
    tx: &Transaction<'_>,
    query: &SurveyQuery,
    visible: &Visible,
    total: u64,
) -> rusqlite::Result<Vec<Place>> {
    let words = by_rarity(tx, query_words(&query.text))?;
    match words.first() {
        None => return Ok(Vec::new()),
        Some((turns, word)) if *turns > ENTRIES => return newest(tx, query, visible, word),
        Some(_) => {}
    }
    let mut read = 0;
    let mut scored: Vec<(i64, f32)> = Vec::new();
    let mut holding = tx.prepare_cached("SELECT rowid FROM turns_fts WHERE turns_fts MATCH ?1")?;
    for (turns, word) in words {
        read += turns;
        if read > ENTRIES {
            break;
        }
        let from = scored.len();
        let mut rows = holding.query([match_expression(&[word])])?;
        while let Some(row) = rows.next()? {
            scored.push((row.get(0)?, 0.0));
        }
        let standing_in = (scored.len() - from) as f32;
        let rarity = (1.0 + (total as f32 - standing_in + 0.5).max(0.0) / (standing_in + 0.5)).ln();
        scored[from..].iter_mut().for_each(|(_, score)| *score = rarity);
    }
    scored.sort_unstable_by_key(|(id, _)| *id);
    scored.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0.0 };
        is_same
    });
    // Only as far as turns are taken: scores are positive, so their bits order as they do.
    let mut best: BinaryHeap<(u32, i64)> =
        scored.into_iter().map(|(id, score)| (score.to_bits(), id)).collect();
    let mut found = Vec::new();
    while found.len() < query.most as usize {
        let Some((_, id)) = best.pop() else { break };
        found.extend(findable(tx, query, visible, id)?);
    }
    Ok(found)
}

/// The question's words, each once, the rarest first, with the number of turns they stand in.
fn by_rarity(tx: &Transaction<'_>, words: Vec<String>) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut count = tx.prepare_cached("SELECT doc FROM turns_words WHERE term = ?1")?;
    let mut known = Vec::with_capacity(words.len());
    let mut counted: Vec<(i64, String)> = Vec::with_capacity(words.len());
    for word in words {
        let stem = keywords::index_word(&word);
        if known.contains(&stem) {
            continue;
        }
        // A word that the index folds otherwise than this does is taken for a rare one.
        let turns: Option<i64> = count.query_row([&stem], |row| row.get(0)).optional()?;
        known.push(stem);
        counted.push((turns.unwrap_or(0), word));
    }
    counted.sort();
    Ok(counted)
}

/// A turn, where it may be found.
fn findable(
    tx: &Transaction<'_>,
    query: &SurveyQuery,
    visible: &Visible,
    id: i64,
) -> rusqlite::Result<Option<Place>> {
    let mut turn = tx.prepare_cached(
        "SELECT t.id, t.channel, t.ordinal, t.mode, t.at_ms, t.audience_kind, t.audience_key
         FROM turns t WHERE t.id = ?1 AND t.deleted_at_ms IS NULL",
    )?;
    let mut rows = turn.query([id])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let place = Place::read(row)?;
    let (channel, mode, above) = query.hidden_stretch();
    let is_shown = channel == Some(place.channel.as_str())
        && mode == Some(row.get_ref(3)?.as_str()?)
        && place.ordinal > above;
    let may_be = !is_shown
        && row.get::<_, i64>(4)? <= query.until_ms()
        && visible.includes(&rows::audience_at(row, 5)?);
    Ok(may_be.then_some(place))
}

/// The newest turns that hold a word and may be found.
fn newest(
    tx: &Transaction<'_>,
    query: &SurveyQuery,
    visible: &Visible,
    word: &str,
) -> rusqlite::Result<Vec<Place>> {
    let (channel, mode, above) = query.hidden_stretch();
    let expression = match_expression(&[word.to_owned()]);
    tx.prepare_cached(&format!(
        "SELECT t.id, t.channel, t.ordinal FROM turns_fts f JOIN turns t ON t.id = f.rowid
         WHERE turns_fts MATCH ?6 AND {FINDABLE} ORDER BY f.rowid DESC LIMIT ?7"
    ))?
    .query_map(
        params![visible.as_json(), channel, mode, above, query.until_ms(), expression, query.most],
        Place::read,
    )?
    .collect()
}
