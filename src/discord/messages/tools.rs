//! What people read when the familiar asks before it does something.

use super::say::{said, sentences};
use super::{Tongue, name_of};
use crate::text::defuse::without_invitations;
use crate::text::short::{one_line, shortened};
use crate::text::unicode::visible;

/// What would be done, as it is shown. Discord takes 2,000 characters in all.
const WHAT_CHARS: usize = 1_600;

sentences! {
    /// The buttons.
    yes();
    no();
    /// Somebody pressed who is not asked.
    not_yours_to_answer();
    /// Pressed twice.
    answered_already();
    /// Takes the place of a question that nobody waits for any more.
    too_late_to_answer();
}

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
pub(in crate::discord) fn may_i(to: Tongue, who: u64, what: &str, after_others_words: bool) -> String {
    let what = plain(what);
    match after_others_words {
        true => said!(to, may_i_after_others, who, what),
        false => said!(to, may_i, who, what),
    }
}

/// What takes the place of the question.
pub(in crate::discord) fn was_asked(to: Tongue, who: u64, what: &str, became: ConfirmOutcome) -> String {
    said!(to, was_asked, who, what = plain(what), became = name_of(became))
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
