//! The declared clip: the only place where a text is cut (specs mechanisms 4, row 1).

use crate::context::contribution::{Contribution, Importance};
use crate::llm::ModelDescription;
use crate::text::clip::pieces;
use crate::text::tokens;

/// Cuts a contribution to what its source allows, in the model's tokens, and gives the rest in pieces of that size.
/// What is never evicted is never cut, and neither is what somebody said in this chat.
pub(super) fn clip(contribution: &mut Contribution, model: &ModelDescription) -> Vec<Contribution> {
    let Some(max) = contribution.clip else { return Vec::new() };
    if contribution.turn.is_some() || contribution.importance == Importance::Axiom {
        return Vec::new();
    }
    let count = |text: &str| model.scale(tokens::count(model.encoding, text));
    if contribution.tokens.is_some_and(|known| model.scale(known) <= max) {
        return Vec::new();
    }
    let mut pieces = pieces(&contribution.text, max, &count).into_iter();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::chunk::{Chunks, ingest};
    use crate::context::contribution::{Placement, TailPart, Trust, TurnLine};
    use crate::domain::{Audience, Layer, RenderMode, Role, StoredId, TokenEncoding};

    const STORY: &str = "Ana sold the boat in May. Ben was against it and said so on the pier. Cleo bought it back \
                         in June, for twice as much. Nobody has spoken of it since then.";

    fn note(clip: Option<u32>) -> Contribution {
        Contribution {
            clip,
            ..Contribution::new(
                "people/ana",
                Layer::Content,
                Placement::Tail(TailPart::People),
                Trust::Held,
                Audience::Canon,
                STORY,
            )
        }
    }

    fn ingested(contribution: Contribution) -> Chunks {
        let model = ModelDescription {
            model: "test".to_owned(),
            context_window: 8_000,
            encoding: TokenEncoding::CharsOver4,
            token_ratio: 1.0,
            reasons_natively: false,
            takes_tools: false,
        };
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
        let line = TurnLine {
            id: StoredId(1),
            role: Role::User,
            label: None,
            prefix: String::new(),
            at: None,
            said_before: None,
        };
        let said = Contribution { turn: Some(line), placement: Placement::Turn(1), ..note(Some(5)) };
        let Chunks { chunks, clips, .. } = ingested(Contribution { trust: Trust::Chat, ..said });
        assert_eq!((chunks[0].text.as_str(), clips), (STORY, 0));
    }
}
