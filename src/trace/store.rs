//! The newest traces in memory, all kept ones in `traces.db`.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{OptionalExtension, Transaction, params};
use rusqlite_migration::{M, Migrations};

use crate::domain::{ChannelId, TurnId, TurnTrace};
use crate::sqlite::{Database, DatabaseError, from_sql, to_sql};

use super::numbers::TurnNumbers;

static MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

/// A step that was released is never edited; add the next one.
const STEPS: &[M<'static>] = &[M::up(include_str!("schema/01_traces.sql"))];

/// Takes secrets out of a text, returning it untouched where there are none.
pub type Redactor = Arc<dyn Fn(&str) -> Cow<'_, str> + Send + Sync>;

/// How traces are kept.
#[derive(Clone)]
pub struct TraceOptions {
    /// The newest traces held in memory, 1 or more.
    pub ring: usize,
    /// Traces kept in the database, 1 or more; the oldest go first, some at a time.
    pub keep: u64,
    /// Run over every text of a trace before it is kept anywhere.
    pub redact: Option<Redactor>,
}

impl Default for TraceOptions {
    /// 200 in memory, 5,000 in the database, nothing redacted.
    fn default() -> Self {
        Self { ring: 200, keep: 5_000, redact: None }
    }
}

impl fmt::Debug for TraceOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceOptions")
            .field("ring", &self.ring)
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}

/// Why traces could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The database refused.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// A kept trace is not readable by this version.
    #[error("the trace of turn {turn} cannot be read: {source}")]
    Unreadable {
        /// Which.
        turn: TurnId,
        /// Why.
        source: serde_json::Error,
    },
}

/// Every turn's trace. Share it in an `Arc`; every method takes `&self`.
#[derive(Debug)]
pub struct TraceStore {
    database: Database,
    options: TraceOptions,
    numbers: TurnNumbers,
    ring: Mutex<VecDeque<Arc<TurnTrace>>>,
}

impl TraceStore {
    /// Opens or creates `traces.db`.
    ///
    /// # Errors
    /// When the file cannot be opened, or a newer version wrote it.
    pub async fn open(path: &Path, options: TraceOptions) -> Result<Self, TraceError> {
        let database = Database::open(path, &MIGRATIONS).await?;
        let next = database
            .read(|tx| {
                tx.query_row(
                    "SELECT max(reserved, (SELECT coalesce(max(id), 0) + 1 FROM traces)) FROM turn_numbers",
                    [],
                    |row| row.get(0).map(from_sql),
                )
            })
            .await?;
        let store = Self {
            database,
            numbers: TurnNumbers::starting_at(next),
            ring: Mutex::new(VecDeque::with_capacity(options.ring.clamp(1, 1_024))),
            options,
        };
        if let Some(end) = store.numbers.due() {
            store.database.write(move |tx| reserve(tx, end)).await?;
            store.numbers.reserved_to(end);
        }
        Ok(store)
    }

    /// A number for a turn that starts now. Numbers grow, also across restarts.
    #[must_use]
    pub fn next_turn(&self) -> TurnId {
        self.numbers.take()
    }

    /// Keeps a finished turn's trace. It can be read as soon as this is first polled; a database that refuses is
    /// logged and never fails the turn.
    pub async fn record(&self, trace: TurnTrace) {
        let trace = Arc::new(trace);
        self.remember(Arc::clone(&trace));
        let turn = trace.id;
        let reserve_to = self.numbers.due();
        let written = self
            .database
            .write(move |tx| {
                if let Some(end) = reserve_to {
                    reserve(tx, end)?;
                }
                insert(tx, &trace)
            })
            .await;
        match (written, reserve_to) {
            (Ok(()), Some(end)) => self.numbers.reserved_to(end),
            (Ok(()), None) => {}
            (Err(error), _) => tracing::warn!(%turn, %error, "the turn's trace was not kept"),
        }
    }

    /// One turn's trace; `None` when there was no such turn or it is no longer kept.
    ///
    /// # Errors
    /// When it is not in memory and the database cannot be read.
    pub async fn get(&self, turn: TurnId) -> Result<Option<Arc<TurnTrace>>, TraceError> {
        if let Some(trace) = self.ring().iter().rev().find(|trace| trace.id == turn) {
            return Ok(Some(Arc::clone(trace)));
        }
        let body = self
            .database
            .read(move |tx| {
                tx.prepare_cached("SELECT body FROM traces WHERE id = ?1")?
                    .query_row([to_sql(turn.0)], |row| row.get::<_, String>(0))
                    .optional()
            })
            .await?;
        body.map(|body| parse(turn, &body)).transpose()
    }

