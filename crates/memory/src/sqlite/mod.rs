//! SQLite the way every store of this program uses it.
//!
//! Owns opening, pragmas, migrations, the threads that talk to a database file and the bound on what may wait for
//! them. Must not know what is stored. Start reading at [`Database`].

mod check;
mod database;
mod held;
mod slow;
#[cfg(test)]
mod tests;
pub mod words;

pub use check::{FileHealth, is_newer_file, quick_check};
pub use database::{
    Database, DatabaseError, beside, remove_database, set_aside, set_aside_names, statements_run,
};
pub use held::{HeldTime, hold_time, stand_still_here};

use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::Type;

/// A counting number as SQLite keeps it. Numbers beyond 2⁶³ become that; nothing here counts so far.
pub fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A column of text as what it names.
///
/// # Errors
/// Where it is no text, or names nothing that this version knows.
pub fn parse_column<T: FromStr>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    row.get_ref(column)?.as_str()?.parse().map_err(|_| unreadable_column(column))
}

/// That a column says nothing that this version knows.
pub fn unreadable_column(column: usize) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, "not a value this version knows".into())
}

/// Back from SQLite; a negative number, which nothing here writes, becomes 0.
pub fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
