//! `[voice]`: what it does in a call besides being talked over.

use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "voice.answer_ahead",
        kind: Kind::Flag,
        doc: "Begin an answer while somebody may still be speaking, and throw it away if they go on.",
    },
    Key {
        path: "voice.fillers",
        kind: Kind::Texts,
        doc: "What it says when nothing was to be heard for more than a second after somebody spoke to it, in turn. Empty: \
              nothing.",
    },
];

/// How it is in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallConfig {
    /// Whether answers are begun early.
    pub answer_ahead: bool,
    /// What covers a slow model.
    pub fillers: Vec<String>,
}

impl CallConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self { answer_ahead: view.flag("voice.answer_ahead")?, fillers: view.texts("voice.fillers")? })
    }
}
