//! Records in a file that a familiar may be writing at the same time: read only, so nothing is migrated and no turn number
//! is reserved. Blocks. Start at [`TraceReader::open`].

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, Row, ToSql};

use super::store::{FEW, TraceError, parse, that_asked};
use crate::domain::{ChannelId, TurnId, TurnTrace};
use crate::sqlite::{DatabaseError, from_sql, to_sql};

/// How long to wait while somebody writes.
const PATIENCE: Duration = Duration::from_secs(1);

/// Looks into a `traces.db` from outside.
#[derive(Debug)]
pub struct TraceReader {
    connection: Connection,
}

impl TraceReader {
    /// Opens the file, which must be there.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let refused = |source| DatabaseError::Open { path: path.to_owned(), source };
        let connection =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(refused)?;
        connection.busy_timeout(PATIENCE).map_err(refused)?;
        Ok(Self { connection })
    }

    /// One turn's trace; `None` where there is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn get(&self, turn: TurnId) -> Result<Option<TurnTrace>, TraceError> {
        Ok(self.select("id = ?1", &[&to_sql(turn.0)])?.pop())
    }

    /// The newest traces, of one channel or of all, newest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn newest(&self, channel: Option<&ChannelId>, limit: u32) -> Result<Vec<TurnTrace>, TraceError> {
        let channel = channel.map(ChannelId::as_str);
        self.select("(?1 IS NULL OR channel = ?1) ORDER BY id DESC LIMIT ?2", &[&channel, &limit])
    }

    /// The newest trace, of one channel or of all, of a turn that asked a model: greetings and silences do not. Where none of
    /// the newest did, the newest.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn latest_that_asked(&self, channel: Option<&ChannelId>) -> Result<Option<TurnTrace>, TraceError> {
        Ok(that_asked(self.newest(channel, FEW)?))
    }

    /// The traces of turns that began at a moment or later, newest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn since(&self, from: Timestamp, limit: u32) -> Result<Vec<TurnTrace>, TraceError> {
        self.select("at_ms >= ?1 ORDER BY id DESC LIMIT ?2", &[&from.as_millisecond(), &limit])
    }

    fn select(&self, which: &str, values: &[&dyn ToSql]) -> Result<Vec<TurnTrace>, TraceError> {
        let rows = self.rows(which, values).map_err(DatabaseError::from)?;
        rows.into_iter().map(|(turn, body)| parse(turn, &body)).collect()
    }

    fn rows(&self, which: &str, values: &[&dyn ToSql]) -> rusqlite::Result<Vec<(TurnId, String)>> {
        let read = |row: &Row<'_>| Ok((TurnId(from_sql(row.get(0)?)), row.get(1)?));
        let mut all = self.connection.prepare(&format!("SELECT id, body FROM traces WHERE {which}"))?;
        all.query_map(values, read)?.collect()
    }
}
