//! The sentences of a message, ready to be read.

/// Whom a sentence speaks of that does not say so, in languages that leave it out: "名前はタマです".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsaid {
    Oneself,
    /// Whoever or whatever was spoken of just before.
    Another,
}

/// One of them, without what only leads up to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Without what leads up to it and without its full stop.
    pub body: String,
    /// Whether it begins by setting something right.
    pub amends: bool,
    /// Whom it speaks of where it does not say so.
    pub(super) about: Unsaid,
    /// Whether it has the star in front or behind by which people mend a word: "*Ana".
    pub is_starred: bool,
}
