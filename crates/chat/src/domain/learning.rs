//! What people did with replies, and what that comes to in a place: counts and weights, never words (M17).
//!
//! Owns what counts for what, how it fades, and the bounds of what it changes. Must not know who may be counted or where
//! counts are kept. Start reading at [`Learned::from`].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{AccountId, InvalidId, StoredId, TurnId};

/// What somebody did with a reply.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", parse_err_ty = InvalidId, parse_err_fn = no_deed)]
pub enum Deed {
    /// Put a thumb, a heart or thanks under it.
    Liked,
    Disliked,
    /// Wanted another one in its place.
    AskedAnew,
    /// Talked over it in a call until it stopped.
    CutOff,
    /// Gave it other words, or set it right.
    Corrected,
    Deleted,
    /// Went on with what it said without being asked.
    TakenUp,
    /// Went on as if it had not joined in.
    PassedOver,
}

impl Deed {
    /// Its name in stores.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it speaks for the reply, by 1, or against it, by -1.
    fn valence(self) -> f64 {
        match self {
            Self::Liked | Self::TakenUp => 1.0,
            _ => -1.0,
        }
    }

    /// Whether it says that the reply was joining in.
    fn is_of_joining_in(self) -> bool {
        matches!(self, Self::TakenUp | Self::PassedOver)
    }
}

fn no_deed(value: &str) -> InvalidId {
    InvalidId { kind: "deed", value: value.to_owned(), reason: "nothing of this name is counted" }
}

/// Something that somebody did with a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub reply: StoredId,
    /// The turn that gave it, by which people find it.
    pub turn: Option<TurnId>,
    pub by: AccountId,
    pub deed: Deed,
    /// How many characters the reply had.
    pub chars: u32,
    /// What its turn used.
    pub tools: Vec<String>,
    pub at: Timestamp,
}

/// Counts weigh half as much after so many seconds: thirty days.
const HALF_LIFE: f64 = 30.0 * 24.0 * 3600.0;

/// So much weight there has to be before anything changes: three fresh counts.
const ENOUGH: f64 = 2.9;

/// So much weight is added of what nobody knows: a few counts move little.
const DOUBT: f64 = 4.0;

/// What was done at another time of the day counts so much less.
const AT_ANOTHER_TIME: f64 = 0.5;

/// A reply is long, or short, beyond these shares of what is usual in its place.
const LONG: f64 = 1.25;
const SHORT: f64 = 0.75;

/// What is said for one length over the other counts from here on, of 1.
const PLAIN: f64 = 0.3;

/// Parts of the day, of four hours each, from midnight.
pub const DAY_PARTS: usize = 6;

/// In percent of the messages that it would wait for, how many it waits for.
const JOIN_IN_PERCENT: RangeInclusive<u32> = 50..=200;

/// The fewest messages it waits for, whatever it learnt.
const JOIN_IN_MIN: u32 = 3;

/// In percent, what becomes of the score of a tool whose replies are all liked; the other way it becomes as much less.
const TOOL_PERCENT: f64 = 125.0;

/// Replies that are named for what was learnt from them.
const EVIDENCE: usize = 8;

/// Which length of answers people like better in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LikedLength {
    Shorter,
    #[default]
    AsItIs,
    Longer,
}

/// What people's responses come to in a place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Learned {
    /// In percent of the messages that it would wait for before it joins in, by part of the day; in [`JOIN_IN_PERCENT`].
    /// Without any it is a hundred.
    join_in: Option<[u32; DAY_PARTS]>,
    /// Turns behind that, the newest first.
    pub joining_in_from: Vec<TurnId>,
    pub length: LikedLength,
    /// Turns behind that, the newest first.
    pub length_from: Vec<TurnId>,
    /// In percent, what becomes of how well these tools fit, where that changes.
    pub tools: Arc<BTreeMap<String, u32>>,
    /// Turns behind that, the newest first.
    pub tools_from: Vec<TurnId>,
    /// How many responses there are, whether or not they change anything.
    pub counted: usize,
}

