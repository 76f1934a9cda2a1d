//! Words about pairing.

use super::say::{said, sentences};
use super::{Tongue, case_name, list};
use crate::identity::{BondEnd, CODE_LIFETIME, CodeRefusal, JoinedEnds, TRIES_WINDOW};

sentences! {
    /// `/pair-past` outside a direct message.
    past_only_alone();
    unpaired(was_paired: bool);
    /// Before a code makes two accounts one person, and its two buttons.
    pair_asked(other: &str);
    pair_is_mine();
    pair_not_mine();
    not_paired();
}

pub(in crate::discord) fn pair_code(to: Tongue, code: &str, from: &BondEnd) -> String {
    let from = match from {
        BondEnd::Alone(_) => "alone",
        BondEnd::Guild(_) => "server",
    };
    said!(to, pair_code, code, from, minutes = CODE_LIFETIME.as_secs() / 60)
}

pub(in crate::discord) fn paired(to: Tongue, joined: &JoinedEnds) -> String {
    let what = match (&joined.from, &joined.with) {
        (BondEnd::Alone(_), BondEnd::Alone(_)) => "accounts",
        (_, BondEnd::Guild(_)) => "this_server",
        (BondEnd::Guild(_), BondEnd::Alone(_)) => "that_server",
    };
    said!(to, paired, what)
}

/// A code was not made or taken.
pub(in crate::discord) fn pair_refused(to: Tongue, why: CodeRefusal) -> String {
    said!(to, pair_refused, why = case_name(why), minutes = TRIES_WINDOW.as_secs() / 60)
}

/// What somebody is paired with, below what is stored of them; nothing where that is nothing.
pub(in crate::discord) fn paired_with(to: Tongue, with: &[BondEnd]) -> String {
    let ends: Vec<String> = with
        .iter()
        .map(|end| match end {
            BondEnd::Alone(account) => format!("<@{}>", account.id()),
            BondEnd::Guild(_) => said!(to, paired_server),
        })
        .collect();
    if ends.is_empty() { String::new() } else { said!(to, paired_with, ends = list(to, &ends)) }
}

pub(in crate::discord) fn past_shared(to: Tongue, with: &[BondEnd]) -> String {
    if with.is_empty() {
        return said!(to, past_nothing);
    }
    let servers = with.iter().filter(|end| matches!(end, BondEnd::Guild(_))).count();
    let accounts = with.len() - servers;
    let mut places = Vec::new();
    if servers > 0 {
        places.push(said!(to, past_servers, count = servers));
    }
    if accounts > 0 {
        places.push(said!(to, past_accounts, count = accounts));
    }
    said!(to, past_shared, places = list(to, &places))
}
