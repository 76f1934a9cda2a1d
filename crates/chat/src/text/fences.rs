//! Where the code blocks of a text are.

/// Longest run of backticks that is still a fence; longer ones are drawings.
const MAX_MARKER: usize = 8;

/// Longest language name after an opening fence.
const MAX_INFO: usize = 20;

/// A code block, as byte positions of the text it was found in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    /// Where the opening backticks begin.
    pub(super) start: usize,
    pub(super) body_start: usize,
    pub(super) body_end: usize,
    /// Behind the closing backticks; equal to `body_end` when the text ends before they come.
    pub(super) end: usize,
    pub(super) marker: String,
    /// The language, without its line end.
    pub(super) info: String,
}

impl Fence {
    /// What opens the block again in a further message.
    pub(super) fn opening(&self) -> String {
        format!("{}{}\n", self.marker, self.info)
    }

    /// Whether its closing backticks are missing.
    pub(super) fn is_unclosed(&self) -> bool {
        self.end == self.body_end
    }
}

/// Whether a text that is still arriving is within a code block by now.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenFence {
    backticks: usize,
    pub(super) is_open: bool,
}

impl OpenFence {
    /// Takes the next character.
    pub(super) fn see(&mut self, character: char) {
        self.backticks = if character == '`' { self.backticks + 1 } else { 0 };
        self.is_open ^= self.backticks == 3;
    }
}

/// All code blocks, in order. As chat clients do it, three backticks open a block anywhere and the next run of at
/// least as many closes it; one that is never closed counts only at the start of a line.
pub(super) fn find_fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut from = 0;
    while let Some((start, length)) = next_run(text, from, 3) {
        let after = start + length;
        from = after;
        if length > MAX_MARKER {
            continue;
        }
        let info = info(&text[after..]);
        let body_start = info.map_or(after, |info| after + info.len() + 1);
        let close = next_run(text, body_start, length);
        if close.is_none() && !at_line_start(text, start) {
            continue;
        }
        let (body_end, end) = close.map_or((text.len(), text.len()), |(at, _)| (at, at + length));
        fences.push(Fence {
            start,
            body_start,
            body_end,
            end,
            marker: "`".repeat(length),
            info: info.unwrap_or_default().to_owned(),
        });
        // A longer run closes too; what is over belongs to it.
        from = close.map_or(text.len(), |(at, run)| at + run);
        if let Some(last) = fences.last_mut() {
            last.end = from.max(last.end);
        }
    }
    fences
}

/// The next run of at least `least` backticks: where, and how long.
fn next_run(text: &str, from: usize, least: usize) -> Option<(usize, usize)> {
    let mut at = from;
    while let Some(offset) = text.get(at..)?.find('`') {
        let start = at + offset;
        let length = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        if length >= least {
            return Some((start, length));
        }
        at = start + length;
    }
    None
}

/// The language name, when the rest of the opening line is nothing else.
fn info(after: &str) -> Option<&str> {
    let (line, _) = after.split_once('\n')?;
    let named = line.len() <= MAX_INFO
        && line.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '.' | '#'));
    named.then_some(line)
}

fn at_line_start(text: &str, at: usize) -> bool {
    let before = &text[..at];
    before[before.rfind('\n').map_or(0, |newline| newline + 1)..].trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(text: &str) -> Vec<(&str, String)> {
        find_fences(text).into_iter().map(|f| (&text[f.body_start..f.body_end], f.info)).collect()
    }

    #[test]
    fn blocks_are_found_with_their_language() {
        assert_eq!(
            bodies("a\n```rust\nlet x;\n```\nb ```inline```"),
            [("let x;\n", "rust".into()), ("inline", String::new())]
        );
    }

    #[test]
    fn a_longer_fence_holds_shorter_ones() {
        assert_eq!(bodies("````md\n```\nx\n```\n````"), [("```\nx\n```\n", "md".into())]);
    }

    #[test]
    fn an_unclosed_fence_counts_only_at_the_start_of_a_line() {
        assert_eq!(bodies("```py\nx = 1"), [("x = 1", "py".into())]);
        assert!(bodies("say ``` like this").is_empty());
    }

    #[test]
    fn a_first_line_that_is_no_language_is_code() {
        assert_eq!(bodies("```two words\n```"), [("two words\n", String::new())]);
    }
}
