//! Tokens, counted as texts come in.

use crate::TokenCount;

/// A running count of tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenTally<'a> {
    count: TokenCount<'a>,
    units: u64,
    tokens: u32,
}

impl<'a> TokenTally<'a> {
    pub(super) fn new(count: TokenCount<'a>) -> Self {
        Self { count, units: 0, tokens: 0 }
    }

    /// Adds a text and a line end.
    pub(super) fn add(&mut self, text: &str) {
        match self.count {
            TokenCount::Quarters => self.units += text.encode_utf16().count() as u64 + 1,
            TokenCount::By(count) => self.tokens = self.tokens.saturating_add(count(text)).saturating_add(1),
        }
    }

    pub(super) fn total(&self) -> u32 {
        self.tokens.saturating_add(u32::try_from(self.units.div_ceil(4)).unwrap_or(u32::MAX))
    }
}
