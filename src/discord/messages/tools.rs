//! What people read when the familiar asks before it does something.

use crate::text::defuse::without_invitations;
use crate::text::short::{one_line, shortened};
use crate::text::unicode::visible;

/// What would be done, as it is shown. Discord takes 2,000 characters in all.
const WHAT_CHARS: usize = 1_600;

/// The buttons.
pub(in crate::discord) const YES: &str = "Yes";
pub(in crate::discord) const NO: &str = "No";

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum ConfirmOutcome {
    Agreed,
    Declined,
    Unanswered,
    /// The answer it was for is not being written any more.
    Unwanted,
}

/// Whether all that would be done can be read in a question.
pub(in crate::discord) fn fits_a_question(what: &str) -> bool {
    shown_plainly(what).chars().count() <= WHAT_CHARS
}

/// Asks somebody; `what` reads as in "shall I …?".
pub(in crate::discord) fn may_i(who: u64, what: &str, after_others_words: bool) -> String {
    let why = if after_others_words { "I have just read what others wrote, so I ask first. " } else { "" };
    format!("<@{who}>, shall I {}?\n-# {why}Only you can answer, within two minutes.", plain(what))
}

/// What takes the place of the question.
pub(in crate::discord) fn was_asked(who: u64, what: &str, became: ConfirmOutcome) -> String {
    let what = plain(what);
    match became {
        ConfirmOutcome::Agreed => format!("-# <@{who}> said yes: {what}."),
        ConfirmOutcome::Declined => format!("-# <@{who}> said no, so I did not {what}."),
        ConfirmOutcome::Unanswered => format!("-# <@{who}> did not answer in time, so I did not {what}."),
        ConfirmOutcome::Unwanted => format!("-# That is no longer wanted, so I did not {what}."),
    }
}

/// Somebody pressed who is not asked.
pub(in crate::discord) fn not_yours_to_answer() -> String {
    "That is for somebody else to answer.".to_owned()
}

/// Pressed twice.
pub(in crate::discord) fn answered_already() -> String {
    "That is answered already.".to_owned()
}

/// Takes the place of a question that nobody waits for any more.
pub(in crate::discord) fn too_late_to_answer() -> String {
    "-# It is too late to answer this. If it has not been done, ask me again.".to_owned()
}

/// Shown as it is written: what a model wrote must not look like something else. Nor does a question lead into a server.
fn plain(what: &str) -> String {
    shortened(&shown_plainly(what), WHAT_CHARS)
}

fn shown_plainly(what: &str) -> String {
    let line = visible(what);
    let line = one_line(&line);
    let line = without_invitations(&line);
    let mut shown = String::with_capacity(line.len());
    for char in line.chars() {
        if matches!(char, '\\' | '*' | '_' | '~' | '`' | '|' | '[' | ']' | '<' | '>' | '#') {
            shown.push('\\');
        }
        shown.push(char);
    }
    shown
}
