//! `/help`.

use super::{CommandError, Context, answer, defer};
use crate::discord::messages;

/// What this bot does and which commands it has
pub(super) async fn help(ctx: Context<'_>) -> Result<(), CommandError> {
    defer(ctx).await?;
    answer(ctx, messages::help(&ctx.data().name())).await
}
