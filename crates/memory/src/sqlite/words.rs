//! Where words stand: FTS5 tables that hold nothing but terms, in an order of rows that only grows. One for everything that
//! is searched by words: turns, summaries, notes.
//!
//! Who may know a word is part of the word: each term begins with its audience, so a question for one audience touches no
//! row of another. Ranking is for whoever asks; FTS5's own would weigh what is hidden. Start at [`newest_rows`].

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, Transaction, params};
use sha2::{Digest as _, Sha256};

use crate::text::keywords;
use crate::text::short::hex;

/// Letters of an audience's mark in front of each term.
const MARK: usize = 12;

/// Rows of a word that are read before anybody knows how rare it is, and how many times more with every further look.
const FIRST_LOOK: usize = 128;
const FURTHER: usize = 8;

/// Letters of an unheard word that may be missing or too many in what it stands for, and how alike the two have to be by
/// their pairs of letters; no more such words than these are taken.
const MISSPELT_BY: usize = 2;
const RESEMBLES: f32 = 0.6;
const RESEMBLING: usize = 8;

/// The rows in which any of some words stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    pub rows: Vec<i64>,
    /// Whether these are all there are.
    pub is_all: bool,
}

/// Makes `search_terms(text, audience)` known to a connection: what triggers put into a table of words.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("search_terms", 2, flags, |arguments| {
        let (text, audience) = (arguments.get::<String>(0)?, arguments.get::<String>(1)?);
        Ok(marked(keywords::forms(&text).into_iter().flatten(), &audience))
    })
}

/// Terms as a table of words holds them for an audience, each once.
pub fn marked(terms: impl IntoIterator<Item = String>, audience: &str) -> String {
    let (mark, mut marked) = (mark(audience), String::new());
    for term in terms.into_iter().collect::<BTreeSet<String>>() {
        let _ = write!(marked, "{mark}{} ", unbroken_term(&term));
    }
    marked
}

/// A term without what FTS5 would part it at.
fn unbroken_term(term: &str) -> String {
    term.chars().filter(|letter| !letter.is_ascii() || letter.is_ascii_alphanumeric()).collect()
}

fn mark(audience: &str) -> String {
    hex(&Sha256::digest(audience.as_bytes())[..MARK / 2])
}

/// A question of FTS5 for any of these terms, as far as these audiences may know them.
pub fn expression(terms: &[String], audiences: &[String]) -> String {
    let marks: Vec<String> = audiences.iter().map(|audience| mark(audience)).collect();
    let mut expression = String::new();
    for (mark, term) in marks.iter().flat_map(|mark| terms.iter().map(move |term| (mark, term))) {
        let or = if expression.is_empty() { "" } else { " OR " };
        let _ = write!(expression, "{or}\"{mark}{}\"", unbroken_term(term));
    }
    expression
}

/// Where each of some words stands in a table, every word being any of several terms, as far as these audiences may know
/// it. About `most` rows are read in all: of rare words all, of common ones the newest.
pub fn newest_rows(
    tx: &Transaction<'_>,
    table: &str,
    words: &[Vec<String>],
    audiences: &[String],
    most: usize,
) -> rusqlite::Result<Vec<Held>> {
    let mut held = vec![Held { rows: Vec::new(), is_all: true }; words.len()];
    if audiences.is_empty() {
        return Ok(held);
    }
    let sql = format!("SELECT rowid FROM {table} WHERE {table} MATCH ?1 ORDER BY rowid DESC LIMIT ?2");
    let mut lookup = tx.prepare_cached(&sql)?;
    let mut open: Vec<(usize, String)> =
        words.iter().enumerate().map(|(at, terms)| (at, expression(terms, audiences))).collect();
    open.retain(|(_, question)| !question.is_empty());
    let mut limit = FIRST_LOOK.min(most);
    loop {
        for (at, question) in &open {
            let rows = lookup.query_map(params![question, limit as i64], |row| row.get(0))?;
            let rows = rows.collect::<rusqlite::Result<Vec<i64>>>()?;
            held[*at] = Held { is_all: rows.len() < limit, rows };
        }
        open.retain(|(at, _)| !held[*at].is_all);
        let left = most.saturating_sub(held.iter().map(|held| held.rows.len()).sum());
        let further = (limit * FURTHER).min(limit + left / open.len().max(1));
        if open.is_empty() || further <= limit {
            return Ok(held);
        }
        limit = further;
    }
}

