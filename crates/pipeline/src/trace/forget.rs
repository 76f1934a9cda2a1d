//! Taking words out of traces: what was said to people who want to be forgotten, and every other record in which
//! their words stand.
//!
//! Owns what is left of a trace: numbers and times. Must not know whose wish it is. Start at [`TraceStore::forget`].

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Transaction, params};
use serde_json::Value;

use super::store::{ErasedWords, TraceError, TraceStore};
use super::told::ToldWords;
use crate::domain::{
    AccountId, AssemblyFigures, Audience, ModelCall, Outcome, Processing, TurnId, TurnTrace, WorkerRun,
};
use crate::sqlite::from_sql;
use crate::text::echo::Echoes;

/// Traces looked through at a time.
const BATCH: u32 = 64;

/// Wishes that are remembered for turns which were on their way when they were carried out.
const WISHES: usize = 8;

/// Stands for words that were forgotten.
const FORGOTTEN: &str = "forgotten";

/// Stands where a record said why the familiar spoke.
pub(super) const RECORD_FORGOTTEN: &str = "its record was forgotten";

enum TraceFate {
    Stays,
    Goes,
    Numbers(Box<TurnTrace>),
}

impl TraceStore {
    /// The turns that answered this person.
    pub async fn answered(&self, person: &AccountId) -> Result<HashSet<TurnId>, TraceError> {
        let account = person.to_string();
        let turns = self.database.read(move |tx| {
            tx.prepare_cached("SELECT trace_id FROM trace_authors WHERE account = ?1")?
                .query_map([account], |row| row.get(0).map(from_sql).map(TurnId))?
                .collect()
        });
        Ok(turns.await?)
    }

    /// Takes it out of all traces, in memory and in the file, and out of those that turns on their way still record, until
    /// [`forgotten`](Self::forgotten) says that none is any more. How many records were touched.
    pub async fn forget(&self, wished: &ErasedWords) -> Result<usize, TraceError> {
        {
            let mut standing = self.wishes.lock();
            if standing.len() >= WISHES {
                standing.remove(0);
            }
            standing.push((wished.clone(), None));
        }
        self.forget_in_ring(wished);
        let (mut after, mut touched) = (0, 0);
        loop {
            let (last, fates) = self.fates(after, wished).await?;
            touched += fates.len();
            if !fates.is_empty() {
                let people = wished.people.clone();
                self.database.write(move |tx| rewrite(tx, fates, &people)).await?;
            }
            match last {
                Some(last) => after = last,
                None => return Ok(touched),
            }
        }
    }

    /// Everything that could be looked up by then was forgotten: what turns opened later record needs no look.
    pub fn forgotten(&self, at: Timestamp) {
        for (_, until) in self.wishes.lock().iter_mut() {
            until.get_or_insert(at);
        }
    }

    /// Leaves nothing of what was removed in the file.
    pub async fn scrub(&self) -> Result<(), TraceError> {
        Ok(self.database.scrub().await?)
    }

    /// What may be recorded of a turn that was on its way when somebody's wish was carried out; `None` for nothing.
    pub(super) fn after_wishes(&self, trace: TurnTrace) -> Option<TurnTrace> {
        let standing = self.wishes.lock().clone();
        let mut trace = trace;
        for (wished, until) in standing {
            forget_exchanges(&mut trace.background, until);
            if until.is_some_and(|until| trace.opened_at > until) {
                continue;
            }
            match trace_fate(&trace, &wished) {
                TraceFate::Stays => {}
                TraceFate::Goes => return None,
                TraceFate::Numbers(numbers) => trace = *numbers,
            }
        }
        Some(trace)
    }

    fn forget_in_ring(&self, wished: &ErasedWords) {
        let mut ring = self.ring.lock();
        let kept = ring.drain(..).filter_map(|trace| match trace_fate(&trace, wished) {
            TraceFate::Stays => Some(trace),
            TraceFate::Goes => None,
            TraceFate::Numbers(numbers) => Some(Arc::new(*numbers)),
        });
        let kept = kept.collect();
        *ring = kept;
    }

    /// The next few traces: where to go on (`None` at the end), and what becomes of those that are touched.
    async fn fates(
        &self,
        after: i64,
        wished: &ErasedWords,
    ) -> Result<(Option<i64>, Vec<(i64, Option<Written>)>), TraceError> {
        let wished = wished.clone();
        let fates = self.database.read(move |tx| {
            let mut statement =
                tx.prepare_cached("SELECT id, body FROM traces WHERE id > ?1 ORDER BY id LIMIT ?2")?;
            let mut rows = statement.query(params![after, BATCH])?;
            let (mut last, mut fates) = (None, Vec::new());
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                last = Some(id);
                // One that cannot be read may hold anything.
                let Ok(trace) = serde_json::from_str::<TurnTrace>(row.get_ref(1)?.as_str()?) else {
                    fates.push((id, None));
                    continue;
                };
                match trace_fate(&trace, &wished) {
                    TraceFate::Stays => {}
                    TraceFate::Goes => fates.push((id, None)),
                    TraceFate::Numbers(numbers) => fates.push((id, rewritten(&numbers).ok())),
                }
            }
            Ok((last, fates))
        });
        Ok(fates.await?)
    }
}

