//! What was seen of the models since the start, for `/status`. Start reading at [`ModelPulse`].

use jiff::Timestamp;

use super::ModelError;
use super::circuit_breaker::OpenModel;
use crate::clock::SharedClock;
use crate::domain::{ModelCall, ModelErrorClass};

/// A snapshot of how the models are doing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelHealth {
    /// What is left alone, and until when.
    pub left_alone: Vec<OpenModel>,
    /// The newest failure since the start.
    pub last_error: Option<LastError>,
    /// The newest answer since the start.
    pub last_answer: Option<LastAnswer>,
    /// Sentences for the operator about what is assumed for want of knowledge.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LastError {
    pub at: Timestamp,
    pub class: ModelErrorClass,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LastAnswer {
    /// When it was complete.
    pub at: Timestamp,
    pub model: String,
    /// Milliseconds to the first token.
    pub first_token_ms: Option<u64>,
    pub total_ms: u64,
}

/// Keeps the newest failure and answer.
#[derive(Debug)]
pub(super) struct ModelPulse {
    clock: SharedClock,
    pub(super) last_error: Option<LastError>,
    pub(super) last_answer: Option<LastAnswer>,
}

impl ModelPulse {
    pub(super) fn new(clock: SharedClock) -> Self {
        Self { clock, last_error: None, last_answer: None }
    }

    pub(super) fn failed(&mut self, error: &ModelError) {
        let message = error.message.clone();
        self.last_error = Some(LastError { at: self.clock.now(), class: error.class, message });
    }

    pub(super) fn answered(&mut self, report: &ModelCall) {
        self.last_answer = Some(LastAnswer {
            at: self.clock.now(),
            model: report.model.clone(),
            first_token_ms: report.first_token_ms,
            total_ms: report.total_ms,
        });
    }
}
