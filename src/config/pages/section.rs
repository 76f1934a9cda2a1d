//! `prompts/sections/*.md`: pieces of the prompt that the operator adds (specs mechanisms Y3).

use std::sync::Arc;

use super::condition::{self, Condition, Fact, Lasting};
use super::front::Page;
use crate::config::choice::choice_enum;
use crate::config::error::ConfigError;
use crate::config::read::View;
use crate::config::schema::{Key, Kind};
use crate::text::macros::volatile_macros;

/// The settings of a section's file.
pub(in crate::config) const KEYS: &[Key] = &[
    Key {
        path: "enabled",
        kind: Kind::Flag,
        doc: "`false` switches it off; in a mode's folder, for that mode. So does a file without text. Unset: `true`.",
    },
    Key { path: "title", kind: Kind::Prose(100), doc: "What stands over it in the prompt. Unset: `Also`." },
    Key {
        path: "order",
        kind: Kind::Count(0, 1000),
        doc: "Sections stand in this order, then by the names of their files. Unset: 100.",
    },
    Key {
        path: "importance",
        kind: Kind::Choice(Weight::CHOICES),
        doc: "What goes first when the prompt is full. Unset: `\"normal\"`.",
    },
    Key {
        path: "max_tokens",
        kind: Kind::Count(10, 100_000),
        doc: "The most it may take; paragraphs that do not fit are left out whole. Unset: what its layer \
              (`author_note`) has room for.",
    },
    Key {
        path: "whole",
        kind: Kind::Flag,
        doc: "Whether it stays or leaves as one, rather than paragraph by paragraph. Unset: `false`.",
    },
    Key {
        path: "stands",
        kind: Kind::Choice(Wish::CHOICES),
        doc: "In which part of the prompt. Unset: in the stable part where nothing in it or in its `when` changes from \
              message to message, else in the tail.",
    },
    Key {
        path: "when",
        kind: Kind::Conditions,
        doc: "When it is in the prompt: a table, all of which has to hold, or a list of tables, one of which has to. \
              Unset: always.",
    },
];

choice_enum! {
    /// What goes first when the prompt is full.
    pub enum Weight {
        Low = "low", "among the first to go";
        Normal = "normal", "goes before the channel's backdrop and the mode's instructions";
        High = "high", "stays as long as they do";
    }
}

choice_enum! {
    /// Where somebody wants a section to stand.
    enum Wish {
        Stable = "stable", "before the conversation, the same in every prompt";
        Tail = "tail", "at the end, for this reply";
    }
}

/// Where a section stands, and when.
#[derive(Debug, Clone, PartialEq)]
pub enum Stands {
    /// In the part that is the same from message to message, which is why its condition cannot ask for anything that is
    /// not.
    Stable(Condition<Lasting>),
    /// Behind the conversation.
    Tail(Condition<Fact>),
}

/// A section as it was written; its text is never blank.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptSection {
    /// The name of its file, without `.md`.
    pub name: Arc<str>,
    /// What stands over it.
    pub title: Option<Arc<str>>,
    /// Its place among the sections, 0 to 1000.
    pub order: u32,
    /// What goes first.
    pub weight: Weight,
    /// The most it may take, in tokens.
    pub max_tokens: Option<u32>,
    /// Whether it stays or leaves as one.
    pub is_whole: bool,
    /// Where and when.
    pub stands: Stands,
    /// The text, macros still raw.
    pub text: Arc<str>,
}

/// What comes before the order of the files themselves.
const ORDER: u32 = 100;

/// The name that stands for what no section may replace or switch off.
const AXIOMS: &str = "axioms";

impl PromptSection {
    /// Reads one; `None` where it is switched off.
    pub(super) fn read(name: &str, page: &Page) -> Result<Option<Self>, ConfigError> {
        if name == AXIOMS {
            let what = "the axioms are no section and cannot be replaced or switched off; what you write into \
                        prompts/axioms.md is added to them";
            return Err(page.conflict("enabled", what.to_owned()));
        }
        let condition = condition::read(&page.front)?;
        if page.is_off() {
            return Ok(None);
        }
        let view = View::new(&page.front);
        let wish = view.optional_choice("stands", Wish::from_word)?;
        let stands = match (wish, lasting(&condition, &page.text)) {
            (Some(Wish::Tail), _) | (None, Err(_)) => Stands::Tail(condition),
            (_, Ok(lasting)) => Stands::Stable(lasting),
            (Some(Wish::Stable), Err(changing)) => {
                let what = format!(
                    "{changing} may change from message to message, so this cannot stand in the stable part; take \
                     `stands` out, or write \"tail\""
                );
                return Err(page.conflict("stands", what));
            }
        };
        Ok(Some(Self {
            name: Arc::from(name),
            title: view.optional_text("title")?.map(|title| Arc::from(title.trim())),
            order: view.optional_count("order")?.unwrap_or(ORDER),
            weight: view.optional_choice("importance", Weight::from_word)?.unwrap_or(Weight::Normal),
            max_tokens: view.optional_count("max_tokens")?,
            is_whole: view.optional_flag("whole")?.unwrap_or(false),
            stands,
            text: Arc::from(page.text.as_str()),
        }))
    }
}

/// The condition over what lasts; the name of what changes where there is something.
pub(super) fn lasting(condition: &Condition<Fact>, text: &str) -> Result<Condition<Lasting>, String> {
    if let Some(name) = volatile_macros(text).first() {
        return Err(format!("`{{{{{name}}}}}`"));
    }
    // Whoever may open a thread chooses its name: other people's words do not stand among instructions.
    if text.contains("{{channel}}") {
        return Err("`{{channel}}`".to_owned());
    }
    condition.lasting().map_err(|fact| format!("`when.{}`", fact.key()))
}
