//! How the models are doing, for `/status` and `familiar doctor`.

use jiff::Timestamp;

use super::circuit_breaker::OpenModel;
use super::{AttemptReport, ModelError};
use crate::clock::SharedClock;
use crate::domain::ModelErrorClass;

/// A snapshot of how the models are doing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Health {
    /// What is left alone, and until when.
    pub left_alone: Vec<OpenModel>,
    /// The newest failure since the start.
    pub last_error: Option<LastError>,
    /// The newest answer since the start.
    pub last_answer: Option<LastAnswer>,
    /// Sentences for the operator about what is assumed for want of knowledge.
    pub notes: Vec<String>,
}

/// The newest failure.
#[derive(Debug, Clone, PartialEq)]
pub struct LastError {
    /// When.
    pub at: Timestamp,
    /// Its class.
    pub class: ModelErrorClass,
    /// For the operator.
    pub message: String,
}

/// The newest answer.
#[derive(Debug, Clone, PartialEq)]
pub struct LastAnswer {
    /// When it was complete.
    pub at: Timestamp,
    /// Who gave it.
    pub model: String,
    /// Milliseconds to the first token.
    pub first_token_ms: Option<u64>,
    /// Milliseconds in all.
    pub total_ms: u64,
}

/// Keeps the newest failure and answer.
#[derive(Debug)]
pub(crate) struct Pulse {
    clock: SharedClock,
    last_error: Option<LastError>,
    last_answer: Option<LastAnswer>,
}

impl Pulse {
    pub(crate) fn new(clock: SharedClock) -> Self {
        Self { clock, last_error: None, last_answer: None }
    }

    pub(crate) fn failed(&mut self, error: &ModelError) {
        let message = error.message.clone();
        self.last_error = Some(LastError { at: self.clock.now(), class: error.class, message });
    }

    pub(crate) fn answered(&mut self, report: &AttemptReport) {
        self.last_answer = Some(LastAnswer {
            at: self.clock.now(),
            model: report.model.clone(),
            first_token_ms: report.first_token_ms,
            total_ms: report.total_ms,
        });
    }

    pub(crate) fn health(&self, left_alone: Vec<OpenModel>) -> Health {
        Health {
            left_alone,
            last_error: self.last_error.clone(),
            last_answer: self.last_answer.clone(),
            notes: Vec::new(),
        }
    }
}
