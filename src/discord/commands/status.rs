//! `/status`.

use std::time::Duration;

use super::{CommandError, Context, answer, defer};
use crate::discord::intake;
use crate::discord::messages::voice::Packets;
use crate::discord::messages::{self, Here, Status};
use crate::domain::{ChannelId, Outcome};

/// The model, the mode here, and today's budget
pub(super) async fn status(ctx: Context<'_>) -> Result<(), CommandError> {
    defer(ctx).await?;
    let (rim, interaction) = (ctx.data(), ctx.interaction);
    let dm = || intake::dm_place(interaction.channel_id, interaction.user.id);
    let (place, here) = match interaction.guild_id {
        Some(guild) => rim.guild_place(ctx.discord, guild, interaction.channel_id).await,
        None if rim.may_dm(interaction.user.id).await => (dm(), Here::Dm),
        None => (dm(), Here::NotRead),
    };
    let config = rim.deps.config.current();
    // What the familiar costs is its owner's business.
    let asker = interaction.user.id.get();
    let shows_spending = config.discord.show_spending || config.discord.operators.contains(&asker);
    let call = match (&rim.calls, interaction.guild_id) {
        (Some(calls), Some(guild)) => calls.state(guild).await,
        _ => None,
    };
    let call = call.map(|call| {
        let packets = Packets {
            taken: call.counts.passed,
            refused: call.counts.withheld,
            unplaced: call.counts.unknown,
            lost: call.dropped,
        };
        (call.channel.get(), call.heard, packets)
    });
    let status = Status {
        familiar: rim.name(),
        model: rim.deps.vitals.model(),
        uptime: rim.started.elapsed(),
        here,
        subscriptions: interaction.guild_id.map_or(0, |guild| rim.read_in(guild)),
        call,
        early: rim.deps.session.early_answers(),
        mode: Some(rim.deps.config.channel_in(&place).mode),
        last_reply: last_reply(ctx, &place.channel).await?,
        spent_usd: rim.deps.vitals.spent_today_usd().filter(|_| shows_spending),
        cap_usd: config.llm.daily_cost_cap_usd.filter(|_| shows_spending),
        unpriced_tokens: if shows_spending { rim.deps.vitals.unpriced_tokens_today() } else { 0 },
        unpriced_cap: config.llm.unpriced_token_cap(),
    };
    answer(ctx, messages::status(&status)).await
}

/// How long the newest turn here took, if it spoke.
async fn last_reply(ctx: Context<'_>, channel: &ChannelId) -> Result<Option<Duration>, CommandError> {
    let newest = ctx.data().deps.traces.latest(Some(channel)).await?;
    Ok(newest
        .filter(|trace| matches!(trace.outcome, Outcome::Replied { .. }))
        .map(|trace| Duration::from_micros(trace.total_us)))
}
