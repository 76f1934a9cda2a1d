//! `[sleep]`: what is tidied while nobody talks.

use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "sleep.enabled",
        kind: Kind::Flag,
        doc: "Look the notes through once a night for what stands there twice, contradicts itself or is long over, and \
              propose what to do; `familiar memory pending` lists it. Changes nothing by itself and asks no model.",
    },
    Key {
        path: "sleep.hour",
        kind: Kind::Count(0, 23),
        doc: "From this hour on, by `display_tz`, once nobody has talked for 20 minutes.",
    },
    Key {
        path: "sleep.max_proposals",
        kind: Kind::Count(1, 1000),
        doc: "So much is proposed in one night at most; the rest waits for the next.",
    },
];

/// Whether and when notes are tidied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepConfig {
    /// Whether they are.
    pub enabled: bool,
    /// From which hour on, 0 to 23.
    pub hour: u32,
    /// How much is proposed in one night, 1 to 1,000.
    pub max_proposals: u32,
}

impl SleepConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            enabled: view.flag("sleep.enabled")?,
            hour: view.count("sleep.hour")?,
            max_proposals: view.count("sleep.max_proposals")?,
        })
    }
}
