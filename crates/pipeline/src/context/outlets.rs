//! Lore that stands where a card opens an outlet for it, `{{outlet::name}}` (cards-and-lore 4.1, 4.2.9).
//!
//! Owns finding outlets and filling them. Only the operator's words open one: what people said is never expanded. Must
//! not know how lore is called up. Start reading at `fill`.

use std::collections::{BTreeMap, BTreeSet};

use super::contribution::{Contribution, Trust};

/// What was called up for each outlet.
pub(super) type Outlets = BTreeMap<String, String>;

/// Fills the outlets in the operator's words; one for which nothing was called up stays empty. Gives the names of those
/// that stand somewhere.
pub(super) fn fill(contributions: &mut [Contribution], outlets: &Outlets) -> BTreeSet<String> {
    let mut open = BTreeSet::new();
    for contribution in contributions.iter_mut().filter(|one| one.trust == Trust::Canon) {
        let filled = fill_outlets(&contribution.text, |name| {
            open.insert(name.to_owned());
            outlets.get(name).map_or("", String::as_str)
        });
        if let Some(filled) = filled {
            contribution.text = filled;
            contribution.tokens = None;
        }
    }
    open
}

/// A text with nothing in its outlets.
pub fn closed(text: String) -> String {
    fill_outlets(&text, |_| "").unwrap_or(text)
}

/// The text with each outlet's value in its place, which is not read again; `None` where it has no outlet.
fn fill_outlets<'v>(text: &str, mut value: impl FnMut(&str) -> &'v str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut has_any = false;
    while let Some(at) = rest.find("{{") {
        let inside = &rest[at + 2..];
        // No further than the next brace: of what never closes, each opening would read all that is left.
        let end = inside.find(['{', '}']).filter(|end| inside[*end..].starts_with("}}"));
        match end.and_then(|end| Some((end, outlet_name(&inside[..end])?))) {
            Some((end, name)) => {
                out.push_str(&rest[..at]);
                out.push_str(value(name));
                rest = &inside[end + 2..];
                has_any = true;
            }
            None => {
                out.push_str(&rest[..at + 2]);
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    has_any.then_some(out)
}

fn outlet_name(inside: &str) -> Option<&str> {
    let (word, name) = inside.split_once("::")?;
    word.trim().eq_ignore_ascii_case("outlet").then(|| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::contribution::Placement;
    use crate::domain::Layer;

    #[test]
    fn lore_4_2_9_outlets_are_filled_once_and_only_in_the_operators_words() {
        let outlets: Outlets =
            [("news".to_owned(), "The mill burnt. {{outlet::rumours}} {{char}}".to_owned())].into();
        let words = "{{a}} {{ Outlet :: news }}{{outlet::none}} {{b {{outlet::news}} end";
        let said = |trust| Contribution::anywhere("x", Layer::Character, Placement::Scenario, trust, words);
        let mut contributions = [said(Trust::Canon), said(Trust::Chat), said(Trust::Held)];
        contributions[0].tokens = Some(3);
        let open = fill(&mut contributions, &outlets);
        let told = "The mill burnt. {{outlet::rumours}} {{char}}";
        assert_eq!(contributions[0].text, format!("{{{{a}}}} {told} {{{{b {told} end"));
        assert_eq!(contributions[0].tokens, None, "counted anew");
        assert_eq!((contributions[1].text.as_str(), contributions[2].text.as_str()), (words, words));
        assert_eq!(open, BTreeSet::from(["news".to_owned(), "none".to_owned()]));
        assert_eq!(closed("a {{outlet::x}}b".to_owned()), "a b");
        assert_eq!(closed("a {{x}}b {{".to_owned()), "a {{x}}b {{");
        assert_eq!(closed("{{outlet::{{outlet::x}}".to_owned()), "{{outlet::");
        let unclosed = "{{outlet::".repeat(200_000);
        assert_eq!(closed(unclosed.clone()), unclosed);
    }
}
