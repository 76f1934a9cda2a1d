//! The token budget, with SillyTavern's arithmetic.
//!
//! Owns what a message costs and the one refusal; must not know where messages go.

use crate::TokenCount;

/// What every message costs besides its words.
const MESSAGE_TOKENS: u32 = 4;

/// What every reply costs before its first word.
const REPLY_PRIMING_TOKENS: i64 = 3;

/// What must be sent does not fit; nothing is sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the prompt does not fit: {part} needs {needed} tokens and {left} are left of {budget} (context size minus reply)"
)]
pub struct StOverflow {
    /// The first part that did not fit, in words.
    pub part: &'static str,
    /// What it needs, in tokens.
    pub needed: u32,
    /// What was left for it, in tokens; below zero when even the reply does not fit.
    pub left: i64,
    /// Context size minus reply, in tokens.
    pub budget: i64,
}

/// What is left of the context.
#[derive(Debug)]
pub(super) struct Budget {
    total: i64,
    left: i64,
}

impl Budget {
    pub(super) fn new(context_tokens: u32, reply_tokens: u32) -> Self {
        let total = i64::from(context_tokens) - i64::from(reply_tokens);
        Self { total, left: total - REPLY_PRIMING_TOKENS }
    }

    /// Whether `tokens` more fit. Nothing fits once the budget is below zero, not even nothing.
    pub(super) fn can_afford(&self, tokens: u32) -> bool {
        self.left >= i64::from(tokens)
    }

    /// Spends, or keeps back for a part that is inserted later; may go below zero.
    pub(super) fn spend(&mut self, tokens: u32) {
        self.left -= i64::from(tokens);
    }

    /// Spends for a part that must be sent.
    pub(super) fn require(&mut self, part: &'static str, tokens: u32) -> Result<(), StOverflow> {
        if !self.can_afford(tokens) {
            return Err(StOverflow { part, needed: tokens, left: self.left, budget: self.total });
        }
        self.spend(tokens);
        Ok(())
    }

    /// Gives back what was kept back.
    pub(super) fn release(&mut self, tokens: u32) {
        self.left += i64::from(tokens);
    }
}

/// What a message costs: nothing when it is empty and has no name, for then it is never sent.
pub(super) fn message_tokens(count: TokenCount<'_>, content: &str, named: bool) -> u32 {
    if content.is_empty() && !named { 0 } else { count.of(content).saturating_add(MESSAGE_TOKENS) }
}
