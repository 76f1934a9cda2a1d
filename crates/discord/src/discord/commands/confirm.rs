//! The buttons under a question whether something shall be done.

use serenity::all::{
    ComponentInteraction, CreateAllowedMentions, CreateInteractionResponse, CreateInteractionResponseMessage,
};

use super::{ephemeral, in_time, tongue_of};
use crate::discord::adapter::Adapter;
use crate::discord::messages::tools;
use crate::discord::questions::{Press, PressOutcome};

/// What becomes of the message is shown by whoever asked.
pub(super) async fn pressed(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    used: &ComponentInteraction,
    press: Press,
) {
    let to = tongue_of(&used.locale);
    let answer = match adapter.deps.link.questions().press(press, used.user.id) {
        PressOutcome::Counts => CreateInteractionResponse::Acknowledge,
        PressOutcome::NotTheirs => ephemeral(tools::not_yours_to_answer(to)),
        PressOutcome::Decided => ephemeral(tools::answered_already(to)),
        PressOutcome::TooLate => CreateInteractionResponse::UpdateMessage(
            CreateInteractionResponseMessage::new()
                .content(tools::too_late_to_answer(adapter.deps.link.tongue_at(used.channel_id)))
                .components(Vec::new())
                .allowed_mentions(CreateAllowedMentions::new().replied_user(false)),
        ),
    };
    if let Err(error) = in_time(used.create_response(&ctx.http, answer)).await {
        tracing::warn!(%error, "a press was not answered");
    }
}