impl Learned {
    /// What these responses, all of one place, come to at a moment by a clock.
    pub fn from(responses: &[Response], now: Timestamp, tz: &TimeZone) -> Self {
        let joined: BTreeSet<StoredId> =
            responses.iter().filter(|one| one.deed.is_of_joining_in()).map(|one| one.reply).collect();
        let of_joining = |one: &&Response| {
            joined.contains(&one.reply)
                && matches!(
                    one.deed,
                    Deed::Liked | Deed::Disliked | Deed::Deleted | Deed::TakenUp | Deed::PassedOver
                )
        };
        let of_joining: Vec<&Response> = responses.iter().filter(of_joining).collect();
        let join_in = joining_in(&of_joining, now, tz);
        let (length, of_length) = liked_length(responses, now);
        let (tools, of_tools) = liked_tools(responses, now);
        Self {
            joining_in_from: join_in.map(|_| evidence(&of_joining)).unwrap_or_default(),
            join_in,
            length_from: evidence(&of_length),
            length,
            tools_from: evidence(&of_tools),
            tools: Arc::new(tools),
            counted: responses.len(),
        }
    }

    /// In percent of the messages it would wait for, how many it waits for in a part of the day, from 0.
    pub fn join_in_percent(&self, part: usize) -> u32 {
        self.join_in.and_then(|parts| parts.get(part).copied()).unwrap_or(100)
    }

    /// At how many messages it joins in where it would at `start`, at a moment by a clock.
    pub fn join_in_at(&self, start: u32, at: Timestamp, tz: &TimeZone) -> u32 {
        let percent = self.join_in_percent(day_part_at(at, tz));
        (start.saturating_mul(percent) / 100).max(JOIN_IN_MIN.min(start))
    }
}

fn day_part_at(at: Timestamp, tz: &TimeZone) -> usize {
    usize::from(at.to_zoned(tz.clone()).hour().unsigned_abs()) * DAY_PARTS / 24
}

/// How much a response weighs by now, from 0 to 1.
fn weight(one: &Response, now: Timestamp) -> f64 {
    let age = now.duration_since(one.at).as_secs_f64().max(0.0);
    0.5_f64.powf(age / HALF_LIFE)
}

fn joining_in(responses: &[&Response], now: Timestamp, tz: &TimeZone) -> Option<[u32; DAY_PARTS]> {
    let weighed: Vec<(usize, f64, f64)> =
        responses.iter().map(|one| (day_part_at(one.at, tz), weight(one, now), one.deed.valence())).collect();
    if weighed.iter().map(|(_, weight, _)| weight).sum::<f64>() < ENOUGH {
        return None;
    }
    let percent = |part: usize| {
        let (mut all, mut speaks_for) = (DOUBT, 0.0);
        for (of, weight, valence) in &weighed {
            let weight = if *of == part { *weight } else { weight * AT_ANOTHER_TIME };
            all += weight;
            speaks_for += weight * valence;
        }
        // Twice as soon where all speaks for it, half as soon where all speaks against it.
        let percent = (100.0 * (-speaks_for / all).exp2()).round() as u32;
        percent.clamp(*JOIN_IN_PERCENT.start(), *JOIN_IN_PERCENT.end())
    };
    let mut parts = [100; DAY_PARTS];
    parts.iter_mut().enumerate().for_each(|(part, of)| *of = percent(part));
    Some(parts)
}

/// Which length is liked better, and what says so.
fn liked_length(responses: &[Response], now: Timestamp) -> (LikedLength, Vec<&Response>) {
    let lengths: BTreeMap<StoredId, u32> = responses.iter().map(|one| (one.reply, one.chars)).collect();
    let Ok(count) = u32::try_from(lengths.len().max(1)) else { return (LikedLength::AsItIs, Vec::new()) };
    let usual = lengths.values().map(|chars| f64::from(*chars)).sum::<f64>() / f64::from(count);
    // 1 speaks for longer answers, -1 for shorter ones.
    let says = |one: &Response| {
        let chars = f64::from(one.chars);
        match one.deed {
            // Whoever talks over it has heard enough, however short it was.
            Deed::CutOff => -1.0,
            Deed::TakenUp | Deed::PassedOver => 0.0,
            deed if chars > usual * LONG => deed.valence(),
            deed if chars < usual * SHORT => -deed.valence(),
            _ => 0.0,
        }
    };
    let weighed: Vec<(f64, f64, &Response)> = responses
        .iter()
        .map(|one| (weight(one, now), says(one), one))
        .filter(|(_, says, _)| *says != 0.0)
        .collect();
    let all: f64 = weighed.iter().map(|(weight, ..)| weight).sum();
    let rate = weighed.iter().map(|(weight, says, _)| weight * says).sum::<f64>() / (all + DOUBT);
    let length = match rate {
        _ if all < ENOUGH => LikedLength::AsItIs,
        rate if rate >= PLAIN => LikedLength::Longer,
        rate if rate <= -PLAIN => LikedLength::Shorter,
        _ => LikedLength::AsItIs,
    };
    if length == LikedLength::AsItIs {
        return (length, Vec::new());
    }
    (length, weighed.into_iter().map(|(.., one)| one).collect())
}

