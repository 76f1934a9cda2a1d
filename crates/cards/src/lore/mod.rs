//! Lorebooks: one model for every format, one Markdown file per entry.
//!
//! Owns the entry model, reading the formats of cards-and-lore 4.1, and the files. Must not know prompts; the
//! matcher reads [`LoreEntry`]. Start at [`Lorebook`].

mod features;
pub mod file;
mod known;
mod matcher;
mod read;
mod why;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Role;

pub use features::{FeatureUse, Support};
pub use matcher::{
    BudgetUse, CardTexts, EntryOutcome, Fallback, FiredEntry, LoreLibrary, LoreMode, LorePage, LoreScan,
    LoreScene, LoreSettings, SceneLine, Shelved, WordBoundary, WordForms,
};
pub use read::{BookFormat, read_lorebook};
pub(crate) use read::{book_from_value, detect};
pub use why::{KeySource, LoreEffect, LoreEffectKind, LoreLevel, LoreWhy};

/// A lorebook ("world info").
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lorebook {
    /// Its name; may be empty.
    pub name: String,
    /// What it is about, for people.
    pub description: String,
    /// Messages to scan, where the book says so.
    pub scan_depth: Option<u32>,
    /// Tokens the book may take, where it says so.
    pub token_budget: Option<u32>,
    /// Whether found entries may find others, where the book says so.
    pub recursive_scanning: Option<bool>,
    /// What it was written as.
    pub format: BookFormat,
    /// Every entry, in source order, disabled ones included.
    pub entries: Vec<LoreEntry>,
    /// Fields of the book that are not named above.
    pub rest: Map<String, Value>,
}

/// How primary and filter keys combine; the numbers are SillyTavern's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::FromRepr, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyLogic {
    /// Any filter key (0).
    AndAny,
    /// At least one filter key missing (1).
    NotAll,
    /// No filter key (2).
    NotAny,
    /// All filter keys (3).
    AndAll,
}

/// Where an entry's text goes; the numbers are SillyTavern's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::FromRepr, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LorePosition {
    /// Before the character's description (0).
    Before,
    /// After it (1).
    After,
    /// Above the author's note (2).
    NoteTop,
    /// Below the author's note (3).
    NoteBottom,
    /// In the chat, `depth` messages from its end (4).
    AtDepth,
    /// Before the example dialogue (5).
    BeforeExamples,
    /// After it (6).
    AfterExamples,
    /// Only where `{{outlet::name}}` stands (7).
    Outlet,
}

