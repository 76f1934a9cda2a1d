//! The newest traces in memory, all kept ones in `traces.db`.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use rusqlite_migration::{M, Migrations};
use serde_json::Value;
use tokio::sync::broadcast;

use super::told::{ToldWords, TurnTold};
use crate::config::Redactor;
use crate::domain::{AccountId, ChannelId, Exchange, Outcome, StoredId, TurnId, TurnTrace};
use crate::sqlite::{Database, DatabaseError, from_sql, is_newer_file, to_sql};
use crate::text::echo::Echoes;

static MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

/// A step that was released is never edited; add the next one.
const STEPS: &[M<'static>] = &[
    M::up(include_str!("schema/01_traces.sql")),
    M::up(include_str!("schema/02_told.sql")),
    M::up(include_str!("schema/03_costs.sql")),
];

/// Whether a newer version of the program wrote the file of a record. Reads only, and blocks.
pub fn is_newer_record(path: &Path) -> rusqlite::Result<bool> {
    is_newer_file(path, &MIGRATIONS)
}

/// Most traces deleted in one transaction, so that no turn waits long for old ones to go.
const PRUNE_BATCH: i64 = 256;

/// So many bytes of what jobs around one turn asked and were answered are kept with it.
const EXCHANGES_BYTES: usize = 64_000;

/// So many numbers of finished turns wait for somebody who follows them.
const FINISHED: usize = 256;

/// What is to be forgotten.
#[derive(Debug, Clone, Default)]
pub struct ErasedWords {
    /// Turns that answered these people alone go whole; so does what was said alone with one of them.
    pub people: BTreeSet<AccountId>,
    /// Records that hold these words keep their numbers only.
    pub words: Arc<Echoes>,
}

/// A wish that holds for traces of turns opened until then; `None` while it is being carried out.
pub(super) type Held = (ErasedWords, Option<Timestamp>);

/// So many turns are read at once, and so far back one that asked a model is looked for.
pub(super) const FEW: usize = 50;

#[derive(Debug, Clone)]
pub struct TraceOptions {
    /// The newest traces held in memory, 1 or more.
    pub ring: usize,
    /// Traces kept in the database, 1 or more. The oldest are deleted some at a time, so up to an eighth (at most
    /// 64) more may stand there for a while.
    /// Turns that stayed silent have as many places of their own.
    pub keep: u64,
    /// Run over every text of a trace before it is kept anywhere.
    pub redact: Option<Redactor>,
    /// Whether turns get numbers of this store.
    pub numbering: Numbering,
    /// No turn gets a smaller number, whatever the store knows.
    pub first: TurnId,
}

/// Whether turns get numbers of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    /// They do, and none is given twice: some are reserved ahead of use.
    Reserved,
    /// They do not: somebody only looks on, and opening and closing the store changes nothing in it.
    Untouched,
}

impl Default for TraceOptions {
    /// 200 in memory, 5,000 in the database, nothing redacted.
    fn default() -> Self {
        Self { ring: 200, keep: 5_000, redact: None, numbering: Numbering::Reserved, first: TurnId(1) }
    }
}

/// Why traces could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// A kept trace is not readable by this version.
    #[error("the trace of turn {turn} cannot be read: {source}")]
    Unreadable { turn: TurnId, source: serde_json::Error },
}

/// Every turn's trace. Share it in an `Arc`; every method takes `&self`.
#[derive(Debug)]
pub struct TraceStore {
    pub(super) database: Database,
    options: TraceOptions,
    /// What was to be forgotten lately.
    pub(super) wishes: Mutex<Vec<Held>>,
    numbers: TurnNumbers,
    since_pruned: AtomicU64,
    pub(super) ring: Mutex<VecDeque<Arc<TurnTrace>>>,
    /// Tells of each turn that is finished.
    finished: broadcast::Sender<TurnId>,
}

impl TraceStore {
    /// What to do where the file is damaged.
    pub const MEND: &str = "start the familiar again: it sets the file aside as traces.db.damaged and begins a new one; the \
                            records of earlier turns cannot be looked up then, and nothing else is lost; if it does not do \
                            that, stop it and move traces.db and its -wal away";

