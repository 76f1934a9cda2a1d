//! The comments in a piece of Markdown: which of them carries data.

use std::ops::Range;

use super::data::{FactData, InvalidFact};
use crate::text::short::one_line;

const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

/// What a piece's comments say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommentData {
    /// Nothing that is data.
    Nothing,
    Data(FactData),
    /// Something that is meant as data and cannot be read.
    Broken(InvalidFact),
}

/// Where the comments stand, the marks included; the last may reach to the end.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(OPEN) {
        let begin = from + at;
        let inside = begin + OPEN.len();
        let end = text[inside..].find(CLOSE).map_or(text.len(), |at| inside + at + CLOSE.len());
        found.push(begin..end);
        from = end;
    }
    found
}

/// Whether a comment is meant as data: it has an equals sign in it. What somebody remarks in passing has none.
fn is_data(inside: &str) -> bool {
    inside.contains('=')
}

fn inside<'a>(text: &'a str, comment: &Range<usize>) -> Option<&'a str> {
    text[comment.clone()].strip_prefix(OPEN)?.strip_suffix(CLOSE)
}

/// What the comments of one piece say together.
pub(super) fn comment_data(text: &str) -> CommentData {
    let mut data = None;
    for comment in ranges(text) {
        let Some(inside) = inside(text, &comment) else { return CommentData::Broken(InvalidFact::NotClosed) };
        if !is_data(inside) {
            continue;
        }
        if data.is_some() {
            return CommentData::Broken(InvalidFact::TwoComments);
        }
        match inside.parse::<FactData>() {
            Ok(read) => data = Some(read),
            Err(error) => return CommentData::Broken(error),
        }
    }
    data.map_or(CommentData::Nothing, CommentData::Data)
}

/// The text without its comments and without the spaces before them. Remarks are for people who edit the file.
pub(super) fn without_comments(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut from = 0;
    for comment in ranges(text) {
        bare.push_str(text[from..comment.start].trim_end_matches([' ', '\t']));
        from = comment.end;
    }
    bare.push_str(&text[from..]);
    bare
}

/// Words on one line in which no comment begins or ends: what somebody said must not be able to pass for data.
pub(super) fn defused(words: &str) -> String {
    let mut line = one_line(words);
    while line.contains(OPEN) || line.contains(CLOSE) {
        line = line.replace(OPEN, "<! --").replace(CLOSE, "-- >");
    }
    line
}
