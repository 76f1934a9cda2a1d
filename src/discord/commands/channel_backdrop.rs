//! `/channel-backdrop`: a modal with the channel's backdrop, and what happens when it is submitted.
//!
//! The modal names its channel, and whoever submits it is answered from that alone: nothing waits in between, so a
//! restart while somebody writes loses nothing.

use std::sync::atomic::Ordering;

use serenity::all::{
    ActionRowComponent, CreateActionRow, CreateInputText, CreateInteractionResponse, CreateModal,
    EditInteractionResponse, InputTextStyle, ModalInteraction,
};

use super::{CommandError, Context, in_time, modal_place, place_now, response};
use crate::config::BACKDROP_MAX_CHARS;
use crate::discord::messages;
use crate::discord::rim::Rim;

/// The modal's id; Discord gives it back when it is submitted.
const MODAL: &str = "channel-backdrop";

/// The id of its only field.
const FIELD: &str = "backdrop";

/// Say what is going on in this channel
pub(super) async fn channel_backdrop(ctx: Context<'_>) -> Result<(), CommandError> {
    let backdrop = ctx.data().deps.config.channel_in(&place_now(ctx)).backdrop.clone().unwrap_or_default();
    let field = CreateInputText::new(InputTextStyle::Paragraph, messages::backdrop_label(), FIELD)
        .placeholder(messages::backdrop_placeholder())
        .max_length(u16::try_from(BACKDROP_MAX_CHARS).unwrap_or(u16::MAX))
        .required(false)
        .value(backdrop);
    let modal = CreateModal::new(MODAL, messages::backdrop_title())
        .components(vec![CreateActionRow::InputText(field)]);
    // A modal can only be the first response, so this one command is not deferred.
    in_time(ctx.interaction.create_response(ctx.discord, CreateInteractionResponse::Modal(modal))).await?;
    ctx.is_answered.store(true, Ordering::SeqCst);
    Ok(())
}

/// Somebody submitted a modal.
pub(super) async fn submitted(rim: &Rim, ctx: &serenity::all::Context, modal: &ModalInteraction) {
    if modal.data.custom_id != MODAL {
        return;
    }
    if let Err(error) = in_time(modal.defer_ephemeral(&ctx.http)).await {
        tracing::warn!(%error, "backdrop not acknowledged");
        return;
    }
    let words = set(rim, ctx, modal).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "backdrop not set");
        error.words()
    });
    let answer: EditInteractionResponse = response(words);
    if let Err(error) = in_time(modal.edit_response(&ctx.http, answer)).await {
        tracing::warn!(%error, "backdrop set but not confirmed");
    }
}

async fn set(
    rim: &Rim,
    ctx: &serenity::all::Context,
    modal: &ModalInteraction,
) -> Result<String, CommandError> {
    let place = modal_place(rim, ctx, modal).await;
    let text = field(modal).trim().to_owned();
    let chars = text.chars().count();
    rim.change(move |config| config.set_backdrop(&place, &text)).await?;
    let channel = modal.channel_id.get();
    Ok(match chars {
        0 => messages::backdrop_cleared(channel),
        _ => messages::backdrop_set(channel, chars),
    })
}

fn field(modal: &ModalInteraction) -> &str {
    modal
        .data
        .components
        .iter()
        .flat_map(|row| &row.components)
        .find_map(|component| match component {
            ActionRowComponent::InputText(input) if input.custom_id == FIELD => input.value.as_deref(),
            _ => None,
        })
        .unwrap_or_default()
}