    /// Opens or creates `traces.db`.
    pub async fn open(path: &Path, options: TraceOptions) -> Result<Self, TraceError> {
        let database = Database::open_copying(path, &MIGRATIONS, Self::MEND).await?;
        let next = database
            .read(|tx| {
                tx.query_row(
                    "SELECT max(reserved, (SELECT coalesce(max(id), 0) + 1 FROM traces)) FROM turn_numbers",
                    [],
                    |row| row.get(0).map(from_sql),
                )
            })
            .await
            .map_err(|error| database.as_at_opening(error))?;
        let next = options.first.0.max(next);
        let store = Self {
            database,
            wishes: Mutex::default(),
            numbers: TurnNumbers::continuing_at(next, options.numbering),
            since_pruned: AtomicU64::new(0),
            ring: Mutex::new(VecDeque::with_capacity(options.ring.clamp(1, 1_024))),
            finished: broadcast::Sender::new(FINISHED),
            options,
        };
        if let Some(end) = store.numbers.due() {
            store.database.write(move |tx| reserve(tx, end)).await?;
            store.numbers.reserved_to(end);
        }
        Ok(store)
    }

    /// A number for a turn that starts now. Numbers grow, also across restarts.
    pub fn next_turn(&self) -> TurnId {
        self.numbers.take()
    }

    /// A trace as it may be written down anywhere: without the secrets of the settings. `None` where that cannot be told.
    pub fn redacted(&self, trace: TurnTrace) -> Option<TurnTrace> {
        let turn = trace.id;
        match redacted(trace, self.options.redact.as_ref()) {
            Ok((trace, _)) => Some(trace),
            Err(error) => {
                tracing::warn!(%turn, %error, "the turn's trace cannot be written down");
                None
            }
        }
    }

    /// Keeps a finished turn's trace. It can be read as soon as this is first polled; a database that refuses is
    /// logged and never fails the turn.
    pub async fn record(&self, trace: TurnTrace) {
        let turn = trace.id;
        let Some(mut trace) = self.after_wishes(trace) else { return };
        leave_out_exchanges(&mut trace);
        let (trace, body) = match redacted(trace, self.options.redact.as_ref()) {
            Ok(ready) => ready,
            Err(error) => {
                tracing::warn!(%turn, %error, "the turn's trace was not kept: it cannot be written down");
                return;
            }
        };
        let trace = Arc::new(trace);
        self.remember(Arc::clone(&trace));
        // Nobody may be following.
        let _unheard = self.finished.send(turn);
        let reserve_to = self.numbers.due();
        let keep = self.pruning_due();
        let written = self
            .database
            .write(move |tx| {
                if let Some(end) = reserve_to {
                    reserve(tx, end)?;
                }
                insert_trace(tx, &trace, &body)?;
                keep.map_or(Ok(()), |keep| prune_traces(tx, keep))
            })
            .await;
        match (written, reserve_to) {
            (Ok(()), Some(end)) => self.numbers.reserved_to(end),
            (Ok(()), None) => {}
            (Err(error), _) => tracing::warn!(%turn, %error, "the turn's trace was not kept"),
        }
    }

    /// The numbers of turns from now on, as each is finished and can be read. Whoever is slower than 256 turns misses some,
    /// and is told so.
    pub fn finished(&self) -> broadcast::Receiver<TurnId> {
        self.finished.subscribe()
    }

    /// The turns of such a list right after one, oldest first, at most so many. No record is read.
    pub async fn following(
        &self,
        channel: Option<&ChannelId>,
        silences: Silences,
        turn: TurnId,
        most: usize,
    ) -> Result<Vec<TurnId>, TraceError> {
        let wanted = Selection { channel: channel.cloned(), silences, ..Selection::default() };
        // What is in memory alone was not written down yet.
        let mut found: BTreeSet<TurnId> = {
            let ring = self.ring.lock();
            ring.iter().filter(|trace| trace.id > turn && wanted.holds(trace)).map(|trace| trace.id).collect()
        };
        found.extend(self.database.read(move |tx| wanted.following(tx, turn, most)).await?);
        Ok(found.into_iter().take(most).collect())
    }

