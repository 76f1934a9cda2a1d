//! The buttons under a question whether something shall be done.

use serenity::all::{CreateAllowedMentions, CreateInteractionResponse, CreateInteractionResponseMessage};

use super::{Deed, ephemeral};
use crate::discord::messages::tools;
use crate::discord::questions::{Press, PressOutcome};

/// What becomes of the message is shown by whoever asked.
pub(super) fn pressed(deed: Deed<'_>, press: Press) -> CreateInteractionResponse {
    let (link, to) = (&deed.adapter.deps.link, deed.to);
    match link.questions().press(press, deed.spot.user) {
        PressOutcome::Counts => CreateInteractionResponse::Acknowledge,
        PressOutcome::NotTheirs => ephemeral(tools::not_yours_to_answer(to)),
        PressOutcome::Decided => ephemeral(tools::answered_already(to)),
        PressOutcome::TooLate => CreateInteractionResponse::UpdateMessage(
            CreateInteractionResponseMessage::new()
                .content(tools::too_late_to_answer(link.tongue_at(deed.spot.channel)))
                .components(Vec::new())
                .allowed_mentions(CreateAllowedMentions::new().replied_user(false)),
        ),
    }
}
