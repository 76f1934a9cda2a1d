//! Beside a reply: why it is what it is.

use super::note_href::{href as note_href, note_named};
use crate::domain::{ChunkFate, ChunkRecord, Layer, LoreRecord, TurnTrace};
use crate::text::short::thousands;
use crate::trace::render::{as_dollars, as_seconds, reply_call, token_sums, total_cost, trigger};

/// So many of the pieces that were at hand are named beside a reply.
const NOTES_NAMED: usize = 12;

/// Beside a reply: why it is what it is.
#[derive(Debug)]
pub(super) struct WhyView {
    pub trigger: String,
    pub href: String,
    pub thoughts: Option<String>,
    pub has_notes: bool,
    pub notes: Vec<NoteUsed>,
    pub seconds: String,
    pub tokens: String,
    pub cost: Option<String>,
    pub model: Option<String>,
}

/// A piece that was found for the prompt and is in it.
#[derive(Debug)]
pub(super) struct NoteUsed {
    pub source: String,
    /// Where the note is shown that it is from.
    pub href: Option<String>,
    pub excerpt: Option<String>,
}

/// What a piece is called: an entry of the lore by its own name, without the number by which the record orders it.
fn own_name<'l>(source: &str, mut lore: impl Iterator<Item = &'l LoreRecord>) -> String {
    let named = source.strip_prefix("lore/").and_then(|rest| rest.split_once(' ')).map(|(_, named)| named);
    let is_it = |entry: &&LoreRecord| named == Some(&*format!("{}/{}", entry.book, entry.name));
    lore.find(is_it).map_or(source, |entry| entry.name.as_str()).to_owned()
}

/// Why a turn said what it said.
pub(super) fn why_view(trace: &TurnTrace) -> WhyView {
    let found = |chunk: &&ChunkRecord| chunk.fate == ChunkFate::Kept && chunk.layer == Layer::Content;
    let chunks = trace.assembly.iter().flat_map(|assembly| &assembly.chunks);
    let notes: Vec<NoteUsed> = chunks
        .filter(found)
        .take(NOTES_NAMED)
        .map(|chunk| NoteUsed {
            source: own_name(&chunk.source, trace.assembly.iter().flat_map(|assembly| &assembly.lore)),
            href: note_named(&chunk.source).as_ref().map(note_href),
            excerpt: chunk.excerpt.clone(),
        })
        .collect();
    let thoughts: Vec<&str> = trace.blackboard().thoughts().filter_map(|run| run.made.as_deref()).collect();
    let (tokens_in, _, tokens_out) = token_sums(trace);
    WhyView {
        trigger: trigger(trace).to_owned(),
        href: format!("/xray/{}", trace.id),
        thoughts: Some(thoughts.join("\n\n")).filter(|thoughts| !thoughts.trim().is_empty()),
        has_notes: !notes.is_empty(),
        notes,
        seconds: as_seconds(trace.total_us),
        tokens: thousands(tokens_in + tokens_out),
        cost: total_cost(trace).map(as_dollars),
        model: reply_call(trace).map(|call| call.model.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::LoreWhy;

    #[test]
    fn an_entry_of_the_lore_is_called_by_its_own_name() {
        let entry = LoreRecord {
            book: "fjordheim".to_owned(),
            uid: 3,
            name: "oven".to_owned(),
            fired: true,
            why: LoreWhy::Retrieved { score: 0.5 },
            level: None,
            tokens: 12,
        };
        assert_eq!(own_name("lore/0000 fjordheim/oven", std::iter::once(&entry)), "oven");
        for other in ["lore/0001 fjordheim/boat", "topics/boats.md#1", "oven"] {
            assert_eq!(own_name(other, std::iter::once(&entry)), other);
        }
    }
}
