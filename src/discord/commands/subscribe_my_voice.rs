//! `/subscribe-my-voice`.

use std::sync::Arc;

use serenity::all::{ChannelId, GuildId, Permissions};

use super::{CommandError, Context, answer, defer};
use crate::config::LiveConfig;
use crate::discord::messages;
use crate::discord::rim::Rim;
use crate::discord::voice::{self, CalledIn, Calls, Hears};

/// Join the call I am in and listen to me; in a call it is in already, listen to me too
pub(super) async fn subscribe_my_voice(
    ctx: Context<'_>,
    everybody: Option<bool>,
    every_call: Option<bool>,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let words = called_in(ctx, everybody, every_call.unwrap_or_default()).await;
    answer(ctx, words).await
}

async fn called_in(ctx: Context<'_>, everybody: Option<bool>, every_call: bool) -> String {
    let rim = ctx.data();
    let cache = &ctx.discord.cache;
    let Some(calls) = &rim.calls else { return messages::voice::no_calls() };
    let Some(guild) = ctx.interaction.guild_id else { return messages::dm_needs_no_subscription() };
    let caller = ctx.interaction.user.id;
    let for_server = match (everybody, every_call) {
        (None, true) => return messages::voice::every_call_needs_everybody(),
        (Some(_), true) if !manages_server(ctx, guild) => {
            return messages::voice::every_call_needs_manage_server();
        }
        (Some(false), true) => return ended_for_server(rim, calls, guild).await,
        (Some(true), true) => true,
        (_, false) => false,
    };
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
    if for_server && let Err(error) = keep_for_server(rim, calls, guild, Hears::Everybody).await {
        return messages::command_failed(&error);
    }
    let name = rim.name();
    let kept = for_server.then(|| messages::voice::everybody_in_every_call(&name));
    let came = match calls.call_in(&Arc::clone(rim), cache, (guild, to), caller, hears).await {
        CalledIn::Joined => messages::voice::called_in(&name, to.get(), calls.grace()),
        CalledIn::HearsToo => messages::voice::hears_you_too(&name),
        CalledIn::WasThere => messages::voice::hears_you_already(&name),
        CalledIn::Elsewhere(call) => messages::voice::is_elsewhere(&name, call),
        CalledIn::Failed(why) => messages::voice::not_joined(to.get(), &why),
    };
    [Some(came), kept].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Nobody is heard unasked on a server any more. The caller need not be in a call for that, nor does the familiar join one.
async fn ended_for_server(rim: &Rim, calls: &Calls, guild: GuildId) -> String {
    match keep_for_server(rim, calls, guild, Hears::WhoAgreed).await {
        Ok(()) => messages::voice::nobody_unasked(&rim.name()),
        Err(error) => messages::command_failed(&error),
    }
}

/// Who is heard unasked in every call of a server from now on, a running one included. Who declined has done so for good.
async fn keep_for_server(rim: &Rim, calls: &Calls, guild: GuildId, hears: Hears) -> Result<(), String> {
    let change = move |config: &LiveConfig| {
        config.change_server(&guild.get().into(), |server| server.hears_everybody = hears == Hears::Everybody)
    };
    rim.change(change).await.map_err(|error| error.to_string())?;
    calls.hears_everywhere(guild, hears).await;
    Ok(())
}

/// Whether the caller may manage the server.
fn manages_server(ctx: Context<'_>, guild: GuildId) -> bool {
    let Some(member) = ctx.interaction.member.as_deref() else { return false };
    let Some(guild) = ctx.discord.cache.guild(guild) else { return false };
    guild.member_permissions(member).contains(Permissions::MANAGE_GUILD)
}

/// Whether the caller may manage a channel.
pub(super) fn manages(ctx: Context<'_>, guild: GuildId, channel: ChannelId) -> bool {
    let cache = &ctx.discord.cache;
    let Some(member) = ctx.interaction.member.as_deref() else { return false };
    let Some(guild) = cache.guild(guild) else { return false };
    let Some(channel) = guild.channels.get(&channel) else { return false };
    guild.user_permissions_in(channel, member).contains(Permissions::MANAGE_CHANNELS)
}
