//! When a stretch of the conversation is summed up, and which (contradiction 9).

use crate::domain::{Audience, StoredTurn, WindowFigures, WindowVerdict};
use crate::history::Uncovered;

/// Turns that stay word for word.
pub(super) const RETAIN: u32 = 10;

/// Turns beyond those that are summed up without any need for room.
const TURNS: usize = 20;

/// Percent of the conversation's room from which on it is made before it is missed.
const PREFIRE: u64 = 75;

/// Fewer than this are not worth a summary for the sake of room alone.
const WORTH_WHILE: usize = 5;

/// The fewest that stay word for word when there is no room for ten (Y9, "emergency retain").
const RETAIN_LEAST: usize = 2;

/// Turns in one summary.
const BATCH_TURNS: usize = 60;

/// Tokens of turns in one summary.
const BATCH_TOKENS: u32 = 6_000;

/// What a turn takes in a prompt besides its words: the message's frame and the speaker's name twice.
pub(super) const TURN_FRAME: u32 = 8;

/// Why a stretch is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Twenty more than the ten.
    Turns,
    /// Three quarters of the room are taken.
    Prefire,
    NoRoom,
    /// The model that talks wants it.
    Asked,
}

/// Who sums up (Y6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// The program, in time.
    System,
    /// The model, when it asks.
    Model(ModelAsked),
    /// The model when it asks, and the program where there is next to no room.
    Both(ModelAsked),
}

/// Whether the model asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelAsked {
    Asked,
    Silent,
}

impl Trigger {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Turns => "20 messages beyond the last 10",
            Self::Prefire => "three quarters of the room taken",
            Self::NoRoom => "no room left",
            Self::Asked => "the model asked for room",
        }
    }
}

/// What is to be summed up next.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    pub turns: Vec<StoredTurn>,
    pub audience: Audience,
    pub first: u64,
    pub last: u64,
    pub trigger: Trigger,
    pub source_tokens: u32,
}

/// What the turns take in a prompt.
pub(super) fn tokens_in_prompt<'a>(turns: impl IntoIterator<Item = &'a StoredTurn>) -> u32 {
    turns.into_iter().map(|turn| turn.tokens.saturating_add(TURN_FRAME)).fold(0, u32::saturating_add)
}

/// How full the room is with what would be shown.
pub(super) fn fullness(uncovered: &Uncovered, cap: u32) -> WindowFigures {
    let mode = uncovered.turns.last().map(|turn| turn.mode);
    let shown = uncovered.turns.iter().filter(|turn| Some(turn.mode) == mode);
    let used = if is_cut_short(uncovered) { u32::MAX } else { tokens_in_prompt(shown) };
    WindowFigures::of(used, cap)
}

fn is_cut_short(uncovered: &Uncovered) -> bool {
    usize::try_from(uncovered.count).unwrap_or(usize::MAX) > uncovered.turns.len()
}

/// The next stretch to sum up, if it is time. `cap` is the room for the conversation, in tokens.
pub(super) fn next_stretch(uncovered: &Uncovered, cap: u32, who: Who) -> Option<Stretch> {
    let newest = &uncovered.newest;
    let retained_from = newest.last().map(|(ordinal, _)| *ordinal)?;
    let older = |from: u64| uncovered.turns.iter().take_while(|turn| turn.ordinal < from).count();
    let candidates = older(retained_from);
    let full = fullness(uncovered, cap);
    let is_prefire = match who {
        Who::System => u64::from(full.used) * 100 >= u64::from(cap) * PREFIRE,
        Who::Both(_) => full.verdict >= WindowVerdict::Overflow,
        Who::Model(_) => false,
    };
    let is_asked = matches!(who, Who::Model(ModelAsked::Asked) | Who::Both(ModelAsked::Asked));
    let (trigger, count) = if is_asked && candidates > 0 {
        (Trigger::Asked, candidates)
    } else if matches!(who, Who::Model(_)) {
        return None;
    } else if candidates >= TURNS && who == Who::System {
        (Trigger::Turns, candidates)
    } else if is_prefire && candidates >= WORTH_WHILE {
        (Trigger::Prefire, candidates)
    } else if full.verdict >= WindowVerdict::Critical {
        let mut kept: u32 = 0;
        let fits = newest.iter().take_while(|(_, tokens)| {
            kept = kept.saturating_add(tokens.saturating_add(TURN_FRAME));
            kept <= cap / 2
        });
        let fits = fits.count().max(RETAIN_LEAST).min(newest.len());
        (Trigger::NoRoom, older(newest.get(fits - 1)?.0))
    } else {
        return None;
    };
    first_stretch(uncovered, trigger, count)
}

/// The audience of a summary that holds what was said before both: of two that are of one person alone with the familiar
/// the one that fewer are in, `None` for any others. What somebody says alone is shared from when they paired on, what
/// they are answered is not (M14); a summary of both is for them alone.
fn in_common(one: &Audience, other: &Audience) -> Option<Audience> {
    match (one, other) {
        _ if one == other => Some(one.clone()),
        (alone @ Audience::Dm(_), Audience::Shared(_)) | (Audience::Shared(_), alone @ Audience::Dm(_)) => {
            Some(alone.clone())
        }
        _ => None,
    }
}