/// Terms that are spelt nearly as this one, and how alike they are, the likest first: pairs of letters in common. Whoever
/// mistypes a word rarely does so at its first letter. `vocabulary` lists the terms of a table of words.
pub fn resembling(
    tx: &Transaction<'_>,
    vocabulary: &str,
    term: &str,
    audiences: &[String],
) -> rusqlite::Result<Vec<(String, f32)>> {
    let Some(first) = term.chars().next() else { return Ok(Vec::new()) };
    let letters = term.chars().count();
    let mut alike: Vec<(String, f32)> = Vec::new();
    let sql = format!("SELECT term FROM {vocabulary} WHERE term >= ?1 AND term < ?2");
    let mut known = tx.prepare_cached(&sql)?;
    for audience in audiences {
        let from = format!("{}{first}", mark(audience));
        let rows = known.query_map([&from, &format!("{from}\u{10ffff}")], |row| row.get::<_, String>(0))?;
        for row in rows {
            let row = row?;
            let other = &row[MARK.min(row.len())..];
            if other.chars().count().abs_diff(letters) > MISSPELT_BY {
                continue;
            }
            let share = strsim::sorensen_dice(other, term) as f32;
            if share >= RESEMBLES && !alike.iter().any(|(known, _)| known == other) {
                alike.push((other.to_owned(), share));
            }
        }
    }
    alike.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
    alike.truncate(RESEMBLING);
    Ok(alike)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        connection
            .execute_batch(
                "CREATE VIRTUAL TABLE words USING fts5 (
                     terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
                 CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);",
            )
            .unwrap();
        connection
    }

    fn put(tx: &Transaction<'_>, row: i64, text: &str, audience: &str) {
        let sql = "INSERT INTO words (rowid, terms) VALUES (?1, search_terms(?2, ?3))";
        tx.execute(sql, params![row, text, audience]).unwrap();
    }

    #[test]
    fn y14_of_rare_words_all_rows_are_read_and_of_common_ones_the_newest() {
        let mut connection = table();
        let tx = connection.transaction().unwrap();
        for row in 1..=1_000 {
            put(&tx, row, if row % 100 == 0 { "the ferry and its lantern" } else { "a ferry" }, "canon");
        }
        let words = ["ferri", "lantern", "rope"].map(|word| vec![word.to_owned()]);
        let held = newest_rows(&tx, "words", &words, &["canon".to_owned()], 300).unwrap();
        assert_eq!((held[1].rows.len(), held[1].is_all), (10, true));
        assert_eq!(held[1].rows[0], 1_000);
        assert!(!held[0].is_all && (200..=300).contains(&held[0].rows.len()), "{}", held[0].rows.len());
        assert_eq!(held[2], Held { rows: Vec::new(), is_all: true });
        let all = newest_rows(&tx, "words", &words, &["canon".to_owned()], 10_000).unwrap();
        assert_eq!((all[0].rows.len(), all[0].is_all), (1_000, true));
    }

    #[test]
    fn contradiction_8_a_word_stands_nowhere_for_those_who_may_not_know_it() {
        let mut connection = table();
        let tx = connection.transaction().unwrap();
        put(&tx, 1, "the lighthouse", "dm:discord:1");
        put(&tx, 2, "a lighthouse \"quoted\"", "guild:7");
        let rows = |audiences: &[&str], word: &str| {
            let audiences: Vec<String> = audiences.iter().map(|one| (*one).to_owned()).collect();
            newest_rows(&tx, "words", &[vec![word.to_owned()]], &audiences, 10).unwrap()[0].rows.clone()
        };
        let word = keywords::index_word("lighthouse");
        assert_eq!(rows(&["guild:7"], &word), [2]);
        assert_eq!(rows(&["guild:7", "dm:discord:1"], &word), [2, 1]);
        assert!(rows(&[], &word).is_empty() && rows(&["guild:8"], &word).is_empty());
        let alike =
            |audience: &str| resembling(&tx, "vocabulary", "lihgthous", &[audience.to_owned()]).unwrap();
        assert_eq!(alike("guild:7")[0].0, word);
        assert!(alike("guild:8").is_empty());
        put(&tx, 3, "paragraph ⑴ of ½", "guild:7");
        assert_eq!(rows(&["guild:7"], &keywords::index_word("⑴")), [3]);
        tx.execute("DELETE FROM words WHERE rowid = 2", []).unwrap();
        assert!(rows(&["guild:7"], &word).is_empty());
    }
}
