//! Tokens of a text for models whose vocabulary is not public.

/// A guess from the text's letters alone.
pub(super) fn tokens(text: &str) -> u32 {
    u32::try_from(text.chars().count().div_ceil(4)).unwrap_or(u32::MAX)
}
