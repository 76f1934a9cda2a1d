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
