//! Which finds are quoted within a budget of tokens.

/// Below so many free tokens nothing is tried any more.
const WORTH_TRYING: u32 = 8;

/// Takes finds in their order while there is room; one that is too long makes way for the next.
pub(super) fn within<T: Copy>(ranked: &[T], budget: u32, mut cost: impl FnMut(T) -> u32) -> Vec<T> {
    let mut left = budget;
    let mut taken = Vec::new();
    for &one in ranked {
        if left < WORTH_TRYING {
            break;
        }
        let cost = cost(one);
        if cost <= left {
            left -= cost;
            taken.push(one);
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_too_long_makes_way() {
        assert_eq!(within(&[30, 50, 20, 41], 100, |cost| cost), [30, 50, 20]);
        assert_eq!(within(&[30, 90, 20, 41], 100, |cost| cost), [30, 20, 41]);
        assert_eq!(within(&[95, 5], 100, |cost| cost), [95], "below eight tokens nothing is tried");
    }

    proptest! {
        #[test]
        fn no_budget_is_overspent(costs in prop::collection::vec(1_u32..200, 0..50), budget in 0_u32..3_000) {
            prop_assert!(within(&costs, budget, |cost| cost).iter().sum::<u32>() <= budget);
        }
    }
}
