//! Between passages and rows.

use std::str::FromStr;

use rusqlite::types::Type;
use rusqlite::{Row, Transaction, params};

use super::passages::Passage;
use crate::memory::store::{ContentHash, NotePath};

/// The columns that [`passage`] reads, in its order.
pub(super) const PASSAGE_COLUMNS: &str = "path, ordinal, line, part, headings, fact, audience, text, data";

/// The files that the index holds, with the hashes of their bytes.
pub(super) fn indexed_files(tx: &Transaction<'_>) -> rusqlite::Result<Vec<(NotePath, String)>> {
    tx.prepare_cached("SELECT path, sha256 FROM files")?
        .query_map([], |row| Ok((parse_index_column(row, 0)?, row.get(1)?)))?
        .collect()
}

/// Takes a file and everything in it out of the index.
pub(super) fn remove_file(tx: &Transaction<'_>, path: &NotePath) -> rusqlite::Result<()> {
    let path = path.as_str();
    tx.prepare_cached("DELETE FROM words WHERE rowid IN (SELECT id FROM passages WHERE path = ?1)")?
        .execute([path])?;
    tx.prepare_cached("DELETE FROM passages WHERE path = ?1")?.execute([path])?;
    tx.prepare_cached("DELETE FROM files WHERE path = ?1")?.execute([path]).map(drop)
}

/// Puts a file in the index, in place of what was known of it.
pub(super) fn replace_file(
    tx: &Transaction<'_>,
    path: &NotePath,
    hash: ContentHash,
    passages: &[(Passage, String)],
) -> rusqlite::Result<()> {
    remove_file(tx, path)?;
    tx.prepare_cached("INSERT INTO files (path, sha256) VALUES (?1, ?2)")?
        .execute([path.as_str(), &hash.to_string()])?;
    let mut passage_row = tx.prepare_cached(
        "INSERT INTO passages (path, ordinal, line, part, headings, fact, audience, text, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let mut words_row = tx.prepare_cached("INSERT INTO words (rowid, terms) VALUES (?1, ?2)")?;
    for (passage, words) in passages {
        passage_row.execute(params![
            path.as_str(),
            passage.ordinal,
            passage.line,
            passage.part,
            serde_json::json!(passage.headings).to_string(),
            passage.fact.as_ref().map(|id| id.as_str()),
            passage.audience.to_string(),
            passage.text,
            passage.data.to_string(),
        ])?;
        words_row.execute(params![tx.last_insert_rowid(), words])?;
    }
    Ok(())
}

pub(super) fn passage(row: &Row<'_>) -> rusqlite::Result<Passage> {
    let headings: String = row.get(4)?;
    let fact: Option<String> = row.get(5)?;
    Ok(Passage {
        path: parse_index_column(row, 0)?,
        ordinal: row.get(1)?,
        line: row.get(2)?,
        part: row.get(3)?,
        headings: serde_json::from_str(&headings).map_err(|error| unreadable_row(4, error))?,
        fact: fact.map(|id| id.parse().map_err(|error| unreadable_row(5, error))).transpose()?,
        audience: parse_index_column(row, 6)?,
        text: row.get(7)?,
        data: parse_index_column(row, 8)?,
    })
}

fn parse_index_column<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let text: String = row.get(column)?;
    text.parse().map_err(|error| unreadable_row(column, error))
}

fn unreadable_row(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}
