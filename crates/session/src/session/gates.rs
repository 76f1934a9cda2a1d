//! The reply gate: who is answered, and how often (M11, M13). Every beginning of an answer counts, those
//! that are thrown away included.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::config::Config;
use crate::domain::{AccountId, Caller, ChannelId, GuildId, Place, Platform, ReplyMeasure, ReplyPass};

/// Replies one stranger gets at once, and how long one takes to come back.
const EACH: Bucket = Bucket { most: 5, again: Duration::from_secs(60) };

/// Replies all strangers get together.
const ALL: Bucket = Bucket { most: 20, again: Duration::from_secs(15) };

/// A bucket of replies that fills again bit by bit, unlike [what is counted for a while](crate::clock::Uses): nobody who
/// goes on talking is left without an answer for all of it.
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
    /// So many at once, and as many again in a minute; `None` where there is no limit.
    fn a_minute(most: u32) -> Option<Self> {
        (most > 0).then(|| Self { most, again: Duration::from_secs(60) / most })
    }

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

#[derive(Debug, Default)]
pub(super) struct ReplyGate(Mutex<HashMap<Whose, Paced>>);

/// Whose beginnings of answers are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Whose {
    Person(AccountId),
    Channel(ChannelId),
    Guild(GuildId),
    Stranger(AccountId),
    AllStrangers,
}

#[derive(Debug, Clone, Copy)]
struct Paced {
    level: Level,
    bucket: Bucket,
    /// They were told since it was last full.
    is_told: bool,
}

/// There is nothing left for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    /// And nobody was told yet.
    New,
    /// As was told before.
    Known,
}

/// Buckets that are kept; beyond that those that are full again are let go, and then all of them.
const PACED_MAX: usize = 4_096;

impl ReplyGate {
    /// Takes what one beginning of an answer costs its asker, its channel and its server.
    pub(super) fn take(&self, config: &Config, place: &Place, asker: Option<&AccountId>) -> Result<(), Full> {
        self.take_from(&buckets(config, place, asker))
    }

    /// Takes one from each of them, or from none where one is empty.
    fn take_from(&self, buckets: &[(Whose, Bucket)]) -> Result<(), Full> {
        let now = Instant::now();
        let mut pace = self.0.lock();
        if pace.len() >= PACED_MAX {
            pace.retain(|_, one| one.bucket.filled(one.level, now).left < one.bucket.most);
            if pace.len() >= PACED_MAX {
                pace.clear();
            }
        }
        for (whose, bucket) in buckets {
            let paced = pace.entry(whose.clone()).or_insert_with(|| Paced::full(*bucket, now));
            paced.fill(*bucket, now);
            if paced.level.left == 0 {
                return Err(if std::mem::replace(&mut paced.is_told, true) {
                    Full::Known
                } else {
                    Full::New
                });
            }
        }
        for (whose, _) in buckets {
            if let Some(paced) = pace.get_mut(whose) {
                paced.level.left -= 1;
            }
        }
        Ok(())
    }

    /// Whether another answer could be begun.
    pub(super) fn has_room(&self, config: &Config, place: &Place, asker: Option<&AccountId>) -> bool {
        let now = Instant::now();
        let pace = self.0.lock();
        buckets(config, place, asker).iter().all(|(whose, bucket)| {
            pace.get(whose).is_none_or(|paced| bucket.filled(paced.level, now).left > 0)
        })
    }

    /// Leave to answer somebody in a place; `None` for a stranger who got as many answers as there are for now. Bots are
    /// measured by how many follow each other, not here.
    pub(super) fn pass(
        &self,
        caller: Caller,
        account: Option<&AccountId>,
        place: &Place,
    ) -> Option<ReplyPass> {
        let pass = caller.reply();
        if pass.measure() == ReplyMeasure::Full || !place.is_one_to_one() {
            return Some(pass);
        }
        // What all of them get together comes first: it bounds how many are counted.
        let buckets = [(Whose::AllStrangers, ALL), (Whose::Stranger(account?.clone()), EACH)];
        self.take_from(&buckets).is_ok().then_some(pass)
    }
}

impl Paced {
    fn full(bucket: Bucket, now: Instant) -> Self {
        Self { level: bucket.full(now), bucket, is_told: false }
    }

    fn fill(&mut self, bucket: Bucket, now: Instant) {
        (self.level, self.bucket) = (bucket.filled(self.level, now), bucket);
        if self.level.left >= bucket.most {
            self.is_told = false;
        }
    }
}

/// What an answer there is counted against. Whoever sits at the machine is not counted, nor is whoever runs it.
fn buckets(config: &Config, place: &Place, asker: Option<&AccountId>) -> Vec<(Whose, Bucket)> {
    let is_operator =
        |account: &AccountId| config.discord.operators.iter().any(|id| *account == AccountId::discord(*id));
    if place.platform == Platform::Terminal || asker.is_some_and(is_operator) {
        return Vec::new();
    }
    let limits = &config.limits;
    let person = asker.cloned().map(Whose::Person);
    let guild = place.guild.clone().map(Whose::Guild);
    let of = |whose: Option<Whose>, a_minute: u32| Some((whose?, Bucket::a_minute(a_minute)?));
    [
        of(person, limits.person_per_minute),
        of(Some(Whose::Channel(place.channel.clone())), limits.channel_per_minute),
        of(guild, limits.guild_per_minute),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(known.unwrap().measure(), ReplyMeasure::Full, "who is known is not counted");
    }

    #[tokio::test(start_paused = true)]
    async fn m13_strangers_are_counted_up_to_a_bound() {
        let (gate, place) = (ReplyGate::default(), Place::terminal(ChannelId::from(1_u64)));
        for who in 0..PACED_MAX as u64 + 50 {
            tokio::time::advance(ALL.again).await;
            gate.pass(Caller::Public, Some(&AccountId::discord(who)), &place);
        }
        assert!(gate.0.lock().len() <= PACED_MAX + 1);
    }
}
