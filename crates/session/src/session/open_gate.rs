//! What is not for people of any age is held back where they may read it.
//!
//! Owns what becomes of a reply with such words in it. Where that is [`is_unfit_for`] knows, and which words they are
//! `crate::text::explicit`, of which a list covers what it can; the rule in the prompt is there for the rest. Start reading at
//! [`is_unfit`].

use super::parts::SessionParts;
use crate::context::is_unfit_for;
use crate::domain::{Place, ProcessorSide};
use crate::processors::RunLog;

/// What a model is told whose reply was held back.
pub(super) const RESTATED: &str = "⟦fc: Who reads this⟧\nPeople of any age may read here, and what you were about to say is not for \
                                   all of them. Say it without anything sexual, or turn it aside in a word.";

/// How a run of this is called in the record of a turn.
const GATE: &str = "open_place";

/// Characters before a piece that are looked at with it, where pieces may end within a word.
const BEFORE_CHARS: usize = 80;

/// Whether some words are not to be read in a place.
pub(super) fn is_unfit(parts: &SessionParts, place: &Place, words: &str) -> bool {
    is_unfit_for(&parts.config.current(), place, words)
}

/// The end of what was said before a piece, with it.
pub(super) fn with_what_is_before(said: &str, piece: &str) -> String {
    let skipped = said.chars().count().saturating_sub(BEFORE_CHARS);
    said.chars().skip(skipped).chain(piece.chars()).collect()
}

/// Notes in the record of the turn that a reply was held back; not with which words, which people may read there.
pub(super) fn held_back(log: &RunLog) {
    log.refuse(GATE, ProcessorSide::After, "it was not for people of any age, who may read here");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_comes_in_two_pieces_is_seen_whole() {
        let said = format!("{}She gives him a blow", "rope ".repeat(100));
        let seen = with_what_is_before(&said, "job.");
        assert!(seen.ends_with("She gives him a blowjob.") && seen.chars().count() <= BEFORE_CHARS + 4);
        assert_eq!(with_what_is_before("", "Evening."), "Evening.");
    }
}