/// A record as it is written down, and what lists tell of it.
type Written = (String, String);

fn rewritten(trace: &TurnTrace) -> serde_json::Result<Written> {
    Ok((serde_json::to_string(trace)?, serde_json::to_string(&ToldWords::of(trace))?))
}

fn rewrite(
    tx: &Transaction<'_>,
    fates: Vec<(i64, Option<Written>)>,
    people: &BTreeSet<AccountId>,
) -> rusqlite::Result<()> {
    for (id, body) in fates {
        match body {
            Some((body, told)) => {
                tx.prepare_cached("UPDATE traces SET body = ?2, told = ?3 WHERE id = ?1")?
                    .execute(params![id, body, told])?;
                let mut answers =
                    tx.prepare_cached("DELETE FROM trace_authors WHERE trace_id = ?1 AND account = ?2")?;
                for person in people {
                    answers.execute(params![id, person.to_string()])?;
                }
            }
            None => {
                tx.prepare_cached("DELETE FROM traces WHERE id = ?1")?.execute([id])?;
            }
        }
    }
    Ok(())
}

fn trace_fate(trace: &TurnTrace, wished: &ErasedWords) -> TraceFate {
    let accounts: BTreeSet<String> = wished.people.iter().map(AccountId::to_string).collect();
    let is_author = |author: &String| accounts.contains(author);
    let is_alone = matches!(&trace.place.audience, Audience::Dm(person) if wished.people.contains(person));
    if is_alone || (!trace.authors.is_empty() && trace.authors.iter().all(is_author)) {
        return TraceFate::Goes;
    }
    let is_touched = trace.authors.iter().any(is_author)
        || trace.assembly.as_ref().is_some_and(|assembly| holds_persona(assembly, &accounts))
        || holds(trace, &wished.words);
    if !is_touched {
        return TraceFate::Stays;
    }
    let mut numbers = numbers_only(trace);
    numbers.authors.retain(|author| !is_author(author));
    if numbers == *trace { TraceFate::Stays } else { TraceFate::Numbers(Box::new(numbers)) }
}

/// Whether it was told who any of these is in play.
fn holds_persona(assembly: &AssemblyFigures, accounts: &BTreeSet<String>) -> bool {
    let is_theirs =
        |source: &str| source.strip_prefix("persona/").is_some_and(|whose| accounts.contains(whose));
    assembly.chunks.iter().any(|chunk| is_theirs(&chunk.source))
}

/// Jobs behind the scenes wait for a turn to tell of them, which may be opened long after the wish: what they asked and were
/// answered before it is told of no more, whoever's words it was made of.
fn forget_exchanges(runs: &mut [WorkerRun], until: Option<Timestamp>) {
    let is_older = |run: &&mut WorkerRun| until.is_none_or(|until| run.at <= until);
    for call in runs.iter_mut().filter(is_older).flat_map(|run| &mut run.calls) {
        call.exchange = None;
    }
}

/// Whether any text of a trace holds the words.
fn holds(trace: &TurnTrace, words: &Echoes) -> bool {
    !words.is_empty() && serde_json::to_value(trace).is_ok_and(|value| is_echoed_in(&value, words))
}

fn is_echoed_in(value: &Value, words: &Echoes) -> bool {
    match value {
        Value::String(text) => words.are_in(text),
        Value::Array(items) => items.iter().any(|item| is_echoed_in(item, words)),
        Value::Object(fields) => fields.values().any(|field| is_echoed_in(field, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether only numbers are left of it. Older programs wrote the shorter word.
pub(super) fn is_forgotten(trace: &TurnTrace) -> bool {
    trace.request.is_empty() && [RECORD_FORGOTTEN, FORGOTTEN].contains(&trace.trigger.as_str())
}

/// A trace without any word of anybody: how long it took, what it cost, how it ended.
fn numbers_only(trace: &TurnTrace) -> TurnTrace {
    let calls = |calls: &[ModelCall]| -> Vec<ModelCall> {
        let wordless = |call: &ModelCall| ModelCall {
            error: call.error.as_ref().map(|(class, _)| (*class, FORGOTTEN.to_owned())),
            exchange: None,
            ..call.clone()
        };
        calls.iter().map(wordless).collect()
    };
    let assembly = trace.assembly.clone().map(|mut figures| {
        figures.chunks.clear();
        figures.notes.clear();
        figures.lore.clear();
        figures.searches.clear();
        figures.reranked.clear();
        figures.moment.clear();
        figures.plan = None;
        figures
    });
    let outcome = match &trace.outcome {
        Outcome::Failed { class, .. } => Outcome::Failed { class: *class, error: FORGOTTEN.to_owned() },
        Outcome::Undelivered { messages, .. } => {
            Outcome::Undelivered { messages: *messages, error: FORGOTTEN.to_owned() }
        }
        other => other.clone(),
    };
    TurnTrace {
        trigger: RECORD_FORGOTTEN.to_owned(),
        assembly,
        request: Vec::new(),
        parameters: Value::Null,
        calls: calls(&trace.calls),
        processing: Processing::default(),
        reply: None,
        outcome,
        in_call: Vec::new(),
        background: Vec::new(),
        ..trace.clone()
    }
}
