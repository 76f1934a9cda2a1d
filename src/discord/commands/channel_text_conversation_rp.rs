//! `/channel-text-conversation-rp`.

use super::{CommandError, Context, set_mode};
use crate::domain::ChannelMode;

/// Write a couple of short lines, as in a chat room, in this channel
pub(super) async fn channel_text_conversation_rp(ctx: Context<'_>) -> Result<(), CommandError> {
    set_mode(ctx, ChannelMode::TextConversationRp).await
}
