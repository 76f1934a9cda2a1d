//! When memories are written: after so many turns, after a while of quiet, and when a conversation is over.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::config::MemoryWriterConfig;
use crate::domain::{Audience, ChannelId, Place, Role, StoredId, StoredTurn};
use crate::history::Unread;
use crate::workers::job::{Due, pause};

/// Turns shown to a model at once.
const BATCH_TURNS: usize = 60;

/// Characters of turns shown to a model at once, about 6,000 tokens.
const BATCH_CHARS: usize = 24_000;

/// Places whose unwritten turns are known; one more is found again with its next message.
const PLACES_MAX: usize = 1_024;

/// A stop of the program is worth a request from so many unwritten turns on. Fewer are written after the next start, with
/// what follows, or after the pause that the stop was.
const WORTH_WHILE: u32 = 10;

/// Which conversations are over, and which have something unwritten.
#[derive(Debug, Default)]
pub(in crate::workers) struct Conclusions {
    state: Mutex<Fatigue>,
}

#[derive(Debug, Default)]
struct Fatigue {
    over: HashMap<ChannelId, Place>,
    unwritten: HashMap<ChannelId, Place>,
}

impl Conclusions {
    /// A conversation is over.
    pub(in crate::workers) fn add(&self, place: &Place) {
        self.with(|state| remember_place(&mut state.over, place));
    }

    /// The places with enough unwritten to be worth a request, as far as was seen.
    pub(in crate::workers) fn unwritten(&self) -> Vec<Place> {
        self.with(|state| state.unwritten.values().cloned().collect())
    }

    /// Whether a conversation is over; asked once for each time it is.
    pub(super) fn take(&self, place: &Place) -> bool {
        self.with(|state| state.over.remove(&place.channel).is_some())
    }

    /// Notes down how many turns of a place are unwritten.
    pub(super) fn note(&self, place: &Place, unwritten: u32) {
        self.with(|state| {
            if unwritten >= WORTH_WHILE {
                remember_place(&mut state.unwritten, place);
            } else {
                state.unwritten.remove(&place.channel);
            }
        });
    }

    fn with<R>(&self, work: impl FnOnce(&mut Fatigue) -> R) -> R {
        work(&mut self.state.lock())
    }
}

fn remember_place(places: &mut HashMap<ChannelId, Place>, place: &Place) {
    if places.len() < PLACES_MAX || places.contains_key(&place.channel) {
        places.insert(place.channel.clone(), place.clone());
    }
}

/// Which turns are to be written now. A pause counts wherever it is: what was said before it is over, also when the
/// program was not running then.
pub(super) fn due(unread: &Unread, config: &MemoryWriterConfig, is_over: bool, now: Timestamp) -> Due {
    let turns = &unread.turns;
    let Some(newest) = turns.last() else { return Due::Never };
    if is_over || unread.count >= config.turn_threshold {
        return Due::Now(turns.len());
    }
    let quiet = pause(newest.at, now);
    if quiet >= config.idle_timeout {
        return Due::Now(turns.len());
    }
    let paused = turns.windows(2).rposition(|pair| pause(pair[0].at, pair[1].at) >= config.idle_timeout);
    match paused {
        Some(at) => Due::Now(at + 1),
        None => Due::In((config.idle_timeout - quiet).max(Duration::from_secs(1))),
    }
}

/// Turns that go to a model together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Together {
    /// Before whom all of them were said.
    pub audience: Audience,
    pub turns: Vec<StoredTurn>,
    /// The last turn that is done with them, which may be one that was passed over.
    pub last: StoredId,
}

