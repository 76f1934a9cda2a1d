//! Who people are in play, by place and in general.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{ChannelId, Persona, Place};

/// Places of one account with a persona of their own.
const PLACES_MAX: usize = 50;

/// Personas of one account that are kept to be taken up again.
const KEPT_MAX: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayedIn {
    /// In one channel and its threads.
    Channel(ChannelId),
    /// Wherever no other is set.
    Everywhere,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OwnPersonas {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub everywhere: Option<Persona>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<ChannelId, Persona>,
    /// To be taken up again, wherever; each by a name of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Persona>,
}

impl OwnPersonas {
    /// Who they are in a place.
    pub fn at(&self, place: &Place) -> Option<&Persona> {
        let own = |channel: &ChannelId| self.places.get(channel);
        own(&place.channel).or_else(|| own(place.parent.as_ref()?)).or(self.everywhere.as_ref())
    }

    /// Those in force and those only kept; one may come twice.
    pub fn all(&self) -> impl Iterator<Item = &Persona> {
        self.everywhere.iter().chain(self.places.values()).chain(&self.kept)
    }

    /// The one of this name; of several the one that is kept.
    pub fn named(&self, name: &str) -> Option<&Persona> {
        let is_meant = |persona: &&Persona| persona.name == name;
        self.kept.iter().find(is_meant).or_else(|| self.all().find(is_meant))
    }

    /// Keeps one, in the place of another of that name; the oldest goes where there are too many.
    pub(super) fn keep(&mut self, persona: Persona) {
        self.kept.retain(|known| known.name != persona.name);
        if self.kept.len() >= KEPT_MAX {
            self.kept.remove(0);
        }
        self.kept.push(persona);
    }

    /// Lets go of one, wherever it is played; whether it was anywhere.
    pub(super) fn let_go(&mut self, persona: &Persona) -> bool {
        let before = self.all().count();
        self.kept.retain(|known| known != persona);
        self.places.retain(|_, known| known != persona);
        self.everywhere = self.everywhere.take().filter(|known| known != persona);
        self.all().count() < before
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
        self.everywhere.is_none() && self.places.is_empty() && self.kept.is_empty()
    }
}
