//! What a question calls up from everything that was said: the turns that hold its words or fall into its time, with
//! what was said around them, and how common its words are. Ranking is the asker's.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{ChannelId, ChannelMode, StoredId, StoredTurn};
use crate::text::keywords;

use super::rows::{self, TURN_COLUMN_COUNT, TURN_COLUMNS, TURN_JOINS};
use super::search::{match_expression, query_words, telling};
use super::{History, HistoryError, Visible};

/// What is looked for.
#[derive(Debug, Clone)]
pub struct SurveyQuery {
    /// Plain text; words that tell little are left out beside words that tell much.
    pub text: String,
    /// The time that is meant, where one is: what was said then is called up whatever its words.
    pub between: Option<(Timestamp, Timestamp)>,
    /// What the prompt already shows word for word and need not be found.
    pub shown: Option<Shown>,
    /// What was said later is not looked at; `None` for up to now.
    pub until: Option<Timestamp>,
    /// Most turns found by words, and again by time.
    pub most: u32,
    /// How many turns before and after each come along.
    pub around: u32,
}

/// A stretch of a channel that is before everybody's eyes: its turns of one mode, from an ordinal on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The channel.
    pub channel: ChannelId,
    /// The mode whose turns are shown.
    pub mode: ChannelMode,
    /// Turns with a greater ordinal are shown.
    pub above: u64,
}

impl Shown {
    /// Whether a turn stands in it.
    #[must_use]
    pub fn holds(&self, channel: &ChannelId, turn: &StoredTurn) -> bool {
        *channel == self.channel && turn.mode == self.mode && turn.ordinal > self.above
    }
}

/// One turn, with where it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// The channel.
    pub channel: ChannelId,
    /// The channel's name for people, as last seen.
    pub channel_name: Option<String>,
    /// The turn. Its tokens are not counted.
    pub turn: StoredTurn,
}

/// What was called up.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// The turns and those around them, by channel and order of speaking.
    pub heard: Vec<Heard>,
    /// Which of them were found, best first by words, then those found by time.
    pub found: Vec<StoredId>,
    /// In how many turns each of the question's stems stands, in all.
    pub counts: Vec<(String, u64)>,
    /// How many turns there are in all, about.
    pub total: u64,
}

impl History {
    /// Calls up what a question may be about, from what `visible` names and nothing else: what is hidden neither
    /// comes along as context nor takes a visible turn's place.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn survey(&self, query: SurveyQuery, visible: &Visible) -> Result<Survey, HistoryError> {
        let visible = visible.as_json();
        Ok(self.database.read(move |tx| survey(tx, &query, &visible)).await?)
    }
}

fn survey(tx: &Transaction<'_>, query: &SurveyQuery, visible: &str) -> rusqlite::Result<Survey> {
    let words = query_words(&query.text);
    let mut found = Vec::new();
    if !words.is_empty() {
        let telling = telling(tx, words)?;
        found = by_words(tx, query, &match_expression(&telling), visible)?;
    }
    if let Some(between) = query.between {
        for id in by_time(tx, query, between, visible)? {
            if !found.contains(&id) {
                found.push(id);
            }
        }
    }
    let heard = if found.is_empty() { Vec::new() } else { around(tx, query, &found, visible)? };
    let mut counts = Vec::new();
    let mut count = tx.prepare_cached("SELECT doc FROM turns_words WHERE term = ?1")?;
    for stem in keywords::terms(&query.text) {
        if counts.iter().all(|(known, _)| *known != stem) {
            let turns: Option<i64> = count.query_row([&stem], |row| row.get(0)).optional()?;
            counts.push((stem, turns.and_then(|turns| u64::try_from(turns).ok()).unwrap_or(0)));
        }
    }
    let total: Option<i64> = tx
        .prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'turns'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(Survey { heard, found, counts, total: total.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0) })
}

