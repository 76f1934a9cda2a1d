//! Which finds are quoted within a budget of tokens.

/// What costs up to so many tokens is taken when its turn comes.
const SHORT: u32 = 64;

/// Takes finds in one order until the next does not fit. That order is the same for every budget, so whoever has more room
/// is shown all that others are and more. A long find waits until twice as much was taken as it costs: no one message may
/// fill a budget that several would fit in.
pub(super) fn fitting<T: Copy>(ranked: &[T], budget: u32, mut cost: impl FnMut(T) -> u32) -> Vec<T> {
    let mut waiting: Vec<(T, u32)> = Vec::new();
    let (mut taken, mut spent) = (Vec::new(), 0_u32);
    let mut ranked = ranked.iter().map(|one| (*one, cost(*one)));
    loop {
        let due = waiting.iter().position(|(_, cost)| *cost <= SHORT.max(spent / 2));
        let next = match due {
            Some(at) => waiting.remove(at),
            None => match ranked.next() {
                Some(one) if one.1 <= SHORT.max(spent / 2) => one,
                Some(one) => {
                    waiting.push(one);
                    continue;
                }
                // Nothing is left that is shorter.
                None if !waiting.is_empty() => waiting.remove(0),
                None => return taken,
            },
        };
        spent = spent.saturating_add(next.1);
        if spent > budget {
            return taken;
        }
        taken.push(next.0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_long_waits() {
        assert_eq!(fitting(&[30, 50, 20, 41], 100, |cost| cost), [30, 50, 20]);
        assert_eq!(fitting(&[30, 90, 20, 41], 200, |cost| cost), [30, 20, 41, 90]);
        assert_eq!(fitting(&[95, 5], 100, |cost| cost), [5, 95]);
        assert_eq!(fitting(&[900, 30, 40], 500, |cost| cost), [30, 40]);
        assert_eq!(fitting(&[900], 1_000, |cost| cost), [900]);
    }

    proptest! {
        #[test]
        fn more_room_holds_all_that_less_room_holds_and_more(
            costs in prop::collection::vec(1_u32..400, 0..60),
            budgets in prop::collection::vec(0_u32..3_000, 2),
        ) {
            let places: Vec<usize> = (0..costs.len()).collect();
            let pack = |budget| fitting(&places, budget, |at| costs[at]);
            let (less, more) = (pack(budgets[0].min(budgets[1])), pack(budgets[0].max(budgets[1])));
            prop_assert!(more.starts_with(&less));
        }

        #[test]
        fn no_budget_is_overspent(costs in prop::collection::vec(1_u32..200, 0..50), budget in 0_u32..3_000) {
            prop_assert!(fitting(&costs, budget, |cost| cost).iter().sum::<u32>() <= budget);
        }
    }
}
