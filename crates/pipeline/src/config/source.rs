//! A file of settings as text, and places in it: what a complaint about it points at.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Which layer a file belongs to; later ones override earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// `familiars/_default/character.toml` as built into the program.
    Embedded,
    /// The same file in a folder of the operator's.
    Defaults,
    /// The familiar's own `character.toml`.
    Familiar,
    Channel,
}

/// A file's name and text, kept for error messages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SourceText {
    /// The path as it is shown to people.
    pub name: String,
    pub text: String,
    pub rank: Rank,
}

impl SourceText {
    pub(super) fn of(name: impl fmt::Display, text: impl Into<String>, rank: Rank) -> Arc<Self> {
        Arc::new(Self { name: name.to_string(), text: text.into(), rank })
    }
}

/// A span of bytes in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceSpan {
    pub source: Arc<SourceText>,
    pub span: Range<usize>,
}

impl SourceSpan {
    /// The span up to the end of its first line: an arrow under twenty lines of text helps nobody.
    pub(super) fn first_line(&self) -> Range<usize> {
        let spanned = self.source.text.get(self.span.clone()).unwrap_or_default();
        let length = spanned.find('\n').map_or(spanned.len(), |end| spanned[..end].trim_end().len());
        self.span.start..self.span.start + length
    }

    /// Line and column of the span's start, both from 1; columns count characters.
    pub(super) fn line_column(&self) -> (usize, usize) {
        let start = self.span.start.min(self.source.text.len());
        let before = &self.source.text.as_bytes()[..start];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        (line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let source = SourceText::of("x", "a = 1\nb = \"ё\" # c", Rank::Familiar);
        let at = |start: usize| SourceSpan { source: source.clone(), span: start..start + 1 }.line_column();
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(6), (2, 1));
        let hash = source.text.find('#').unwrap();
        assert_eq!(at(hash), (2, 9));
        assert_eq!(at(10_000), (2, 12));
    }
}
