//! `[render]` and `[layers.depth_inject]`: how a prompt is laid out.

use super::choice::{Choice, choice_enum};
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};
use crate::domain::{RenderMode, Role};

const MODES: &[Choice] = &[
    Choice {
        name: "layered",
        doc: "one stable block, the chat, then what changes; keeps provider caches warm",
    },
    Choice { name: "st", doc: "SillyTavern's order, message for message" },
];

const ROLES: &[Choice] = &[
    Choice { name: "system", doc: "as an instruction" },
    Choice { name: "user", doc: "as somebody's words" },
];

pub(super) const KEYS: &[Key] = &[
    Key { path: "render.mode", kind: Kind::Choice(MODES), doc: "The order of the prompt's parts." },
    Key {
        path: "render.system_messages",
        kind: Kind::Choice(SystemMessages::CHOICES),
        doc: "Whether instructions go out as several system messages or as one; some servers take only one.",
    },
    Key {
        path: "render.user_fallback",
        kind: Kind::Text,
        doc: "What `{{user}}` becomes where no single person is meant.",
    },
    Key {
        path: "layers.depth_inject.position",
        kind: Kind::Count(0, 1000),
        doc: "How many messages from the end the depth note stands; 0 is just before the last message.",
    },
    Key {
        path: "layers.depth_inject.role",
        kind: Kind::Choice(ROLES),
        doc: "In whose name the depth note speaks.",
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
    }
}

/// Where the depth note stands (specs familiar-connect 1.3, 1.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DepthInject {
    /// Messages from the end, 0 to 1000.
    pub position: u32,
    /// `System` or `User`.
    pub role: Role,
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

impl DepthInject {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            position: view.count("layers.depth_inject.position")?,
            role: view.choice("layers.depth_inject.role", |word| match word {
                "system" => Some(Role::System),
                "user" => Some(Role::User),
                _ => None,
            })?,
        })
    }
}
