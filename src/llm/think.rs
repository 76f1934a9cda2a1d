//! Taking `<think>…</think>` out of streamed words.
//!
//! Servers that do not know a model's thinking syntax pass it through as content. Tags may be split over chunks,
//! so an ending that could still become a tag is held back until it is decided.

/// The tags that models use, opening and closing.
const TAGS: &[(&str, &str)] = &[("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// A piece of content, told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// For people.
    Text(String),
    /// Thinking.
    Thought(String),
    /// All text so far was thinking.
    ThoughtAloud,
}

/// Splits content into text and thought.
#[derive(Debug, Default)]
pub(super) struct ThinkSplitter {
    /// The closing tag that is awaited, inside a thought.
    closing: Option<&'static str>,
    /// An ending that may be the beginning of a tag.
    held: String,
    /// White space after a thought belongs to neither.
    trim_next: bool,
    /// A thought was told apart, or given up on: what is text stays text.
    is_told_apart: bool,
    last: Option<char>,
}

impl ThinkSplitter {
    /// The pieces that are decided with this chunk.
    pub(super) fn push(&mut self, chunk: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut text = std::mem::take(&mut self.held);
        text.push_str(chunk);
        let mut rest = text.as_str();
        loop {
            let found = match self.closing {
                Some(closing) => rest.find(closing).map(|at| (at, closing, None)),
                None => TAGS
                    .iter()
                    .flat_map(|(open, close)| [(*open, Some(*close)), (*close, None)])
                    .filter_map(|(tag, closing)| rest.find(tag).map(|at| (at, tag, closing)))
                    .min_by_key(|(at, _, _)| *at),
            };
            let Some((at, tag, next)) = found else { break };
            self.emit(&rest[..at], &mut pieces);
            // Servers that put the opening tag into the prompt pass on the closing one alone. Behind a backtick it is a
            // word about tags.
            let is_lone = self.closing.is_none() && next.is_none();
            if is_lone && !self.is_told_apart && self.last != Some('`') {
                pieces.push(Piece::ThoughtAloud);
            }
            self.is_told_apart = true;
            self.trim_next = next.is_none();
            self.closing = next;
            rest = &rest[at + tag.len()..];
        }
        let decided = rest.len() - self.undecided(rest);
        self.emit(&rest[..decided], &mut pieces);
        self.held = rest[decided..].to_owned();
        pieces
    }

    /// The end of the content: what was held back is what it looks like.
    pub(super) fn finish(&mut self) -> Vec<Piece> {
        let held = std::mem::take(&mut self.held);
        let mut pieces = Vec::new();
        self.emit(&held, &mut pieces);
        pieces
    }

    fn emit(&mut self, words: &str, pieces: &mut Vec<Piece>) {
        if self.closing.is_some() {
            if !words.is_empty() {
                pieces.push(Piece::Thought(words.to_owned()));
            }
            return;
        }
        let words = if self.trim_next { words.trim_start() } else { words };
        if !words.is_empty() {
            self.trim_next = false;
            self.last = words.chars().last();
            pieces.push(Piece::Text(words.to_owned()));
        }
    }

    /// Bytes at the end of `rest` that could be the beginning of a tag.
    fn undecided(&self, rest: &str) -> usize {
        let Some(at) = rest.rfind('<') else { return 0 };
        let tail = &rest[at..];
        let could_be = match self.closing {
            Some(closing) => closing.starts_with(tail),
            None => TAGS.iter().any(|(open, close)| open.starts_with(tail) || close.starts_with(tail)),
        };
        if could_be { tail.len() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text and thought, each joined.
    fn split(chunks: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut pieces: Vec<Piece> = chunks.iter().flat_map(|chunk| splitter.push(chunk)).collect();
        pieces.extend(splitter.finish());
        let mut both = (String::new(), String::new());
        for piece in pieces {
            match piece {
                Piece::Text(words) => both.0.push_str(&words),
                Piece::Thought(words) => both.1.push_str(&words),
                Piece::ThoughtAloud => both.1.push_str(&std::mem::take(&mut both.0)),
            }
        }
        both
    }

    fn pair(text: &str, thought: &str) -> (String, String) {
        (text.to_owned(), thought.to_owned())
    }

    #[test]
    fn thoughts_leave_the_text_whole() {
        assert_eq!(split(&["<think>hm</think>\n\nHello"]), pair("Hello", "hm"));
        assert_eq!(split(&["<th", "ink>h", "m</thi", "nk>", "\n", "\nHel", "lo"]), pair("Hello", "hm"));
        assert_eq!(split(&["One <thinking>x</thinking> two"]), pair("One two", "x"));
        assert_eq!(split(&["<think>never closed"]), pair("", "never closed"));
    }

    #[test]
    fn other_angle_brackets_are_text() {
        assert_eq!(split(&["a < b, <3 and <thin"]), pair("a < b, <3 and <thin", ""));
        assert_eq!(split(&["<", "t", "able>"]), pair("<table>", ""));
        assert_eq!(split(&["<think>a < b</think>c"]), pair("c", "a < b"));
    }

    #[test]
    fn a_closing_tag_without_an_opening_one_is_dropped() {
        assert_eq!(split(&["</think>Hello"]), pair("Hello", ""));
    }

    proptest! {
        #[test]
        fn chunking_never_changes_the_result(
            parts in prop::collection::vec(prop_oneof![
                Just("<think>".to_owned()), Just("</think>".to_owned()), Just("<".to_owned()),
                Just("</thinking>".to_owned()), Just("<thinking>".to_owned()), "[a-z< é]{0,6}",
            ], 0..12),
            cuts in prop::collection::vec(0usize..80, 0..12),
        ) {
            let whole = parts.concat();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| *at <= whole.len() && whole.is_char_boundary(*at)).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&str> = cuts.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            prop_assert_eq!(split(&chunks), split(&[&whole]));
        }
    }
}
