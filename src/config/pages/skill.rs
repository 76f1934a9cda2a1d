//! `skills/*.md`: how to do something, told when it is wanted (specs mechanisms Y5).

use std::sync::Arc;

use super::condition::{self, Condition, Fact};
use super::front::Page;
use crate::config::error::ConfigError;
use crate::config::read::View;
use crate::config::schema::{Key, Kind};

/// The most a skill may take of a prompt, in tokens (specs mechanisms Y5).
pub const SKILL_MAX_TOKENS: u32 = 2_000;

/// For so many messages after it was called up a skill stays, where it does not say otherwise: a quiz has several
/// rounds.
const STAYS: u32 = 6;

/// The settings of a skill's file.
pub(in crate::config) const KEYS: &[Key] = &[
    Key { path: "enabled", kind: Kind::Flag, doc: "`false` switches it off. Unset: `true`." },
    Key {
        path: "description",
        kind: Kind::Prose(200),
        doc: "What it is for, on one line. With its name it is always in the prompt, so that the familiar knows what \
              it knows.",
    },
    Key {
        path: "keywords",
        kind: Kind::Texts,
        doc: "Words or phrases; one of them in what is said calls it up. Its name, written with spaces, always does.",
    },
    Key {
        path: "stays",
        kind: Kind::Count(0, 50),
        doc: "For how many more messages, its own included, it stays once it was called up. Unset: 6.",
    },
    Key {
        path: "max_tokens",
        kind: Kind::Count(10, SKILL_MAX_TOKENS),
        doc: "The most it may take; the rest is kept aside and comes back by its words. Unset: 2000.",
    },
    Key {
        path: "when",
        kind: Kind::Conditions,
        doc: "When it may be called up, as for sections. With `when` and without `keywords` it is there whenever that \
              holds.",
    },
];

/// How to do something.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// The name of its file, without `.md`.
    pub name: Arc<str>,
    /// What it is for; may be empty.
    pub description: Arc<str>,
    /// What calls it up, besides its name.
    pub keywords: Vec<String>,
    /// For how many more messages, 0 to 50.
    pub stays: u32,
    /// The most it may take, 10 to [`SKILL_MAX_TOKENS`].
    pub max_tokens: u32,
    /// When it may be called up.
    pub condition: Condition<Fact>,
    /// Whether nothing more than that is needed.
    pub needs_no_word: bool,
    /// Who wrote it.
    pub origin: Origin,
    /// The text, macros still raw.
    pub text: Arc<str>,
}

/// Who wrote a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The operator.
    Own,
    /// Somebody else: it came with a card or from the net (`skills/imported`). Never instructs.
    Imported,
}

impl Skill {
    /// Reads one; `None` where it is switched off.
    pub(super) fn read(name: &str, origin: Origin, page: &Page) -> Result<Option<Self>, ConfigError> {
        let condition = condition::read(&page.front)?;
        if page.is_off() {
            return Ok(None);
        }
        let view = View::new(&page.front);
        let keywords = view.optional_texts("keywords")?;
        let description = view.optional_text("description")?.unwrap_or_default();
        Ok(Some(Self {
            name: Arc::from(name),
            description: Arc::from(description.split_whitespace().collect::<Vec<_>>().join(" ")),
            stays: view.optional_count("stays")?.unwrap_or(STAYS),
            max_tokens: view.optional_count("max_tokens")?.unwrap_or(SKILL_MAX_TOKENS),
            needs_no_word: keywords.is_empty() && view.node("when").is_some(),
            keywords,
            condition,
            origin,
            text: Arc::from(page.text.as_str()),
        }))
    }

    /// Its name as people say it.
    #[must_use]
    pub fn spoken_name(&self) -> String {
        self.name.replace(['_', '-'], " ")
    }
}
