//! `/unsubscribe-text`.

use serenity::all::PartialChannel;

use super::{CommandError, Context, answer, defer, target};
use crate::discord::messages;
use crate::discord::reading::Unsubscribed;

/// Stop reading this channel
#[poise::command(slash_command, rename = "unsubscribe-text", default_member_permissions = "MANAGE_CHANNELS")]
pub(super) async fn unsubscribe_text(
    ctx: Context<'_>,
    #[description = "Another channel or forum; this one if left out"]
    #[channel_types("Text", "News", "Voice", "Forum", "PublicThread", "PrivateThread", "NewsThread")]
    channel: Option<PartialChannel>,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let rim = ctx.data();
    let Some(guild) = ctx.interaction.guild_id else {
        return answer(ctx, messages::dm_needs_no_subscription()).await;
    };
    let id = match target(ctx, channel.as_ref()) {
        Ok(id) => id,
        Err(refusal) => return answer(ctx, refusal).await,
    };
    let channel = rim.channel(ctx.framework.serenity_context, guild, id).await;
    let words = match rim.unsubscribe(guild, id, channel.as_ref()).await? {
        Unsubscribed::Done => {
            let cache = &ctx.framework.serenity_context.cache;
            rim.deps.session.conclude(&rim.known_place(cache, guild, id));
            messages::unsubscribed(&rim.name(), id.get())
        }
        Unsubscribed::NotRead => messages::not_subscribed(&rim.name(), id.get()),
    };
    answer(ctx, words).await
}
