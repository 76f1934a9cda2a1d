//! `[affect]`: whether the familiar has moods, and how long they last (specs mechanisms A9).

use std::time::Duration;

use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "affect.enabled",
        kind: Kind::Flag,
        doc: "Let kind and unkind words move the familiar's mood and its warmth for whoever says them. At most one line of \
              the prompt.",
    },
    Key {
        path: "affect.half_life_h",
        kind: Kind::Number(0.1, 720.0),
        doc: "Hours until half of a mood has passed. Warmth for a person lasts 60 times as long.",
    },
];

/// Whether and how the familiar feels.
#[derive(Debug, Clone, PartialEq)]
pub struct AffectConfig {
    /// Whether anything moves it.
    pub enabled: bool,
    /// Until half of a mood has passed, 6 minutes to 30 days.
    pub half_life: Duration,
}

impl AffectConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        let hours = view.number("affect.half_life_h")?;
        Ok(Self {
            enabled: view.flag("affect.enabled")?,
            half_life: Duration::try_from_secs_f64(hours * 3600.0).unwrap_or(Duration::ZERO),
        })
    }
}
