//! What a chunk is worth: `relevance × priority weight × freshness` (A17). How often something was of use
//! is not counted: what was said again counts in its own worth, and what merely was shown proves nothing.

use std::time::Duration;

use super::Chunk;
use crate::context::contribution::{Importance, Placement};

/// What is half as fresh after this long.
const HALF_LIFE: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Old never counts for less than this: people ask a companion about last year, and what recall found for this very
/// message has its relevance for that.
const FRESHNESS_FLOOR: f32 = 0.5;

/// Each level of importance weighs twice the one below, so a certain piece of one level outlives a certain piece of
/// the level below, and a doubtful one does not. [`Importance::Axiom`] is never evicted; its weight only orders records.
fn priority_weight(importance: Importance) -> f32 {
    0.125 * f32::from(1_u8 << importance.level())
}

/// 1 for what is new or does not age, halving its way down to the floor.
pub(in crate::context) fn age_freshness(age: Option<Duration>) -> f32 {
    let Some(age) = age else { return 1.0 };
    let halvings = age.as_secs_f32() / HALF_LIFE.as_secs_f32();
    FRESHNESS_FLOOR + (1.0 - FRESHNESS_FLOOR) * 0.5_f32.powf(halvings)
}

/// The worth of a chunk; at least 0, at most 4.
pub(in crate::context) fn chunk_score(chunk: &Chunk) -> f32 {
    let relevance = if chunk.relevance.is_finite() { chunk.relevance.clamp(0.0, 1.0) } else { 0.0 };
    relevance * priority_weight(chunk.importance) * age_freshness(chunk.age)
}

/// The order of keeping, the one to keep longest first. Total over everything that can differ, so that no result
/// depends on who was quicker to contribute.
pub(in crate::context) fn keeps_before(a: &Chunk, b: &Chunk) -> std::cmp::Ordering {
    chunk_score(b)
        .total_cmp(&chunk_score(a))
        .then_with(|| b.importance.cmp(&a.importance))
        .then_with(|| match (&a.placement, &b.placement) {
            (Placement::Turn(a), Placement::Turn(b)) => b.cmp(a),
            (a, b) => a.cmp(b),
        })
        .then_with(|| a.source.cmp(&b.source))
        .then_with(|| a.text.cmp(&b.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a17_freshness_halves_towards_its_floor() {
        assert!((age_freshness(None) - 1.0).abs() < 1e-6);
        assert!((age_freshness(Some(Duration::ZERO)) - 1.0).abs() < 1e-6);
        assert!((age_freshness(Some(HALF_LIFE)) - 0.75).abs() < 1e-6);
        assert!((age_freshness(Some(HALF_LIFE * 1_000)) - FRESHNESS_FLOOR).abs() < 1e-6);
    }

    #[test]
    fn a17_a_certain_piece_outweighs_a_certain_one_of_the_level_below() {
        let levels = [Importance::Low, Importance::Useful, Importance::Normal, Importance::High];
        for pair in levels[1..].windows(2) {
            assert!(priority_weight(pair[1]) > priority_weight(pair[0]), "{pair:?}");
        }
    }
}
