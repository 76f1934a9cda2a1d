//! Which places are read.
//!
//! The rule: a channel is read when it is subscribed. A thread or forum post is read when its channel is, unless it
//! was itself unsubscribed; it can also be subscribed alone. DMs are read by `discord.strangers` and the allow-list.

use serenity::all::{Cache, ChannelId, GuildChannel, GuildId};

use super::adapter::Adapter;
use super::intake::thread_parent;
use super::messages::Here;
use crate::config::{ReadBecause, Subscribed, Subscription, SubscriptionKind, Subscriptions};
use crate::domain;

impl Adapter {
    /// How a guild channel is read. `channel` is what is known of it.
    pub(super) fn reading(&self, id: ChannelId, channel: Option<&GuildChannel>) -> Here {
        let parent = thread_parent(channel);
        if !self.is_open(channel.map(|channel| channel.guild_id), id, parent) {
            return Here::NotRead;
        }
        reading(&self.deps.config.subscriptions(), id, parent)
    }

    /// Whether anything is read in a guild, or one of its calls listened to. A row by hand may not name its guild.
    pub(super) fn takes_part_in(&self, cache: &Cache, guild: GuildId) -> bool {
        let named = domain::GuildId::from(guild.get());
        let is_there = |row: &Subscription| match (&row.guild, row.channel.as_str().parse()) {
            (Some(guild), _) => *guild == named,
            (None, Ok(id @ 1..)) => self.known_channel(cache, guild, ChannelId::new(id)).is_some(),
            (None, _) => false,
        };
        self.deps
            .config
            .subscriptions()
            .iter()
            .any(|row| row.kind != SubscriptionKind::Muted && is_there(row))
    }

    /// The channels and threads of a guild that are read.
    pub(super) fn channels_read(&self, cache: &Cache, guild: GuildId) -> Vec<ChannelId> {
        let Some(known) = cache.guild(guild) else { return Vec::new() };
        let all = known.channels.values().chain(&known.threads);
        let read = all.filter(|channel| self.reading(channel.id, Some(channel)) != Here::NotRead);
        read.map(|channel| channel.id).collect()
    }

    /// How many channels of a guild are subscribed.
    pub(super) fn read_in(&self, guild: GuildId) -> usize {
        let guild = domain::GuildId::from(guild.get());
        let subscriptions = self.deps.config.subscriptions();
        subscriptions
            .iter()
            .filter(|row| row.kind == SubscriptionKind::Text && row.guild.as_ref() == Some(&guild))
            .count()
    }
}

fn reading(subscriptions: &Subscriptions, id: ChannelId, parent: Option<ChannelId>) -> Here {
    let parent = parent.map(|parent| domain::ChannelId::from(parent.get()));
    match subscriptions.reads(&id.get().into(), parent.as_ref()) {
        Some(ReadBecause::Subscribed) => Here::Read,
        Some(ReadBecause::OfItsChannel) => Here::ThroughParent,
        None => Here::NotRead,
    }
}

/// A change to the subscriptions, made where blocking is allowed.
impl Adapter {
    /// Reads a channel from now on. `Ok(false)` when it was read already.
    pub(super) async fn subscribe(
        &self,
        guild: GuildId,
        channel: &GuildChannel,
    ) -> Result<bool, super::commands::CommandError> {
        let (id, parent) = (channel.id, thread_parent(Some(channel)));
        if self.reading(id, Some(channel)) != Here::NotRead {
            return Ok(false);
        }
        self.change(move |config| {
            let id = domain::ChannelId::from(id.get());
            config.unsubscribe(&id, SubscriptionKind::Muted)?;
            let through_parent = parent.is_some_and(|parent| {
                config.subscriptions().contains(&parent.get().into(), SubscriptionKind::Text)
            });
            if through_parent {
                return Ok(true);
            }
            let row = Subscription::new(id, SubscriptionKind::Text, Some(guild.get().into()));
            Ok(config.subscribe(row)? != Subscribed::AlreadyThere)
        })
        .await
    }

    /// Reads a channel no longer; a thread whose channel is still read is left out by name. `Ok(false)` when it was not read.
    pub(super) async fn unsubscribe(
        &self,
        guild: GuildId,
        id: ChannelId,
        channel: Option<&GuildChannel>,
    ) -> Result<bool, super::commands::CommandError> {
        let parent = thread_parent(channel);
        if self.reading(id, channel) == Here::NotRead {
            return Ok(false);
        }
        self.change(move |config| {
            let own = domain::ChannelId::from(id.get());
            config.unsubscribe(&own, SubscriptionKind::Text)?;
            if reading(&config.subscriptions(), id, parent) == Here::ThroughParent {
                let row = Subscription::new(own, SubscriptionKind::Muted, Some(guild.get().into()));
                config.subscribe(row)?;
            }
            Ok(true)
        })
        .await
    }
}
