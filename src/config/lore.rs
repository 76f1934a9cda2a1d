//! `[lore]`: how lore entries are called up.

use super::choice::choice_enum;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key { path: "lore.mode", kind: Kind::Choice(LoreMode::CHOICES), doc: "How lore entries are called up." },
    Key {
        path: "lore.scan_depth",
        kind: Kind::Count(0, 1000),
        doc: "How many of the newest messages are read for keys. An entry's or a book's own number comes first; 0 \
              reads none.",
    },
    Key {
        path: "lore.budget_percent",
        kind: Kind::Count(1, 100),
        doc: "The most lore may take of a prompt, in percent of what the turn may take. Spoken replies have at most \
              600 tokens of lore.",
    },
    Key {
        path: "lore.recursive",
        kind: Kind::Flag,
        doc: "Whether the text of an entry may call up further entries. A book's own rule comes first.",
    },
    Key {
        path: "lore.max_recursion_steps",
        kind: Kind::Count(0, 100),
        doc: "How many passes there are at most: 1 is no recursion, 0 is no limit. Any limit switches \
              `min_activations` off.",
    },
    Key {
        path: "lore.min_activations",
        kind: Kind::Count(0, 100),
        doc: "Reads further back, message by message, until so many entries are called up. 0 never does.",
    },
    Key {
        path: "lore.whole_words",
        kind: Kind::Flag,
        doc: "Whether a key of one word has to stand alone. An entry's own rule comes first.",
    },
    Key {
        path: "lore.word_boundary",
        kind: Kind::Choice(WordBoundary::CHOICES),
        doc: "What standing alone means.",
    },
    Key {
        path: "lore.case_sensitive",
        kind: Kind::Flag,
        doc: "Whether keys are only found in the case they are written in. An entry's own rule comes first.",
    },
    Key {
        path: "lore.group_scoring",
        kind: Kind::Flag,
        doc: "Whether of a group only the entries with the most keys found take part in the draw.",
    },
    Key {
        path: "lore.hybrid_extra",
        kind: Kind::Count(0, 20),
        doc: "How many entries a search may add in hybrid mode; in retrieval mode at least five.",
    },
];

choice_enum! {
    /// How lore entries are called up (specs cards-and-lore 4.3).
    pub enum LoreMode {
        Keywords = "keywords", "by keys alone, as in SillyTavern";
        Retrieval = "retrieval", "by a search for what was said; keys are words like others";
        Hybrid = "hybrid", "by keys, and a search may add a few";
    }
}

choice_enum! {
    /// Where a word ends (specs cards-and-lore 4.2, "Rust traps").
    pub enum WordBoundary {
        St = "st", "as in SillyTavern: every letter outside a to z ends a word";
        Unicode = "unicode", "letters of every alphabet belong to words; keys in scripts without spaces are found anywhere";
    }
}

/// How lore entries are called up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoreConfig {
    /// By keys, by search, or both.
    pub mode: LoreMode,
    /// Messages that are read, 0 to 1000.
    pub scan_depth: u32,
    /// Percent of the turn's budget, 1 to 100.
    pub budget_percent: u32,
    /// Whether entries may call others.
    pub recursive: bool,
    /// Passes at most; 0 = no limit.
    pub max_recursion_steps: u32,
    /// Entries to find before reading further back ends; 0 = never reads further back.
    pub min_activations: u32,
    /// Whether a key of one word has to stand alone.
    pub whole_words: bool,
    /// What a word is.
    pub word_boundary: WordBoundary,
    /// Whether upper and lower case differ.
    pub case_sensitive: bool,
    /// Whether groups go by the number of keys found.
    pub group_scoring: bool,
    /// What a search may add, in entries, 0 to 20.
    pub hybrid_extra: u32,
}

impl LoreConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            mode: view.choice("lore.mode", LoreMode::from_word)?,
            scan_depth: view.count("lore.scan_depth")?,
            budget_percent: view.count("lore.budget_percent")?,
            recursive: view.flag("lore.recursive")?,
            max_recursion_steps: view.count("lore.max_recursion_steps")?,
            min_activations: view.count("lore.min_activations")?,
            whole_words: view.flag("lore.whole_words")?,
            word_boundary: view.choice("lore.word_boundary", WordBoundary::from_word)?,
            case_sensitive: view.flag("lore.case_sensitive")?,
            group_scoring: view.flag("lore.group_scoring")?,
            hybrid_extra: view.count("lore.hybrid_extra")?,
        })
    }
}
