//! Proof that what is derived from turns is what would be derived anew: the index of words, the counts that triggers keep,
//! and the summaries (contradiction 2).
//!
//! Must not know notes or vectors. Start at [`History::verify`].

use std::collections::BTreeSet;

use rusqlite::Transaction;

use crate::domain::{ChannelId, StoredId};
use crate::sqlite::from_sql;

use super::summaries::of_turns;
use super::{History, HistoryError};

/// What is derived from turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Derived {
    /// The indexes of words: of turns, and of documents and pins.
    Words,
    /// How many turns of a channel stand.
    Counts,
    /// How much somebody said, and since when.
    Acquaintances,
    /// Summaries: they cover a channel from its first turn on without holes, each over the turns it was made from.
    Summaries,
}

/// The tables of words, and what each would hold if it were made anew.
const WORD_TABLES: [(&str, &str); 2] = [
    (
        "turn_words",
        "SELECT id, search_terms(content, audience_kind || ':' || audience_key) FROM turns WHERE deleted_at_ms IS NULL",
    ),
    ("source_words", "SELECT id, search_terms(heading || ' ' || text, terms_of) FROM source_passages"),
];

/// Whether an index of words is another than one made anew: every word in other rows, by their number and sum.
fn are_words_amiss(tx: &Transaction<'_>, table: &str, anew: &str) -> rusqlite::Result<bool> {
    tx.execute_batch(&format!(
        "CREATE VIRTUAL TABLE temp.words_anew USING fts5 (terms, content='', detail=none, tokenize='ascii');
         INSERT INTO words_anew (rowid, terms) {anew};
         CREATE VIRTUAL TABLE temp.standing_anew USING fts5vocab (temp, words_anew, instance);
         CREATE VIRTUAL TABLE temp.standing_kept USING fts5vocab (main, {table}, instance);"
    ))?;
    let differs = |one: &str, other: &str| {
        let each = |table: &str| format!("SELECT term, count(*), sum(doc) FROM temp.{table} GROUP BY term");
        tx.query_row(&format!("SELECT EXISTS ({} EXCEPT {})", each(one), each(other)), [], |row| {
            row.get::<_, bool>(0)
        })
    };
    let is_amiss = differs("standing_anew", "standing_kept")? || differs("standing_kept", "standing_anew")?;
    tx.execute_batch(
        "DROP TABLE temp.standing_kept; DROP TABLE temp.standing_anew; DROP TABLE temp.words_anew;",
    )?;
    Ok(is_amiss)
}

/// Whether any of them is.
fn are_any_words_amiss(tx: &Transaction<'_>) -> rusqlite::Result<bool> {
    WORD_TABLES
        .iter()
        .try_fold(false, |is_amiss, (table, anew)| Ok(is_amiss || are_words_amiss(tx, table, anew)?))
}

fn refill_words(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    WORD_TABLES.iter().try_for_each(|(table, anew)| {
        tx.execute_batch(&format!(
            "INSERT INTO {table} ({table}) VALUES ('delete-all'); INSERT INTO {table} (rowid, terms) {anew};"
        ))
    })
}

/// Something that is not as it would be derived anew.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryDifference {
    pub what: Derived,
    /// Where: a channel, or an account; empty for the whole.
    pub place: String,
}

impl History {
    /// Holds everything derived against the turns: none where all is as it would be made anew.
    pub async fn verify(&self) -> Result<Vec<HistoryDifference>, HistoryError> {
        let found = self.read(|tx| {
            let mut found = BTreeSet::new();
            let mut note = |what, places: Vec<String>| {
                found.extend(places.into_iter().map(|place| HistoryDifference { what, place }));
            };
            note(Derived::Counts, differing_places(tx, COUNTS)?);
            note(Derived::Acquaintances, differing_places(tx, ACQUAINTANCES)?);
            note(Derived::Summaries, summaries(tx)?);
            Ok(found)
        });
        let told = |error| self.database.as_at_opening(error);
        let mut differences = found.await.map_err(told)?;
        // Another index is made beside it, which a reader may not.
        if self.write(are_any_words_amiss).await.map_err(told)? {
            differences.insert(HistoryDifference { what: Derived::Words, place: String::new() });
        }
        Ok(differences.into_iter().collect())
    }

