//! Who people are in play, by place and in general.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{ChannelId, Persona, Place};

/// Places of one account with a persona of their own.
const PLACES_MAX: usize = 50;

/// Where a persona holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayedIn {
    /// In one channel and its threads.
    Channel(ChannelId),
    /// Wherever no other is set.
    Everywhere,
}

/// The personas of one account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OwnPersonas {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub everywhere: Option<Persona>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<ChannelId, Persona>,
}

impl OwnPersonas {
    /// Who they are in a place.
    pub fn at(&self, place: &Place) -> Option<&Persona> {
        let own = |channel: &ChannelId| self.places.get(channel);
        own(&place.channel).or_else(|| own(place.parent.as_ref()?)).or(self.everywhere.as_ref())
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Persona> {
        self.everywhere.iter().chain(self.places.values())
    }

    /// Whether there is room for it.
    pub(super) fn set(&mut self, played_in: PlayedIn, persona: Persona) -> bool {
        match played_in {
            PlayedIn::Everywhere => self.everywhere = Some(persona),
            PlayedIn::Channel(channel) => {
                if self.places.len() >= PLACES_MAX && !self.places.contains_key(&channel) {
                    return false;
                }
                self.places.insert(channel, persona);
            }
        }
        true
    }

    /// Whether there was one.
    pub(super) fn clear(&mut self, played_in: &PlayedIn) -> bool {
        match played_in {
            PlayedIn::Everywhere => self.everywhere.take().is_some(),
            PlayedIn::Channel(channel) => self.places.remove(channel).is_some(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.everywhere.is_none() && self.places.is_empty()
    }
}
