//! What a list tells of a turn, kept beside its record so that nobody reads long records for a few words.
//!
//! Owns which words those are. Must not know how they are kept. Start at [`TurnTold`].

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Modality, ModelErrorClass, Outcome, SilenceReason, TurnId, TurnTrace};

/// A turn in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnTold {
    pub turn: TurnId,
    pub at: Timestamp,
    pub words: ToldWords,
}

/// Why a turn spoke or did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldWords {
    pub trigger: String,
    /// Where it stayed silent.
    #[serde(default)]
    pub silence: Option<SilenceReason>,
    /// Whether nothing came about that should have: it may be tried again.
    #[serde(default)]
    pub has_failed: bool,
    /// Whether it was said aloud, and how that came about was timed.
    #[serde(default)]
    pub is_timed_call: bool,
}

impl ToldWords {
    /// As they are kept.
    pub fn of(trace: &TurnTrace) -> Self {
        Self {
            trigger: trace.trigger.clone(),
            silence: match &trace.outcome {
                Outcome::Silent { reason } => Some(reason.clone()),
                _ => None,
            },
            has_failed: has_failed(trace),
            is_timed_call: trace.modality == Modality::Voice && !trace.in_call.is_empty(),
        }
    }
}

/// Whether nothing of a turn arrived, and another try may go better. What was held back for its words would be so again.
fn has_failed(trace: &TurnTrace) -> bool {
    match &trace.outcome {
        Outcome::Failed { class, .. } => *class != ModelErrorClass::ContentFilter && trace.reply.is_none(),
        Outcome::Undelivered { messages, .. } => *messages == 0,
        Outcome::Replied { .. } | Outcome::Silent { .. } | Outcome::Cancelled { .. } => false,
    }
}
