//! Which language the program speaks where.
//!
//! Owns what was heard of a place's language and what follows from it and the settings. Whoever does something by a command or
//! a button is answered in the language of their own client instead. Start reading at [`Adapter::tongue_in`].

use std::collections::VecDeque;

use parking_lot::Mutex;
use quick_cache::unsync::Cache;
use serenity::all::{self, GuildId};

use super::adapter::Adapter;
use super::link::DiscordLink;
use super::outbox::guild_of;
use crate::domain::{ChannelId, InboundEvent, Place};
use crate::text::tongue::Tongue;

/// Places whose language is remembered.
const KEPT_PLACES: usize = 4096;

/// What a place speaks goes by its last so many messages that tell.
const HEARD: usize = 9;

/// What is spoken in places.
#[derive(Debug)]
pub(super) struct SpokenTongues(Mutex<Cache<ChannelId, VecDeque<Tongue>>>);

impl Default for SpokenTongues {
    fn default() -> Self {
        Self(Mutex::new(Cache::new(KEPT_PLACES)))
    }
}

impl SpokenTongues {
    /// Something was said in a place.
    fn hears(&self, place: &Place, text: &str) {
        let Some(tongue) = Tongue::of_text(text) else { return };
        let mut places = self.0.lock();
        let mut heard = places.get(&place.channel).cloned().unwrap_or_default();
        heard.push_front(tongue);
        heard.truncate(HEARD);
        places.insert(place.channel.clone(), heard);
    }

    /// What most of the last messages are in, of several the one spoken last; `None` where nothing told.
    fn spoken_in(&self, channel: &ChannelId) -> Option<Tongue> {
        let places = self.0.lock();
        let heard = places.get(channel)?;
        let times = |tongue: &Tongue| heard.iter().filter(|other| *other == tongue).count();
        // Of equals the last one counts, which is the newest of a list turned round.
        heard.iter().rev().copied().max_by_key(times)
    }
}

impl Adapter {
    pub(super) fn hears_tongue(&self, event: &InboundEvent) {
        if let InboundEvent::Message(message) = event {
            self.tongues.hears(&message.place, &message.text);
        }
    }

    /// The language of a place: as it is set, else as it is spoken there or around a thread, else as its server has it set on
    /// Discord.
    pub(super) fn tongue_in(&self, cache: &all::Cache, place: &Place) -> Tongue {
        let spoken = || {
            let channels = std::iter::once(&place.channel).chain(&place.parent);
            channels.into_iter().find_map(|channel| self.tongues.spoken_in(channel))
        };
        let of_server = || self.tongue_of_server(cache, guild_of(place)?);
        let set = self.deps.config.channel_in(place).language;
        set.or_else(spoken).or_else(of_server).unwrap_or_default()
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
        let there = self.connected();
        let adapter = there.as_ref().and_then(|there| there.adapter.upgrade());
        let known = there.zip(adapter);
        known.map(|(there, adapter)| adapter.tongue_in(&there.cache, place)).unwrap_or_default()
    }

    /// The language of a channel of a server.
    pub(super) fn tongue_at(&self, channel: all::ChannelId) -> Tongue {
        self.known_place(&channel.get().into()).map(|place| self.tongue_in(&place)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_speaks_what_most_of_its_last_messages_are_in() {
        let tongues = SpokenTongues::default();
        let quay = Place::terminal(ChannelId::from(7));
        let speaks = |text: &str| {
            tongues.hears(&quay, text);
            tongues.spoken_in(&quay.channel)
        };
        assert_eq!(speaks("ok"), None);
        assert_eq!(speaks("Die Fähre ist heute wieder nicht gekommen."), Some(Tongue::German));
        assert_eq!(speaks("that is what I was afraid of"), Some(Tongue::English), "the last of equals");
        assert_eq!(speaks("Wir warten noch eine Stunde, dann gehen wir."), Some(Tongue::German));
        assert_eq!(speaks("and what is it that you are waiting for?"), Some(Tongue::English));
        assert_eq!(speaks("Auf das Schiff, worauf denn sonst?"), Some(Tongue::German));
        for _ in 0..HEARD {
            speaks("the ferry is late and I am not going to wait for it");
        }
        assert_eq!(tongues.spoken_in(&quay.channel), Some(Tongue::English));
        assert_eq!(tongues.spoken_in(&ChannelId::from(8)), None);
    }
}
