//! Which language is spoken in a place, as far as its last messages tell. Start reading at [`SpokenTongues`].

use std::collections::VecDeque;

use parking_lot::Mutex;
use quick_cache::unsync::Cache;

use crate::domain::{ChannelId, Place};
use crate::text::tongue::Tongue;

/// Places whose language is remembered.
const KEPT_PLACES: usize = 4096;

/// What a place speaks goes by its last so many messages that tell.
const HEARD: usize = 9;

/// What is spoken in places.
#[derive(Debug)]
pub(in crate::discord) struct SpokenTongues(Mutex<Cache<ChannelId, VecDeque<Tongue>>>);

impl Default for SpokenTongues {
    fn default() -> Self {
        Self(Mutex::new(Cache::new(KEPT_PLACES)))
    }
}

impl SpokenTongues {
    /// Something was said in a place.
    pub(in crate::discord) fn hears(&self, place: &Place, text: &str) {
        let Some(tongue) = Tongue::of_text(text) else { return };
        let mut places = self.0.lock();
        let mut heard = places.get(&place.channel).cloned().unwrap_or_default();
        heard.push_front(tongue);
        heard.truncate(HEARD);
        places.insert(place.channel.clone(), heard);
    }

    /// What most of the last messages are in, of several the one spoken last; `None` where nothing told.
    pub(in crate::discord) fn spoken_in(&self, channel: &ChannelId) -> Option<Tongue> {
        let places = self.0.lock();
        let heard = places.get(channel)?;
        let times = |tongue: &Tongue| heard.iter().filter(|other| *other == tongue).count();
        // Of equals the last one counts, which is the newest of a list turned round.
        heard.iter().rev().copied().max_by_key(times)
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
