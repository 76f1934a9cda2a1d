//! What is said about privacy: what is kept, a copy of it, and opting out.

use super::Tongue;
use super::memory::plan_counted;
use super::say::{said, sentences};
use crate::erase::Plan;
use crate::text::short::thousands_in;

sentences! {
    /// Buttons under `/privacy`.
    copy_of_mine();
    opt_out();
    take_part();
    /// Under the question whether somebody means it.
    opt_out_and_forget();
    opt_out_for_good();
    not_now();
    /// Somebody has opted out, and this was forgotten.
    opted_out(familiar: &str, forgotten: &str);
    /// `/privacy`, for somebody who has opted out.
    stays_out(familiar: &str);
    /// Somebody takes part again.
    takes_part(familiar: &str);
    /// Somebody who has opted out speaks to it, or wants to be heard in a call.
    opted_out_hint(familiar: &str);
    /// Somebody who has opted out wants back what was forgotten.
    undo_while_opted_out(familiar: &str);
}

/// `/privacy`, for somebody who takes part.
pub(in crate::discord) fn privacy(to: Tongue, familiar: &str, plan: Plan) -> String {
    let stored = if plan.is_empty() {
        said!(to, privacy_nothing, familiar)
    } else {
        said!(to, privacy_stored, familiar, plan = plan_counted(to, plan))
    };
    said!(to, privacy, stored)
}

/// The question before somebody opts out.
pub(in crate::discord) fn opting_out(to: Tongue, familiar: &str, plan: Plan) -> String {
    let plan = if plan.is_empty() { "none".to_owned() } else { plan_counted(to, plan) };
    said!(to, opting_out, familiar, plan)
}

/// A copy is attached, and what is in it.
pub(in crate::discord) fn copied(to: Tongue, messages: usize, is_all: bool) -> String {
    said!(to, copied, messages = thousands_in(to, messages as u64), is_all)
}
