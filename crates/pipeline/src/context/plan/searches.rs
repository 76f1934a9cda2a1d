//! How many searches a message is worth (specs mechanisms A5, table and rules as given there).

use crate::domain::Category;

/// A scene is never searched for less.
const ROLEPLAY_FLOOR: u32 = 5;

/// Something to be done is never searched for less.
const TASK_FLOOR: u32 = 4;

/// From this share of the needed tokens on, what is warm is worth half of the searches.
const WARM_SHARE: f64 = 0.60;

/// The most there are at once (A10).
pub(super) const SEARCHES_MAX: u32 = 32;

/// What the number depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchCount {
    pub category: Category,
    /// What is still warm from a moment ago, in tokens.
    pub warm_tokens: u32,
    /// The most the searches may bring, in tokens.
    pub needed_tokens: u32,
    pub scale: f64,
}

/// The number, and why it is not the table's.
pub(super) fn searches(wanted: SearchCount) -> (u32, Option<String>) {
    let table = match wanted.category {
        Category::Greeting => return (0, None),
        Category::SmallTalk => 2,
        Category::Task => TASK_FLOOR,
        Category::Roleplay => ROLEPLAY_FLOOR,
        Category::Recall => 8,
        Category::Several => 16,
        Category::Deep => 24,
        Category::Retrospective => SEARCHES_MAX,
    };
    if wanted.needed_tokens == 0 {
        return (0, Some("nothing that was searched for would have room".to_owned()));
    }
    let is_warm = f64::from(wanted.warm_tokens) > WARM_SHARE * f64::from(wanted.needed_tokens);
    let halved = if is_warm { table / 2 } else { table };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most four times the table, never below zero"
    )]
    let scaled = (f64::from(halved) * wanted.scale).round() as u32;
    let floor = match wanted.category {
        Category::Roleplay => ROLEPLAY_FLOOR,
        Category::Task => TASK_FLOOR,
        _ => 0,
    };
    // A table that switches searching off means it.
    let count = if wanted.scale == 0.0 { 0 } else { scaled.max(floor).min(SEARCHES_MAX) };
    let note = is_warm.then(|| {
        format!(
            "half of {table} searches: {} of {} tokens are still warm",
            wanted.warm_tokens, wanted.needed_tokens
        )
    });
    (count, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(category: Category) -> SearchCount {
        SearchCount { category, warm_tokens: 0, needed_tokens: 1000, scale: 1.0 }
    }

    #[test]
    fn a5_the_table_is_kept_literally() {
        let counts = Category::ALL.map(|category| searches(wanted(category)).0);
        assert_eq!(counts, [0, 2, 4, 5, 8, 16, 24, 32]);
    }

    #[test]
    fn a5_more_than_sixty_percent_warm_halves_but_never_below_the_floors() {
        let count = |category, warm_tokens| searches(SearchCount { warm_tokens, ..wanted(category) }).0;
        assert_eq!(count(Category::Recall, 600), 8);
        assert_eq!(count(Category::Recall, 601), 4);
        assert_eq!(count(Category::SmallTalk, 601), 1);
        assert_eq!(count(Category::Roleplay, 1000), 5);
        assert_eq!(count(Category::Task, 1000), 4);
        assert_eq!(count(Category::Greeting, 0), 0);
        assert!(searches(SearchCount { warm_tokens: 601, ..wanted(Category::Deep) }).1.is_some());
    }

    #[test]
    fn a5_a_scale_never_leads_beyond_thirty_two() {
        let scaled = |scale| searches(SearchCount { scale, ..wanted(Category::Retrospective) }).0;
        assert_eq!((scaled(4.0), scaled(0.5), scaled(0.0)), (32, 16, 0));
    }
}
