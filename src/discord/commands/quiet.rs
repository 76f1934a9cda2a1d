//! `/quiet` and `/wake`.

use std::time::Duration;

use jiff::Timestamp;

use super::{CommandError, Context, answer, defer};
use crate::clock::{Clock as _, SystemClock};
use crate::discord::messages::{self, Here};
use crate::discord::voice::Manner;

/// Here and in this server's call, speak only when spoken to: for so many minutes, else until it is woken.
pub(super) async fn quiet(ctx: Context<'_>, minutes: Option<u32>) -> Result<(), CommandError> {
    let span = minutes.map(|minutes| Duration::from_secs(60 * u64::from(minutes)));
    let now = SystemClock.now();
    let until = span.map_or(Timestamp::MAX, |span| now.saturating_add(span).unwrap_or(Timestamp::MAX));
    change(ctx, Manner::Quiet { until }, |name| messages::keeps_quiet(name, span)).await
}

/// Here and in this server's call, join in again.
pub(super) async fn wake(ctx: Context<'_>) -> Result<(), CommandError> {
    change(ctx, Manner::JoinsIn, messages::joins_in_again).await
}

async fn change(
    ctx: Context<'_>,
    manner: Manner,
    done: impl FnOnce(&str) -> String,
) -> Result<(), CommandError> {
    defer(ctx).await?;
    let rim = ctx.data();
    let Some(guild) = ctx.interaction.guild_id else {
        return answer(ctx, messages::alone_it_answers()).await;
    };
    let (place, here) = rim.guild_place(ctx.discord, guild, ctx.interaction.channel_id).await;
    let in_call = match &rim.calls {
        Some(calls) => calls.behave(guild, manner).await.is_some(),
        None => false,
    };
    if here == Here::NotRead && !in_call {
        return answer(ctx, messages::not_here_and_in_no_call(&rim.name())).await;
    }
    if here != Here::NotRead {
        let until = match manner {
            Manner::Quiet { until } => Some(until),
            Manner::JoinsIn => None,
        };
        rim.change(move |config| config.set_quiet(&place, until)).await?;
    }
    answer(ctx, done(&rim.name())).await
}
