//! Who the people here are in play, by their own words.

use crate::context::contribution::{Contribution, Importance, Quoted, TailPart};
use crate::context::request::TurnRequest;
use crate::domain::InPlay;
use crate::text::names::prompt_label;

/// The most that one persona takes, in tokens.
const PERSONA_CLIP: u32 = 300;

/// People whose personas are told.
const PERSONAS_TOLD: usize = 6;

/// The personas of whoever is answered and of others who take part. What they say of themselves is quoted and orders nothing,
/// as whatever they write.
pub(super) fn personas(request: &TurnRequest) -> impl Iterator<Item = Contribution> {
    let answered = request.author.as_ref().map(|author| &author.account);
    request.in_play.iter().take(PERSONAS_TOLD).filter_map(move |one| {
        let InPlay { account, player, persona } = one;
        let (player, name) = (prompt_label(player), prompt_label(&persona.name));
        // Who plays under their own name plays nobody else.
        let words = match (persona.description.as_str(), player == name) {
            ("", true) => return None,
            ("", false) => format!("{player} plays {name} here."),
            (description, true) => format!("{name}, in play here: {description}"),
            (description, false) => format!("{player} plays {name} here: {description}"),
        };
        let is_answered = answered == Some(account);
        Some(Contribution {
            importance: if is_answered { Importance::High } else { Importance::Useful },
            quoted: Some(Quoted::default()),
            clip: Some(PERSONA_CLIP),
            ..Contribution::looked_up(
                format!("persona/{account}"),
                TailPart::People,
                request.place.audience.clone(),
                words,
            )
        })
    })
}
