//! Cutting a reply, as it streams, into the pieces that are handed over.

use crate::config::TypingSimulation;
use crate::session::DeliveryStyle;
use crate::text::sentences::Cutter;
use crate::text::split;

/// Discord allows 2,000; the rest is room for a fence that has to be closed and reopened (specs familiar-connect 1.9).
const TYPED_MAX_CHARS: usize = 1_900;

/// How a reply is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    /// Every delta as it comes.
    Live,
    /// Nothing before the end, then messages of a most.
    Whole { max_chars: usize },
    /// Paragraph by paragraph, long paragraphs sentence by sentence, as a person types.
    Typed { threshold: usize, max_chars: usize },
}

/// Takes deltas, gives pieces. What the pieces leave out is white space between them.
#[derive(Debug)]
pub(super) struct ReplyCutter {
    cut: Cut,
    buffer: String,
}

impl ReplyCutter {
    pub(super) fn new(style: DeliveryStyle, typing: &TypingSimulation) -> Self {
        let cut = match style {
            DeliveryStyle::Live | DeliveryStyle::Spoken => Cut::Live,
            DeliveryStyle::Messages { max_chars } if typing.enabled => Cut::Typed {
                threshold: usize::try_from(typing.sentence_split_threshold).unwrap_or(usize::MAX),
                max_chars: max_chars.min(TYPED_MAX_CHARS),
            },
            DeliveryStyle::Messages { max_chars } => Cut::Whole { max_chars },
        };
        Self { cut, buffer: String::new() }
    }

    /// Takes a piece of the reply; gives what can be handed over now.
    pub(super) fn push(&mut self, delta: &str) -> Vec<String> {
        match self.cut {
            Cut::Live => (!delta.is_empty()).then(|| delta.to_owned()).into_iter().collect(),
            Cut::Whole { .. } => {
                self.buffer.push_str(delta);
                Vec::new()
            }
            Cut::Typed { threshold, max_chars } => {
                self.buffer.push_str(delta);
                let mut pieces = Vec::new();
                while let Some(end) = paragraph_end(&self.buffer) {
                    let rest = self.buffer.split_off(end);
                    let paragraph = std::mem::replace(&mut self.buffer, rest);
                    pieces.extend(typed_pieces(&paragraph, threshold, max_chars));
                }
                pieces
            }
        }
    }

    /// The reply is complete; gives the rest.
    pub(super) fn finish(self) -> Vec<String> {
        match self.cut {
            Cut::Live => Vec::new(),
            Cut::Whole { max_chars } => split::messages(&self.buffer, max_chars),
            Cut::Typed { threshold, max_chars } => typed_pieces(&self.buffer, threshold, max_chars),
        }
    }
}

/// Where the first finished paragraph ends, behind its blank line. None inside an open code fence.
fn paragraph_end(text: &str) -> Option<usize> {
    let mut in_fence = false;
    let mut at = 0;
    let mut has_words = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with("```") {
            in_fence = !in_fence;
        }
        at += line.len();
        if bare.is_empty() && line.ends_with('\n') && !in_fence && has_words {
            return Some(at);
        }
        has_words |= !bare.is_empty();
    }
    None
}

fn typed_pieces(paragraph: &str, threshold: usize, max_chars: usize) -> Vec<String> {
    let paragraph = paragraph.trim();
    if paragraph.is_empty() {
        return Vec::new();
    }
    let is_long = paragraph.chars().count() > threshold;
    if !is_long || paragraph.contains("```") {
        return split::messages(paragraph, max_chars);
    }
    let mut sentences = Cutter::new();
    let mut whole = sentences.push(paragraph);
    whole.extend(sentences.finish());
    whole
        .into_iter()
        .flat_map(|sentence| split::messages(sentence.trim(), max_chars))
        .filter(|piece| !piece.trim().is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed() -> ReplyCutter {
        ReplyCutter { cut: Cut::Typed { threshold: 40, max_chars: 200 }, buffer: String::new() }
    }

    #[test]
    fn paragraphs_leave_as_soon_as_the_next_begins() {
        let mut cutter = typed();
        assert!(cutter.push("Hello the").is_empty());
        assert!(cutter.push("re.\n").is_empty());
        assert_eq!(cutter.push("\nSecond"), ["Hello there."]);
        assert_eq!(cutter.finish(), ["Second"]);
    }

    #[test]
    fn a_blank_line_inside_a_fence_does_not_cut() {
        let mut cutter = typed();
        assert!(cutter.push("```rust\nlet a = 1;\n\nlet b = 2;\n").is_empty());
        assert_eq!(cutter.push("```\n\nDone."), ["```rust\nlet a = 1;\n\nlet b = 2;\n```"]);
        assert_eq!(cutter.finish(), ["Done."]);
    }

    #[test]
    fn long_paragraphs_are_typed_sentence_by_sentence() {
        let mut cutter = typed();
        cutter.push("This is the first sentence of it. And this is the second one.");
        assert_eq!(cutter.finish(), ["This is the first sentence of it.", "And this is the second one."]);
    }

    #[test]
    fn whole_replies_wait_for_the_end() {
        let mut cutter = ReplyCutter { cut: Cut::Whole { max_chars: 2000 }, buffer: String::new() };
        assert!(cutter.push("a\n\nb").is_empty());
        assert_eq!(cutter.finish(), ["a\n\nb"]);
    }
}
