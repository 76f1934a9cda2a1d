//! What the processors around the main model did in a turn.

use serde::{Deserialize, Serialize};

use super::ToolRound;

/// What was done before the main model was asked and after it had answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Processing {
    /// Every processor that ran or was passed over, in that order.
    pub runs: Vec<ProcessorRecord>,
    /// What the main model wrote, where something else was delivered.
    pub written: Option<String>,
    /// What the main model called, and what came back.
    #[serde(default)]
    pub rounds: Vec<ToolRound>,
    /// Model calls made before the reply's first token, the reply's own call not counted. By default at most one, and
    /// that one runs while providers gather.
    pub calls_before_first_token: u32,
}

/// One run of a processor, or why there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorRecord {
    /// Its name, e.g. `thinking` or `recast/behaviour`.
    pub processor: String,
    /// On which side of the main model it works.
    pub side: ProcessorSide,
    /// How it went.
    pub status: ProcessorStatus,
    /// Microseconds.
    pub us: u64,
    /// Model calls it began.
    pub calls: u32,
    /// Tokens of those calls, in and out, as far as they were reported.
    pub tokens: u64,
    /// The model that answered last.
    pub model: Option<String>,
    /// What it made: thoughts nobody saw, or a text, also one that was not accepted.
    pub made: Option<String>,
}

/// Which side of the main model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessorSide {
    /// Before it: its result is in the prompt.
    Before,
    /// After it: its result is what was delivered.
    After,
}

/// How a processor's run went. Only [`Self::Ran`] changed anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessorStatus {
    /// It did its work.
    Ran,
    /// It had nothing to do here.
    Skipped {
        /// Why.
        why: String,
    },
    /// It could not.
    Failed {
        /// Why.
        why: String,
    },
    /// It was not done in time.
    Late,
    /// What it made was not accepted.
    Refused {
        /// Which guard, and what it found.
        why: String,
    },
    /// The turn ended first.
    BrokenOff,
}
