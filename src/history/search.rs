//! Finding words in everything that was said, where the asker may hear it.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{ChannelId, StoredTurn, TokenEncoding, Visible};
use crate::text::keywords::{self, stands_alone};

use super::rows::{self, ReadTurn, TURN_COLUMN_COUNT, TURN_COLUMNS, TURN_JOINS};
use super::{History, HistoryError};

/// Words of a query that are looked for; a pasted novel needs no more.
const MAX_QUERY_WORDS: usize = 32;

/// A word that stands in more turns than this says little and costs much: ranking takes about 1.5 µs a turn.
const COMMON_TURNS: i64 = 5_000;

/// A turn that was found, with where it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The channel.
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    /// The turn.
    pub turn: StoredTurn,
    /// BM25, larger is better; only comparable within one search.
    pub score: f64,
}

impl History {
    /// Turns that hold any of the query's words, best first (BM25). The query is plain text: quotes, apostrophes
    /// and operators mean nothing (specs familiar-connect 2.8). Words that stand in more than 5,000 turns are left
    /// out where rarer ones are there. Who may see what is part of the query itself, so a
    /// hidden turn never takes a visible one's place.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn search(
        &self,
        query: &str,
        visible: &Visible,
        limit: u32,
        encoding: TokenEncoding,
    ) -> Result<Vec<Found>, HistoryError> {
        let words = query_words(query);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let visible = rows::audiences(visible);
        let found = self
            .database
            .read(move |tx| {
                let words = match_expression(&telling(tx, words)?);
                tx.prepare_cached(&format!(
                    "SELECT {TURN_COLUMNS}, t.channel, c.name, f.rank
                     FROM turns_fts f JOIN turns t ON t.id = f.rowid
                     JOIN channels c ON c.channel = t.channel {TURN_JOINS}
                     WHERE turns_fts MATCH ?2 AND t.deleted_at_ms IS NULL
                       AND (t.audience_kind, t.audience_key) IN
                           (SELECT value ->> 0, value ->> 1 FROM json_each(?3))
                     ORDER BY f.rank LIMIT ?4"
                ))?
                .query_map(params![encoding.as_str(), words, visible, limit], found_turn)?
                .collect::<rusqlite::Result<Vec<_>>>()
            })
            .await?;
        let (turns, places): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let turns = self.with_tokens(turns, encoding).await?;
        Ok(turns.into_iter().zip(places).map(|(turn, place)| place.with(turn)).collect())
    }

    /// Builds the search index anew from the turns. Gives the same answers as the one kept up to date.
    ///
    /// # Errors
    /// When the database refuses; the old index is still there then.
    pub async fn rebuild_index(&self) -> Result<(), HistoryError> {
        let rebuilt = self
            .database
            .write(|tx| tx.execute("INSERT INTO turns_fts (turns_fts) VALUES ('rebuild')", []).map(drop));
        Ok(rebuilt.await?)
    }
}

struct FoundPlace {
    channel: ChannelId,
    channel_name: Option<String>,
    score: f64,
}

impl FoundPlace {
    fn with(self, turn: StoredTurn) -> Found {
        let Self { channel, channel_name, score } = self;
        Found { channel, channel_name, turn, score }
    }
}

fn found_turn(row: &Row<'_>) -> rusqlite::Result<(ReadTurn, FoundPlace)> {
    let place = FoundPlace {
        channel: rows::parsed(row, TURN_COLUMN_COUNT)?,
        channel_name: row.get(TURN_COLUMN_COUNT + 1)?,
        score: -row.get::<_, f64>(TURN_COLUMN_COUNT + 2)?,
    };
    Ok((rows::stored_turn(row)?, place))
}

/// What the index holds for `content`, where that is not the content itself: the index's tokeniser takes a run of
/// ideographs for one word, so they are set apart and each can be found.
pub(super) fn search_text(content: &str) -> Option<String> {
    content.chars().any(stands_alone).then(|| set_apart(content))
}

fn set_apart(text: &str) -> String {
    let mut apart = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        if stands_alone(character) {
            apart.push(' ');
            apart.push(character);
            apart.push(' ');
        } else {
            apart.push(character);
        }
    }
    apart
}

pub(super) fn query_words(query: &str) -> Vec<String> {
    let words = query.split(|c: char| !c.is_alphanumeric() && !is_mark(c)).filter(|word| !word.is_empty());
    words.take(MAX_QUERY_WORDS).map(str::to_owned).collect()
}

/// The words worth ranking by: those that are not common, else the least common one.
pub(super) fn telling(tx: &Transaction<'_>, words: Vec<String>) -> rusqlite::Result<Vec<String>> {
    let mut count = tx.prepare_cached("SELECT doc FROM turns_words WHERE term = ?1")?;
    let mut counted = Vec::with_capacity(words.len());
    for word in words {
        // A word that the index folds otherwise than this does is taken for a rare one.
        let turns = count.query_row([keywords::index_word(&word)], |row| row.get(0)).optional()?;
        counted.push((turns.unwrap_or(0_i64), word));
    }
    if counted.iter().all(|(turns, _)| *turns > COMMON_TURNS) {
        return Ok(counted.into_iter().min().map(|(_, word)| word).into_iter().collect());
    }
    counted.retain(|(turns, _)| *turns <= COMMON_TURNS);
    Ok(counted.into_iter().map(|(_, word)| word).collect())
}

/// Each word quoted, any of them; a run of ideographs becomes a phrase.
pub(super) fn match_expression(words: &[String]) -> String {
    let mut expression = String::new();
    for word in words {
        if !expression.is_empty() {
            expression.push_str(" OR ");
        }
        expression.push('"');
        expression.push_str(&set_apart(word));
        expression.push('"');
    }
    expression
}

fn is_mark(character: char) -> bool {
    unicode_normalization::char::is_combining_mark(character)
}
