//! Where the word-for-word history of a prompt begins (memory 3.3).
//!
//! History is append-only; when it is full it is cut to about a quarter at once, not re-cut with every turn, so that
//! between two cuts every prompt begins with the last one, byte for byte. Where it is cut is no hidden state: that lies at
//! multiples of a step of what was said in the channel before ([`PlacedTurn::said_before`]), which is stored with every
//! turn and never changes. The same history gives the same cut, after a restart and in a replay. From one prompt to the
//! next a cut holds until the history is full again ([`goes_on`]), also where what a token is worth, or the room beside the
//! history, would have put the steps elsewhere by now.
//!
//! [`PlacedTurn::said_before`]: crate::history::PlacedTurn::said_before

use std::collections::BTreeMap;

use jiff::Timestamp;

/// What stays when the history is cut, in percent of its room. Measured on the chats of memory 3.3 with its rules
/// (docs/reference/performance.md): 50 % leaves more uncached tokens per reply, less leaves too little talk.
const KEEP_PERCENT: u64 = 25;

/// What a line of chat takes, in rough tokens: where the least number of such lines takes more than the part that stays,
/// the part is larger, to half of the room at most.
const LINE: u64 = 64;

/// How much talk is measured at once, in rough tokens: a few dozen messages.
const STRETCH: u64 = 2_048;

/// By this part of a step the cut moves on where the lines are larger than their words say.
const NUDGE: u64 = 8;

/// A history that takes less than one part in so many of its room was cut for a smaller one: it may begin earlier again.
const LEAST_PART: u64 = 8;

