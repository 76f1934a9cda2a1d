//! Draws that can be repeated: a regenerated reply, and a replayed trace, meet the same lore (cards-and-lore 4.3).

use sha2::{Digest, Sha256};

/// A number from 0 to below 1, the same for the same parts on every machine.
pub(super) fn draw(parts: &[&str]) -> f64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let mut first = [0_u8; 8];
    first.copy_from_slice(&digest[..8]);
    // 53 bits are what a double holds exactly.
    #[expect(clippy::cast_precision_loss, reason = "both numbers are at most 2^53")]
    let drawn = (u64::from_le_bytes(first) >> 11) as f64 / (1_u64 << 53) as f64;
    drawn
}

#[cfg(test)]
mod tests {
    use super::draw;

    #[test]
    fn draws_spread_and_repeat() {
        let drawn: Vec<f64> = (0..1000).map(|n| draw(&["t1", &n.to_string()])).collect();
        assert!(drawn.iter().all(|d| (0.0..1.0).contains(d)));
        let mean = drawn.iter().sum::<f64>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert!((draw(&["a", "bc"]) - draw(&["a", "bc"])).abs() < f64::EPSILON);
        assert!((draw(&["a", "bc"]) - draw(&["ab", "c"])).abs() > f64::EPSILON);
    }
}
