//! `/subscribe-text`.

use serenity::all::{ChannelType, PartialChannel};

use super::{CommandError, Context, answer, defer, granted, target};
use crate::discord::permissions::{InThread, missing};
use crate::discord::reading::Unsubscribed;
use crate::discord::{intake, messages};

/// Read this channel and its threads, and answer when spoken to
pub(super) async fn subscribe_text(
    ctx: Context<'_>,
    channel: Option<&PartialChannel>,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let rim = ctx.data();
    let Some(guild) = ctx.interaction.guild_id else {
        return answer(ctx, messages::dm_needs_no_subscription()).await;
    };
    let id = match target(ctx, channel) {
        Ok(id) => id,
        Err(refusal) => return answer(ctx, refusal).await,
    };
    let Some(channel) = rim.channel(ctx.discord, guild, id).await else {
        return answer(ctx, messages::unknown_place()).await;
    };
    let in_thread = if intake::is_thread(&channel) { InThread::Yes } else { InThread::No };
    // Subscribing to a channel one cannot answer in would look like a broken bot.
    let lacking = missing(granted(ctx, guild, &channel).unwrap_or_default(), in_thread);
    if !lacking.is_empty() {
        return answer(ctx, messages::bot_lacks_permissions(id.get(), &lacking)).await;
    }
    let words = if rim.subscribe(guild, &channel).await? {
        // A forum itself holds no messages.
        if channel.kind != ChannelType::Forum {
            rim.remark(&ctx.discord.http, id, messages::begins_to_read(&rim.name())).await;
        }
        messages::subscribed(&rim.name(), id.get())
    } else {
        messages::already_subscribed(&rim.name(), id.get())
    };
    answer(ctx, words).await
}

/// Stop reading this channel
pub(super) async fn unsubscribe_text(
    ctx: Context<'_>,
    channel: Option<&PartialChannel>,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let rim = ctx.data();
    let Some(guild) = ctx.interaction.guild_id else {
        return answer(ctx, messages::dm_needs_no_subscription()).await;
    };
    let id = match target(ctx, channel) {
        Ok(id) => id,
        Err(refusal) => return answer(ctx, refusal).await,
    };
    let channel = rim.channel(ctx.discord, guild, id).await;
    let words = match rim.unsubscribe(guild, id, channel.as_ref()).await? {
        Unsubscribed::Done => {
            let cache = &ctx.discord.cache;
            rim.deps.session.conclude(&rim.known_place(cache, guild, id));
            messages::unsubscribed(&rim.name(), id.get())
        }
        Unsubscribed::NotRead => messages::not_subscribed(&rim.name(), id.get()),
    };
    answer(ctx, words).await
}
