//! What is asked of the history.

use jiff::Timestamp;

use crate::domain::{ChannelMode, TokenEncoding, Visible};

/// The newest part of a channel's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentQuery {
    /// Only what was learnt before these: whoever asks says what may be seen where the answer goes.
    pub visible: Visible,
    /// Only turns of this mode; `None` for all.
    pub mode: Option<ChannelMode>,
    /// At most this many, the newest.
    pub max_turns: u32,
    /// Nothing said later than this; `None` for up to now.
    pub until: Option<Timestamp>,
    /// Under which encoding [`StoredTurn::tokens`](crate::domain::StoredTurn::tokens) is wanted.
    pub encoding: TokenEncoding,
}
