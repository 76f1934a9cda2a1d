//! `/channel-full-rp`.

use super::{CommandError, Context, set_mode};
use crate::domain::ChannelMode;

/// Write long, novel-style replies in this channel
pub(super) async fn channel_full_rp(ctx: Context<'_>) -> Result<(), CommandError> {
    set_mode(ctx, ChannelMode::FullRp).await
}