/// The first of these turns that go to a model together: of one audience, and not too many. What the familiar answered to
/// somebody who paired is for fewer than what they said, and is passed over: no fact is learnt from one's own words.
pub(super) fn batch(turns: &[StoredTurn]) -> Option<Together> {
    let first = turns.first()?;
    let audience = first.audience.clone();
    let is_passed_over = |turn: &StoredTurn| {
        let is_shared = matches!(audience, Audience::Shared(_));
        is_shared && turn.role == Role::Assistant && matches!(turn.audience, Audience::Dm(_))
    };
    let mut chars = 0;
    let mut together = Together { audience: audience.clone(), turns: Vec::new(), last: first.id };
    for turn in turns.iter().take(BATCH_TURNS) {
        if is_passed_over(turn) {
            together.last = turn.id;
            continue;
        }
        chars += turn.content.len();
        if turn.audience != audience || (!together.turns.is_empty() && chars > BATCH_CHARS) {
            break;
        }
        together.last = turn.id;
        together.turns.push(turn.clone());
    }
    Some(together)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AccountId, BondId, ChannelMode, GuildId};

    fn turn(number: i64, second: i64, audience: Audience) -> StoredTurn {
        StoredTurn {
            audience,
            id: StoredId(number),
            ordinal: number.unsigned_abs(),
            role: Role::User,
            author: None,
            content: "x".repeat(100),
            at: Timestamp::from_second(second).unwrap(),
            mode: ChannelMode::FullRp,
            message: None,
            reply_to: None,
            turn: None,
            tokens: 0,
        }
    }

    fn guild() -> Audience {
        Audience::Guild(GuildId::from(7))
    }

    fn unread(seconds: &[i64]) -> Unread {
        let turns: Vec<_> = (1..).zip(seconds).map(|(n, at)| turn(n, *at, guild())).collect();
        Unread { count: u32::try_from(turns.len()).unwrap(), turns }
    }

    fn when(unread: &Unread, is_over: bool, now: i64) -> Due {
        let config =
            MemoryWriterConfig { turn_threshold: 5, idle_timeout: Duration::from_secs(1800), dry_run: false };
        due(unread, &config, is_over, Timestamp::from_second(now).unwrap())
    }

    #[test]
    fn memories_are_written_after_turns_after_quiet_and_at_the_end() {
        assert_eq!(when(&unread(&[]), true, 0), Due::Never);
        assert_eq!(when(&unread(&[0, 10]), false, 20), Due::In(Duration::from_secs(1790)));
        assert_eq!(when(&unread(&[0, 10]), true, 20), Due::Now(2));
        assert_eq!(when(&unread(&[0, 10]), false, 1810), Due::Now(2));
        assert_eq!(when(&unread(&[0, 1, 2, 3, 4]), false, 5), Due::Now(5));
        assert_eq!(when(&unread(&[0, 10, 1810]), false, 1811), Due::Now(2), "what was before the pause");
    }

    #[test]
    fn contradiction_8_turns_of_two_audiences_never_go_together() {
        let alone = Audience::Private(ChannelId::from(1_u64));
        let mut turns: Vec<_> = (1..=100).map(|n| turn(n, n, guild())).collect();
        assert_eq!(batch(&turns).unwrap().turns.len(), BATCH_TURNS);
        turns[3].audience = alone;
        let first = batch(&turns).unwrap();
        assert_eq!((first.audience, first.turns.len(), first.last), (guild(), 3, StoredId(3)));
        turns[0].content = "x".repeat(BATCH_CHARS * 2);
        assert_eq!(batch(&turns).unwrap().turns.len(), 1, "never none");
    }

    #[test]
    fn m14_what_was_answered_in_private_is_no_part_of_what_is_shared() {
        let (shared, alone) = (Audience::Shared(BondId(1)), Audience::Dm(AccountId::discord(1)));
        let mut turns: Vec<_> = (1..=6).map(|n| turn(n, n, shared.clone())).collect();
        for at in [1, 3] {
            turns[at] = StoredTurn { role: Role::Assistant, audience: alone.clone(), ..turns[at].clone() };
        }
        // What they said before they paired.
        turns[5].audience = alone.clone();
        let first = batch(&turns).unwrap();
        let ids: Vec<_> = first.turns.iter().map(|turn| turn.id.0).collect();
        assert_eq!((first.audience, ids, first.last), (shared, vec![1, 3, 5], StoredId(5)));
        assert_eq!(batch(&turns[1..2]).unwrap().audience, alone);
    }
}