/// One entry. Defaults are those of cards-and-lore 4.1; the fields stand in the order of an entry's file, under its names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoreEntry {
    /// Unique in the book: its place in the source, from 0.
    pub uid: u32,
    /// The id the source gave, where it gave one.
    #[serde(rename = "id")]
    pub source_id: Option<String>,
    /// For people: comment, else name.
    pub title: String,
    /// The heading (Risu folder) it stood under.
    pub section: Option<String>,
    /// Primary keys; `/pattern/flags` is a regular expression, whichever way the source says so.
    pub keys: Vec<String>,
    /// Filter keys, asked once a primary key was found.
    pub secondary_keys: Vec<String>,
    /// Whether the filter keys count.
    pub selective: bool,
    /// Off entries are kept and never used.
    pub enabled: bool,
    /// Called up without any key.
    pub constant: bool,
    /// Higher = nearer the end, and first claim on the budget.
    pub order: i64,
    /// Where in a prompt its text goes.
    pub position: LorePosition,
    /// Which of the filter keys must be there, or must not.
    pub logic: KeyLogic,
    /// Messages from the end, for [`LorePosition::AtDepth`].
    pub depth: u32,
    /// As whom, for [`LorePosition::AtDepth`].
    pub role: Role,
    /// Percent, 0 to 100.
    pub probability: f64,
    /// Whether `probability` is drawn for; where not, nothing is left to chance.
    pub use_probability: bool,
    /// Not found by other entries' text.
    pub exclude_recursion: bool,
    /// Its text finds no other entries.
    pub prevent_recursion: bool,
    /// Found only by other entries' text, at this level (0 = no such rule).
    pub delay_until_recursion: u32,
    /// Inclusion groups, separated by commas.
    pub group: String,
    /// Wins its group by order.
    pub group_override: bool,
    /// Its weight in the group's draw.
    pub group_weight: u32,
    /// Retrieval may find it without keys.
    pub vectorized: bool,
    /// Comes in even when the budget is spent.
    pub ignore_budget: bool,
    /// Only for these kinds of generation.
    pub triggers: Vec<String>,
    /// The outlet's name, for [`LorePosition::Outlet`].
    pub outlet_name: String,
    /// The card spec's eviction order, where given: lowest goes first.
    pub priority: Option<i64>,
    /// Messages to scan for this entry.
    pub scan_depth: Option<u32>,
    /// Overrides the general setting.
    pub case_sensitive: Option<bool>,
    /// Overrides the general setting.
    pub match_whole_words: Option<bool>,
    /// Overrides the general setting.
    pub use_group_scoring: Option<bool>,
    /// Stays for this many messages.
    pub sticky: Option<u32>,
    /// Then rests for this many.
    pub cooldown: Option<u32>,
    /// Not before this many.
    pub delay: Option<u32>,
    /// The text, decorators included, line ends as `\n`.
    #[serde(skip)]
    pub content: String,
    /// Every other field of the source, as it was.
    #[serde(skip)]
    pub rest: Map<String, Value>,
}

impl Default for LoreEntry {
    fn default() -> Self {
        Self {
            uid: 0,
            source_id: None,
            title: String::new(),
            section: None,
            keys: Vec::new(),
            secondary_keys: Vec::new(),
            selective: true,
            logic: KeyLogic::AndAny,
            enabled: true,
            constant: false,
            order: 100,
            priority: None,
            position: LorePosition::Before,
            depth: 4,
            role: Role::System,
            scan_depth: None,
            case_sensitive: None,
            match_whole_words: None,
            probability: 100.0,
            use_probability: true,
            exclude_recursion: false,
            prevent_recursion: false,
            delay_until_recursion: 0,
            group: String::new(),
            group_override: false,
            group_weight: 100,
            use_group_scoring: None,
            sticky: None,
            cooldown: None,
            delay: None,
            vectorized: false,
            ignore_budget: false,
            triggers: Vec::new(),
            outlet_name: String::new(),
            content: String::new(),
            rest: Map::new(),
        }
    }
}

impl LoreEntry {
    /// What to call it: its title, else its first key, else its number.
    #[must_use]
    pub fn label(&self) -> String {
        [&self.title, self.keys.first().unwrap_or(&self.title)]
            .into_iter()
            .map(|name| name.trim())
            .find(|name| !name.is_empty())
            .map_or_else(|| format!("entry {}", self.uid), str::to_owned)
    }

    /// Whether a key is a regular expression.
    pub(crate) fn has_patterns(&self) -> bool {
        self.keys.iter().chain(&self.secondary_keys).any(|key| matcher::slashed(key.trim()).is_some())
    }

    /// Puts every key that is a pattern between slashes: the one way in which keys say so here, and the only one that
    /// SillyTavern reads.
    pub(crate) fn keys_are_patterns(&mut self) {
        let is_case_sensitive = self.case_sensitive == Some(true);
        for key in self.keys.iter_mut().chain(&mut self.secondary_keys) {
            if let Some(pattern) = matcher::in_slashes(key.trim(), is_case_sensitive) {
                *key = pattern;
            }
        }
    }
}

impl KeyLogic {
    /// The name in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub(crate) fn from_number(number: i64) -> Option<Self> {
        Self::from_repr(usize::try_from(number).ok()?)
    }
}

impl LorePosition {
    /// The name in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub(crate) fn from_number(number: i64) -> Option<Self> {
        Self::from_repr(usize::try_from(number).ok()?)
    }
}
