//! One line under the call's name, for whoever looks at the list of channels: that the familiar listens there.
//!
//! Owns when Discord's channel status is set and cleared (specs voice 2.6): only where the bot may, and never over words of
//! somebody else's. Must not know who is heard. Start reading at [`Sign::hang`].

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use serenity::all::{Cache, ChannelId, GuildId, Permissions};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use crate::discord::link::{DiscordLink, failure};

/// How long setting or clearing it may take; the call does not wait for longer when it ends.
const DEADLINE: Duration = Duration::from_secs(2);

/// A status that was set.
#[derive(Debug)]
pub(super) struct Sign {
    place: Place,
    words: String,
    hung: AbortOnDropHandle<()>,
}

#[derive(Debug, Clone)]
struct Place {
    link: DiscordLink,
    cache: Arc<Cache>,
    guild: GuildId,
    channel: ChannelId,
}

impl Sign {
    /// Sets the status of a call that the bot is in, behind the scenes. `None` where it may not, or where somebody else's
    /// stands, as far as Discord has told.
    pub fn hang(
        link: &DiscordLink,
        cache: &Arc<Cache>,
        (guild, channel): (GuildId, ChannelId),
        words: String,
    ) -> Option<Self> {
        let place = Place { link: link.clone(), cache: Arc::clone(cache), guild, channel };
        if !place.may_write() || place.is_taken(&words) {
            return None;
        }
        let (at, status) = (place.clone(), json!(words));
        let hung = AbortOnDropHandle::new(tokio::spawn(async move { at.write(status).await }));
        Some(Self { place, words, hung })
    }

    /// Clears it, unless somebody has written something else meanwhile. To be called while the bot is still in the call:
    /// from outside Discord lets nobody change it who does not manage the channel.
    pub async fn take_down(self) {
        timeout(DEADLINE, self.hung).await.ok();
        // Also where setting it seemed to fail: an answer that is late or lost does not say that nothing was set.
        if !self.place.is_taken(&self.words) {
            self.place.write(Value::Null).await;
        }
    }
}

impl Place {
    fn may_write(&self) -> bool {
        let own = self.cache.current_user().id;
        let Some(guild) = self.cache.guild(self.guild) else { return false };
        let (Some(member), Some(channel)) = (guild.members.get(&own), guild.channels.get(&self.channel))
        else {
            return false;
        };
        guild.user_permissions_in(channel, member).contains(Permissions::SET_VOICE_CHANNEL_STATUS)
    }

    /// Whether other words than these stand there.
    fn is_taken(&self, ours: &str) -> bool {
        let guild = self.cache.guild(self.guild);
        let channel = guild.as_ref().and_then(|guild| guild.channels.get(&self.channel));
        let status = channel.and_then(|channel| channel.status.as_deref());
        status.is_some_and(|status| !status.is_empty() && status != ours)
    }

    async fn write(&self, status: Value) {
        let Some(http) = self.link.http() else { return };
        let body = json!({ "status": status });
        match timeout(DEADLINE, http.edit_voice_status(self.channel, &body, None)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(channel = %self.channel, why = ?failure(&error), "the channel's status was not written");
            }
            Err(_) => tracing::debug!(channel = %self.channel, "writing the channel's status took too long"),
        }
    }
}
