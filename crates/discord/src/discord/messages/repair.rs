//! What is said where somebody repairs a reply.

use super::Tongue;
use super::say::{said, sentences};
use crate::session::{Alternatives, DeliveryError, NotPut, Repaired};
use crate::text::defuse::defuse;
use crate::text::short::{one_line, shortened};

pub(in crate::discord) const EARLIER: &str = "‹";
pub(in crate::discord) const LATER: &str = "›";

/// Letters of a reply that are shown over the buttons.
const SHOWN: usize = 120;

sentences! {
    /// In the menu of a message; at most 32 characters.
    repair();
    another();
    reword();
    go_on();
    delete();
    take_back();
    /// Over the form for its words, and over their field.
    reword_title();
    reword_label();
    /// A form has room for so many letters.
    too_long_to_reword(most: usize);
}

/// What became of it, or how the reply stands.
pub(in crate::discord) fn repaired(to: Tongue, familiar: &str, repaired: &Repaired) -> String {
    match repaired {
        Repaired::Stands { text, alternatives, refused, .. } => {
            let Alternatives { standing, all } = *alternatives;
            let words = defuse(&shortened(&one_line(text), SHOWN)).into_owned();
            let which = match all {
                2.. => said!(to, repaired_stands_of, standing = standing, all = all, words),
                _ => said!(to, repaired_stands, words),
            };
            let refused = refused.as_ref().map(|why| said!(to, repaired_refused, why = not_taken(to, why)));
            let seen = said!(to, repaired_seen, familiar);
            [Some(which), refused, Some(seen)].into_iter().flatten().collect::<Vec<_>>().join("\n")
        }
        Repaired::Gone { left } => said!(to, repaired_gone, familiar, left = *left),
        Repaired::GoesOn => said!(to, repaired_goes_on, familiar),
        Repaired::NotNewest => said!(to, repaired_not_newest),
        Repaired::NotKnown => said!(to, repaired_not_known, familiar),
        Repaired::NotTheirs => said!(to, repaired_not_theirs),
        Repaired::NoOther => said!(to, repaired_no_other),
        Repaired::Busy => said!(to, repaired_busy, familiar),
        Repaired::TooMuch => said!(to, repaired_too_much),
        Repaired::NoAnswer(why) => {
            let why = why.clone().map(|why| format!(" {}", super::notice(to, why))).unwrap_or_default();
            format!("{}{why}", said!(to, repaired_no_answer))
        }
        Repaired::Unchanged(why) => said!(to, repaired_unchanged, why = not_put(to, why)),
    }
}

fn not_put(to: Tongue, why: &NotPut) -> String {
    match why {
        NotPut::NotTaken => said!(to, not_put, why = "NotTaken"),
        NotPut::NotWrittenDown => said!(to, not_put, why = "NotWrittenDown"),
        NotPut::IsFile => said!(to, not_put, why = "IsFile"),
        NotPut::Unfit => said!(to, not_put, why = "Unfit"),
        NotPut::NotManaging => said!(to, not_put, why = "NotManaging"),
        NotPut::Refused(error) => not_taken(to, error),
    }
}

/// The log has Discord's own words, which are English.
fn not_taken(to: Tongue, error: &DeliveryError) -> String {
    let why = match error {
        DeliveryError::Forbidden(_) => "Forbidden",
        DeliveryError::Failed(_) => "Failed",
        DeliveryError::Refused(_) => "Refused",
    };
    said!(to, not_put, why)
}
