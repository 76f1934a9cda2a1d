//! The reply gate: who is answered, and how often (specs mechanisms M11, M13).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::{AccountId, Caller, Measure, Place, ReplyPass};

/// Replies one stranger gets at once, and how long one takes to come back.
const EACH: Bucket = Bucket { most: 5, again: Duration::from_secs(60) };

/// Replies all strangers get together.
const ALL: Bucket = Bucket { most: 20, again: Duration::from_secs(15) };

/// Strangers whose replies are counted. Beyond that a new one waits until somebody else has all of theirs back.
const STRANGERS_MAX: usize = 1_024;

/// A bucket of replies that fills again by itself.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    most: u32,
    again: Duration,
}

/// What is left in one.
#[derive(Debug, Clone, Copy)]
struct Level {
    left: u32,
    since: Instant,
}

impl Bucket {
    fn full(self, now: Instant) -> Level {
        Level { left: self.most, since: now }
    }

    fn filled(self, level: Level, now: Instant) -> Level {
        let waited = now.saturating_duration_since(level.since);
        let came = u32::try_from(waited.as_millis() / self.again.as_millis().max(1)).unwrap_or(u32::MAX);
        if level.left.saturating_add(came) >= self.most {
            return self.full(now);
        }
        Level { left: level.left + came, since: level.since + self.again * came }
    }
}

/// Lets replies pass.
#[derive(Debug, Default)]
pub(super) struct ReplyGate {
    strangers: Mutex<Strangers>,
}

#[derive(Debug, Default)]
struct Strangers {
    each: HashMap<AccountId, Level>,
    all: Option<Level>,
}

impl ReplyGate {
    /// Leave to answer somebody in a place; `None` for a stranger who got as many answers as there are for now. Bots are
    /// measured by how many follow each other, not here.
    pub(super) fn pass(
        &self,
        caller: Caller,
        account: Option<&AccountId>,
        place: &Place,
    ) -> Option<ReplyPass> {
        let pass = caller.reply();
        if pass.measure() == Measure::Full || !place.is_one_to_one() {
            return Some(pass);
        }
        let account = account?;
        let now = Instant::now();
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        let all = ALL.filled(strangers.all.unwrap_or(ALL.full(now)), now);
        let own = strangers.each.get(account).copied();
        if own.is_none() && strangers.each.len() >= STRANGERS_MAX {
            strangers.each.retain(|_, level| EACH.filled(*level, now).left < EACH.most);
        }
        let has_place = own.is_some() || strangers.each.len() < STRANGERS_MAX;
        let own = EACH.filled(own.unwrap_or(EACH.full(now)), now);
        if !has_place || own.left == 0 || all.left == 0 {
            return None;
        }
        strangers.each.insert(account.clone(), Level { left: own.left - 1, ..own });
        strangers.all = Some(Level { left: all.left - 1, ..all });
        Some(pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ChannelId;

    #[tokio::test(start_paused = true)]
    async fn m13_a_stranger_gets_five_answers_and_one_more_a_minute_and_others_none_of_theirs() {
        let (gate, place) = (ReplyGate::default(), Place::terminal(ChannelId::from(1_u64)));
        let asks = |who: u64| gate.pass(Caller::Public, Some(&AccountId::discord(who)), &place).is_some();
        for _ in 0..EACH.most {
            assert!(asks(1));
        }
        assert!(!asks(1) && asks(2), "each has their own");
        tokio::time::advance(EACH.again).await;
        assert!(asks(1) && !asks(1));
        // Somebody with many accounts meets the bucket of all.
        tokio::time::advance(ALL.again * ALL.most).await;
        let answered = (100..200).filter(|who| asks(*who)).count();
        assert_eq!(answered, ALL.most as usize);
        let known = gate.pass(Caller::Tenant, Some(&AccountId::discord(1)), &place);
        assert_eq!(known.unwrap().measure(), Measure::Full, "who is known is not counted");
    }

    #[tokio::test(start_paused = true)]
    async fn m13_strangers_are_counted_up_to_a_bound() {
        let (gate, place) = (ReplyGate::default(), Place::terminal(ChannelId::from(1_u64)));
        for who in 0..STRANGERS_MAX as u64 + 50 {
            tokio::time::advance(ALL.again).await;
            gate.pass(Caller::Public, Some(&AccountId::discord(who)), &place);
        }
        assert!(gate.strangers.lock().unwrap().each.len() <= STRANGERS_MAX);
    }
}
