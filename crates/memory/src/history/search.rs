//! Finding words in everything that was said, and in what was summed up of it, where the asker may hear it.

use std::collections::{BTreeSet, HashMap};
use std::slice;

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{ChannelId, StoredId, StoredTurn, TokenEncoding, Visible};
use crate::sqlite::words::{self, Held};
use crate::text::keywords::{self, is_unspaced_letter};

use super::rows::{self, TURN_COLUMN_COUNT, TURN_COLUMNS, TURN_JOINS, audience_columns};
use super::summaries::SummaryId;
use super::{HistoryError, Seen};

/// Words of a query that are looked for; a pasted novel needs no more.
const MAX_QUERY_WORDS: usize = 32;

/// Rows of the index that one plain search reads at most.
const ROWS: usize = 5_000;

/// A turn that was found, with where it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundTurn {
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    pub turn: StoredTurn,
    /// How much of the query it holds, rare words counting more; only comparable within one search.
    pub score: f64,
}

impl Seen<'_> {
    /// Turns that hold any of the query's words, best first, of equals the newest. The query is plain text: quotes,
    /// apostrophes and operators mean nothing. Words that stand in thousands of turns are left out where rarer ones are
    /// there. Who may see what is part of the query itself, so a hidden turn never takes a visible one's place.
    pub async fn search(
        self,
        query: &str,
        limit: u32,
        encoding: TokenEncoding,
    ) -> Result<Vec<FoundTurn>, HistoryError> {
        self.searched(None, query, limit, encoding).await
    }

    /// The same within one channel, whose turns compete with no others.
    pub async fn search_in(
        self,
        channel: &ChannelId,
        query: &str,
        limit: u32,
        encoding: TokenEncoding,
    ) -> Result<Vec<FoundTurn>, HistoryError> {
        self.searched(Some(channel.to_string()), query, limit, encoding).await
    }

    async fn searched(
        self,
        channel: Option<String>,
        query: &str,
        limit: u32,
        encoding: TokenEncoding,
    ) -> Result<Vec<FoundTurn>, HistoryError> {
        let words = query_words(query);
        let (audiences, seen) = (audience_marks(self.visible), rows::audience_pairs(self.visible));
        let found = self.history.read(move |tx| {
            let held = words::newest_rows(tx, TURN_WORDS, &words, &audiences, ROWS)?;
            let sql = format!(
                "SELECT {TURN_COLUMNS}, t.channel, c.name FROM turns t
                     JOIN channels c ON c.channel = t.channel {TURN_JOINS}
                     WHERE t.id = ?2 AND t.deleted_at_ms IS NULL AND (?4 IS NULL OR t.channel = ?4)
                       AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))"
            );
            let mut turn = tx.prepare_cached(&sql)?;
            let mut found = Vec::new();
            for (row, score) in best_first(&held) {
                if found.len() >= limit as usize {
                    break;
                }
                let place = |read: &Row<'_>| {
                    let channel: ChannelId = rows::parse_column(read, TURN_COLUMN_COUNT)?;
                    let name: Option<String> = read.get(TURN_COLUMN_COUNT + 1)?;
                    Ok((rows::stored_turn(read)?, (channel, name, score)))
                };
                found.extend(turn.query_row(params![encoding.as_str(), row, seen, channel], place).optional()?);
            }
            Ok(found)
        })
        .await?;
        let (turns, places): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let turns = self.with_tokens(turns, encoding).await?;
        let placed = turns.into_iter().zip(places).map(|(turn, (channel, channel_name, score))| FoundTurn {
            channel,
            channel_name,
            turn,
            score,
        });
        Ok(placed.collect())
    }

    /// In which turns each of some words stands, every word being any of several terms ([`keywords::forms`]), as far as
    /// they may be seen: the newest `most` or so.
    pub async fn turns_holding(
        self,
        words: Vec<Vec<String>>,
        most: usize,
    ) -> Result<Vec<Held>, HistoryError> {
        let audiences = audience_marks(self.visible);
        let read = move |tx: &Transaction<'_>| words::newest_rows(tx, TURN_WORDS, &words, &audiences, most);
        self.history.read(read).await
    }

    /// Terms that stand in turns which may be seen and are spelt nearly as this one, and how alike they are.
    pub async fn terms_resembling(self, term: String) -> Result<Vec<(String, f32)>, HistoryError> {
        let audiences = audience_marks(self.visible);
        let read = move |tx: &Transaction<'_>| words::resembling(tx, "turn_vocabulary", &term, &audiences);
        self.history.read(read).await
    }

    /// In which summaries each of some words stands, as for [`Self::turns_holding`]; and how many summaries there are that
    /// may be seen, up to `most`.
    pub async fn leaves_holding(
        self,
        words: Vec<Vec<String>>,
        most: usize,
    ) -> Result<(Vec<Vec<SummaryId>>, usize), HistoryError> {
        let (audiences, seen) = (audience_marks(self.visible), rows::audience_pairs(self.visible));
        let read = move |tx: &Transaction<'_>| {
            let held = words::newest_rows(tx, "crystal_words", &words, &audiences, most)?;
            let count = tx
                .prepare_cached(
                    "SELECT count(*) FROM (SELECT 1 FROM crystals WHERE level = 0 AND stale = 0 AND text <> ''
                       AND writer <> 'excerpts' AND (audience_kind, audience_key) IN
                           (SELECT value ->> 0, value ->> 1 FROM json_each(?1)) LIMIT ?2)",
                )?
                .query_row(params![seen, most as i64], |row| row.get::<_, i64>(0))?;
            let ids = held.into_iter().map(|held| held.rows.into_iter().map(SummaryId).collect()).collect();
            Ok((ids, usize::try_from(count).unwrap_or_default()))
        };
        self.history.read(read).await
    }
}

