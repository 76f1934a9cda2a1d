//! `/subscribe-text` and `/unsubscribe-text`.

use serenity::all::{ChannelId, GuildId, PartialChannel};

use super::{Answered, Context, answer, granted, target};
use crate::discord::permissions::{InThread, missing};
use crate::discord::{intake, messages};

/// The server and the channel that a command is for; else what is said instead.
fn meant_channel(ctx: Context<'_>, channel: Option<&PartialChannel>) -> Result<(GuildId, ChannelId), String> {
    let guild = ctx.interaction.guild_id.ok_or_else(|| messages::dm_needs_no_subscription(ctx.tongue()))?;
    Ok((guild, target(ctx, channel)?))
}

/// Read this channel and its threads, and answer when spoken to
pub(super) async fn subscribe_text(ctx: Context<'_>, channel: Option<&PartialChannel>) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let (guild, id) = match meant_channel(ctx, channel) {
        Ok(meant) => meant,
        Err(refusal) => return answer(refusal),
    };
    let Some(channel) = adapter.channel(ctx.discord, guild, id).await else {
        return answer(messages::unknown_place(to));
    };
    let in_thread = if intake::is_thread(&channel) { InThread::Yes } else { InThread::No };
    // Subscribing to a channel one cannot answer in would look like a broken bot.
    let lacking = missing(granted(ctx, guild, &channel).unwrap_or_default(), in_thread);
    if !lacking.is_empty() {
        return answer(messages::bot_lacks_permissions(to, id.get(), &lacking));
    }
    let words = if adapter.begin_reading(&ctx.discord.cache, &ctx.discord.http, guild, &channel).await? {
        messages::subscribed(to, &adapter.name(), id.get())
    } else {
        messages::already_subscribed(to, &adapter.name(), id.get())
    };
    answer(words)
}

/// Stop reading this channel
pub(super) async fn unsubscribe_text(ctx: Context<'_>, channel: Option<&PartialChannel>) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let (guild, id) = match meant_channel(ctx, channel) {
        Ok(meant) => meant,
        Err(refusal) => return answer(refusal),
    };
    let channel = adapter.channel(ctx.discord, guild, id).await;
    let words = if adapter.end_reading(&ctx.discord.cache, guild, id, channel.as_ref()).await? {
        messages::unsubscribed(to, &adapter.name(), id.get())
    } else {
        messages::not_subscribed(to, &adapter.name(), id.get())
    };
    answer(words)
}
