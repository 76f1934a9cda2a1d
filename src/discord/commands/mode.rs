//! `/channel-full-rp`, `/channel-text-conversation-rp` and `/channel-imitate-voice`.

use super::{CommandError, Context, set_mode};
use crate::domain::ChannelMode;

/// Write long, novel-style replies in this channel
pub(super) async fn channel_full_rp(ctx: Context<'_>) -> Result<(), CommandError> {
    set_mode(ctx, ChannelMode::FullRp).await
}

/// Write one or two short sentences, as if spoken, in this channel
pub(super) async fn channel_imitate_voice(ctx: Context<'_>) -> Result<(), CommandError> {
    set_mode(ctx, ChannelMode::ImitateVoice).await
}

/// Write a couple of short lines, as in a chat room, in this channel
pub(super) async fn channel_text_conversation_rp(ctx: Context<'_>) -> Result<(), CommandError> {
    set_mode(ctx, ChannelMode::TextConversationRp).await
}
