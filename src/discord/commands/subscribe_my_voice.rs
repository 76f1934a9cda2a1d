//! `/subscribe-my-voice`.

use std::sync::Arc;

use serenity::all::{ChannelId, GuildId, Permissions};

use super::{CommandError, Context, answer, defer};
use crate::discord::messages;
use crate::discord::voice::{self, CalledIn, Hears};

/// Join the call I am in and listen to me; in a call it is in already, listen to me too
#[poise::command(slash_command, rename = "subscribe-my-voice")]
pub(super) async fn subscribe_my_voice(
    ctx: Context<'_>,
    #[description = "Listen to everybody who does not decline; needs Manage Channels"] everybody: Option<
        bool,
    >,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let words = called_in(ctx, everybody).await;
    answer(ctx, words).await
}

async fn called_in(ctx: Context<'_>, everybody: Option<bool>) -> String {
    let rim = ctx.data();
    let cache = &ctx.framework.serenity_context.cache;
    let Some(calls) = &rim.calls else { return messages::voice::no_calls() };
    let Some(guild) = ctx.interaction.guild_id else { return messages::dm_needs_no_subscription() };
    let caller = ctx.interaction.user.id;
    let Some(to) = voice::call_of(cache, guild, caller) else {
        return messages::voice::join_a_call_first();
    };
    if everybody == Some(true) && !manages(ctx, guild, to) {
        return messages::voice::everybody_needs_manage_channels(to.get());
    }
    if let Err(why) = voice::may_join(rim, cache, guild, to) {
        return why;
    }
    let hears = everybody.map(|everybody| if everybody { Hears::Everybody } else { Hears::WhoAgreed });
    // Who may not have everybody heard may not end it either.
    let hears = hears.filter(|hears| *hears == Hears::Everybody || manages(ctx, guild, to));
    let name = rim.name();
    match calls.call_in(&Arc::clone(rim), cache, (guild, to), caller, hears).await {
        CalledIn::Joined => messages::voice::called_in(&name, to.get(), calls.grace()),
        CalledIn::HearsToo => messages::voice::hears_you_too(&name),
        CalledIn::WasThere => messages::voice::hears_you_already(&name),
        CalledIn::Elsewhere(call) => messages::voice::is_elsewhere(&name, call),
        CalledIn::Failed(why) => messages::voice::not_joined(to.get(), &why),
    }
}

/// Whether the caller may manage a channel.
pub(super) fn manages(ctx: Context<'_>, guild: GuildId, channel: ChannelId) -> bool {
    let cache = &ctx.framework.serenity_context.cache;
    let Some(member) = ctx.interaction.member.as_deref() else { return false };
    let Some(guild) = cache.guild(guild) else { return false };
    let Some(channel) = guild.channels.get(&channel) else { return false };
    guild.user_permissions_in(channel, member).contains(Permissions::MANAGE_CHANNELS)
}
