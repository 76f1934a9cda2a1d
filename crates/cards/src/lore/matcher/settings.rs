//! The matcher's settings.

/// How entries are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum LoreMode {
    /// By keys alone, as in SillyTavern.
    Keywords,
    /// By a search for what was said; keys are words like others.
    Retrieval,
    /// By keys, and a search may add a few.
    Hybrid,
}

impl LoreMode {
    /// The name in settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Where a word ends (cards-and-lore 4.2, "Rust traps").
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum WordBoundary {
    /// As in SillyTavern: every letter outside a to z ends a word.
    St,
    /// Letters of every alphabet belong to words; keys in scripts without spaces are found anywhere.
    Unicode,
}

impl WordBoundary {
    /// The name in settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Deepest scan, in messages; what is asked beyond it is read as this (as in SillyTavern).
pub(super) const MAX_DEPTH: u32 = 1000;

/// What becomes of an entry that does not fit whole (Y15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// It is left out, and so are all after it, as in SillyTavern.
    None,
    /// Its first paragraph is taken, else its first sentence; those after it come as short as they can be told whole, while
    /// there is room.
    Levels,
}

/// How entries are looked for, where neither an entry nor its book says otherwise. [`Default`] is SillyTavern as it is
/// shipped (cards-and-lore 4.2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoreSettings {
    /// By keys, by search, or both.
    pub mode: LoreMode,
    /// Messages that are read, 0 to 1000; 0 reads nothing at all.
    pub depth: u32,
    /// Whether entries may call others.
    pub recursive: bool,
    /// Passes at most; 0 = no limit, 1 = no recursion. Every limit switches `min_activations` off, as there.
    pub max_recursion_steps: u32,
    /// Reads further back, message by message, until so many entries are called up; 0 = never.
    pub min_activations: u32,
    /// Whether a key of one word has to stand alone.
    pub whole_words: bool,
    /// What a word is.
    pub boundary: WordBoundary,
    /// Whether upper and lower case differ.
    pub case_sensitive: bool,
    /// Whether in a group only those with the most keys found take part.
    pub group_scoring: bool,
    /// What a search may add, in entries.
    pub search: u32,
    /// What happens where there is no room.
    pub fallback: Fallback,
    /// Whether what is always there has its room before anything that was called up, whatever its order. In SillyTavern the
    /// order alone decides.
    pub constants_first: bool,
}

impl Default for LoreSettings {
    fn default() -> Self {
        Self {
            mode: LoreMode::Keywords,
            depth: 2,
            recursive: true,
            max_recursion_steps: 0,
            min_activations: 0,
            whole_words: true,
            boundary: WordBoundary::St,
            case_sensitive: false,
            group_scoring: false,
            search: 3,
            fallback: Fallback::None,
            constants_first: false,
        }
    }
}