/// Which tools are liked better or less, and what says so.
fn liked_tools(responses: &[Response], now: Timestamp) -> (BTreeMap<String, u32>, Vec<&Response>) {
    // Who talks over a reply has heard enough of its words, and what it was that joined in is not up to a tool.
    let counts = |one: &&Response| !one.deed.is_of_joining_in() && one.deed != Deed::CutOff;
    let mut by_tool: BTreeMap<&str, Vec<&Response>> = BTreeMap::new();
    for one in responses.iter().filter(counts) {
        one.tools.iter().for_each(|tool| by_tool.entry(tool).or_default().push(one));
    }
    let (mut tools, mut from) = (BTreeMap::new(), Vec::new());
    for (tool, responses) in by_tool {
        let weighed = responses.iter().map(|one| (weight(one, now), one.deed.valence()));
        let (all, speaks_for) =
            weighed.fold((0.0, 0.0), |(all, sum), (weight, valence)| (all + weight, sum + weight * valence));
        let percent = 100.0 * (TOOL_PERCENT / 100.0).powf(speaks_for / (all + DOUBT));
        let percent = percent.round() as u32;
        if all >= ENOUGH && percent != 100 {
            tools.insert(tool.to_owned(), percent);
            from.extend(responses);
        }
    }
    (tools, from)
}

