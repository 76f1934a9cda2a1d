//! Between passages and rows.

use std::collections::HashMap;
use std::str::FromStr;

use rusqlite::types::Type;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use super::passages::Passage;
use crate::memory::store::NotePath;
use crate::sqlite::{from_sql, to_sql};

/// What the index knows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileRow {
    pub bytes: u64,
    /// `None` where the time does not tell.
    pub modified_ns: Option<i64>,
    pub sha256: String,
    pub problem: Option<String>,
}

/// The columns that [`passage`] reads, in its order.
pub(super) const PASSAGE_COLUMNS: &str = "path, ordinal, line, part, headings, fact, audience, text, data";

pub(super) fn indexed_files(tx: &Transaction<'_>) -> rusqlite::Result<HashMap<NotePath, FileRow>> {
    let mut statement = tx.prepare_cached("SELECT path, bytes, modified_ns, sha256, problem FROM files")?;
    statement.query_map([], file_row)?.collect()
}

/// What the index knows of some files.
pub(super) fn files_of(
    tx: &Transaction<'_>,
    paths: &[NotePath],
) -> rusqlite::Result<HashMap<NotePath, FileRow>> {
    let mut statement =
        tx.prepare_cached("SELECT path, bytes, modified_ns, sha256, problem FROM files WHERE path = ?1")?;
    let mut known = HashMap::new();
    for path in paths {
        known.extend(statement.query_row([path.as_str()], file_row).optional()?);
    }
    Ok(known)
}

fn file_row(row: &Row<'_>) -> rusqlite::Result<(NotePath, FileRow)> {
    let file = FileRow {
        bytes: from_sql(row.get(1)?),
        modified_ns: row.get(2)?,
        sha256: row.get(3)?,
        problem: row.get(4)?,
    };
    Ok((parse_index_column(row, 0)?, file))
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
    file: &FileRow,
    passages: &[(Passage, String)],
) -> rusqlite::Result<()> {
    remove_file(tx, path)?;
    tx.prepare_cached(
        "INSERT INTO files (path, bytes, modified_ns, sha256, problem) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![path.as_str(), to_sql(file.bytes), file.modified_ns, file.sha256, file.problem])?;
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

/// Notes that a file has other times and the same content.
pub(super) fn touch(tx: &Transaction<'_>, path: &NotePath, file: &FileRow) -> rusqlite::Result<()> {
    tx.prepare_cached("UPDATE files SET bytes = ?2, modified_ns = ?3 WHERE path = ?1")?
        .execute(params![path.as_str(), to_sql(file.bytes), file.modified_ns])
        .map(drop)
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
