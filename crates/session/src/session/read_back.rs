//! Channels of which it is known what an earlier program said in them, and what was said to it since.
//!
//! Owns how long that is waited for after a start: what is said first would stand behind what was not read yet, which would
//! then never be looked for. Start reading at [`ReadBack::has`].

use std::collections::HashSet;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::domain::{ChannelId, Place, Platform};

/// So long after a start it is waited until a channel was read back.
const READ_BACK_WITHIN: Duration = Duration::from_secs(120);

/// The channels that were read back since the program started.
#[derive(Debug)]
pub(super) struct ReadBack {
    since: Instant,
    channels: Mutex<HashSet<ChannelId>>,
}

impl Default for ReadBack {
    fn default() -> Self {
        Self { since: Instant::now(), channels: Mutex::default() }
    }
}

impl ReadBack {
    pub(super) fn put(&self, channel: &ChannelId) {
        self.channels.lock().insert(channel.clone());
    }

    /// Whether it is known what was said in a place while this program did not run, or that was waited for long enough.
    pub(super) fn has(&self, there: &Place) -> bool {
        there.platform != Platform::Discord
            || self.channels.lock().contains(&there.channel)
            || self.since.elapsed() >= READ_BACK_WITHIN
    }
}
