//! Where it listens, for whoever asks from outside of Discord: the channels of its servers, and reading one or not.
//!
//! Owns what subscribing and its end mean beside the settings, also for the two slash commands. Must not know who asks. Start
//! reading at [`DiscordLink::servers`].

use std::sync::Arc;

use serenity::all::{Cache, ChannelId, ChannelType, GuildChannel, GuildId, Http};

use super::adapter::{Adapter, cached_channel};
use super::commands::CommandError;
use super::link::DiscordLink;
use super::messages::{self, Here};
use super::permissions::{InThread, missing};
use super::pins;
use super::standing::Standing;
use crate::domain::{self, Place};

/// Channels of one server that are shown; Discord lets a server have 500.
const CHANNELS_MAX: usize = 500;

/// A server that the bot is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerListed {
    pub name: String,
    /// As Discord shows them.
    pub channels: Vec<ChannelListed>,
}

/// A channel of a server that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelListed {
    pub id: domain::ChannelId,
    pub name: String,
    pub is_read: bool,
    /// The permissions without which it cannot talk there, by the names that Discord has for them.
    pub lacking: Vec<&'static str>,
}

/// Why it reads a channel no sooner and no later than before.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("there is no connection to Discord now")]
    NotConnected,
    #[error("the channel is gone, or the bot cannot see it")]
    Unknown,
    #[error("the bot lacks {} there; give its role that in the channel's permissions", .0.join(", "))]
    Lacks(Vec<&'static str>),
    #[error("{0}")]
    NotSaved(String),
}

impl DiscordLink {
    /// The servers that the bot is in, by name, with the channels that it could read; none where it is not connected.
    pub fn servers(&self) -> Vec<ServerListed> {
        let Some((there, adapter)) = self.there() else { return Vec::new() };
        let cache = &there.cache;
        let listed = cache.guilds().into_iter().filter_map(|id| {
            let (name, mut channels) = {
                let guild = cache.guild(id)?;
                let readable = guild.channels.values().filter(|channel| takes_messages(channel));
                (guild.name.clone(), readable.cloned().collect::<Vec<_>>())
            };
            channels.sort_by_key(|channel| (channel.position, channel.id));
            channels.truncate(CHANNELS_MAX);
            let channels = channels.into_iter().map(|channel| ChannelListed {
                id: channel.id.get().into(),
                is_read: adapter.reading(channel.id, Some(&channel)) != Here::NotRead,
                lacking: lacking(cache, id, &channel),
                name: channel.name,
            });
            Some(ServerListed { name, channels: channels.collect() })
        });
        let mut servers: Vec<ServerListed> = listed.collect();
        servers.sort_by_key(|server| server.name.to_lowercase());
        servers
    }

    /// A channel of a server as the place it is now; `None` where it is not known.
    pub fn known_place(&self, channel: &domain::ChannelId) -> Option<Place> {
        let (there, adapter) = self.there()?;
        let found = find(&there.cache, channel)?;
        Some(adapter.known_place(&there.cache, found.guild_id, found.id))
    }

    /// Reads a channel of a server from now on, as `/subscribe-text` has it, or no longer. Nothing happens where that is so
    /// already.
    ///
    /// # Errors
    /// See [`ListenError`].
    pub async fn listen(&self, channel: &domain::ChannelId, wanted: Listening) -> Result<(), ListenError> {
        let (there, adapter) = self.there().ok_or(ListenError::NotConnected)?;
        let found = find(&there.cache, channel).ok_or(ListenError::Unknown)?;
        let guild = found.guild_id;
        let changed = match wanted {
            Listening::Reads => {
                let lacking = lacking(&there.cache, guild, &found);
                if !lacking.is_empty() {
                    return Err(ListenError::Lacks(lacking));
                }
                adapter.begin_reading(&there.cache, &there.http, guild, &found).await.map(drop)
            }
            Listening::ReadsNot => {
                adapter.end_reading(&there.cache, guild, found.id, Some(&found)).await.map(drop)
            }
        };
        changed.map_err(|error| ListenError::NotSaved(error.to_string()))
    }
}

/// Whether a channel is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listening {
    Reads,
    ReadsNot,
}

impl Adapter {
    /// Reads a channel from now on, says so there, and reads its pins. `Ok(false)` when it was read already.
    pub(super) async fn begin_reading(
        &self,
        cache: &Arc<Cache>,
        http: &Arc<Http>,
        guild: GuildId,
        channel: &GuildChannel,
    ) -> Result<bool, CommandError> {
        let is_new = self.subscribe(guild, channel).await?;
        // A forum itself holds no messages.
        if is_new && channel.kind != ChannelType::Forum {
            let place = super::intake::guild_place(cache, guild, channel.id, Some(channel));
            let words = messages::begins_to_read(self.tongue_in(cache, &place), &self.name());
            self.remark(http, channel.id, words).await;
            pins::read_pins_in(self, cache, http, place).await;
        }
        Ok(is_new)
    }

    /// Reads a channel no longer; what was said there is worth remembering now.
    pub(super) async fn end_reading(
        &self,
        cache: &Arc<Cache>,
        guild: GuildId,
        id: ChannelId,
        channel: Option<&GuildChannel>,
    ) -> Result<bool, CommandError> {
        let ended = self.unsubscribe(guild, id, channel).await?;
        if ended {
            self.deps.session.conclude(&self.known_place(cache, guild, id));
        }
        Ok(ended)
    }
}

fn takes_messages(channel: &GuildChannel) -> bool {
    matches!(channel.kind, ChannelType::Text | ChannelType::News | ChannelType::Voice | ChannelType::Forum)
}

fn lacking(cache: &Cache, guild: GuildId, channel: &GuildChannel) -> Vec<&'static str> {
    missing(
        Standing::of(cache, guild, channel).map(|standing| standing.granted).unwrap_or_default(),
        InThread::No,
    )
}

fn find(cache: &Cache, channel: &domain::ChannelId) -> Option<GuildChannel> {
    let id = channel.as_str().parse::<u64>().ok().filter(|id| *id != 0).map(ChannelId::new)?;
    cache.guilds().into_iter().find_map(|guild| cached_channel(cache, guild, id))
}
