//! Ingest: contributions become chunks. Counts what is not counted yet, cuts what its source allows to be cut, drops doubles,
//! and keeps people's words out of the places where instructions stand.

use std::collections::HashMap;

use super::chunk::{Chunk, Chunks, MESSAGE_OVERHEAD_TOKENS};
use super::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use super::{layered, live_st};
use crate::domain::{RenderMode, Role};
use crate::llm::ModelDescription;
use crate::text::clip::token_pieces;
use crate::text::tokens;

mod doubles;

/// Turns contributions into chunks for `model` (A15), each with the tokens it takes in a prompt laid out as `layout`:
/// its words, and the headings, names and message frames that come with them.
///
/// Of doubles one stays, with the importance and the relevance of the better. Chat turns are never doubles of each
/// other, people do say the same thing twice. A text longer than its source's clip is cut, and the rest is kept apart.
/// Looked-up text and talk that ask for a place among instructions get one in the tail.
pub fn ingest(contributions: Vec<Contribution>, model: &ModelDescription, layout: RenderMode) -> Chunks {
    let mut short: HashMap<String, u32> = HashMap::new();
    let mut chunks: Vec<Chunk> = Vec::with_capacity(contributions.len());
    let mut clipped = Vec::new();
    let mut clips = 0;
    for mut contribution in contributions {
        if contribution.text.trim().is_empty() {
            continue;
        }
        let moved = keep_among_the_quoted(&mut contribution);
        let rest = clip(&mut contribution, model);
        let mut chunk = measure(contribution, model, layout, &mut short);
        chunk.altered.extend(moved);
        if !rest.is_empty() {
            clips += 1;
            chunk.altered.push(format!("cut, {} more pieces kept aside", rest.len()));
        }
        chunks.push(chunk);
        clipped.extend(rest.into_iter().map(|piece| measure(piece, model, layout, &mut short)));
    }
    let dropped = doubles::drop_doubles(&mut chunks);
    Chunks { chunks, dropped, clipped, clips, model: model.clone() }
}

fn measure(
    from: Contribution,
    model: &ModelDescription,
    layout: RenderMode,
    short: &mut HashMap<String, u32>,
) -> Chunk {
    let words = from.tokens.unwrap_or_else(|| tokens::count(model.encoding, &from.text));
    // Names and headings come again and again.
    let mut count = |text: &str| match short.get(text) {
        Some(&known) => known,
        None => {
            let counted = tokens::count(model.encoding, text);
            short.insert(text.to_owned(), counted);
            counted
        }
    };
    let around = chunk_dressing(&from, layout, &mut count);
    let tokens = model.scale(words.saturating_add(around));
    Chunk { piece: from, tokens, around, altered: Vec::new(), repeats: Vec::new() }
}

/// What is sent with a contribution besides its words, in tokens, at most.
pub(in crate::context) fn chunk_dressing(
    of: &Contribution,
    layout: RenderMode,
    count: &mut dyn FnMut(&str) -> u32,
) -> u32 {
    let Some(line) = &of.turn else {
        return match layout {
            RenderMode::Layered => layered::layered_dressing(of, count),
            RenderMode::St => live_st::st_dressing(of, count),
        };
    };
    // The name stands before the words, and in the message's own `name` where the provider takes one.
    let label = line.label.as_deref().map_or(0, |label| 2 * (count(label) + 1));
    let prefix = if line.prefix.is_empty() { 0 } else { count(&line.prefix) };
    // Every further line of a turn is set in.
    let lines = u32::try_from(of.text.matches('\n').count()).unwrap_or(u32::MAX);
    (MESSAGE_OVERHEAD_TOKENS + label + prefix).saturating_add(lines)
}

