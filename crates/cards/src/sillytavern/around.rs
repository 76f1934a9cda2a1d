//! Lore around what a card or a note says, joined as SillyTavern joins it.
//!
//! Owns the order of such texts. Must not know how lore is called up.

use super::examples::START;

/// Texts that stand one behind the other in one place, without empty ones.
pub fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Example dialogue with lore before and behind the card's own, each beginning a block. `before` is in the order in which it
/// was called up: SillyTavern puts each in front of all that is there already, so the first ends up last.
#[must_use]
pub fn examples_with(before: Vec<String>, own: String, after: Vec<String>) -> String {
    let own = std::iter::once(own).filter(|own| own.trim() != START);
    let blocks = before.into_iter().rev().chain(own).chain(after);
    joined(blocks.filter(|text| !text.trim().is_empty()).map(opened))
}

/// Example dialogue that begins with the mark of a block.
fn opened(text: String) -> String {
    let begins = text.trim_start().get(..START.len()).is_some_and(|word| word.eq_ignore_ascii_case(START));
    if begins { text } else { format!("{START}\n{text}") }
}
