//! What was found, as a side model is shown it, and what takes its place.
//!
//! Owns what the two looks at the finds ([`filter`](super::filter), [`condense`](super::condense)) have in common: which
//! finds are shown, how each of them reads, and as what a side model's words stand in the prompt. Start reading at
//! [`best`].

use super::chunk::Chunk;
use super::contribution::{Contribution, Importance, Placement, Quoted, TailPart, Trust};
use super::providers::Need;
use super::quote::attribution;
use super::request::TurnRequest;
use crate::domain::{Audience, Layer};
use crate::history::Visible;
use crate::text::short::{beginning, one_line};

/// Finds shown at once, and letters of each: some 150 tokens (specs familiar-connect 1.7), the first pass over them, for
/// which no model is needed (specs mechanisms A14).
const SHOWN: usize = 24;
const EXCERPT_CHARS: usize = 600;

/// Those that are shown, the best first.
pub(super) fn best<'c>(finds: impl Iterator<Item = &'c Chunk>) -> Vec<&'c Chunk> {
    let mut best: Vec<&Chunk> = finds.collect();
    best.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then_with(|| a.source.cmp(&b.source)));
    best.truncate(SHOWN);
    best
}

/// Whose words a find is, where and when; `None` where nobody in particular said it.
pub(super) fn said_by(find: &Chunk, request: &TurnRequest) -> Option<String> {
    let told = attribution(find.quoted.as_ref()?, &request.display_tz);
    (!told.is_empty()).then_some(told)
}

/// A find on one line, behind where it is from.
pub(super) fn excerpt(find: &Chunk, from: Option<&str>) -> String {
    let line = one_line(&find.text);
    let words = beginning(&line, EXCERPT_CHARS);
    from.map_or_else(|| words.to_owned(), |from| format!("{from}: {words}"))
}

/// A side model's words: held text like what it rests on, for the smallest circle that any of that is for.
pub(super) fn in_short(
    source: String,
    words: String,
    importance: Importance,
    finds: &[&Chunk],
    others: impl Iterator<Item = Audience>,
) -> Contribution {
    let audience = Visible::only(finds.iter().map(|find| find.audience.clone()).chain(others)).narrowest();
    Contribution {
        importance,
        relevance: finds.first().map_or(1.0, |best| best.relevance),
        quoted: Some(Quoted::default()),
        need: Need::Search,
        ..Contribution::new(
            source,
            Layer::Content,
            Placement::Tail(TailPart::Recalled),
            Trust::Held,
            audience,
            words,
        )
    }
}