    /// The newest turns of a channel in a few words, newest first, at most so many. No record is read.
    pub async fn told(&self, channel: &ChannelId, most: usize) -> Result<Vec<TurnTold>, TraceError> {
        let mut found: Vec<TurnTold> = {
            let ring = self.ring.lock();
            let here = ring.iter().rev().filter(|trace| trace.place.channel == *channel).take(most);
            here.map(|trace| TurnTold { turn: trace.id, at: trace.opened_at, words: ToldWords::of(trace) })
                .collect()
        };
        if found.len() < most {
            let (channel, limit) = (channel.clone(), i64::try_from(most).unwrap_or(i64::MAX));
            let kept = self.database.read(move |tx| {
                tx.prepare_cached(
                    "SELECT id, at_ms, told FROM traces WHERE channel = ?1 ORDER BY id DESC LIMIT ?2",
                )?
                .query_map(params![channel.as_str(), limit], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })?
                .collect::<rusqlite::Result<Vec<(i64, i64, Option<String>)>>>()
            });
            for (id, at, told) in kept.await? {
                let turn = TurnId(from_sql(id));
                let Some(words) = told.and_then(|told| serde_json::from_str(&told).ok()) else { continue };
                let Ok(at) = Timestamp::from_millisecond(at) else { continue };
                if found.iter().all(|known| known.turn != turn) {
                    found.push(TurnTold { turn, at, words });
                }
            }
        }
        found.sort_unstable_by_key(|told| std::cmp::Reverse(told.turn));
        found.truncate(most);
        Ok(found)
    }

    /// The turns that an account took part in and that began at this time or later, in a few words each. No record is read.
    pub async fn told_of(&self, account: &AccountId, since: Timestamp) -> Result<Vec<ToldWords>, TraceError> {
        let account = account.to_string();
        // What is in memory alone was not written down yet.
        let unwritten: Vec<(TurnId, ToldWords)> = {
            let ring = self.ring.lock();
            let theirs =
                |trace: &&Arc<TurnTrace>| trace.opened_at >= since && trace.authors.contains(&account);
            ring.iter().filter(theirs).map(|trace| (trace.id, ToldWords::of(trace))).collect()
        };
        let kept = self.database.read(move |tx| {
            tx.prepare_cached(
                "SELECT t.id, t.told FROM trace_authors a JOIN traces t ON t.id = a.trace_id
                 WHERE a.account = ?1 AND t.at_ms >= ?2 AND t.told IS NOT NULL",
            )?
            .query_map(params![account, since.as_millisecond()], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<(i64, String)>>>()
        });
        let mut found: BTreeMap<TurnId, ToldWords> = unwritten.into_iter().collect();
        for (id, told) in kept.await? {
            if let Ok(words) = serde_json::from_str(&told) {
                found.entry(TurnId(from_sql(id))).or_insert(words);
            }
        }
        Ok(found.into_values().collect())
    }

    /// What the kept turns cost that began at this time or later, by whom they answered.
    pub async fn spent_since(&self, since: Timestamp) -> Result<Vec<Spent>, TraceError> {
        let spent = self.database.read(move |tx| {
            tx.prepare_cached(
                "SELECT a.account, count(*), sum(t.cost_usd / max(1,
                     (SELECT count(*) FROM trace_authors b WHERE b.trace_id = t.id)))
                 FROM traces t LEFT JOIN trace_authors a ON a.trace_id = t.id
                 WHERE t.at_ms >= ?1 AND t.cost_usd > 0 GROUP BY a.account",
            )?
            .query_map([since.as_millisecond()], |row| {
                let account: Option<String> = row.get(0)?;
                let account = account.and_then(|account| account.parse().ok());
                Ok(Spent { account, turns: from_sql(row.get(1)?), usd: row.get(2)? })
            })?
            .collect()
        });
        Ok(spent.await?)
    }

    /// The kept turns right before and right after one.
    pub async fn beside(&self, turn: TurnId) -> Result<(Option<TurnId>, Option<TurnId>), TraceError> {
        let beside = self.database.read(move |tx| {
            tx.query_row(
                "SELECT (SELECT max(id) FROM traces WHERE id < ?1), (SELECT min(id) FROM traces WHERE id > ?1)",
                [to_sql(turn.0)],
                |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)),
            )
        });
        let (before, after) = beside.await?;
        Ok((before.map(|id| TurnId(from_sql(id))), after.map(|id| TurnId(from_sql(id)))))
    }

    /// The messages that a turn answered; `None` when there was no such turn or it is no longer kept.
    pub async fn pending_of(&self, turn: TurnId) -> Result<Option<Vec<StoredId>>, TraceError> {
        Ok(self.whole().get(turn).await?.map(|trace| trace.pending.clone()))
    }

    /// The messages that turns answered which this account took part in, wherever that was, and which began at this time or
    /// later.
    pub async fn pending_since(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<StoredId>, TraceError> {
        let (account, since) = (Some(account.to_string()), Some(since));
        let mut selection = Selection { account, since, ..Selection::default() };
        let mut answered = Vec::new();
        loop {
            let page = self.newest(selection.clone(), FEW).await?;
            answered.extend(page.iter().flat_map(|trace| &trace.pending));
            match page.last() {
                Some(last) if page.len() == FEW => selection.before = Some(last.id),
                _ => return Ok(answered),
            }
        }
    }

    /// How long the newest turn of a channel took, if it spoke.
    pub async fn last_reply_took(&self, channel: &ChannelId) -> Result<Option<Duration>, TraceError> {
        let newest = self.whole().latest(Some(channel)).await?;
        let spoke = newest.filter(|trace| matches!(trace.outcome, Outcome::Replied { .. }));
        Ok(spoke.map(|trace| Duration::from_micros(trace.total_us)))
    }

    /// From memory where that is enough, filled up from the database.
    pub(super) async fn newest(
        &self,
        selection: Selection,
        limit: usize,
    ) -> Result<Vec<Arc<TurnTrace>>, TraceError> {
        let mut found: Vec<_> =
            self.ring.lock().iter().filter(|trace| selection.holds(trace)).cloned().collect();
        if found.len() < limit {
            let known: Vec<TurnId> = found.iter().map(|trace| trace.id).collect();
            // Read where it holds up nobody: a record can be long.
            let read = self.database.read(move |tx| {
                let rows = selection.read(tx, limit)?.into_iter().filter(|(turn, _)| !known.contains(turn));
                Ok(rows.map(|(turn, body)| parse_trace(turn, &body)).collect::<Vec<_>>())
            });
            for trace in read.await? {
                found.push(Arc::new(trace?));
            }
        }
        found.sort_unstable_by_key(|trace| std::cmp::Reverse(trace.id));
        found.truncate(limit);
        Ok(found)
    }

    /// Finishes what is queued and closes the database.
    pub async fn close(&self) -> Result<(), TraceError> {
        if self.options.numbering == Numbering::Reserved {
            let unused = to_sql(self.numbers.unused());
            self.database
                .write(move |tx| tx.execute("UPDATE turn_numbers SET reserved = ?1", [unused]).map(drop))
                .await?;
        }
        Ok(self.database.close().await?)
    }

    fn remember(&self, trace: Arc<TurnTrace>) {
        let mut ring = self.ring.lock();
        while ring.len() >= self.options.ring.max(1) {
            ring.pop_front();
        }
        ring.push_back(trace);
    }

    /// How many traces to keep, when it is time to delete the others.
    fn pruning_due(&self) -> Option<u64> {
        let keep = self.options.keep.max(1);
        let recorded = self.since_pruned.fetch_add(1, Ordering::Relaxed) + 1;
        (recorded >= (keep / 8).clamp(1, 64)).then(|| {
            self.since_pruned.store(0, Ordering::Relaxed);
            keep
        })
    }
}

