//! Words about pairing.

use crate::identity::{BondEnd, CODE_LIFETIME, CodeRefusal, JoinedEnds, TRIES_WINDOW};
use crate::text::short::counted;

/// A code was made.
pub(in crate::discord) fn pair_code(code: &str, from: &BondEnd) -> String {
    let minutes = CODE_LIFETIME.as_secs() / 60;
    let where_to = match from {
        BondEnd::Alone(_) => {
            "Give it on a server, and I may know you there as I do here; or in a direct message from another account of \
             yours, and I take the two for one person."
        }
        BondEnd::Guild(_) => "Give it in a direct message with me, and I may know you here as I do there.",
    };
    format!(
        "Your code: **{code}**. Give it with `/pair code:{code}` within {minutes} minutes; it works once. {where_to} \
         Show it to nobody: who gives it counts as you."
    )
}

/// A code was taken.
pub(in crate::discord) fn paired(joined: &JoinedEnds) -> String {
    let what = match (&joined.from, &joined.with) {
        (BondEnd::Alone(_), BondEnd::Alone(_)) => {
            "Paired. From now on, what you tell me alone from either account I know when I am alone with the other."
        }
        (_, BondEnd::Guild(_)) => {
            "Paired. From now on, what you tell me in direct messages may come up on this server, whoever reads along."
        }
        (BondEnd::Guild(_), BondEnd::Alone(_)) => {
            "Paired. From now on, what you tell me here may come up on that server, whoever reads along."
        }
    };
    format!(
        "{what} What you told me before stays where it was, unless you use `/pair-past`. `/unpair` ends it."
    )
}

/// A code was not made or taken.
pub(in crate::discord) fn pair_refused(why: CodeRefusal) -> String {
    match why {
        CodeRefusal::NotHere => "Nothing can be paired here.".to_owned(),
        CodeRefusal::Wrong => {
            "That code does not work here. Codes last ten minutes and work once; get a new one with `/pair`."
                .to_owned()
        }
        CodeRefusal::TooManyTries => {
            format!("Too many wrong codes. Wait {} minutes, then try again.", TRIES_WINDOW.as_secs() / 60)
        }
        CodeRefusal::SamePlace => {
            "You asked for that code right here. Give it in the other place.".to_owned()
        }
        CodeRefusal::Already => {
            "These two are paired already, or one of them with somebody else. `/unpair` ends it.".to_owned()
        }
        CodeRefusal::TooMany => {
            "You have paired as many places as I can keep. `/unpair` one of them first.".to_owned()
        }
    }
}

/// `/pair-past` outside a direct message.
pub(in crate::discord) fn past_only_alone() -> String {
    "Use `/pair-past` in a direct message with me: it is about what you told me there.".to_owned()
}

pub(in crate::discord) fn past_shared(with: &[BondEnd]) -> String {
    if with.is_empty() {
        return "There is nothing to share: nothing is paired that does not know already. Use `/pair` first."
            .to_owned();
    }
    let servers = with.iter().filter(|end| matches!(end, BondEnd::Guild(_))).count();
    let accounts = with.len() - servers;
    let places: Vec<String> = [(servers, "server"), (accounts, "direct conversation")]
        .into_iter()
        .filter(|(many, _)| *many > 0)
        .map(|(many, what)| counted(many as u64, what))
        .collect();
    format!(
        "What you told me here so far may now come up in {}, where you paired. `/unpair` takes it back from there.",
        places.join(" and ")
    )
}

pub(in crate::discord) fn unpaired(was_paired: bool) -> String {
    if was_paired {
        "Unpaired. What you tell me alone is for us alone again, and what you shared is not used here any more. What I \
         already said in front of others stays said."
            .to_owned()
    } else {
        "You have paired nothing with this place.".to_owned()
    }
}
