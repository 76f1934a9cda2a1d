//! Answers of a store that were fetched ahead, each for one person in one place.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

use crate::context::providers::Lifetime;
use crate::context::request::TurnRequest;
use crate::domain::{AccountId, Audience, ChannelId, TokenEncoding, Visible};
use crate::history::{About, AsOf, History};

/// People in places for whom something is kept at once; what lies longest goes first.
pub(super) const KEPT_MAX: usize = 256;

/// Who asks where, who hears the answer, and how tokens are counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    channel: ChannelId,
    audience: Audience,
    caller: Option<AccountId>,
    encoding: TokenEncoding,
}

impl Key {
    fn of(request: &TurnRequest) -> Self {
        Self {
            channel: request.place.channel.clone(),
            audience: request.place.audience.clone(),
            caller: request.author.as_ref().map(|author| author.account.clone()),
            encoding: request.model.encoding,
        }
    }
}

#[derive(Debug)]
struct Held<V> {
    value: V,
    as_of: AsOf,
    /// What could be seen there. What is paired may be parted again, and a channel may be shut.
    visible: Visible,
    until: Instant,
}

/// Answers of one sort.
#[derive(Debug)]
pub(super) struct Warm<V>(Mutex<HashMap<Key, Held<V>>>);

impl<V> Default for Warm<V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<V: Clone> Warm<V> {
    /// The answer and its moment, if it still holds for this turn: the same person among the same people, and nothing
    /// about it was said since but what the turn answers. A turn that looks at the past gets nothing of today.
    pub(super) fn get(
        &self,
        request: &TurnRequest,
        history: &History,
        about: &[About<'_>],
    ) -> Option<(V, AsOf)> {
        if request.as_of.is_some() {
            return None;
        }
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = held.get(&Key::of(request)).filter(|held| {
            held.until > Instant::now()
                && held.visible == request.visible()
                && about.iter().all(|about| history.still(held.as_of, *about, &request.pending))
        })?;
        Some((held.value.clone(), held.as_of))
    }

    /// Keeps an answer. `as_of` was asked for before it was read.
    pub(super) fn put(&self, request: &TurnRequest, value: V, as_of: AsOf, lifetime: Lifetime) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = Key::of(request);
        if held.len() >= KEPT_MAX && !held.contains_key(&key) {
            let oldest = held.iter().min_by_key(|(_, held)| held.until).map(|(key, _)| key.clone());
            held.retain(|key, _| Some(key) != oldest.as_ref());
        }
        let until = Instant::now() + lifetime.duration();
        held.insert(key, Held { value, as_of, visible: request.visible(), until });
    }

    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
