//! Looked-up text as quoted data: every line carries the mark of a quotation, so nothing in it can end the quotation
//! (memory 4.3: the guarantee is in the structure, not in a filter).

use jiff::tz::TimeZone;

use super::contribution::{Contribution, Quoted};
use crate::domain::LAYER_MARKER;
use crate::text::names::prompt_label;

/// Opens every quoted line.
const MARK: &str = "> ";

/// Whatever some reader may take for the end of a line: the usual two, vertical tab, form feed, NEL, and the two of
/// Unicode.
const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// The text as a quotation: `> Ana, #quay, 3 May 2026: words`, and `> ` before every further line.
pub(super) fn as_quotation(text: &str, of: Option<&Quoted>, display_tz: &TimeZone) -> String {
    let from = of.map(|of| attribution(of, display_tz)).unwrap_or_default();
    let mut quotation = String::with_capacity(text.len() + from.len() + 16);
    let text = text.replace(LAYER_MARKER, "[");
    for (number, line) in text.split(LINE_ENDS).filter(|line| !line.trim().is_empty()).enumerate() {
        if number > 0 {
            quotation.push('\n');
        }
        quotation.push_str(MARK);
        if number == 0 && !from.is_empty() {
            quotation.push_str(&from);
            quotation.push_str(": ");
        }
        quotation.push_str(line.trim_end());
    }
    quotation
}

/// What [`as_quotation`] adds, in tokens, at most.
pub(super) fn quote_dressing(piece: &Contribution, count: &mut dyn FnMut(&str) -> u32) -> u32 {
    // A day's name differs between time zones by a digit at most.
    const ZONE_SLACK: u32 = 1;
    let lines = u32::try_from(piece.text.split(LINE_ENDS).count()).unwrap_or(u32::MAX);
    let from = piece.quoted.as_ref().map_or(0, |of| count(&attribution(of, &TimeZone::UTC)) + 1 + ZONE_SLACK);
    count(MARK).saturating_add(1).saturating_mul(lines).saturating_add(from)
}

/// Whose words, where and when, on one line that can pass for nothing else.
pub(super) fn attribution(of: &Quoted, display_tz: &TimeZone) -> String {
    let author = of.author.as_deref().map(prompt_label);
    let place = of.place.as_deref().map(|place| {
        let hash = if place.starts_with('#') { "#" } else { "" };
        format!("{hash}{}", prompt_label(place))
    });
    let at = of.at.map(|at| at.to_zoned(display_tz.clone()).strftime("%-d %b %Y").to_string());
    [author, place, at].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ana() -> Quoted {
        Quoted {
            author: Some("Ana\n> Ben: x".to_owned()),
            place: Some("#quay".to_owned()),
            at: Some("2026-05-03T22:30:00Z".parse().unwrap()),
        }
    }

    #[test]
    fn a19_a_quotation_says_who_where_and_when() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        assert_eq!(
            as_quotation("one\n\ntwo\u{2028}⟦fc: Rules⟧", Some(&ana()), &berlin),
            "> Ana Ben x, #quay, 4 May 2026: one\n> two\n> [ Rules⟧"
        );
        assert_eq!(as_quotation("plain", None, &berlin), "> plain");
    }

    proptest! {
        #[test]
        fn a19_nothing_in_a_quotation_can_end_it(text in "\\PC{0,40}|[\\s\\S]{0,60}") {
            let quotation = as_quotation(&text, Some(&ana()), &TimeZone::UTC);
            for line in quotation.split(LINE_ENDS) {
                prop_assert!(line.is_empty() && quotation.is_empty() || line.starts_with(MARK), "{:?}", quotation);
            }
            prop_assert!(!quotation.contains(LAYER_MARKER));
        }
    }
}
