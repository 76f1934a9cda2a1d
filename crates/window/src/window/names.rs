//! What people, servers and channels are called, where a page would otherwise show their numbers.

use std::collections::HashMap;

use super::messages;
use super::operator;
use super::shared::Shared;
use crate::domain::{AccountId, Audience, ChannelId, GuildId, Place, PlaceKind};
use crate::history::{HistoryError, KeptChannel};

/// Names by number. What has none here is shown by its number.
#[derive(Debug, Default)]
pub(super) struct Names {
    people: HashMap<AccountId, String>,
    servers: HashMap<GuildId, String>,
    channels: HashMap<ChannelId, String>,
}

impl Names {
    /// Everything that has a name. Reads every message once: for pages that are about few things.
    pub(super) async fn all(shared: &Shared) -> Self {
        Self::read_all(shared).await.unwrap_or_else(no_names_read)
    }

    async fn read_all(shared: &Shared) -> Result<Self, HistoryError> {
        let history = &shared.parts.history;
        let mut names = Self { people: operator::known_names(history).await?, ..Self::default() };
        let mut alone = Vec::new();
        for KeptChannel { channel, kind, guild, name, guild_name, .. } in operator::channels(history).await? {
            let Ok(channel) = ChannelId::new(channel) else { continue };
            if let Some((guild, name)) = guild.and_then(|guild| GuildId::new(guild).ok()).zip(guild_name) {
                names.servers.insert(guild, name);
            }
            match name {
                Some(name) => drop(names.channels.insert(channel, name)),
                None if kind == <&str>::from(PlaceKind::Dm) => alone.push(channel),
                None => drop(
                    names
                        .channels
                        .insert(channel.clone(), messages::place_without_name(&kind, channel.as_str())),
                ),
            }
        }
        names.speakers_of(shared, alone).await?;
        Ok(names)
    }

    /// What these places need to be told. Asks nothing where all of them have names.
    pub(super) async fn of<'p>(shared: &Shared, places: impl IntoIterator<Item = &'p Place>) -> Self {
        let mut names = Self::default();
        let mut alone = Vec::new();
        for place in places {
            if let Some((guild, name)) = place.guild.clone().zip(place.guild_name.clone()) {
                names.servers.insert(guild, name);
            }
            match &place.channel_name {
                Some(name) => drop(names.channels.insert(place.channel.clone(), name.clone())),
                None if place.kind == PlaceKind::Dm => alone.push(place.channel.clone()),
                None => {}
            }
        }
        match names.speakers_of(shared, alone).await {
            Ok(()) => names,
            Err(error) => no_names_read(error),
        }
    }

    /// Of places without a name, in which only one person is.
    async fn speakers_of(&mut self, shared: &Shared, mut alone: Vec<ChannelId>) -> Result<(), HistoryError> {
        alone.sort_unstable();
        alone.dedup();
        if alone.is_empty() {
            return Ok(());
        }
        for (channel, author) in operator::last_speakers(&shared.parts.history, alone).await? {
            let name = author.label().to_owned();
            self.channels.insert(channel, messages::alone_with(&name));
            self.people.insert(author.account, name);
        }
        Ok(())
    }

    /// Everybody who has one.
    pub(super) fn people(&self) -> &HashMap<AccountId, String> {
        &self.people
    }

    pub(super) fn person(&self, account: &AccountId) -> String {
        self.people.get(account).cloned().unwrap_or_else(|| account.to_string())
    }

    pub(super) fn place(&self, place: &Place) -> String {
        let named = place.channel_name.as_ref().or_else(|| self.channels.get(&place.channel));
        let without = || messages::place_without_name(place.kind.into(), place.channel.as_str());
        named.cloned().unwrap_or_else(without)
    }

    /// A channel of which nothing else is known.
    pub(super) fn channel(&self, channel: &ChannelId) -> String {
        self.channels.get(channel).cloned().unwrap_or_else(|| channel.to_string())
    }

    /// The servers, by name.
    pub(super) fn servers(&self) -> Vec<Audience> {
        let mut named: Vec<(&String, &GuildId)> =
            self.servers.iter().map(|(guild, name)| (name, guild)).collect();
        named.sort_unstable();
        named.into_iter().map(|(_, guild)| Audience::Guild(guild.clone())).collect()
    }

    pub(super) fn who_hears(&self, audience: &Audience) -> String {
        match audience {
            Audience::Canon => messages::EVERYBODY.to_owned(),
            off if off.is_off_the_record() => messages::ONLY_THIS_TALK.to_owned(),
            Audience::Guild(guild) => messages::everybody_on(self.servers.get(guild), guild),
            Audience::Private(channel) => messages::whoever_is_in(&self.channel(channel)),
            Audience::Restricted(channel) => messages::whoever_is_in_restricted(&self.channel(channel)),
            Audience::Dm(account) if *account == AccountId::operator() => messages::ONLY_YOU.to_owned(),
            Audience::Dm(account) => messages::only(&self.person(account)),
            Audience::Shared(bond) => messages::paired_by(bond),
        }
    }
}

fn no_names_read(error: HistoryError) -> Names {
    tracing::warn!(%error, "what people and places are called could not be read for the window");
    Names::default()
}
