//! An entry's shorter levels: its first paragraph, its first sentence (Y15). A level is whole or it is
//! not there; nothing is ever cut inside.

use crate::lore::LoreLevel;
use crate::sentences::sentences;

/// A sentence longer than this is no short form of anything, in bytes.
const LONGEST_LINE: usize = 240;

/// The levels of a text, longest first; each is shorter than the one before.
pub(super) fn levels(text: &str) -> Vec<(LoreLevel, String)> {
    let whole = text.trim();
    let mut levels = vec![(LoreLevel::Full, whole.to_owned())];
    let paragraph = whole.split("\n\n").map(str::trim).find(|part| !part.is_empty()).unwrap_or("");
    if paragraph.len() < whole.len() && is_complete(paragraph) {
        levels.push((LoreLevel::Paragraph, paragraph.to_owned()));
    }
    if let Some(line) = first_sentence(paragraph)
        && line.len() < levels.last().map_or(0, |(_, text)| text.len())
    {
        levels.push((LoreLevel::Line, line));
    }
    levels
}

/// The first sentence of a paragraph of prose; of a list or a block of properties its first line.
fn first_sentence(paragraph: &str) -> Option<String> {
    let line = paragraph.lines().next()?.trim();
    let first = sentences(line).first()?.trim().to_owned();
    (!first.is_empty() && first.len() <= LONGEST_LINE && is_complete(&first)).then_some(first)
}

/// Whether nothing that was opened is left open: half a block of properties would be worse than none.
fn is_complete(text: &str) -> bool {
    let count = |letter| text.matches(letter).count();
    [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')]
        .into_iter()
        .all(|(open, shut)| count(open) == count(shut))
        && count('"').is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(LoreLevel, String)> {
        levels(text)
    }

    #[test]
    fn y15_levels_are_whole_and_get_shorter() {
        let text = "The gate stands north. It is old.\n\nNobody has opened it since the war.";
        let found = of(text);
        assert_eq!(
            found,
            [
                (LoreLevel::Full, text.to_owned()),
                (LoreLevel::Paragraph, "The gate stands north. It is old.".to_owned()),
                (LoreLevel::Line, "The gate stands north.".to_owned()),
            ]
        );
    }

    #[test]
    fn y15_what_cannot_be_shortened_whole_is_not_shortened() {
        assert_eq!(of("[Ada: tall. Kind.]").len(), 1);
        assert_eq!(of("One sentence only.").len(), 1);
        assert_eq!(of(&"word ".repeat(200)).len(), 1);
        assert_eq!(of("- tall\n- kind").last().unwrap().1, "- tall");
    }
}
