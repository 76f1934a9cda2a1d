//! `[tools]`: what the familiar may look up or do while it answers.

use std::time::Duration;

use super::choice::choice_enum;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "tools.use",
        kind: Kind::Choice(ToolUse::CHOICES),
        doc: "Whether the model may call tools while it answers in text.",
    },
    Key {
        path: "tools.max_rounds",
        kind: Kind::Count(1, 10),
        doc: "How often one reply may stop to call tools; after that it has to answer.",
    },
    Key { path: "tools.deadline_s", kind: Kind::Seconds(0.1, 120.0), doc: "How long one tool may take." },
    Key { path: "tools.disabled", kind: Kind::Texts, doc: "Tools that are not offered, by name." },
];

choice_enum! {
    /// Whether the model may call tools.
    pub enum ToolUse {
        Auto = "auto", "where the model is known to take tools";
        Always = "always", "whatever is known about the model";
        Never = "never", "no tools";
    }
}

impl ToolUse {
    /// Whether a model gets tools that is known to take them, or not. It depends on nothing of the message: tools stand
    /// in front of the prompt, and a prompt that has them one time and not the next is never cached.
    #[must_use]
    pub fn gives(self, takes_tools: bool) -> bool {
        match self {
            Self::Auto => takes_tools,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// What may be looked up or done while answering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsConfig {
    /// Whether at all.
    pub usage: ToolUse,
    /// Rounds of calls in one reply, 1 to 10.
    pub max_rounds: u32,
    /// For each call.
    pub deadline: Duration,
    /// Names of tools that are not offered.
    pub disabled: Vec<String>,
}

impl ToolsConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            usage: view.choice("tools.use", ToolUse::from_word)?,
            max_rounds: view.count("tools.max_rounds")?,
            deadline: view.seconds("tools.deadline_s")?,
            disabled: view.texts("tools.disabled")?,
        })
    }
}