const TURN_WORDS: &str = "turn_words";

/// The familiar's own turns that still stand, may be seen, and may hold all of some terms, of which there has to be one: of
/// many only the first are looked for.
pub(super) fn own_turns_holding(
    tx: &Transaction<'_>,
    terms: &BTreeSet<String>,
    visible: &Visible,
) -> rusqlite::Result<Vec<StoredId>> {
    let audiences = audience_marks(visible);
    let each = terms
        .iter()
        .take(MAX_QUERY_WORDS)
        .map(|term| format!("({})", words::expression(slice::from_ref(term), &audiences)));
    let all = each.collect::<Vec<_>>().join(" AND ");
    tx.prepare_cached(
        "SELECT t.id FROM turn_words f JOIN turns t ON t.id = f.rowid
         WHERE turn_words MATCH ?1 AND t.role = 'assistant'",
    )?
    .query_map([all], |row| row.get(0).map(StoredId))?
    .collect()
}

/// What may be seen, as the tables of words mark it.
pub(super) fn audience_marks(visible: &Visible) -> Vec<String> {
    let key = |(kind, key): (&str, String)| format!("{kind}:{key}");
    visible.audiences().map(|audience| key(audience_columns(audience))).collect()
}

/// The rows that hold any of some words, those of the most and rarest words first, of equals the newest.
fn best_first(held: &[Held]) -> Vec<(i64, f64)> {
    let is_any_rare = held.iter().any(|held| held.is_all && !held.rows.is_empty());
    let mut scores: HashMap<i64, f64> = HashMap::new();
    for held in held.iter().filter(|held| held.is_all || !is_any_rare) {
        let tells = (1.0 + ROWS as f64 / held.rows.len().max(1) as f64).ln();
        held.rows.iter().for_each(|row| *scores.entry(*row).or_default() += tells);
    }
    let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
    best.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| b.cmp(a)));
    best
}

/// The words of a text, each once and in each of its forms, as many as a question may have.
pub(super) fn query_words(query: &str) -> Vec<Vec<String>> {
    let mut words = all_query_words(query);
    words.truncate(MAX_QUERY_WORDS);
    words
}

/// The words of a text, each once and in each of its forms.
pub(super) fn all_query_words(query: &str) -> Vec<Vec<String>> {
    let mut words = keywords::forms(query);
    words.sort();
    words.dedup();
    // Where ideographs stand together, none of them is a word by itself.
    let is_single = |forms: &Vec<String>| {
        let mut letters = forms[0].chars();
        letters.next().is_some_and(is_unspaced_letter) && letters.next().is_none()
    };
    if words.iter().any(|forms| !is_single(forms)) {
        words.retain(|forms| !is_single(forms));
    }
    words
}
