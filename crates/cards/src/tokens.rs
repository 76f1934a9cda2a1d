//! How tokens are counted: by whoever uses the crate, since every model counts its own way.

use std::fmt;

/// How tokens are counted.
#[derive(Clone, Copy)]
pub enum TokenCount<'a> {
    /// A quarter of the UTF-16 units, rounded up; several texts together as if they were one. What SillyTavern's own
    /// comparisons use; good enough where no tokeniser is at hand.
    Quarters,
    /// By a tokeniser. Several texts together are the sum, since counting every sum anew would read the same text again
    /// and again.
    By(&'a dyn Fn(&str) -> u32),
}

impl TokenCount<'_> {
    /// The tokens of a text.
    #[must_use]
    pub fn of(&self, text: &str) -> u32 {
        match self {
            Self::Quarters => u32::try_from(text.encode_utf16().count().div_ceil(4)).unwrap_or(u32::MAX),
            Self::By(count) => count(text),
        }
    }
}

impl fmt::Debug for TokenCount<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quarters => "Quarters",
            Self::By(_) => "By",
        })
    }
}

/// A running count of tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenTally<'a> {
    count: TokenCount<'a>,
    units: u64,
    tokens: u32,
}

impl<'a> TokenTally<'a> {
    pub(crate) fn new(count: TokenCount<'a>) -> Self {
        Self { count, units: 0, tokens: 0 }
    }

    /// Adds a text and a line end.
    pub(crate) fn add(&mut self, text: &str) {
        match self.count {
            TokenCount::Quarters => self.units += text.encode_utf16().count() as u64 + 1,
            TokenCount::By(count) => self.tokens = self.tokens.saturating_add(count(text)).saturating_add(1),
        }
    }

    pub(crate) fn total(&self) -> u32 {
        self.tokens.saturating_add(u32::try_from(self.units.div_ceil(4)).unwrap_or(u32::MAX))
    }
}
