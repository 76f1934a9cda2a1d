//! Which language the program speaks where.
//!
//! Owns what follows of that from the settings and from what is spoken in a place. Whoever does something by a command or a
//! button is answered in the language of their own client instead. Start reading at [`Adapter::tongue_in`].

use serenity::all::{self, GuildId};

use super::adapter::Adapter;
use super::link::DiscordLink;
use super::sending::{channel_of, guild_of};
use crate::domain::{InboundMessage, Place};
use crate::text::tongue::Tongue;

impl Adapter {
    pub(super) fn hears_tongue(&self, message: &InboundMessage) {
        // Of what other programs write nobody chose the language.
        if !message.author.is_bot {
            self.tongues.hears(&message.place, &message.text);
        }
    }

    /// The language of a place: as it is set, else as it is spoken there or around a thread, else that which a call there is
    /// listened to in, else as its server has it set on Discord.
    pub(super) fn tongue_in(&self, cache: &all::Cache, place: &Place) -> Tongue {
        let spoken = || {
            let channels = std::iter::once(&place.channel).chain(&place.parent);
            channels.into_iter().find_map(|channel| self.tongues.spoken_in(channel))
        };
        let of_call = || {
            let (calls, guild) = (self.calls.as_ref()?, guild_of(place)?);
            let is_there =
                calls.channel(guild).is_some_and(|call| channel_of(place).is_ok_and(|here| here == call));
            let config = self.deps.config.current();
            config.stt.language.as_deref().filter(|_| is_there).and_then(Tongue::of_locale)
        };
        let of_server = || self.tongue_of_server(cache, guild_of(place)?);
        let set = self.deps.config.channel_in(place).language;
        set.or_else(spoken).or_else(of_call).or_else(of_server).unwrap_or_default()
    }

    fn tongue_of_server(&self, cache: &all::Cache, guild: GuildId) -> Option<Tongue> {
        Tongue::of_locale(&cache.guild(guild)?.preferred_locale)
    }

    /// The language of what is seen in no place: as it is set.
    pub(super) fn tongue_everywhere(&self) -> Tongue {
        self.deps.config.current().language.unwrap_or_default()
    }
}

impl DiscordLink {
    /// The language of a place; English while there is no connection.
    pub(super) fn tongue_in(&self, place: &Place) -> Tongue {
        let there = self.there();
        there.map(|(there, adapter)| adapter.tongue_in(&there.cache, place)).unwrap_or_default()
    }

    /// The language of a channel of a server.
    pub(super) fn tongue_at(&self, channel: all::ChannelId) -> Tongue {
        self.known_place(&channel.get().into()).map(|place| self.tongue_in(&place)).unwrap_or_default()
    }
}