/// The turns behind responses, the newest first, each once.
fn evidence(responses: &[&Response]) -> Vec<TurnId> {
    let turns: BTreeSet<TurnId> = responses.iter().filter_map(|one| one.turn).collect();
    turns.into_iter().rev().take(EVIDENCE).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use strum::VariantArray as _;

    use super::*;

    const NOW: i64 = 1_772_400_000;

    fn response(reply: u64, deed: Deed, chars: u32, hours_ago: i64) -> Response {
        Response {
            reply: StoredId(i64::try_from(reply).unwrap()),
            turn: Some(TurnId(reply)),
            by: AccountId::discord(1),
            deed,
            chars,
            tools: Vec::new(),
            at: Timestamp::from_second(NOW - hours_ago * 3600).unwrap(),
        }
    }

    fn learned(responses: &[Response], days_later: i64) -> Learned {
        let now = Timestamp::from_second(NOW + days_later * 86_400).unwrap();
        Learned::from(responses, now, &TimeZone::UTC)
    }

    fn percents(learned: &Learned) -> [u32; DAY_PARTS] {
        std::array::from_fn(|part| learned.join_in_percent(part))
    }

    #[test]
    fn m17_joining_in_comes_later_where_it_is_passed_over_and_sooner_where_it_is_taken_up() {
        let passed: Vec<_> = (1..=6).map(|reply| response(reply, Deed::PassedOver, 20, 1)).collect();
        let later = learned(&passed, 0);
        assert!(percents(&later).iter().all(|percent| *percent > 120), "{later:?}");
        assert_eq!(later.joining_in_from, [6, 5, 4, 3, 2, 1].map(TurnId));
        let taken: Vec<_> = (1..=6).map(|reply| response(reply, Deed::TakenUp, 20, 1)).collect();
        let sooner = learned(&taken, 0);
        assert!(percents(&sooner).iter().all(|percent| *percent < 80), "{sooner:?}");
        assert_eq!(learned(&passed[..2], 0).join_in, None, "two are not enough");
        // Half a year later it is as if nothing had been.
        assert_eq!(percents(&learned(&passed, 180)), [100; DAY_PARTS]);
        // The message counts, whatever was learnt: three at least.
        assert_eq!(sooner.join_in_at(3, passed[0].at, &TimeZone::UTC), 3);
        assert!(later.join_in_at(9, passed[0].at, &TimeZone::UTC) > 10);
        assert_eq!(Learned::default().join_in_at(9, passed[0].at, &TimeZone::UTC), 9);
    }

    #[test]
    fn m17_the_time_of_the_day_at_which_it_is_passed_over_counts_most() {
        // By night it is passed over, by day it is taken up.
        let hour = |reply: u64, deed, hour: i64| {
            let at = Timestamp::from_second(NOW / 86_400 * 86_400 - 86_400 + hour * 3600).unwrap();
            Response { at, ..response(reply, deed, 20, 0) }
        };
        let night = (1..=4).map(|reply| hour(reply, Deed::PassedOver, 2));
        let day = (5..=8).map(|reply| hour(reply, Deed::TakenUp, 14));
        let learned = learned(&night.chain(day).collect::<Vec<_>>(), 0);
        assert!(learned.join_in_percent(0) > 105 && learned.join_in_percent(3) < 95, "{learned:?}");
        assert_eq!(learned.join_in_percent(5), 100);
    }

    #[test]
    fn m17_the_length_that_is_liked_better_is_learnt_from_long_and_short_replies() {
        let of = |deeds: &[(Deed, u32)]| {
            let all = (1..).zip(deeds).map(|(reply, (deed, chars))| response(reply, *deed, *chars, 1));
            learned(&all.collect::<Vec<_>>(), 0).length
        };
        let (liked, disliked, anew, cut) = (Deed::Liked, Deed::Disliked, Deed::AskedAnew, Deed::CutOff);
        assert_eq!(of(&[(liked, 10), (liked, 12), (anew, 200), (disliked, 180)]), LikedLength::Shorter);
        assert_eq!(of(&[(disliked, 10), (anew, 12), (liked, 200), (liked, 180)]), LikedLength::Longer);
        assert_eq!(of(&[(cut, 50), (cut, 50), (cut, 50)]), LikedLength::Shorter);
        assert_eq!(of(&[(liked, 50), (liked, 50), (liked, 50), (liked, 50)]), LikedLength::AsItIs);
        assert_eq!(of(&[(liked, 10), (liked, 200), (liked, 12), (liked, 180)]), LikedLength::AsItIs);
    }

    #[test]
    fn m17_a_tool_whose_replies_are_liked_fits_better_and_one_whose_replies_are_not_less() {
        let with = |tools: &[&str], reply, deed| Response {
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            ..response(reply, deed, 20, 1)
        };
        let all = [
            with(&["poll"], 1, Deed::Liked),
            with(&["poll", "time_in"], 2, Deed::Liked),
            with(&["poll"], 3, Deed::Liked),
            with(&["weather"], 4, Deed::AskedAnew),
            with(&["weather"], 5, Deed::Corrected),
            with(&["weather"], 6, Deed::Deleted),
            with(&["weather"], 7, Deed::TakenUp),
            with(&["dice"], 8, Deed::Liked),
            with(&["dice"], 9, Deed::Disliked),
            with(&["dice"], 10, Deed::Liked),
            with(&["dice"], 11, Deed::Disliked),
        ];
        let now = learned(&all, 0);
        assert_eq!(*now.tools, BTreeMap::from([("poll".to_owned(), 110), ("weather".to_owned(), 91)]));
        assert_eq!(now.tools_from, [6, 5, 4, 3, 2, 1].map(TurnId));
        assert!(learned(&all[..2], 0).tools.is_empty(), "two are not enough");
        assert!(learned(&all, 180).tools.is_empty(), "half a year later it is as if nothing had been");
    }

    proptest! {
        #[test]
        fn m17_whatever_people_do_it_stays_within_its_bounds_and_fades(
            deeds in prop::collection::vec((1_u64..30, 0..Deed::VARIANTS.len(), 0_u32..5_000, 0_i64..9_000), 0..60),
            start in 1_u32..40,
        ) {
            let responses: Vec<Response> = deeds
                .into_iter()
                .map(|(reply, deed, chars, ago)| Response {
                    tools: vec![format!("tool {}", reply % 3)],
                    ..response(reply, Deed::VARIANTS[deed], chars, ago)
                })
                .collect();
            let now = learned(&responses, 0);
            for percent in percents(&now) {
                prop_assert!(JOIN_IN_PERCENT.contains(&percent));
            }
            for hour in 0..24 {
                let at = Timestamp::from_second(NOW + hour * 3600).unwrap();
                let count = now.join_in_at(start, at, &TimeZone::UTC);
                prop_assert!((start.div_ceil(2).min(JOIN_IN_MIN)..=start * 2).contains(&count));
                prop_assert!(count >= JOIN_IN_MIN.min(start));
            }
            prop_assert!(now.joining_in_from.len() <= EVIDENCE && now.length_from.len() <= EVIDENCE);
            prop_assert_eq!(now.counted, responses.len());
            prop_assert!(now.tools.values().all(|percent| (80..=125).contains(percent)));
            let faded = learned(&responses, 3_650);
            prop_assert!(faded.tools.is_empty());
            prop_assert_eq!(percents(&faded), [100; DAY_PARTS]);
            prop_assert_eq!(faded.length, LikedLength::AsItIs);
        }
    }
}
