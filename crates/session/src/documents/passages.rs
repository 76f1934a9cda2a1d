//! A text in passages: paragraphs, each with the headings it stands under.

use crate::history::NewPassage;
use crate::text::sentences::sentences_of;

/// A paragraph of fewer characters is joined with the next one under the same heading: a line of a list alone says little.
const SHORT: usize = 240;

/// The longest passage, in characters. A longer paragraph is cut between sentences, and where it has none between words.
const LONG: usize = 900;

/// Characters of one heading, and how deep headings are told.
const HEADING_CHARS: usize = 100;
const LEVELS: usize = 6;

/// Passages of one document.
const PASSAGES: usize = 4_000;

/// Cuts a text; of Markdown the headings are told with each passage.
pub(super) fn cut(text: &str) -> Vec<NewPassage> {
    let mut cutting = Cutting::default();
    let mut is_code = false;
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_code = !is_code;
        }
        match heading_of_line(bare).filter(|_| !is_code) {
            Some((level, words)) => cutting.heading(level, words),
            None if bare.is_empty() => cutting.paragraph_ends(),
            None => cutting.line(line.trim_end()),
        }
    }
    cutting.finish()
}

/// A heading of Markdown: its level, from 1, and its words.
fn heading_of_line(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let words = line.get(level..)?.strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    ((1..=LEVELS).contains(&level) && !words.is_empty()).then_some((level, words))
}

#[derive(Debug, Default)]
struct Cutting {
    headings: Vec<(usize, String)>,
    /// The passage that is being put together.
    held: String,
    passages: Vec<NewPassage>,
}

impl Cutting {
    fn heading(&mut self, level: usize, words: &str) {
        self.passage_ends();
        self.headings.retain(|(known, _)| *known < level);
        self.headings.push((level, words.chars().take(HEADING_CHARS).collect()));
    }

    fn line(&mut self, line: &str) {
        let length = self.held.chars().count();
        if length > 0 && length + line.chars().count() >= LONG {
            self.passage_ends();
        }
        if !self.held.is_empty() {
            self.held.push('\n');
        }
        self.held.push_str(line);
        if self.held.chars().count() > LONG {
            self.passage_ends();
        }
    }

    fn paragraph_ends(&mut self) {
        if self.held.chars().count() >= SHORT {
            self.passage_ends();
        }
    }

    fn passage_ends(&mut self) {
        let held = std::mem::take(&mut self.held);
        let heading: Vec<&str> = self.headings.iter().map(|(_, words)| words.as_str()).collect();
        let heading = heading.join(" > ");
        for text in parted(&held) {
            if self.passages.len() < PASSAGES {
                self.passages.push(NewPassage { heading: heading.clone(), text });
            }
        }
    }

    fn finish(mut self) -> Vec<NewPassage> {
        self.passage_ends();
        self.passages
    }
}

/// A passage that may be too long, in parts that are not.
fn parted(text: &str) -> Vec<String> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    if text.chars().count() <= LONG {
        return vec![text.to_owned()];
    }
    let pieces = sentences_of(text).into_iter().flat_map(short_pieces);
    let (mut parts, mut part) = (Vec::new(), String::new());
    for piece in pieces {
        if !part.is_empty() && part.chars().count() + piece.chars().count() > LONG {
            parts.push(std::mem::take(&mut part));
        }
        part.push_str(piece);
    }
    parts.push(part);
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// A sentence in pieces no longer than a passage, cut at spaces where there are any.
fn short_pieces(sentence: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), sentence);
    while let Some((end, _)) = rest.char_indices().nth(LONG) {
        let cut = rest[..end].rfind(char::is_whitespace).filter(|at| *at > end / 2).unwrap_or(end);
        let (piece, behind) = rest.split_at(cut);
        pieces.push(piece);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_passage_is_a_paragraph_with_the_headings_it_stands_under() {
        let long = "Grappling costs two actions. ".repeat(12);
        let text = format!(
            "# Rules\nFor all.\n\n## Combat\n{long}\n\nTiny.\n\nTiny too.\n```\n# no heading\n```\n# Lore\nThe sea."
        );
        let passages = cut(&text);
        let told: Vec<(&str, &str)> =
            passages.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
        assert_eq!(told[0], ("Rules", "For all."));
        assert_eq!(told[1], ("Rules > Combat", long.trim_end()));
        assert_eq!(told[2], ("Rules > Combat", "Tiny.\nTiny too.\n```\n# no heading\n```"));
        assert_eq!(told[3], ("Lore", "The sea."));
    }

    proptest! {
        #[test]
        fn no_passage_is_too_long_and_no_letter_is_lost(text in "[a-z日. \n]{0,3000}") {
            let passages = cut(&text);
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            let kept: String = passages.iter().map(|one| letters(&one.text)).collect();
            prop_assert_eq!(kept, letters(&text));
            prop_assert!(passages.iter().all(|one| one.text.chars().count() <= LONG));
        }
    }
}
