//! `/subscribe-text` and `/unsubscribe-text`.

use serenity::all::{ChannelId, ChannelType, GuildId, PartialChannel};

use super::{CommandError, Context, answer, defer, granted, target};
use crate::discord::permissions::{InThread, missing};
use crate::discord::reading::Unsubscribed;
use crate::discord::{intake, messages, pins};

/// The server and the channel that a command is for; else what is said instead.
fn meant(ctx: Context<'_>, channel: Option<&PartialChannel>) -> Result<(GuildId, ChannelId), String> {
    let guild = ctx.interaction.guild_id.ok_or_else(messages::dm_needs_no_subscription)?;
    Ok((guild, target(ctx, channel)?))
}

/// Read this channel and its threads, and answer when spoken to
pub(super) async fn subscribe_text(
    ctx: Context<'_>,
    channel: Option<&PartialChannel>,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let adapter = ctx.data();
    let (guild, id) = match meant(ctx, channel) {
        Ok(meant) => meant,
        Err(refusal) => return answer(ctx, refusal).await,
    };
    let Some(channel) = adapter.channel(ctx.discord, guild, id).await else {
        return answer(ctx, messages::unknown_place()).await;
    };
    let in_thread = if intake::is_thread(&channel) { InThread::Yes } else { InThread::No };
    // Subscribing to a channel one cannot answer in would look like a broken bot.
    let lacking = missing(granted(ctx, guild, &channel).unwrap_or_default(), in_thread);
    if !lacking.is_empty() {
        return answer(ctx, messages::bot_lacks_permissions(id.get(), &lacking)).await;
    }
    let words = if adapter.subscribe(guild, &channel).await? {
        // A forum itself holds no messages.
        if channel.kind != ChannelType::Forum {
            adapter.remark(&ctx.discord.http, id, messages::begins_to_read(&adapter.name())).await;
            pins::read_pins(adapter, ctx.discord, id, Some(guild)).await;
        }
        messages::subscribed(&adapter.name(), id.get())
    } else {
        messages::already_subscribed(&adapter.name(), id.get())
    };
    answer(ctx, words).await
}

/// Stop reading this channel
pub(super) async fn unsubscribe_text(
    ctx: Context<'_>,
    channel: Option<&PartialChannel>,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let adapter = ctx.data();
    let (guild, id) = match meant(ctx, channel) {
        Ok(meant) => meant,
        Err(refusal) => return answer(ctx, refusal).await,
    };
    let channel = adapter.channel(ctx.discord, guild, id).await;
    let words = match adapter.unsubscribe(guild, id, channel.as_ref()).await? {
        Unsubscribed::Done => {
            let cache = &ctx.discord.cache;
            adapter.deps.session.conclude(&adapter.known_place(cache, guild, id));
            messages::unsubscribed(&adapter.name(), id.get())
        }
        Unsubscribed::NotRead => messages::not_subscribed(&adapter.name(), id.get()),
    };
    answer(ctx, words).await
}