    /// Makes the index of words and all counts anew; summaries that are not right are emptied, to be made anew.
    pub async fn rebuild(&self) -> Result<(), HistoryError> {
        self.write(|tx| {
            refill_words(tx)?;
            tx.execute("DELETE FROM live_turns", [])?;
            tx.execute(
                "INSERT INTO live_turns SELECT channel, ordinal / 1000, count(*) FROM turns
                 WHERE deleted_at_ms IS NULL GROUP BY channel, ordinal / 1000",
                [],
            )?;
            tx.execute("DELETE FROM acquaintances", [])?;
            tx.execute(
                "INSERT INTO acquaintances
                 SELECT author_account, audience_kind, audience_key, sum(deleted_at_ms IS NULL), min(at_ms)
                 FROM turns WHERE author_account IS NOT NULL AND role = 'user'
                 GROUP BY author_account, audience_kind, audience_key",
                [],
            )?;
            for channel in summaries(tx)? {
                tx.execute("DELETE FROM crystals WHERE channel = ?1", [channel])?;
            }
            Ok(())
        })
        .await
    }

    /// The newest change of a turn; whoever follows the history has heard of all up to here, or lags behind.
    pub async fn newest_change(&self) -> Result<i64, HistoryError> {
        self.one("SELECT coalesce(max(seq), 0) FROM turn_changes", (), |row| row.get(0)).await
    }

    /// The turns that still stand, of the first so many ids.
    pub async fn standing_up_to(&self, last: StoredId) -> Result<BTreeSet<StoredId>, HistoryError> {
        let standing = "SELECT id FROM turns WHERE deleted_at_ms IS NULL AND id <= ?1";
        Ok(self.all(standing, [last.0], |row| row.get(0).map(StoredId)).await?.into_iter().collect())
    }
}

/// Channels whose counted turns are not those that stand. A count of none may be kept or not.
const COUNTS: &str = "
    SELECT channel FROM (
        SELECT channel, thousand, sum(turns) AS n FROM (
            SELECT channel, thousand, turns FROM live_turns
            UNION ALL
            SELECT channel, ordinal / 1000, -1 FROM turns WHERE deleted_at_ms IS NULL)
        GROUP BY channel, thousand)
    WHERE n <> 0 GROUP BY channel";

/// Accounts whose counted messages are not those that stand, or who were met later than they first spoke. Somebody whose
/// messages were all forgotten may be kept with none.
const ACQUAINTANCES: &str = "
    SELECT account FROM (
        SELECT account, audience_kind, audience_key, sum(n) AS n FROM (
            SELECT account, audience_kind, audience_key, messages AS n FROM acquaintances
            UNION ALL
            SELECT author_account, audience_kind, audience_key, -1 FROM turns
            WHERE author_account IS NOT NULL AND role = 'user' AND deleted_at_ms IS NULL)
        GROUP BY account, audience_kind, audience_key)
    WHERE n <> 0 GROUP BY account
    UNION
    SELECT a.account FROM acquaintances a JOIN turns t
      ON t.author_account = a.account AND t.audience_kind = a.audience_kind AND t.audience_key = a.audience_key
     AND t.role = 'user' AND t.at_ms < a.first_at_ms";

fn differing_places(tx: &Transaction<'_>, sql: &str) -> rusqlite::Result<Vec<String>> {
    tx.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Channels whose summaries have a hole, an overlap, or were made from other words than stand there.
fn summaries(tx: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    let mut wrong = BTreeSet::new();
    let mut leaves = tx.prepare(
        "SELECT channel, first_ordinal, last_ordinal, inputs, stale FROM crystals WHERE level = 0
         ORDER BY channel, first_ordinal",
    )?;
    let mut rows = leaves.query([])?;
    let mut before: Option<(String, u64)> = None;
    while let Some(row) = rows.next()? {
        let (channel, first, last): (String, u64, u64) =
            (row.get(0)?, from_sql(row.get(1)?), from_sql(row.get(2)?));
        let follows = match &before {
            Some((known, covered)) if *known == channel => covered + 1 == first,
            _ => first == 1,
        };
        let is_stale: bool = row.get(4)?;
        let is_right = is_stale
            || match ChannelId::new(channel.clone()) {
                Ok(id) => of_turns(tx, &id, first, last)? == row.get::<_, String>(3)?,
                Err(_) => false,
            };
        if !follows || !is_right {
            wrong.insert(channel.clone());
        }
        before = Some((channel, last));
    }
    // A fold stands for leaves up to its last; none of them may be missing.
    wrong.extend(differing_places(
        tx,
        "SELECT f.channel FROM crystals f WHERE f.level = 1 AND f.last_ordinal >
            coalesce((SELECT max(l.last_ordinal) FROM crystals l WHERE l.channel = f.channel AND l.level = 0), 0)",
    )?);
    Ok(wrong.into_iter().collect())
}

#[cfg(test)]
impl History {
    /// Breaks something, as no program would.
    pub(crate) async fn spoil(&self, sql: &'static str) {
        self.write(move |tx| tx.execute_batch(sql)).await.unwrap();
    }
}
