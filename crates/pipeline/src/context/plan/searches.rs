//! How many searches a message is worth (A5, table and rules as given there).

use crate::domain::Category;

/// From this share of the needed tokens on, what is warm is worth half of the searches.
const WARM_SHARE: f64 = 0.60;

/// The most there are at once (A10).
const SEARCHES_MAX: u32 = 32;

/// The number, and why it is not the table's. `warm_tokens` are still warm from a moment ago; the searches may bring
/// `needed_tokens` at most.
pub(super) fn searches(
    category: Category,
    warm_tokens: u32,
    needed_tokens: u32,
    scale: f64,
) -> (u32, Option<String>) {
    let table = match category {
        Category::Greeting => return (0, None),
        Category::SmallTalk => 2,
        Category::Task => 4,
        Category::Roleplay => 5,
        Category::Recall => 8,
        Category::Several => 16,
        Category::Deep => 24,
        Category::Retrospective => SEARCHES_MAX,
    };
    if needed_tokens == 0 {
        return (0, Some("nothing that was searched for would have room".to_owned()));
    }
    let is_warm = f64::from(warm_tokens) > WARM_SHARE * f64::from(needed_tokens);
    let halved = if is_warm { table / 2 } else { table };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most four times the table, never below zero"
    )]
    let scaled = (f64::from(halved) * scale).round() as u32;
    // A scene, and something to be done, is never searched for less.
    let floor = if matches!(category, Category::Task | Category::Roleplay) { table } else { 0 };
    // A table that switches searching off means it.
    let count = if scale == 0.0 { 0 } else { scaled.max(floor).min(SEARCHES_MAX) };
    let note = is_warm
        .then(|| format!("half of {table} searches: {warm_tokens} of {needed_tokens} tokens are still warm"));
    (count, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a5_the_table_is_kept_literally() {
        let counts = Category::ALL.map(|category| searches(category, 0, 1000, 1.0).0);
        assert_eq!(counts, [0, 2, 4, 5, 8, 16, 24, 32]);
    }

    #[test]
    fn a5_more_than_sixty_percent_warm_halves_but_never_below_the_floors() {
        let count = |category, warm_tokens| searches(category, warm_tokens, 1000, 1.0).0;
        assert_eq!(count(Category::Recall, 600), 8);
        assert_eq!(count(Category::Recall, 601), 4);
        assert_eq!(count(Category::SmallTalk, 601), 1);
        assert_eq!(count(Category::Roleplay, 1000), 5);
        assert_eq!(count(Category::Task, 1000), 4);
        assert_eq!(count(Category::Greeting, 0), 0);
        assert!(searches(Category::Deep, 601, 1000, 1.0).1.is_some());
    }

    #[test]
    fn a5_a_scale_never_leads_beyond_thirty_two() {
        let scaled = |scale| searches(Category::Retrospective, 0, 1000, scale).0;
        assert_eq!((scaled(4.0), scaled(0.5), scaled(0.0)), (32, 16, 0));
    }
}