    /// The newest trace, of one channel or of all.
    ///
    /// # Errors
    /// When it is not in memory and the database cannot be read.
    pub async fn latest(&self, channel: Option<&ChannelId>) -> Result<Option<Arc<TurnTrace>>, TraceError> {
        let newest = self
            .ring()
            .iter()
            .filter(|trace| channel.is_none_or(|channel| trace.place.channel == *channel))
            .max_by_key(|trace| trace.id)
            .cloned();
        if newest.is_some() {
            return Ok(newest);
        }
        let channel = channel.cloned();
        let row = self
            .database
            .read(move |tx| {
                let read = |row: &rusqlite::Row<'_>| Ok((from_sql(row.get(0)?), row.get::<_, String>(1)?));
                match channel {
                    None => tx
                        .prepare_cached("SELECT id, body FROM traces ORDER BY id DESC LIMIT 1")?
                        .query_row([], read),
                    Some(channel) => tx
                        .prepare_cached(
                            "SELECT id, body FROM traces WHERE channel = ?1 ORDER BY id DESC LIMIT 1",
                        )?
                        .query_row([channel.as_str()], read),
                }
                .optional()
            })
            .await?;
        row.map(|(id, body)| parse(TurnId(id), &body)).transpose()
    }

    /// Finishes what is queued and closes the database.
    ///
    /// # Errors
    /// When the write-ahead log could not be folded in; nothing is lost then.
    pub async fn close(&self) -> Result<(), TraceError> {
        let unused = to_sql(self.numbers.unused());
        self.database
            .write(move |tx| tx.execute("UPDATE turn_numbers SET reserved = ?1", [unused]).map(drop))
            .await?;
        Ok(self.database.close().await?)
    }

    fn remember(&self, trace: Arc<TurnTrace>) {
        let mut ring = self.ring();
        while ring.len() >= self.options.ring.max(1) {
            ring.pop_front();
        }
        ring.push_back(trace);
    }

    fn ring(&self) -> MutexGuard<'_, VecDeque<Arc<TurnTrace>>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn reserve(tx: &Transaction<'_>, end: u64) -> rusqlite::Result<()> {
    tx.execute("UPDATE turn_numbers SET reserved = max(reserved, ?1)", [to_sql(end)]).map(drop)
}

fn insert(tx: &Transaction<'_>, trace: &TurnTrace) -> rusqlite::Result<()> {
    let body = serde_json::to_string(trace)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let model = trace.calls.last().map(|call| call.model.as_str());
    let usage = || trace.calls.iter().filter_map(|call| call.usage);
    let cost = usage().filter_map(|usage| usage.cost_usd).reduce(|sum, cost| sum + cost);
    tx.prepare_cached(
        "INSERT OR REPLACE INTO traces (id, at_ms, channel, audience, outcome, model, prompt_tokens, reply_tokens,
            cost_usd, total_us, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        to_sql(trace.id.0),
        trace.opened_at.as_millisecond(),
        trace.place.channel.as_str(),
        trace.place.audience.to_string(),
        outcome_kind(trace),
        model,
        usage().map(|usage| i64::from(usage.prompt_tokens)).reduce(|sum, tokens| sum + tokens),
        usage().map(|usage| i64::from(usage.completion_tokens)).reduce(|sum, tokens| sum + tokens),
        cost,
        to_sql(trace.total_us),
        body,
    ])?;
    let mut allow =
        tx.prepare_cached("INSERT OR IGNORE INTO trace_authors (account, trace_id) VALUES (?1, ?2)")?;
    for author in &trace.authors {
        allow.execute(params![author, to_sql(trace.id.0)])?;
    }
    Ok(())
}

fn outcome_kind(trace: &TurnTrace) -> &'static str {
    use crate::domain::Outcome;
    match trace.outcome {
        Outcome::Replied { .. } => "replied",
        Outcome::Silent { .. } => "silent",
        Outcome::Failed { .. } => "failed",
        Outcome::Undelivered { .. } => "undelivered",
        Outcome::Cancelled { .. } => "cancelled",
    }
}

fn parse(turn: TurnId, body: &str) -> Result<Arc<TurnTrace>, TraceError> {
    serde_json::from_str(body).map(Arc::new).map_err(|source| TraceError::Unreadable { turn, source })
}
