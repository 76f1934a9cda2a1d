//! `/subscribe-my-voice`, `/unsubscribe-voice` and the buttons under the notices of a call.

use std::sync::Arc;

use serenity::all::{ChannelId, GuildId, Permissions};

use super::{CommandError, Context, Deed};
use crate::config::LiveConfig;
use crate::discord::adapter::Adapter;
use crate::discord::messages::{self, Tongue};
use crate::discord::voice;
use crate::discord::voice::Hears;
use crate::discord::voice::calls::{CalledIn, Calls};

/// Join the call I am in and listen to me; in a call it is in already, listen to me too
pub(super) async fn call_in(ctx: Context<'_>, everybody: Option<bool>, every_call: bool) -> String {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let cache = &ctx.discord.cache;
    let Some(calls) = &adapter.calls else { return messages::voice::no_calls(to) };
    let Some(guild) = ctx.interaction.guild_id else { return messages::dm_needs_no_subscription(to) };
    let caller = ctx.interaction.user.id;
    if adapter.has_opted_out(caller) {
        return messages::opted_out_hint(to, &adapter.name());
    }
    let for_server = match (everybody, every_call) {
        (None, true) => return messages::voice::every_call_needs_everybody(to),
        (Some(_), true) if !manages_server(ctx, guild) => {
            return messages::voice::every_call_needs_manage_server(to);
        }
        (Some(false), true) => return ended_for_server(adapter, calls, guild, to).await,
        (Some(true), true) => true,
        (_, false) => false,
    };
    let Some(call) = voice::call_of(cache, guild, caller) else {
        return messages::voice::join_a_call_first(to);
    };
    if everybody == Some(true) && !manages(ctx, guild, call) {
        return messages::voice::everybody_needs_manage_channels(to, call.get());
    }
    if let Err(why) = voice::may_join(adapter, cache, (guild, call), to) {
        return why;
    }
    let hears = everybody.map(|everybody| if everybody { Hears::Everybody } else { Hears::WhoAgreed });
    // Who may not have everybody heard may not end it either.
    let hears = hears.filter(|hears| *hears == Hears::Everybody || manages(ctx, guild, call));
    if for_server && let Err(error) = keep_for_server(adapter, calls, guild, Hears::Everybody).await {
        return error.words(to);
    }
    let name = adapter.name();
    let kept = for_server.then(|| messages::voice::everybody_in_every_call(to, &name));
    let came = match calls.call_in(&Arc::clone(adapter), cache, (guild, call), caller, hears).await {
        CalledIn::Joined => messages::voice::called_in(to, &name, call.get(), calls.grace()),
        CalledIn::HearsToo => messages::voice::hears_you_too(to, &name),
        CalledIn::WasThere => messages::voice::hears_you_already(to, &name),
        CalledIn::Elsewhere(other) => messages::voice::is_elsewhere(to, &name, other),
        CalledIn::Failed(why) => messages::voice::not_joined(to, call.get(), &why),
    };
    [Some(came), kept].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Nobody is heard unasked on a server any more. The caller need not be in a call for that, nor does the familiar join one.
async fn ended_for_server(adapter: &Adapter, calls: &Calls, guild: GuildId, to: Tongue) -> String {
    match keep_for_server(adapter, calls, guild, Hears::WhoAgreed).await {
        Ok(()) => messages::voice::nobody_unasked(to, &adapter.name()),
        Err(error) => error.words(to),
    }
}

/// Who is heard unasked in every call of a server from now on, a running one included. Who declined has done so for good.
async fn keep_for_server(
    adapter: &Adapter,
    calls: &Calls,
    guild: GuildId,
    hears: Hears,
) -> Result<(), CommandError> {
    let change = move |config: &LiveConfig| {
        config.change_server(&guild.get().into(), |server| server.hears_everybody = hears == Hears::Everybody)
    };
    let kept = adapter.change(change).await;
    kept.inspect_err(|error| tracing::warn!(%error, "who is heard in every call could not be kept"))?;
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

/// Leave the call, or where somebody else called it in, listen to me no longer
pub(super) async fn call_ended(ctx: Context<'_>) -> String {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let name = adapter.name();
    let Some(calls) = &adapter.calls else { return messages::voice::no_calls(to) };
    let Some(guild) = ctx.interaction.guild_id else { return messages::dm_needs_no_subscription(to) };
    let Some(call) = calls.channel(guild) else { return messages::voice::in_no_call(to, &name) };
    let caller = ctx.interaction.user.id;
    if calls.follows(guild) == Some(caller) || manages(ctx, guild, call) {
        return if calls.end(guild).await {
            messages::voice::call_ended(to, &name)
        } else {
            messages::voice::in_no_call(to, &name)
        };
    }
    says(ctx.deed(), calls, guild, false).await
}

/// Somebody agrees to be heard, or declines.
pub(super) async fn consents(deed: Deed<'_>, agrees: bool) -> String {
    let (adapter, to, who) = (deed.adapter, deed.to, deed.spot.user);
    let name = adapter.name();
    let (Some(calls), Some(guild)) = (&adapter.calls, deed.spot.guild) else {
        return messages::voice::in_no_call(to, &name);
    };
    if calls.channel(guild) != Some(deed.spot.channel) {
        // The notice is of a call that is over, or of another one.
        return messages::voice::in_no_call(to, &name);
    }
    if agrees && adapter.has_opted_out(who) {
        return messages::opted_out_hint(to, &name);
    }
    says(deed, calls, guild, agrees).await
}

/// Somebody is heard in the call from now on, or no longer.
async fn says(deed: Deed<'_>, calls: &Calls, guild: GuildId, agrees: bool) -> String {
    let (to, who, name) = (deed.to, deed.spot.user, deed.adapter.name());
    let was_heard = calls.has_agreed(guild, who);
    if !calls.says(guild, who, agrees).await {
        return messages::voice::in_no_call(to, &name);
    }
    match (agrees, was_heard) {
        (true, true) => messages::voice::hears_you_already(to, &name),
        (true, false) => messages::voice::hears_you_too(to, &name),
        (false, true) => messages::voice::hears_you_no_longer(to, &name),
        (false, false) => messages::voice::does_not_hear_you(to, &name),
    }
}
