//! `/quiet`.

use super::{CommandError, Context, answer, defer};
use crate::discord::messages;

/// In this server's call, speak only when spoken to; once more, and it joins in again
pub(super) async fn quiet(ctx: Context<'_>) -> Result<(), CommandError> {
    defer(ctx).await?;
    let rim = ctx.data();
    let name = rim.name();
    let words = match (&rim.calls, ctx.interaction.guild_id) {
        (None, _) => messages::voice::no_calls(),
        (_, None) => messages::voice::in_no_call(&name),
        (Some(calls), Some(guild)) => match calls.quiet(guild).await {
            Some(true) => messages::voice::keeps_quiet(&name),
            Some(false) => messages::voice::joins_in_again(&name),
            None => messages::voice::in_no_call(&name),
        },
    };
    answer(ctx, words).await
}