/// What the turns cost that answered one account.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// `None` where nobody asked for them.
    pub account: Option<AccountId>,
    pub turns: u64,
    /// US dollars. What answered several at once is shared out among them.
    pub usd: f64,
}

/// Which traces are wanted.
#[derive(Debug, Clone, Default)]
pub(super) struct Selection {
    pub account: Option<String>,
    pub channel: Option<ChannelId>,
    /// Only turns of smaller numbers.
    pub before: Option<TurnId>,
    /// Only turns that began then or later.
    pub since: Option<Timestamp>,
    pub silences: Silences,
}

/// Whether turns that stayed silent are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Silences {
    #[default]
    Told,
    LeftOut,
}

impl Selection {
    fn holds(&self, trace: &TurnTrace) -> bool {
        self.account.as_ref().is_none_or(|account| trace.authors.contains(account))
            && self.channel.as_ref().is_none_or(|channel| trace.place.channel == *channel)
            && self.before.is_none_or(|before| trace.id < before)
            && self.since.is_none_or(|since| trace.opened_at >= since)
            && (self.silences == Silences::Told || outcome_kind(trace) != "silent")
    }

    /// The newest of them as they are written down, newest first.
    pub(super) fn read(
        &self,
        database: &Connection,
        limit: usize,
    ) -> rusqlite::Result<Vec<(TurnId, String)>> {
        let from = match self.account {
            None => "traces t WHERE ?1 IS NULL",
            Some(_) => "trace_authors a JOIN traces t ON t.id = a.trace_id WHERE a.account = ?1",
        };
        let of_channel = if self.channel.is_some() { "t.channel = ?2" } else { "?2 IS NULL" };
        let spoken = self.spoken();
        // By the plus no index over times is taken: they are wanted in the order of their numbers.
        let sql = format!(
            "SELECT t.id, t.body FROM {from} AND {of_channel} AND t.id < ?4 AND +t.at_ms >= ?5{spoken}
             ORDER BY t.id DESC LIMIT ?3"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let before = self.before.map_or(i64::MAX, |before| to_sql(before.0));
        let since = self.since.map_or(i64::MIN, Timestamp::as_millisecond);
        let channel = self.channel.as_ref().map(ChannelId::as_str);
        database
            .prepare_cached(&sql)?
            .query_map(params![self.account, channel, limit, before, since], |row| {
                Ok((TurnId(from_sql(row.get(0)?)), row.get(1)?))
            })?
            .collect()
    }

    /// Those right after a turn, whoever took part in them, oldest first.
    fn following(&self, tx: &Transaction<'_>, turn: TurnId, most: usize) -> rusqlite::Result<Vec<TurnId>> {
        let of_channel = if self.channel.is_some() { "t.channel = ?1" } else { "?1 IS NULL" };
        let spoken = self.spoken();
        let sql = format!(
            "SELECT t.id FROM traces t WHERE {of_channel} AND t.id > ?2{spoken} ORDER BY t.id LIMIT ?3"
        );
        let channel = self.channel.as_ref().map(ChannelId::as_str);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        tx.prepare_cached(&sql)?
            .query_map(params![channel, to_sql(turn.0), most], |row| Ok(TurnId(from_sql(row.get(0)?))))?
            .collect()
    }

    fn spoken(&self) -> &'static str {
        if self.silences == Silences::LeftOut { " AND t.outcome <> 'silent'" } else { "" }
    }
}

