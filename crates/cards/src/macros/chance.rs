//! `{{random}}`, `{{pick}}` and `{{roll}}`: chance that can be repeated.
//!
//! Owns seeds and throws; must not know macros' syntax. A turn rolls the same again when it is replayed, a channel
//! keeps its picks for good (cards-and-lore 2.5).

use crate::dice::{WrittenDice, read_dice};
use crate::fnv::{FNV_BASIS, fnv};

/// Most dice one `{{roll}}` throws.
const MAX_DICE: u32 = 1_000;

/// Most sides of a die.
const MAX_SIDES: u32 = 1_000_000_000;

/// The number of the parts, each closed by a byte that no UTF-8 text holds.
pub(super) fn seed(parts: &[&[u8]]) -> u64 {
    fnv(FNV_BASIS, parts.iter().flat_map(|part| part.iter().copied().chain([0xff])))
}

/// SplitMix64: enough for dice.
#[derive(Debug)]
pub(super) struct SplitMix(u64);

impl SplitMix {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }
}

/// Throws `6`, `d6`, `2d6+1`; `None` when it is not a throw.
pub(super) fn roll(formula: &str, dice: &mut SplitMix) -> Option<i64> {
    let mut formula = formula.trim().to_ascii_lowercase();
    if formula.bytes().all(|byte| byte.is_ascii_digit()) {
        formula.insert(0, 'd');
    }
    // Cards know no other letter for dice.
    let WrittenDice { count, sides, rest } = read_dice(&formula).filter(|_| formula.contains('d'))?;
    let bonus = if rest.is_empty() { 0 } else { rest.parse().ok()? };
    let count = count.unwrap_or(1);
    if count > MAX_DICE || sides > MAX_SIDES {
        return None;
    }
    let thrown: u64 = (0..count).map(|_| dice.below(u64::from(sides)) + 1).sum();
    i64::try_from(thrown).ok()?.checked_add(bonus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_stay_within_their_dice() {
        for start in 0..200 {
            let mut dice = SplitMix::new(start);
            assert!((1..=6).contains(&roll("6", &mut dice).unwrap()));
            assert!((1..=6).contains(&roll("d6", &mut dice).unwrap()));
            assert!((3..=13).contains(&roll("2D6+1", &mut dice).unwrap()));
            assert_eq!(roll("1d1-3", &mut dice), Some(-2));
        }
    }

    #[test]
    fn what_is_no_throw_gives_nothing() {
        for formula in [
            "",
            "x",
            "0",
            "d0",
            "0d6",
            "06d6",
            "2w6",
            "2d",
            "d",
            "1d6+",
            "1d6*2",
            "9999999d6",
            "1d6+99999999999999999999",
        ] {
            assert_eq!(roll(formula, &mut SplitMix::new(1)), None, "{formula}");
        }
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(seed(&[b"ab", b"c"]), seed(&[b"a", b"bc"]));
    }
}
