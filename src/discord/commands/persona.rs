//! `/persona`: who somebody is in play, here or everywhere.

use super::pair::{pairing_caller, refuse, with_pairing};
use super::{CommandError, Context, answer, defer};
use crate::discord::messages;
use crate::domain::{Persona, Place};
use crate::identity::PlayedIn;

/// Say who you are in play
pub(super) async fn set(
    ctx: Context<'_>,
    name: Option<String>,
    description: Option<String>,
    everywhere: Option<bool>,
) -> Result<(), CommandError> {
    let to = ctx.tongue();
    defer(ctx).await?;
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx).await };
    if ctx.data().has_opted_out(ctx.interaction.user.id) {
        return answer(ctx, messages::stays_out(to, &ctx.data().name())).await;
    }
    let persona = Persona::new(&name.unwrap_or_default(), &description.unwrap_or_default());
    let persona = match persona.and_then(|persona| ctx.data().deps.session.playable(&account, persona)) {
        Ok(persona) => persona,
        Err(error) => return answer(ctx, messages::no_persona(to, error)).await,
    };
    let (played_in, kept) = (played_in(&place, everywhere), persona.clone());
    let is_everywhere = played_in == PlayedIn::Everywhere;
    let has_room =
        with_pairing(ctx.data(), move |pairing| pairing.set_persona(&account, played_in, kept)).await?;
    let words = match has_room {
        true => messages::persona_set(to, &persona, is_everywhere),
        false => messages::too_many_personas(to),
    };
    answer(ctx, words).await
}

/// Who you are here, and everywhere else
pub(super) async fn show(ctx: Context<'_>) -> Result<(), CommandError> {
    let to = ctx.tongue();
    defer(ctx).await?;
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx).await };
    let own = ctx.data().deps.pairing.personas_of(&account);
    answer(ctx, messages::persona_shown(to, own.at(&place), own.everywhere.as_ref())).await
}

/// Be yourself again
pub(super) async fn clear(ctx: Context<'_>, everywhere: Option<bool>) -> Result<(), CommandError> {
    let to = ctx.tongue();
    defer(ctx).await?;
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx).await };
    let (played_in, who) = (played_in(&place, everywhere), account.clone());
    let was_set = with_pairing(ctx.data(), move |pairing| pairing.clear_persona(&who, &played_in)).await?;
    let still = ctx.data().deps.pairing.persona_at(&account, &place);
    answer(ctx, messages::persona_cleared(to, was_set, still.as_ref())).await
}

fn played_in(place: &Place, everywhere: Option<bool>) -> PlayedIn {
    match everywhere {
        Some(true) => PlayedIn::Everywhere,
        _ => PlayedIn::Channel(place.channel.clone()),
    }
}
