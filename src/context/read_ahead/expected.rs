//! Who types or begins to speak, so that what was fetched for them is fetched again when the place changes under it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::ReadAhead;
use crate::context::request::TurnRequest;
use crate::domain::{AccountId, Audience, Author, ChannelId, Modality, Place};

/// Somebody is expected for so long after they were last seen to type or speak.
const EXPECTED: Duration = Duration::from_secs(60);

/// People who are expected at once, over all places.
const EXPECTED_MAX: usize = 64;

/// Everybody who is expected.
#[derive(Debug, Default)]
pub(super) struct Awaited(Mutex<Vec<Expected>>);

#[derive(Debug)]
struct Expected {
    who: Author,
    audience: Audience,
    channel: ChannelId,
    modality: Modality,
    until: Instant,
}

impl ReadAhead {
    /// Somebody begins to type or to speak.
    pub(in crate::context) fn expect(&self, request: &TurnRequest) {
        let Some(who) = request.author.clone() else { return };
        let now = Instant::now();
        let mut expected = self.lock_expected();
        let channel = request.place.channel.clone();
        let is_same = |one: &Expected| one.who.account == who.account && one.channel == channel;
        expected.retain(|one| one.until > now && !is_same(one));
        if expected.len() >= EXPECTED_MAX {
            expected.remove(0);
        }
        let audience = request.place.audience.clone();
        expected.push(Expected { who, audience, channel, modality: request.modality, until: now + EXPECTED });
    }

    /// Who is expected in a place, and how they will be answered.
    pub(in crate::context) fn expected(&self, place: &Place) -> Vec<(Author, Modality)> {
        let now = Instant::now();
        let expected = self.lock_expected();
        let here = expected
            .iter()
            .filter(|one| one.until > now && one.channel == place.channel && one.audience == place.audience);
        here.map(|one| (one.who.clone(), one.modality)).collect()
    }

    /// Whoever was expected has said it.
    pub(in crate::context) fn arrived(&self, place: &Place, who: &AccountId) {
        let mut expected = self.lock_expected();
        expected.retain(|one| one.channel != place.channel || one.who.account != *who);
    }

    fn lock_expected(&self) -> MutexGuard<'_, Vec<Expected>> {
        self.expected.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