/// Turns that may be found; the parameters are `?1` to `?5`.
const FINDABLE: &str = "t.deleted_at_ms IS NULL AND t.at_ms <= ?5
    AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))
    AND NOT (t.channel IS ?2 AND t.mode IS ?3 AND t.ordinal > ?4)";

fn by_words(
    tx: &Transaction<'_>,
    query: &SurveyQuery,
    expression: &str,
    visible: &str,
) -> rusqlite::Result<Vec<StoredId>> {
    let (channel, mode, above) = shown(query);
    tx.prepare_cached(&format!(
        "SELECT t.id FROM turns_fts f JOIN turns t ON t.id = f.rowid
         WHERE turns_fts MATCH ?6 AND {FINDABLE} ORDER BY f.rank LIMIT ?7"
    ))?
    .query_map(params![visible, channel, mode, above, until(query), expression, query.most], |row| {
        row.get(0).map(StoredId)
    })?
    .collect()
}

fn by_time(
    tx: &Transaction<'_>,
    query: &SurveyQuery,
    (from, to): (Timestamp, Timestamp),
    visible: &str,
) -> rusqlite::Result<Vec<StoredId>> {
    let (channel, mode, above) = shown(query);
    tx.prepare_cached(&format!(
        "SELECT t.id FROM turns t WHERE t.at_ms BETWEEN ?6 AND ?7 AND {FINDABLE} ORDER BY t.at_ms LIMIT ?8"
    ))?
    .query_map(
        params![
            visible,
            channel,
            mode,
            above,
            until(query),
            from.as_millisecond(),
            to.as_millisecond(),
            query.most
        ],
        |row| row.get(0).map(StoredId),
    )?
    .collect()
}

fn until(query: &SurveyQuery) -> i64 {
    query.until.map_or(i64::MAX, Timestamp::as_millisecond)
}

fn shown(query: &SurveyQuery) -> (Option<&str>, Option<&str>, i64) {
    match &query.shown {
        Some(shown) => {
            (Some(shown.channel.as_str()), Some(shown.mode.as_str()), crate::sqlite::to_sql(shown.above))
        }
        None => (None, None, i64::MAX),
    }
}

/// The turns found, those next to them, and what they answer.
fn around(
    tx: &Transaction<'_>,
    query: &SurveyQuery,
    found: &[StoredId],
    visible: &str,
) -> rusqlite::Result<Vec<Heard>> {
    let ids: Vec<i64> = found.iter().map(|id| id.0).collect();
    tx.prepare_cached(&format!(
        "WITH hit (id) AS (SELECT value FROM json_each(?2)),
            wanted (id) AS (
                SELECT b.id FROM hit JOIN turns a ON a.id = hit.id
                JOIN turns b ON b.channel = a.channel AND b.ordinal BETWEEN a.ordinal - ?4 AND a.ordinal + ?4
                UNION
                SELECT m.turn_id FROM hit JOIN turns a ON a.id = hit.id
                JOIN turn_messages m ON m.channel = a.channel AND m.message = a.reply_to)
         SELECT {TURN_COLUMNS}, t.channel, c.name
         FROM wanted w JOIN turns t ON t.id = w.id JOIN channels c ON c.channel = t.channel {TURN_JOINS}
         WHERE t.deleted_at_ms IS NULL AND t.at_ms <= ?5
            AND (t.audience_kind, t.audience_key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))
         ORDER BY t.channel, t.ordinal"
    ))?
    .query_map(params!["", serde_json::json!(ids).to_string(), visible, query.around, until(query)], heard)?
    .collect()
}

pub(super) fn heard(row: &Row<'_>) -> rusqlite::Result<Heard> {
    Ok(Heard {
        channel: rows::parsed(row, TURN_COLUMN_COUNT)?,
        channel_name: row.get(TURN_COLUMN_COUNT + 1)?,
        turn: rows::stored_turn(row)?.turn,
    })
}