/// One stored turn, as far as the cut goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct CutTurn {
    /// Its place among the chunks.
    pub index: usize,
    /// Its number in the channel.
    pub ordinal: u64,
    /// Said in the channel before it, in rough tokens.
    pub said_before: u64,
    /// What it takes itself, in rough tokens.
    pub rough: u64,
    /// What it takes in the prompt, in the model's tokens.
    pub tokens: u32,
    /// When it was said, if that is known.
    pub at: Option<Timestamp>,
    /// In the prompt whatever happens.
    pub is_immune: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HistoryStart {
    /// The first line to show, of lines from the oldest to the newest. Lines behind it are shown without a hole.
    pub first: usize,
    /// Since when it begins there; `None` while nothing had to be cut.
    pub since: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CutRoom {
    /// The room as it is from turn to turn, in the model's tokens; decides where the steps lie.
    pub usual: u32,
    /// The most that may be taken this time.
    pub most: u32,
    /// As far as they fit, at least this many turns stay.
    pub least_turns: usize,
}

/// Where a history of lines, from the oldest to the newest, begins.
pub(super) fn at_steps(lines: &[CutTurn], room: CutRoom) -> HistoryStart {
    let Some(newest) = lines.last() else { return HistoryStart { first: 0, since: None } };
    let most = room.most.min(room.usual);
    let end = newest.said_before + newest.rough;
    let width = steady(rough(room.usual, lines));
    if width == 0 {
        return HistoryStart { first: newest_that_fit(lines, most), since: None };
    }
    let step = (width - kept_width(width, room.least_turns)).max(1);
    let beyond = end.saturating_sub(width);
    let first_from = |at: u64| lines.iter().position(|line| line.said_before >= at).unwrap_or(lines.len());
    let mut cut = beyond.div_ceil(step) * step;
    // What the whole step leaves when it is taken, not what it leaves by now: otherwise the first lines after a cut in
    // half steps would make it a whole one, and every step cut twice.
    let mut reached = (cut + width).saturating_sub(step);
    let left = lines.iter().filter(|line| line.said_before >= cut && line.said_before < reached).count();
    if left < room.least_turns {
        // Not finer: a history that is cut with every reply is cached by nobody.
        if beyond + step / 2 <= cut {
            cut -= step / 2;
            reached = (cut + width).saturating_sub(step - step / 2);
        } else {
            reached = (cut + width).saturating_sub(step / 2);
        }
    }
    let taken_by = lines.iter().find(|line| cut > 0 && line.said_before + line.rough > reached);
    let since = taken_by.and_then(|line| line.at);
    // Long names and quotations can make a line larger than its words say.
    let nudge = (step / NUDGE).max(1);
    let mut first = first_from(cut);
    while first < lines.len() && tokens_from(lines, first) > u64::from(most) {
        cut += nudge;
        first = first_from(cut).max(first + 1);
    }
    HistoryStart { first, since }
}

/// Whether a history that began at line `held` in the last prompt goes on from there, though by the steps of now it would
/// begin at line `start`. It does until it is as full as at any cut: the cut lay behind where the line before begins.
pub(super) fn goes_on(lines: &[CutTurn], held: usize, start: usize, room: CutRoom) -> bool {
    let taken = tokens_from(lines, held);
    if taken > u64::from(room.most.min(room.usual)) {
        return false;
    }
    if start <= held {
        return taken * LEAST_PART >= u64::from(room.usual);
    }
    let (Some(newest), Some(before)) = (lines.last(), lines.get(held.saturating_sub(1))) else {
        return false;
    };
    let end = newest.said_before + newest.rough;
    end.saturating_sub(before.said_before) <= steady(rough(room.usual, lines))
}

/// What stays of a room when it is cut.
fn kept_width(width: u64, least_turns: usize) -> u64 {
    let least = LINE * least_turns as u64;
    (width * KEEP_PERCENT / 100).max(least.min(width / 2))
}

/// As many of the newest lines as fit.
pub(super) fn newest_that_fit(lines: &[CutTurn], most: u32) -> usize {
    let mut used: u64 = lines.iter().filter(|line| line.is_immune).map(|line| u64::from(line.tokens)).sum();
    let mut first = lines.len();
    for (index, line) in lines.iter().enumerate().rev() {
        if !line.is_immune {
            used += u64::from(line.tokens);
        }
        if used > u64::from(most) {
            break;
        }
        first = index;
    }
    first
}

/// What the lines from `first` on take, and those before it that cannot leave.
pub(super) fn tokens_from(lines: &[CutTurn], first: usize) -> u64 {
    let shown = lines.iter().enumerate().filter(|(index, line)| *index >= first || line.is_immune);
    shown.map(|(_, line)| u64::from(line.tokens)).sum()
}

/// The model's tokens in rough ones, as the densest stretch of these lines has it. That moves a little with every line
/// and with every ratio learned, so it is read in eighths, and of whole stretches alone: the ratio of all lines would
/// pass from one eighth to the next and back between two replies, and the cut with it.
fn rough(tokens: u32, lines: &[CutTurn]) -> u64 {
    let (Some(oldest), Some(newest)) = (lines.first(), lines.last()) else { return u64::from(tokens) };
    let whole = oldest.said_before.div_ceil(STRETCH)..(newest.said_before + newest.rough) / STRETCH;
    let mut stretches: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for line in lines {
        let at = line.said_before / STRETCH;
        // A talk that has no whole stretch yet is one.
        let at = if whole.is_empty() { 0 } else { at };
        if whole.is_empty() || whole.contains(&at) {
            let (taken, measured) = stretches.entry(at).or_default();
            *taken += u64::from(line.tokens);
            *measured += line.rough;
        }
    }
    let eighths = stretches.values().map(|(taken, measured)| (taken * 8).div_ceil((*measured).max(1))).max();
    u64::from(tokens) * 8 / eighths.unwrap_or(8).clamp(1, 64)
}

/// Rounded down to a sixteenth of its power of two: a card that grows by a word moves no cut.
fn steady(width: u64) -> u64 {
    let grain = (width.checked_ilog2().map_or(1, |log| 1_u64 << log) / 16).max(1);
    width / grain * grain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(sizes: &[u32]) -> Vec<CutTurn> {
        let mut said_before = 0;
        sizes
            .iter()
            .map(|&tokens| {
                let rough = u64::from(tokens);
                let line =
                    CutTurn { index: 0, ordinal: 0, said_before, rough, tokens, at: None, is_immune: false };
                said_before += rough;
                line
            })
            .collect()
    }

    fn room(most: u32, least_turns: usize) -> CutRoom {
        CutRoom { usual: most, most, least_turns }
    }

    #[test]
    fn a20_a_full_history_is_cut_to_about_a_quarter_and_then_only_grows() {
        let all = lines(&[40; 400]);
        let mut firsts = Vec::new();
        for newest in 1..=all.len() {
            let first = at_steps(&all[..newest], room(4_000, 5)).first;
            let shown = newest - first;
            assert!(shown <= 100 && shown >= newest.min(23), "{newest}: {shown}");
            firsts.push(first);
        }
        firsts.dedup();
        assert_eq!(firsts.len(), 1 + (400 - 99_usize).div_ceil(75), "{firsts:?}");
        assert!(firsts.is_sorted());
    }

    #[test]
    fn a20_long_messages_are_cut_in_finer_steps_so_that_more_of_them_stay() {
        let all = lines(&[300; 200]);
        for newest in 30..=all.len() {
            let first = at_steps(&all[..newest], room(8_192, 20)).first;
            assert!(newest - first >= 16, "{newest}: {}", newest - first);
        }
    }

    #[test]
    fn a20_lines_of_mixed_length_do_not_make_every_step_cut_twice() {
        // Now about 19 of these lines fit in what stays, now about 21, with 20 wanted.
        let sizes: Vec<u32> = (0..600).map(|n| if n / 40 % 2 == 0 { 61 } else { 67 }).collect();
        let all = lines(&sizes);
        let mut firsts: Vec<usize> =
            (1..=all.len()).map(|newest| at_steps(&all[..newest], room(5_120, 20)).first).collect();
        assert!(firsts.is_sorted(), "a beginning that has passed does not come back");
        firsts.dedup();
        assert!(firsts.len() <= 17, "{} beginnings", firsts.len());
    }

    #[test]
    fn a20_words_that_get_a_little_denser_and_thinner_move_no_cut_back() {
        // Around an eighth: lines of 34 and of 36 tokens to 40 rough ones, some of each in turn.
        let mut all = lines(&[40; 600]);
        for (number, line) in all.iter_mut().enumerate() {
            line.tokens = if number / 23 % 2 == 0 { 34 } else { 36 };
        }
        let window = |newest: usize| &all[newest.saturating_sub(160)..newest];
        let mut firsts: Vec<usize> = (160..=all.len())
            .map(|newest| newest.saturating_sub(160) + at_steps(window(newest), room(3_600, 5)).first)
            .collect();
        assert!(firsts.is_sorted(), "a beginning that has passed does not come back");
        firsts.dedup();
        assert!(firsts.len() <= 1 + 440_usize.div_ceil(60), "{} beginnings", firsts.len());
    }

    #[test]
    fn a20_where_words_take_more_tokens_than_their_bytes_tell_there_are_no_more_cuts() {
        let cuts = |tokens_each: u32| {
            let mut all = lines(&[40; 400]);
            all.iter_mut().for_each(|line| line.tokens = tokens_each);
            let mut firsts: Vec<usize> = (100..=400)
                .map(|newest| at_steps(&all[..newest], room(100 * tokens_each, 5)).first)
                .collect();
            firsts.dedup();
            firsts.len()
        };
        assert_eq!(cuts(40), cuts(60));
    }

    proptest! {
        /// Whatever was said: it fits, the start only moves forward while the talk goes on, and it moves rarely.
        #[test]
        fn a20_the_cut_fits_and_only_moves_forward(
            sizes in proptest::collection::vec(17u32..200, 1..300),
            most in 500u32..6_000,
            least_turns in 0usize..30,
        ) {
            let all = lines(&sizes);
            let mut before = 0;
            let mut moves = 0u64;
            for newest in 1..=all.len() {
                let first = at_steps(&all[..newest], room(most, least_turns)).first;
                prop_assert!(tokens_from(&all[..newest], first) <= u64::from(most));
                if least_turns == 0 {
                    prop_assert!(first >= before);
                }
                moves += u64::from(first != before);
                before = first;
            }
            if least_turns == 0 {
                let said: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
                prop_assert!(moves <= 1 + said * 2 / u64::from(most), "{} moves in {} tokens", moves, said);
            }
        }

        #[test]
        fn a20_a_part_of_the_past_that_was_not_read_does_not_matter(
            sizes in proptest::collection::vec(17u32..200, 100..200),
            most in 500u32..3_000,
            unread in 1usize..40,
        ) {
            let all = lines(&sizes);
            let first = at_steps(&all, room(most, 0)).first;
            prop_assume!(unread <= first);
            prop_assert_eq!(at_steps(&all[unread..], room(most, 0)).first + unread, first);
        }
    }
}
