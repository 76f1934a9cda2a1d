//! What macros a text holds, for the import report.
//!
//! Owns the two lists of names that people are told about; must not change any text.

use std::collections::BTreeSet;

use super::eval::KnownMacro;
use super::parse::{MacroPiece, parse_macros};

/// The names of macros in `text` whose value changes from turn to turn, sorted, as written in lower case. In the
/// stable block of a prompt each of them breaks the provider's cache (cards-and-lore 2.5).
#[must_use]
pub fn volatile_macros(text: &str) -> Vec<String> {
    collect_names(text, |known| known.is_some_and(KnownMacro::is_volatile))
}

/// Whether anything in `text` reads or sets a variable.
#[must_use]
pub fn holds_variables(text: &str) -> bool {
    text.contains("{{")
        && !collect_names(text, |known| known.is_some_and(KnownMacro::is_of_variables)).is_empty()
}

/// The names of macros in `text` that leave nothing in a live prompt, sorted, in lower case: those that nobody knows, and
/// those that would put what somebody said among the card's own words.
#[must_use]
pub fn unknown_macros(text: &str) -> Vec<String> {
    collect_names(text, |known| known.is_none_or(KnownMacro::is_of_chat))
}

fn collect_names(text: &str, wanted: impl Fn(Option<KnownMacro>) -> bool + Copy) -> Vec<String> {
    let mut names = BTreeSet::new();
    visit(&parse_macros(text), wanted, &mut names);
    names.into_iter().collect()
}

fn visit(
    pieces: &[MacroPiece<'_>],
    wanted: impl Fn(Option<KnownMacro>) -> bool + Copy,
    names: &mut BTreeSet<String>,
) {
    for piece in pieces {
        if let MacroPiece::Macro(call) = piece {
            if let Some(head) = call.head() {
                let known = KnownMacro::find(&head.name);
                // A condition names a variable without braces.
                let variable = (known == Some(KnownMacro::If)).then(|| call.sign_behind(&head)).flatten();
                if wanted(known) || variable.is_some_and(|sign| wanted(KnownMacro::find(sign))) {
                    names.insert(head.name);
                }
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
        let text = "{{char}} {{Time}} {{random::{{getvar::x}}::b}} {{outlet::y}} {{pick::a::b}} {{time}} {{isMobile}} {{input}}";
        assert_eq!(volatile_macros(text), ["getvar", "input", "random", "time"]);
        assert_eq!(unknown_macros(text), ["input", "ismobile"]);
        assert!(holds_variables(text) && holds_variables("{{if .x}}a{{/if}}"));
        assert!(!holds_variables("{{char}} .x {{if user}}{{/if}}"));
        assert!(unknown_macros("no braces { } {{}} {{ }}").is_empty());
    }
}
