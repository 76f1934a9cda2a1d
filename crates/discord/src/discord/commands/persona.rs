//! `/persona`: who somebody is in play, here or everywhere.

use super::pair::{pairing_caller, refuse, with_pairing};
use super::{Answered, Context, answer};
use crate::discord::messages;
use crate::domain::{Persona, Place};
use crate::identity::PlayedIn;

/// Say who you are in play
pub(super) async fn set(
    ctx: Context<'_>,
    name: Option<String>,
    description: Option<String>,
    everywhere: Option<bool>,
) -> Answered {
    let to = ctx.tongue();
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx) };
    if ctx.data().has_opted_out(ctx.interaction.user.id) {
        return answer(messages::stays_out(to, &ctx.data().name()));
    }
    let persona = Persona::new(&name.unwrap_or_default(), &description.unwrap_or_default());
    let persona = match persona.and_then(|persona| ctx.data().deps.session.playable(&account, persona)) {
        Ok(persona) => persona,
        Err(error) => return answer(messages::no_persona(to, error)),
    };
    let (played_in, kept) = (played_in(&place, everywhere), persona.clone());
    let is_everywhere = played_in == PlayedIn::Everywhere;
    let has_room =
        with_pairing(ctx.data(), move |pairing| pairing.set_persona(&account, played_in, kept)).await?;
    let words = match has_room {
        true => messages::persona_set(to, &persona, is_everywhere),
        false => messages::too_many_personas(to),
    };
    answer(words)
}

/// Who you are here, and everywhere else
pub(super) async fn show(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx) };
    let own = ctx.data().deps.pairing.personas_of(&account);
    answer(messages::persona_shown(to, own.at(&place), own.everywhere.as_ref()))
}

/// Be yourself again
pub(super) async fn clear(ctx: Context<'_>, everywhere: Option<bool>) -> Answered {
    let to = ctx.tongue();
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx) };
    let (played_in, who) = (played_in(&place, everywhere), account.clone());
    let was_set = with_pairing(ctx.data(), move |pairing| pairing.clear_persona(&who, &played_in)).await?;
    let still = ctx.data().deps.pairing.persona_at(&account, &place);
    answer(messages::persona_cleared(to, was_set, still.as_ref()))
}

fn played_in(place: &Place, everywhere: Option<bool>) -> PlayedIn {
    match everywhere {
        Some(true) => PlayedIn::Everywhere,
        _ => PlayedIn::Channel(place.channel.clone()),
    }
}
