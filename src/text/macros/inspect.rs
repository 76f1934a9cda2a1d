//! What macros a text holds, for the import report.
//!
//! Owns the two lists of names that people are told about; must not change any text.

use std::collections::BTreeSet;

use super::eval::Known;
use super::parse::{Piece, read};

/// The names of macros in `text` whose value changes from turn to turn, sorted, as written in lower case. In the
/// stable block of a prompt each of them breaks the provider's cache (specs cards-and-lore 2.5).
#[must_use]
pub fn volatile_macros(text: &str) -> Vec<String> {
    collect(text, |known| known.is_some_and(Known::is_volatile))
}

/// The names of macros in `text` that are left as they are, sorted, in lower case (`getvar`, `outlet`, `if`, …).
#[must_use]
pub fn unknown_macros(text: &str) -> Vec<String> {
    collect(text, |known| known.is_none())
}

fn collect(text: &str, wanted: impl Fn(Option<Known>) -> bool + Copy) -> Vec<String> {
    let mut names = BTreeSet::new();
    visit(&read(text), wanted, &mut names);
    names.into_iter().collect()
}

fn visit(pieces: &[Piece<'_>], wanted: impl Fn(Option<Known>) -> bool + Copy, names: &mut BTreeSet<String>) {
    for piece in pieces {
        if let Piece::Macro(call) = piece {
            if let Some(head) = call.head()
                && wanted(Known::find(&head.name))
            {
                names.insert(head.name);
            }
            visit(&call.inner, wanted, names);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_names_what_changes_and_what_is_unknown() {
        let text = "{{char}} {{Time}} {{random::{{getvar::x}}::b}} {{outlet::y}} {{pick::a::b}} {{time}}";
        assert_eq!(volatile_macros(text), ["random", "time"]);
        assert_eq!(unknown_macros(text), ["getvar", "outlet"]);
        assert!(unknown_macros("no braces { } {{}} {{ }}").is_empty());
    }
}