/// Cuts a contribution to what its source allows, in the model's tokens, and gives the rest in pieces of that size.
/// What is never evicted is never cut, and neither is what somebody said in this chat.
fn clip(contribution: &mut Contribution, model: &ModelDescription) -> Vec<Contribution> {
    let Some(max) = contribution.clip else { return Vec::new() };
    if contribution.turn.is_some() || contribution.importance == Importance::Axiom {
        return Vec::new();
    }
    let count = |text: &str| model.scale(tokens::count(model.encoding, text));
    if contribution.tokens.is_some_and(|known| model.scale(known) <= max) {
        return Vec::new();
    }
    let mut pieces = token_pieces(&contribution.text, max, &count).into_iter();
    let (Some(first), Some(second)) = (pieces.next(), pieces.next()) else { return Vec::new() };
    contribution.text = first;
    contribution.tokens = None;
    (2..)
        .zip(std::iter::once(second).chain(pieces))
        .map(|(number, text)| Contribution {
            source: format!("{}, piece {number}", contribution.source),
            text,
            // The whole it belonged to is in pieces already; it may come back alone.
            group: None,
            ..contribution.clone()
        })
        .collect()
}

/// Moves what asks for an instruction's place to the tail, and says so.
fn keep_among_the_quoted(contribution: &mut Contribution) -> Option<String> {
    if matches!(contribution.trust, Trust::Program | Trust::Canon) {
        return None;
    }
    if let Some(line) = &mut contribution.turn {
        let is_in_place = matches!(contribution.placement, Placement::Turn(_));
        if is_in_place && line.role != Role::System {
            return None;
        }
        line.role = Role::User;
        if is_in_place {
            return Some("said in the user's role".to_owned());
        }
        contribution.turn = None;
    }
    if matches!(contribution.placement, Placement::Tail(_) | Placement::Summary(_)) {
        return None;
    }
    contribution.placement = Placement::Tail(TailPart::Recalled);
    Some("moved to the tail: only the card and the program instruct".to_owned())
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod clipping_tests {
    use super::*;
    use crate::context::contribution::{Placement, TailPart, Trust, TurnLine};
    use crate::domain::{Audience, RenderMode, Role, StoredId, TokenEncoding};

    const STORY: &str = "Ana sold the boat in May. Ben was against it and said so on the pier. Cleo bought it back \
                         in June, for twice as much. Nobody has spoken of it since then.";

    fn note(clip: Option<u32>) -> Contribution {
        Contribution {
            clip,
            ..Contribution::looked_up("people/ana", TailPart::People, Audience::Canon, STORY)
        }
    }

    fn ingested(contribution: Contribution) -> Chunks {
        let model = ModelDescription::plain("test", 8_000, TokenEncoding::CharsOver4);
        ingest(vec![contribution], &model, RenderMode::Layered)
    }

    #[test]
    fn a17_only_a_source_that_says_so_is_cut_and_the_rest_is_kept_aside() {
        let Chunks { chunks, clipped, clips, .. } = ingested(note(Some(24)));
        assert_eq!(clips, 1);
        assert_eq!(
            chunks[0].text,
            "Ana sold the boat in May. Ben was against it and said so on the pier. […]"
        );
        assert_eq!(chunks[0].altered, ["cut, 1 more pieces kept aside"]);
        assert!(chunks[0].tokens < ingested(note(None)).chunks[0].tokens);
        let rest: Vec<_> = clipped.iter().map(|chunk| (chunk.source.as_str(), chunk.text.as_str())).collect();
        let after = "[…] Cleo bought it back in June, for twice as much. Nobody has spoken of it since then.";
        assert_eq!(rest, [("people/ana, piece 2", after)]);

        for whole in
            [note(None), note(Some(200)), Contribution { importance: Importance::Axiom, ..note(Some(24)) }]
        {
            let Chunks { chunks, clipped, clips, .. } = ingested(whole);
            assert_eq!((chunks[0].text.as_str(), clipped.len(), clips), (STORY, 0, 0));
        }
    }

    #[test]
    fn a17_what_somebody_said_here_is_never_cut() {
        let line = TurnLine::of(StoredId(1), Role::User, None);
        let said = Contribution { turn: Some(line), placement: Placement::Turn(1), ..note(Some(5)) };
        let Chunks { chunks, clips, .. } = ingested(Contribution { trust: Trust::Chat, ..said });
        assert_eq!((chunks[0].text.as_str(), clips), (STORY, 0));
    }
}