/// The newest of some traces that asked a model; where none did, the newest. They come newest first.
pub(super) fn that_asked<T: Borrow<TurnTrace>>(mut few: Vec<T>) -> Option<T> {
    let asked = few.iter().position(|trace| !trace.borrow().request.is_empty());
    (!few.is_empty()).then(|| few.swap_remove(asked.unwrap_or(0)))
}

fn reserve(tx: &Transaction<'_>, end: u64) -> rusqlite::Result<()> {
    tx.execute("UPDATE turn_numbers SET reserved = max(reserved, ?1)", [to_sql(end)]).map(drop)
}

/// The trace without secrets, and as it is written down.
fn redacted(trace: TurnTrace, redactor: Option<&Redactor>) -> serde_json::Result<(TurnTrace, String)> {
    let Some(redactor) = redactor else {
        let body = serde_json::to_string(&trace)?;
        return Ok((trace, body));
    };
    let mut value = serde_json::to_value(&trace)?;
    let touched = redact_strings(&mut value, redactor);
    let body = value.to_string();
    Ok((if touched { serde_json::from_value(value)? } else { trace }, body))
}

/// What was asked and answered beyond the bound is left out, that of jobs behind the scenes first.
fn leave_out_exchanges(trace: &mut TurnTrace) {
    let mut room = EXCHANGES_BYTES;
    for exchange in trace.all_calls_mut().filter_map(|call| call.exchange.as_mut()) {
        match room.checked_sub(exchange.bytes()) {
            Some(left) => room = left,
            None => *exchange = Arc::new(Exchange::left_out()),
        }
    }
}

