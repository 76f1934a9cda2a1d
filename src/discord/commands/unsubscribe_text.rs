//! `/unsubscribe-text`.

use serenity::all::PartialChannel;

use super::{CommandError, Context, answer, defer, target};
use crate::discord::messages;
use crate::discord::reading::Unsubscribed;

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
