//! The account of what the processors of one turn did, also of those that never came to an end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::seam::Trouble;
use crate::domain::{ModelCall, ProcessorRecord, ProcessorSide, ProcessorStatus};

/// Shared by a turn and its processors. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RunLog(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    runs: Vec<Entry>,
    calls: Vec<ModelCall>,
    begun: u32,
}

#[derive(Debug)]
struct Entry {
    record: ProcessorRecord,
    /// `None` once it has ended.
    running_since: Option<Instant>,
}

/// A run that has begun. Ended by [`Running::end`]; one that never is, counts as given up.
#[derive(Debug)]
pub struct Running {
    log: RunLog,
    index: usize,
}

impl RunLog {
    /// Begins a run.
    #[must_use]
    pub fn begin(&self, processor: &str, side: ProcessorSide) -> Running {
        let mut entries = self.entries();
        entries.runs.push(Entry {
            record: ProcessorRecord {
                processor: processor.to_owned(),
                side,
                status: ProcessorStatus::BrokenOff,
                us: 0,
                calls: 0,
                tokens: 0,
                model: None,
                made: None,
            },
            running_since: Some(Instant::now()),
        });
        Running { log: self.clone(), index: entries.runs.len() - 1 }
    }

    /// Notes that a processor did not run.
    pub fn skip(&self, processor: &str, side: ProcessorSide, why: impl Into<String>) {
        self.begin(processor, side).end(ProcessorStatus::Skipped { why: why.into() }, None);
    }

    /// Model calls begun so far.
    #[must_use]
    pub fn calls_begun(&self) -> u32 {
        self.entries().begun
    }

    /// Takes the model calls that have ended since the last time.
    #[must_use]
    pub fn take_calls(&self) -> Vec<ModelCall> {
        std::mem::take(&mut self.entries().calls)
    }

    /// Whatever still runs is given up on: too late.
    pub fn give_up(&self) {
        self.close_running(&ProcessorStatus::Late);
    }

    /// The whole account. Whatever still runs was broken off.
    #[must_use]
    pub fn close(&self) -> Vec<ProcessorRecord> {
        self.close_running(&ProcessorStatus::BrokenOff);
        self.entries().runs.drain(..).map(|entry| entry.record).collect()
    }

    fn close_running(&self, status: &ProcessorStatus) {
        for entry in &mut self.entries().runs {
            if let Some(since) = entry.running_since.take() {
                entry.record.status = status.clone();
                entry.record.us = micros(since);
            }
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// A model is being asked.
    pub fn calling(&self) {
        let mut entries = self.log.entries();
        entries.begun += 1;
        if let Some(entry) = entries.runs.get_mut(self.index) {
            entry.record.calls += 1;
        }
    }

    /// An attempt at a model has ended.
    pub fn called(&self, call: ModelCall) {
        let mut entries = self.log.entries();
        if let Some(entry) = entries.runs.get_mut(self.index) {
            if let Some(usage) = call.usage {
                entry.record.tokens += u64::from(usage.prompt_tokens) + u64::from(usage.completion_tokens);
            }
            if call.error.is_none() {
                entry.record.model = Some(call.model.clone());
            }
        }
        entries.calls.push(call);
    }

    /// The run has ended.
    pub fn end(self, status: ProcessorStatus, made: Option<String>) {
        let mut entries = self.log.entries();
        if let Some(entry) = entries.runs.get_mut(self.index)
            && let Some(since) = entry.running_since.take()
        {
            entry.record.status = status;
            entry.record.us = micros(since);
            entry.record.made = made;
        }
    }

    /// The run came to nothing.
    pub fn trouble(self, trouble: Trouble) {
        let status = match trouble {
            Trouble::Skipped(why) => ProcessorStatus::Skipped { why },
            Trouble::Failed(why) => ProcessorStatus::Failed { why },
            Trouble::Late => ProcessorStatus::Late,
        };
        self.end(status, None);
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