/// The first of them that one summary may hold: one audience, not too many, and the whole of what stands between. Where
/// the conversation began anew, what was said before and what was said since are not in one: the prompt shows either.
fn first_stretch(uncovered: &Uncovered, trigger: Trigger, count: usize) -> Option<Stretch> {
    let mut audience = uncovered.turns.first()?.audience.clone();
    let mut tokens: u32 = 0;
    let is_before = |turn: &StoredTurn| turn.ordinal <= uncovered.begins_behind;
    let begins_before = uncovered.turns.first().is_some_and(is_before);
    let one_conversation =
        uncovered.turns[..count].iter().take_while(|turn| is_before(turn) == begins_before);
    let one_audience = one_conversation.map_while(|turn| {
        audience = in_common(&audience, &turn.audience)?;
        Some(turn)
    });
    // Equal parts rather than a full one and a crumb.
    let parts = count.div_ceil(BATCH_TURNS).max(1);
    let turns: Vec<StoredTurn> = one_audience
        .take(count.div_ceil(parts))
        .enumerate()
        .take_while(|(at, turn)| {
            tokens = tokens.saturating_add(turn.tokens.saturating_add(TURN_FRAME));
            *at == 0 || tokens <= BATCH_TOKENS
        })
        .map(|(_, turn)| turn.clone())
        .collect();
    let last = turns.last()?.ordinal;
    Some(Stretch {
        source_tokens: tokens_in_prompt(&turns),
        turns,
        audience,
        first: uncovered.covered_to + 1,
        last,
        trigger,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{ChannelId, ChannelMode, GuildId, Role, StoredId};

    fn heard(ordinal: u64, tokens: u32, audience: Audience, mode: ChannelMode) -> StoredTurn {
        StoredTurn {
            audience,
            id: StoredId(i64::try_from(ordinal).unwrap()),
            ordinal,
            role: Role::User,
            author: None,
            content: String::new(),
            at: jiff::Timestamp::UNIX_EPOCH,
            mode,
            message: None,
            reply_to: None,
            turn: None,
            tokens,
        }
    }

    fn guild() -> Audience {
        Audience::Guild(GuildId::from(7))
    }

    fn uncovered(covered_to: u64, turns: Vec<StoredTurn>) -> Uncovered {
        let mode = turns.last().map(|turn| turn.mode);
        let newest = turns
            .iter()
            .rev()
            .filter(|turn| Some(turn.mode) == mode)
            .take(RETAIN as usize)
            .map(|turn| (turn.ordinal, turn.tokens))
            .collect();
        Uncovered {
            covered_to,
            begins_behind: 0,
            count: u32::try_from(turns.len()).unwrap(),
            newest_id: turns.last().map(|turn| turn.id),
            newest,
            turns,
        }
    }

    fn plain(turns: u64, tokens: u32) -> Uncovered {
        uncovered(0, (1..=turns).map(|n| heard(n, tokens, guild(), ChannelMode::FullRp)).collect())
    }

    #[test]
    fn m3_twenty_turns_beyond_the_last_ten_are_summed_up() {
        assert_eq!(next_stretch(&plain(29, 2), 100_000, Who::System), None);
        let stretch = next_stretch(&plain(30, 2), 100_000, Who::System).unwrap();
        assert_eq!((stretch.first, stretch.last, stretch.trigger), (1, 20, Trigger::Turns));
        assert_eq!(stretch.source_tokens, 20 * (2 + TURN_FRAME));
    }

    #[test]
    fn y6_the_mode_says_who_sums_up_and_when() {
        use ModelAsked::{Asked, Silent};
        let trigger = |turns, tokens, cap, who| {
            next_stretch(&plain(turns, tokens), cap, who).map(|stretch| stretch.trigger)
        };
        // Thirty turns, room enough: only the program minds the number.
        assert_eq!(trigger(30, 2, 100_000, Who::System), Some(Trigger::Turns));
        assert_eq!(trigger(30, 2, 100_000, Who::Both(Silent)), None);
        assert_eq!(trigger(30, 2, 100_000, Who::Model(Silent)), None);
        // 1,500 of 2,000 tokens, then of 1,700, then of 1,000.
        assert_eq!(trigger(15, 92, 2_000, Who::System), Some(Trigger::Prefire));
        assert_eq!(trigger(15, 92, 2_000, Who::Both(Silent)), None);
        assert_eq!(trigger(15, 92, 1_700, Who::Both(Silent)), Some(Trigger::Prefire));
        for cap in [2_000, 1_700, 1_000] {
            assert_eq!(trigger(15, 92, cap, Who::Model(Silent)), None, "never unasked");
        }
        // Asked for, it is done whatever the room, and the last ten stay.
        for who in [Who::Both(Asked), Who::Model(Asked)] {
            assert_eq!(trigger(12, 2, 100_000, who), Some(Trigger::Asked));
            assert_eq!(next_stretch(&plain(12, 2), 100_000, who).unwrap().last, 2);
            assert_eq!(trigger(10, 2, 100_000, who), None, "there is nothing beyond them");
        }
    }

    #[test]
    fn contradiction_9_one_summary_at_twenty_turns_three_quarters_or_no_room_and_the_last_ten_stay() {
        for (turns, tokens, cap, expected) in [
            (29, 2, 100_000, None),
            (30, 2, 100_000, Some((20, Trigger::Turns))),
            (15, 92, 2_000, Some((5, Trigger::Prefire))),
            (14, 92, 1_800, None),
        ] {
            let stretch = next_stretch(&plain(turns, tokens), cap, Who::System);
            assert_eq!(
                stretch.map(|stretch| (stretch.last, stretch.trigger)),
                expected,
                "{turns} of {tokens}"
            );
        }
        assert_eq!((RETAIN, TURNS, PREFIRE), (10, 20, 75));
        assert_eq!((super::super::MOST_TOKENS, super::super::PART), (800, 10));
    }

    #[test]
    fn y9_at_three_quarters_room_is_made_before_it_is_missed() {
        // 15 turns of 92 + 8 tokens are 1,500 tokens.
        assert_eq!(next_stretch(&plain(15, 92), 2_001, Who::System), None);
        let stretch = next_stretch(&plain(15, 92), 2_000, Who::System).unwrap();
        assert_eq!((stretch.last, stretch.trigger), (5, Trigger::Prefire));
        assert_eq!(
            next_stretch(&plain(14, 92), 1_800, Who::System),
            None,
            "four are not worth it while there is room"
        );
    }

    #[test]
    fn y9_without_room_fewer_than_ten_stay() {
        let stretch = next_stretch(&plain(10, 92), 1_000, Who::System).unwrap();
        assert_eq!((stretch.last, stretch.trigger), (5, Trigger::NoRoom));
        let huge = next_stretch(&plain(5, 5_000), 1_000, Who::System).unwrap();
        assert_eq!(huge.turns.len(), 1, "a batch has an end, but never holds nothing");
        assert_eq!(next_stretch(&plain(2, 5_000), 1_000, Who::System), None, "two always stay");
        assert_eq!(next_stretch(&plain(0, 0), 0, Who::System), None);
    }

    #[test]
    fn y9_a_summary_holds_turns_of_one_audience() {
        let private = Audience::Private(ChannelId::from(1_u64));
        let turns = (1..=40)
            .map(|n| heard(n, 2, if n <= 7 { private.clone() } else { guild() }, ChannelMode::FullRp))
            .collect();
        let first = next_stretch(&uncovered(0, turns), 100_000, Who::System).unwrap();
        assert_eq!((first.audience, first.last), (private, 7));
    }

    #[test]
    fn where_the_conversation_began_anew_no_summary_holds_both_sides() {
        let begun = |covered_to, turns: std::ops::RangeInclusive<u64>| Uncovered {
            begins_behind: 13,
            ..uncovered(covered_to, turns.map(|n| heard(n, 2, guild(), ChannelMode::FullRp)).collect())
        };
        let before = next_stretch(&begun(0, 1..=40), 100_000, Who::System).unwrap();
        assert_eq!((before.first, before.last), (1, 13));
        let since = next_stretch(&begun(13, 14..=53), 100_000, Who::System).unwrap();
        assert_eq!((since.first, since.last > 13), (14, true));
    }

    #[test]
    fn m3_after_a_change_of_mode_the_old_modes_turns_are_summed_up() {
        let turns = (1..=25)
            .map(|n| {
                heard(n, 2, guild(), if n <= 23 { ChannelMode::FullRp } else { ChannelMode::ImitateVoice })
            })
            .collect();
        assert_eq!(next_stretch(&uncovered(0, turns), 100_000, Who::System).unwrap().last, 23);
    }

    proptest! {
        #[test]
        fn y9_stretches_follow_each_other_without_holes_and_end(
            sizes in prop::collection::vec((0_u32..400, 0_u8..3), 0..150),
            cap in 200_u32..4_000,
        ) {
            let audiences = [guild(), Audience::Private(ChannelId::from(1_u64)), guild()];
            let all: Vec<StoredTurn> = (1..)
                .zip(&sizes)
                .map(|(n, (tokens, who))| heard(n, *tokens, audiences[usize::from(*who)].clone(), ChannelMode::FullRp))
                .collect();
            let mut covered = 0;
            loop {
                let rest: Vec<StoredTurn> = all.iter().filter(|turn| turn.ordinal > covered).cloned().collect();
                let Some(stretch) = next_stretch(&uncovered(covered, rest.clone()), cap, Who::System) else {
                    prop_assert!(rest.len() < 30 , "{} are left", rest.len());
                    break;
                };
                prop_assert_eq!(stretch.first, covered + 1);
                prop_assert!(stretch.last > covered && stretch.turns.len() <= BATCH_TURNS);
                prop_assert!(stretch.turns.iter().all(|turn| turn.audience == stretch.audience));
                prop_assert!(all.len() as u64 - stretch.last >= RETAIN_LEAST as u64);
                covered = stretch.last;
            }
        }
    }
}
