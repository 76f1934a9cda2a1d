//! What is said about privacy: what is kept, a copy of it, and opting out.

use super::memory::plan_counted;
use crate::erase::Plan;
use crate::text::short::thousands;

/// Under `/privacy`.
pub(in crate::discord) const COPY_OF_MINE: &str = "Copy of mine";
pub(in crate::discord) const OPT_OUT: &str = "Opt out …";
pub(in crate::discord) const TAKE_PART: &str = "Take part again";

/// Under the question whether somebody means it.
pub(in crate::discord) const OPT_OUT_AND_FORGET: &str = "Opt out and forget";
pub(in crate::discord) const OPT_OUT_FOR_GOOD: &str = "Opt out and forget for good";
pub(in crate::discord) const NOT_NOW: &str = "Not now";

/// `/privacy`, for somebody who takes part.
pub(in crate::discord) fn privacy(familiar: &str, plan: Plan) -> String {
    let kept = if plan.is_empty() {
        format!("{familiar} has stored nothing of yours yet.")
    } else {
        format!("{familiar} has stored {}, on the machine of whoever runs it.", plan_counted(plan))
    };
    format!(
        "{kept} What a reply needs of it goes to the model that writes the reply; what you say in calls and in \
         voice messages that you show it goes to the recogniser. Your direct messages are told to nobody else.\n\
         `/memory` shows and corrects what is noted about you, `/forget` takes things back.\n\
         **{COPY_OF_MINE}** gives you your messages, notes, reminders and personas as a file. **{OPT_OUT}** ends all of it: nothing \
         you write, say or react with is read, stored or sent from then on, on any server."
    )
}

/// The question before somebody opts out.
pub(in crate::discord) fn opting_out(familiar: &str, plan: Plan) -> String {
    let now = if plan.is_empty() {
        String::new()
    } else {
        format!(" What is stored is forgotten now: {}.", plan_counted(plan))
    };
    format!(
        "{familiar} would no longer read, store or send anything of yours, in text and in calls, on every server and in \
         direct messages, and could not answer you.{now} What others say about you are their words, and stay. `/privacy` \
         lets you take part again.\n\
         **{OPT_OUT_AND_FORGET}** keeps a sealed copy for seven days, which `/forget undo` brings back once you take part \
         again. **{OPT_OUT_FOR_GOOD}** keeps none."
    )
}

/// Somebody has opted out, and this was forgotten.
pub(in crate::discord) fn opted_out(familiar: &str, forgotten: &str) -> String {
    format!("{familiar} reads nothing of yours from now on. {forgotten}")
}

/// `/privacy`, for somebody who has opted out.
pub(in crate::discord) fn stays_out(familiar: &str) -> String {
    format!(
        "You opted out: {familiar} reads, stores and sends nothing of yours. Your account is on a list for that, and nothing \
         else."
    )
}

/// Somebody takes part again.
pub(in crate::discord) fn takes_part(familiar: &str) -> String {
    format!("{familiar} reads you again from now on. What you wrote in between was not read and stays so.")
}

/// Somebody who has opted out speaks to it, or wants to be heard in a call.
pub(in crate::discord) fn opted_out_hint(familiar: &str) -> String {
    format!("-# You opted out, so {familiar} did not read that. `/privacy` lets you take part again.")
}

/// Somebody who has opted out wants back what was forgotten.
pub(in crate::discord) fn undo_while_opted_out(familiar: &str) -> String {
    format!(
        "You opted out: {familiar} may store nothing of yours. `/privacy` lets you take part again; then it can come back."
    )
}

/// A copy is attached, and what is in it.
pub(in crate::discord) fn copied(messages: usize, is_all: bool) -> String {
    let which = if is_all { "all of them" } else { "the newest; whoever runs this bot has the rest" };
    format!(
        "Here is your copy. It has {} messages of yours, {which}, the notes and reminders that may be seen here, and your \
         personas. \
         Ask for it in a direct message to have the notes and reminders of there.",
        thousands(messages as u64)
    )
}
