//! `[render]`: how a prompt is laid out.

use super::choice::{Choice, choice_enum};
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};
use crate::domain::RenderMode;

const MODES: &[Choice] = &[
    Choice {
        name: "layered",
        doc: "one stable block, the chat, then what changes; keeps provider caches warm",
    },
    Choice { name: "st", doc: "SillyTavern's order, message for message" },
];

pub(super) const KEYS: &[Key] = &[
    Key { path: "render.mode", kind: Kind::Choice(MODES), doc: "The order of the prompt's parts." },
    Key {
        path: "render.system_messages",
        kind: Kind::Choice(SystemMessages::CHOICES),
        doc: "Whether instructions go out as several system messages or as one; some servers take only one. A model whose \
              server refuses the order of roles is asked in turns by itself.",
    },
    Key {
        path: "render.user_fallback",
        kind: Kind::Text,
        doc: "What `{{user}}` becomes where no single person is meant.",
    },
];

/// How a prompt is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderConfig {
    /// The order of its parts.
    pub mode: RenderMode,
    /// One system message or several.
    pub system_messages: SystemMessages,
    /// What `{{user}}` becomes where no single person is meant.
    pub user_fallback: String,
}

choice_enum! {
    /// One system message or several.
    pub enum SystemMessages {
        Separate = "separate", "each part is a message of its own";
        Merged = "merged", "all of them are joined into the first message";
        Alternate = "alternate", "the same, and people and familiar take turns: what one side says in a row is joined";
    }
}

impl RenderConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            mode: view.choice("render.mode", |word| match word {
                "layered" => Some(RenderMode::Layered),
                "st" => Some(RenderMode::St),
                _ => None,
            })?,
            system_messages: view.choice("render.system_messages", SystemMessages::from_word)?,
            user_fallback: view.text("render.user_fallback")?,
        })
    }
}
