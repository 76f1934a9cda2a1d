//! Where a model asked for room.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::domain::{ChannelId, Place};

/// Channels that are remembered; one more can be asked for again.
const ASKED_MAX: usize = 1_024;

/// The channels of which older messages are to be summed up once, because a model asked for it (specs mechanisms Y6).
#[derive(Debug, Default)]
pub(in crate::workers) struct Asked {
    channels: Mutex<HashSet<ChannelId>>,
}

impl Asked {
    /// A model asked.
    pub(in crate::workers) fn add(&self, place: &Place) {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if channels.len() < ASKED_MAX {
            channels.insert(place.channel.clone());
        }
    }

    /// Whether one did and nothing was made of it yet.
    pub(super) fn is_for(&self, place: &Place) -> bool {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner).contains(&place.channel)
    }

    /// What was asked for is there, or there is nothing to make it of.
    pub(super) fn done(&self, place: &Place) {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner).remove(&place.channel);
    }
}
