//! `/channel-imitate-voice`.

use super::{CommandError, Context, set_mode};
use crate::domain::ChannelMode;

/// Write one or two short sentences, as if spoken, in this channel
#[poise::command(
    slash_command,
    rename = "channel-imitate-voice",
    default_member_permissions = "MANAGE_CHANNELS"
)]
pub(super) async fn channel_imitate_voice(ctx: Context<'_>) -> Result<(), CommandError> {
    set_mode(ctx, ChannelMode::ImitateVoice).await
}
