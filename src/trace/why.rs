//! "Why did you say that?" and "why did you not remember?", answered from a turn's record alone.

use crate::domain::{ChunkFate, ChunkRecord, Role, TurnTrace};
use crate::text::short::one_line;

use super::Standing;

/// Characters shown on either side of a place where the words stand.
const AROUND: usize = 60;

/// What a turn's record says about some words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Why<'a> {
    /// Where they stand in what was sent to the model, in its order.
    pub sent: Vec<Sent>,
    /// Pieces that hold them and were not sent, with what became of them.
    pub left_out: Vec<&'a ChunkRecord>,
}

/// One place in the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Which message, from 1, as the x-ray numbers them.
    pub message: usize,
    /// In whose name.
    pub role: Role,
    /// The words with some of what stands around them.
    pub excerpt: String,
}

/// Looks for `words` in what a turn sent and in what it left out; letter case and spacing do not matter. What was held
/// back for its audience is looked through for the operator only.
#[must_use]
pub fn why<'a>(trace: &'a TurnTrace, words: &str, reader: Standing) -> Why<'a> {
    let wanted = plain(words);
    if wanted.is_empty() {
        return Why::default();
    }
    let sent = (1..)
        .zip(&trace.request)
        .filter(|(_, sent)| reader.may_read(sent))
        .filter_map(|(message, sent)| {
            let excerpt = around(&one_line(&sent.content), &wanted)?;
            Some(Sent { message, role: sent.role, excerpt })
        })
        .collect();
    let left_out = trace
        .assembly
        .iter()
        .flat_map(|assembly| &assembly.chunks)
        .filter(|chunk| chunk.fate != ChunkFate::Kept)
        .filter(|chunk| reader.may_read_piece(chunk))
        .filter(|chunk| chunk.excerpt.as_ref().is_some_and(|text| plain(text).contains(&wanted)))
        .collect();
    Why { sent, left_out }
}

/// Every run of white space one space, and lower case letter by letter: [`around`] has to know which became which.
fn plain(text: &str) -> String {
    one_line(text).chars().flat_map(char::to_lowercase).collect()
}

/// Where the words, in lower case, stand in a text, as they are written there.
fn around(text: &str, wanted: &str) -> Option<String> {
    // A letter in lower case may be longer or shorter than it is in upper case: which byte belongs to which is kept.
    let (mut lower, mut from) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
    for (at, letter) in text.char_indices() {
        lower.extend(letter.to_lowercase());
        from.resize(lower.len(), (at, at + letter.len_utf8()));
    }
    let at = lower.find(wanted)?;
    let (begin, _) = *from.get(at)?;
    let (_, end) = *from.get(at + wanted.len() - 1)?;
    let (before, found, after) = (&text[..begin], &text[begin..end], &text[end..]);
    let head: String = before.chars().rev().take(AROUND).collect::<Vec<_>>().into_iter().rev().collect();
    let tail: String = after.chars().take(AROUND).collect();
    let open = if head.len() < before.len() { "…" } else { "" };
    let close = if tail.len() < after.len() { "…" } else { "" };
    Some(format!("{open}{head}{found}{tail}{close}"))
}
