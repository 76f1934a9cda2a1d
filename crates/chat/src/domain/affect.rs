//! How the familiar feels: its mood, and its warmth for one person (A9).

use std::time::Duration;

/// A feeling, or a push to one. As warmth for a person, `valence` is the warmth and `arousal` stays 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Feeling {
    /// From bad to good, -1 to 1.
    pub valence: f64,
    /// From drowsy to excited, -1 to 1.
    pub arousal: f64,
}

/// Warmth fades this many times more slowly than a mood.
pub const WARMTH_LASTS: u32 = 60;

/// Where the familiar stands: its mood, and its warmth for whoever is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Affect {
    pub mood: Feeling,
    /// Towards the person, -1 to 1.
    pub warmth: f64,
}

impl Feeling {
    /// What is left of it after a while; half of it after each half-life. A half-life of zero leaves nothing.
    pub fn after(self, gap: Duration, half_life: Duration) -> Self {
        if half_life.is_zero() {
            return Self::default();
        }
        let left = 0.5_f64.powf(gap.as_secs_f64() / half_life.as_secs_f64());
        Self { valence: self.valence * left, arousal: self.arousal * left }
    }

    /// Pushed by another. The nearer to an end, the less a push in its direction moves: no end is ever passed.
    pub fn pushed(self, by: Self) -> Self {
        Self { valence: push(self.valence, by.valence), arousal: push(self.arousal, by.arousal) }
    }
}

impl Affect {
    /// What is left of it after a while.
    pub fn after(self, gap: Duration, half_life: Duration) -> Self {
        let warmth = Feeling { valence: self.warmth, arousal: 0.0 };
        Self {
            mood: self.mood.after(gap, half_life),
            warmth: warmth.after(gap, half_life * WARMTH_LASTS).valence,
        }
    }
}

fn push(from: f64, by: f64) -> f64 {
    let by = by.clamp(-1.0, 1.0);
    let room = if by >= 0.0 { 1.0 - from } else { 1.0 + from };
    (from + by * room).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a9_half_is_left_after_each_half_life() {
        let glad = Feeling { valence: 0.8, arousal: -0.4 };
        let later = glad.after(HOUR * 6, HOUR * 6);
        assert!((later.valence - 0.4).abs() < 1e-12 && (later.arousal + 0.2).abs() < 1e-12, "{later:?}");
        let much_later = glad.after(HOUR * 18, HOUR * 6);
        assert!((much_later.valence - 0.1).abs() < 1e-12, "{much_later:?}");
        assert_eq!(glad.after(Duration::ZERO, HOUR), glad);
        assert_eq!(glad.after(HOUR, Duration::ZERO), Feeling::default());
    }

    proptest! {
        #[test]
        fn a9_no_push_leaves_the_scale_and_waiting_twice_is_waiting_once(
            pushes in prop::collection::vec((-1.5_f64..1.5, -1.5_f64..1.5), 0..60), first in 0_u64..1_000_000, then in 0_u64..1_000_000,
        ) {
            let mut feeling = Feeling::default();
            for (valence, arousal) in pushes {
                feeling = feeling.pushed(Feeling { valence, arousal });
                prop_assert!(feeling.valence.abs() <= 1.0 && feeling.arousal.abs() <= 1.0);
            }
            let (first, then) = (Duration::from_secs(first), Duration::from_secs(then));
            let twice = feeling.after(first, HOUR).after(then, HOUR);
            let once = feeling.after(first + then, HOUR);
            prop_assert!((twice.valence - once.valence).abs() < 1e-9);
            prop_assert!(once.valence.abs() <= feeling.valence.abs());
        }
    }
}
