//! A slider beside the field of a budget, that shows what it makes of a past prompt while it is moved.

/// What a budget may be, in tokens.
pub(super) const BUDGETS: std::ops::RangeInclusive<u32> = 500..=1_000_000;

/// It goes on to at least so many tokens, so that a small budget can be made a large one.
const REACHES: u32 = 8_000;

#[derive(Debug)]
pub(super) struct Slider {
    /// The field that it writes into.
    pub field: &'static str,
    /// The page with what comes of it, before the budget; `None` where its own form leads there.
    pub tries: Option<String>,
    pub least: u32,
    pub most: u32,
    pub value: u32,
}

impl Slider {
    /// For a budget of so many tokens: up to twice as many.
    pub(super) fn around(field: &'static str, tries: Option<String>, tokens: u32) -> Self {
        let (least, greatest) = (*BUDGETS.start(), *BUDGETS.end());
        let most = tokens.saturating_mul(2).clamp(REACHES, greatest);
        Self { field, tries, least, most, value: tokens.clamp(least, most) }
    }
}
