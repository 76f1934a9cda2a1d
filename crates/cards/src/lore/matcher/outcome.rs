//! What a scan found.

use serde::Serialize;

use crate::Role;
use crate::lore::LorePosition;
use crate::lore::{LoreEffect, LoreLevel, LoreWhy};

/// An entry whose text is called up.
#[derive(Debug, Clone, PartialEq)]
pub struct FiredEntry {
    /// The book's folder or name.
    pub book: String,
    /// Its number in our model of the book.
    pub uid: u32,
    /// The id the book itself gave it, else its number.
    pub source_id: String,
    /// What it is called.
    pub name: String,
    /// Where in the prompt its text goes.
    pub position: LorePosition,
    /// Messages from the end, for [`LorePosition::AtDepth`].
    pub depth: u32,
    /// As whom, for [`LorePosition::AtDepth`].
    pub role: Role,
    /// Its order: higher stands nearer the end.
    pub order: i64,
    /// Its outlet, for [`LorePosition::Outlet`].
    pub outlet: String,
    /// Its text, macros filled in and decorators taken out.
    pub content: String,
    /// Tokens of `content`.
    pub tokens: u32,
    /// How much of the entry `content` is.
    pub level: LoreLevel,
    /// Why it was called up.
    pub why: LoreWhy,
    /// Whether it is always on, and always in the same words, so that it may stand in the part of a prompt that providers
    /// keep; else it is true for this turn.
    pub is_steady: bool,
    /// The first to go where the prompt is full (`@@ignore_on_max_context`).
    pub yields: bool,
}

/// An entry and why it fired or did not.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryOutcome {
    /// The book's folder or name.
    pub book: String,
    /// Its number in our model of the book.
    pub uid: u32,
    /// The id the book itself gave it, else its number.
    pub source_id: String,
    /// What it is called.
    pub name: String,
    /// Why it is not in the prompt.
    pub why: LoreWhy,
}

/// What the lore took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct BudgetUse {
    /// What it may take, in tokens; what reaches it is too much (SillyTavern compares with ≥).
    pub limit: u32,
    /// What it takes, in tokens.
    pub used: u32,
    /// Whether something was left out, or came shorter, for want of room.
    pub overflowed: bool,
}

/// The result of a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct LoreScan {
    /// What was called up, in the order it stands in a prompt: lower order first.
    pub fired: Vec<FiredEntry>,
    /// The same, as indices into `fired`, in the order they were called up.
    pub activated: Vec<usize>,
    /// Everything else, in the order it was looked at.
    pub not_fired: Vec<EntryOutcome>,
    /// What the lore took of its room, in tokens.
    pub budget: BudgetUse,
    /// Passes over the entries.
    pub passes: u32,
    /// What lasts, to be given to the channel's next scan.
    pub effects: Vec<LoreEffect>,
    /// Things the books' author should know: keys that are no regular expressions, keys that took too long.
    pub notes: Vec<String>,
}
