//! Our own headings of a prompt, where a model writes one into its answer.
//!
//! Owns which of them are only taken off, and which end the answer. Must not know what stands below them. Start reading at
//! [`HeadingFilter`].

use crate::domain::LAYER_MARKER;

/// How a heading begins and ends.
const OPENS: char = '⟦';
const CLOSES: char = '⟧';

/// Takes off a heading that stands above the words of a streamed answer, and ends the answer at one that stands below them:
/// what follows there is the prompt. Headings begin a line; what looks like one within a line is left for the way out to
/// refuse.
#[derive(Debug, Clone, Default)]
pub struct HeadingFilter {
    /// What may become a heading, or is one that is not over.
    held: String,
    /// Something of this line was shown that can be seen.
    in_line: bool,
    read: Read,
}

/// How far an answer was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Read {
    #[default]
    Nothing,
    /// A heading, and no words.
    Heading,
    Words,
    /// All of it.
    Over,
}

impl HeadingFilter {
    /// Takes a piece of the answer and gives what of it are words.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        for character in piece.chars() {
            self.take(character, &mut shown);
        }
        shown
    }

    pub fn is_over(&self) -> bool {
        self.read == Read::Over
    }

    /// What was still held back at the end.
    pub fn finish(self) -> String {
        if self.held.starts_with(LAYER_MARKER) { String::new() } else { self.held }
    }

    fn take(&mut self, character: char, shown: &mut String) {
        if self.is_over() {
            return;
        }
        if self.held.is_empty() && (self.in_line || character != OPENS) {
            return self.show(character, shown);
        }
        self.held.push(character);
        if self.held.starts_with(LAYER_MARKER) {
            if self.read == Read::Words {
                self.read = Read::Over;
                self.held.clear();
            } else if matches!(character, CLOSES | '\n') {
                self.read = Read::Heading;
                self.held.clear();
            }
        } else if !LAYER_MARKER.starts_with(&self.held) {
            let held = std::mem::take(&mut self.held);
            held.chars().for_each(|character| self.show(character, shown));
        }
    }

    fn show(&mut self, character: char, shown: &mut String) {
        if character.is_whitespace() {
            self.in_line &= character != '\n';
            if self.read == Read::Heading {
                return;
            }
        } else {
            (self.in_line, self.read) = (true, Read::Words);
        }
        shown.push(character);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(pieces: &[&str]) -> String {
        let mut heading = HeadingFilter::default();
        let mut shown: String = pieces.iter().map(|piece| heading.push(piece)).collect();
        shown.push_str(&heading.finish());
        shown
    }

    #[test]
    fn a_heading_above_the_words_is_taken_off_and_one_below_them_ends_the_answer() {
        for (given, words) in [
            ("⟦fc: For this reply⟧\nEvening.", "Evening."),
            ("\n ⟦fc: For this reply⟧ Evening.\nAll well?", "\n Evening.\nAll well?"),
            ("⟦fc: Who you are⟧\n\n⟦fc: For this reply\nEvening.", "Evening."),
            ("Evening.\n\n⟦fc: Who you are⟧\nYou are Mika.", "Evening.\n\n"),
            ("⟦fc: For this reply⟧", ""),
            ("⟦fc: For this re", ""),
        ] {
            assert_eq!(told(&[given]), words, "{given}");
        }
    }

    #[test]
    fn other_brackets_are_words_and_a_heading_within_a_line_is_left_to_be_refused() {
        for text in ["⟦so⟧ it is", "⟦", "⟦f", "a ⟦⟦fc", "Sure: ⟦fc: Who you are⟧"] {
            assert_eq!(told(&[text]), text);
        }
    }

    proptest! {
        #[test]
        fn chopping_does_not_matter(text in "(⟦fc: |⟦|⟧|fc|[a-z \n]{0,4}){0,10}") {
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            prop_assert_eq!(told(&letters), told(&[&text]));
        }
    }
}
