//! `/channel-imitate-voice`.

use super::{CommandError, Context, set_mode};
use crate::domain::ChannelMode;

/// Write one or two short sentences, as if spoken, in this channel
pub(super) async fn channel_imitate_voice(ctx: Context<'_>) -> Result<(), CommandError> {
    set_mode(ctx, ChannelMode::ImitateVoice).await
}