/// Masks secrets in every string of a document, keys included; whether there were any.
fn redact_strings(value: &mut Value, redactor: &Redactor) -> bool {
    match value {
        Value::String(text) => match redactor.redact(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(masked) => {
                *text = masked;
                true
            }
        },
        Value::Array(items) => {
            let mut touched = false;
            for item in items {
                touched |= redact_strings(item, redactor);
            }
            touched
        }
        Value::Object(fields) => {
            let keys: Vec<String> =
                fields.keys().filter(|key| matches!(redactor.redact(key), Cow::Owned(_))).cloned().collect();
            let mut touched = !keys.is_empty();
            for key in keys {
                let value = fields.remove(&key).unwrap_or_default();
                fields.insert(redactor.redact(&key).into_owned(), value);
            }
            for field in fields.values_mut() {
                touched |= redact_strings(field, redactor);
            }
            touched
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Deletes the oldest traces beyond `keep`, a batch at a time. Turns that stayed silent are counted apart: in a busy
/// channel there are many, and they must not push out the turns that said something.
fn prune_traces(tx: &Transaction<'_>, keep: u64) -> rusqlite::Result<()> {
    for was_silent in [true, false] {
        tx.prepare_cached(
            "DELETE FROM traces WHERE id IN (
                SELECT id FROM traces
                WHERE (outcome = 'silent') = ?3 AND id <= (
                    SELECT id FROM traces WHERE (outcome = 'silent') = ?3 ORDER BY id DESC LIMIT 1 OFFSET ?1)
                ORDER BY id LIMIT ?2)",
        )?
        .execute(params![to_sql(keep), PRUNE_BATCH, was_silent])?;
    }
    Ok(())
}

fn insert_trace(tx: &Transaction<'_>, trace: &TurnTrace, body: &str) -> rusqlite::Result<()> {
    let model = trace.calls.last().map(|call| call.model.as_str());
    let usage = || trace.calls.iter().filter_map(|call| call.usage);
    let cost = usage().filter_map(|usage| usage.cost_usd).reduce(|sum, cost| sum + cost);
    tx.prepare_cached(
        "INSERT OR REPLACE INTO traces (id, at_ms, channel, audience, outcome, model, prompt_tokens, reply_tokens,
            cost_usd, total_us, body, told)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
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
        serde_json::to_string(&ToldWords::of(trace)).ok(),
    ])?;
    let mut allow =
        tx.prepare_cached("INSERT OR IGNORE INTO trace_authors (account, trace_id) VALUES (?1, ?2)")?;
    for author in &trace.authors {
        allow.execute(params![author, to_sql(trace.id.0)])?;
    }
    Ok(())
}

fn outcome_kind(trace: &TurnTrace) -> &'static str {
    match trace.outcome {
        Outcome::Replied { .. } => "replied",
        Outcome::Silent { .. } => "silent",
        Outcome::Failed { .. } => "failed",
        Outcome::Undelivered { .. } => "undelivered",
        Outcome::Cancelled { .. } => "cancelled",
    }
}

/// A trace as it is written down.
pub(super) fn body_of(database: &Connection, turn: TurnId) -> rusqlite::Result<Option<String>> {
    database
        .prepare_cached("SELECT body FROM traces WHERE id = ?1")?
        .query_row([to_sql(turn.0)], |row| row.get(0))
        .optional()
}

pub(super) fn parse_trace(turn: TurnId, body: &str) -> Result<TurnTrace, TraceError> {
    serde_json::from_str(body).map_err(|source| TraceError::Unreadable { turn, source })
}

/// How many numbers are reserved in the database ahead of use. A program that is killed skips at most this many;
/// one that is closed skips none.
const AHEAD: u64 = 128;

/// Gives out turn numbers without waiting for the database: a range is reserved there first, and extended whenever
/// a trace is recorded.
#[derive(Debug)]
struct TurnNumbers {
    next: AtomicU64,
    reserved: AtomicU64,
}

impl TurnNumbers {
    /// Nothing from `next` on is reserved yet; for whoever only looks on, nothing ever has to be.
    fn continuing_at(next: u64, numbering: Numbering) -> Self {
        let reserved = match numbering {
            Numbering::Reserved => next,
            Numbering::Untouched => u64::MAX,
        };
        Self { next: AtomicU64::new(next), reserved: AtomicU64::new(reserved) }
    }

    fn take(&self) -> TurnId {
        TurnId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// The first number that was not given out.
    fn unused(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// The end of the range to reserve now, when half of what was reserved is used.
    fn due(&self) -> Option<u64> {
        let next = self.unused();
        (next + AHEAD / 2 > self.reserved.load(Ordering::Relaxed)).then_some(next + AHEAD)
    }

    /// Everything below `end` is reserved in the database.
    fn reserved_to(&self, end: u64) {
        self.reserved.fetch_max(end, Ordering::Relaxed);
    }
}
