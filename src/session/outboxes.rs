//! Which way out a place has.
//!
//! Owns the ways of platforms and of single places, such as a call while it lasts. Start reading at
//! [`Outboxes::for_place`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::outbox::Outbox;
use crate::domain::{ChannelId, Place, Platform};

/// All ways out.
#[derive(Debug, Default)]
pub(super) struct Outboxes {
    platforms: Mutex<HashMap<Platform, Arc<dyn Outbox>>>,
    places: Mutex<HashMap<ChannelId, Arc<dyn Outbox>>>,
}

impl Outboxes {
    /// The way out of a place: its own, else its platform's.
    pub fn for_place(&self, place: &Place) -> Option<Arc<dyn Outbox>> {
        let own = self.places.lock().unwrap_or_else(PoisonError::into_inner).get(&place.channel).cloned();
        own.or_else(|| {
            self.platforms.lock().unwrap_or_else(PoisonError::into_inner).get(&place.platform).cloned()
        })
    }

    /// The way out of a place that stays, whatever comes and goes: its platform's, else its own.
    pub fn lasting(&self, place: &Place) -> Option<Arc<dyn Outbox>> {
        let platform =
            self.platforms.lock().unwrap_or_else(PoisonError::into_inner).get(&place.platform).cloned();
        platform.or_else(|| self.for_place(place))
    }

    /// The last one given to a platform wins.
    pub fn connect(&self, platform: Platform, outbox: Arc<dyn Outbox>) {
        self.platforms.lock().unwrap_or_else(PoisonError::into_inner).insert(platform, outbox);
    }

    /// What is said in this place goes another way from the next turn on.
    pub fn connect_place(&self, channel: ChannelId, outbox: Arc<dyn Outbox>) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).insert(channel, outbox);
    }

    /// It goes its platform's way again, unless another way was given meanwhile.
    pub fn disconnect_place(&self, channel: &ChannelId, outbox: &Arc<dyn Outbox>) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if places.get(channel).is_some_and(|known| Arc::ptr_eq(known, outbox)) {
            places.remove(channel);
        }
    }
}
