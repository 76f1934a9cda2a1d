//! `/unsubscribe-voice`, and the buttons under a call's notices.

use serenity::all::ComponentInteraction;

use super::subscribe_my_voice::manages;
use super::{CommandError, Context, answer, defer, ephemeral, in_time};
use crate::discord::messages;
use crate::discord::rim::Rim;

/// Leave the call, or where somebody else called it in, listen to me no longer
pub(super) async fn unsubscribe_voice(ctx: Context<'_>) -> Result<(), CommandError> {
    defer(ctx).await?;
    let words = ended(ctx).await;
    answer(ctx, words).await
}

async fn ended(ctx: Context<'_>) -> String {
    let rim = ctx.data();
    let name = rim.name();
    let Some(calls) = &rim.calls else { return messages::voice::no_calls() };
    let Some(guild) = ctx.interaction.guild_id else { return messages::dm_needs_no_subscription() };
    let Some(call) = calls.channel(guild) else { return messages::voice::in_no_call(&name) };
    let caller = ctx.interaction.user.id;
    if calls.follows(guild) == Some(caller) || manages(ctx, guild, call) {
        return if calls.end(guild).await {
            messages::voice::call_ended(&name)
        } else {
            messages::voice::in_no_call(&name)
        };
    }
    let was_heard = calls.has_agreed(guild, caller);
    if !calls.says(guild, caller, false).await {
        return messages::voice::in_no_call(&name);
    }
    if was_heard {
        messages::voice::hears_you_no_longer(&name)
    } else {
        messages::voice::does_not_hear_you(&name)
    }
}

/// Somebody agrees to be heard, or declines.
pub(super) async fn pressed(
    rim: &Rim,
    ctx: &serenity::all::Context,
    button: &ComponentInteraction,
    agrees: bool,
) {
    let words = consents(rim, button, agrees).await;
    if let Err(error) = in_time(button.create_response(ctx, ephemeral(words))).await {
        tracing::warn!(%error, "a button was not answered");
    }
}

async fn consents(rim: &Rim, button: &ComponentInteraction, agrees: bool) -> String {
    let name = rim.name();
    let (Some(calls), Some(guild)) = (&rim.calls, button.guild_id) else {
        return messages::voice::in_no_call(&name);
    };
    if calls.channel(guild) != Some(button.channel_id) {
        // The notice is of a call that is over, or of another one.
        return messages::voice::in_no_call(&name);
    }
    let who = button.user.id;
    let was_heard = calls.has_agreed(guild, who);
    if !calls.says(guild, who, agrees).await {
        return messages::voice::in_no_call(&name);
    }
    match (agrees, was_heard) {
        (true, true) => messages::voice::hears_you_already(&name),
        (true, false) => messages::voice::hears_you_too(&name),
        (false, true) => messages::voice::hears_you_no_longer(&name),
        (false, false) => messages::voice::does_not_hear_you(&name),
    }
}
