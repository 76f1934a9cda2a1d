//! Editing a text in a form: what saving would change, and only then saving.

use std::time::Duration;

use askama::Template;
use similar::{ChangeTag, TextDiff};

use super::door::FORM_BYTES;
use super::messages;
use super::pages::PageHead;
use crate::memory::store::ContentHash;

/// Lines that stay, around those that do not.
const AROUND: usize = 3;

/// So long it is looked for the fewest lines that change; then more are told than need be.
const COMPARED_WITHIN: Duration = Duration::from_millis(200);

/// Of a form beside the text.
const OTHER_FIELDS_BYTES: usize = 4 * 1024;

#[derive(Debug, Template)]
#[template(path = "edit.html")]
pub(super) struct EditPage {
    page: PageHead,
    of: Edited,
    notices: Vec<String>,
    /// The text as it was when this page was made; empty where there was none.
    seen: String,
    /// The text whose changes stand here; empty where none do.
    looked: String,
    has_changes: bool,
    /// Whether it may be saved like this.
    can_save: bool,
    counted: String,
    lines: Vec<DiffLine>,
    text: String,
}

/// What is edited, and where.
#[derive(Debug)]
pub(super) struct Edited {
    pub action: &'static str,
    pub back: String,
    /// The page that shows it anew, for whoever comes back to an answer to its form.
    pub way: String,
    /// The file, under the folder where such files are.
    pub path: String,
    pub sort: EditedSort,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditedSort {
    /// What it believes, with audiences line by line.
    Note,
    /// Of the card or the lore.
    Writing,
    Settings,
}

#[derive(Debug)]
pub(super) struct DiffLine {
    /// `added`, `removed`, `kept` or `gap`
    pub kind: &'static str,
    pub sign: &'static str,
    /// For whoever does not see the sign.
    pub spoken: &'static str,
    pub text: String,
}

/// What stands above a text that is edited, and whether that keeps it from being saved.
#[derive(Debug, Default)]
pub(super) struct Notices {
    pub words: Vec<String>,
    pub is_wrong: bool,
}

impl EditPage {
    /// With the changes from the text that is kept `now`, which is known again by `seen`.
    pub(super) fn of(
        page: PageHead,
        of: Edited,
        (now, seen): (&str, String),
        text: String,
        told: Notices,
    ) -> Self {
        let (lines, counted) = changes(&now.replace("\r\n", "\n"), &text);
        let has_changes = !lines.is_empty();
        Self {
            page,
            of,
            notices: told.words,
            seen,
            looked: if has_changes { text_mark(&text) } else { String::new() },
            can_save: has_changes && !told.is_wrong,
            has_changes,
            counted,
            lines,
            text,
        }
    }
}

/// By which a text is known again.
pub(super) fn text_mark(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

/// A text that was sent, with the ends of lines that what is kept has.
pub(super) fn for_file(text: &str, now: &str) -> String {
    if now.contains("\r\n") { text.replace('\n', "\r\n") } else { text.to_owned() }
}

/// Whether a form can hold it.
pub(super) fn fits_into_a_form(text: &str) -> bool {
    sent_length(text) <= FORM_BYTES - OTHER_FIELDS_BYTES
}

/// How many bytes a form takes for it.
fn sent_length(text: &str) -> usize {
    // Every end of a line is sent as two letters.
    let ends = text.matches('\n').count() * "%0D".len();
    form_urlencoded::byte_serialize(text.as_bytes()).map(str::len).sum::<usize>() + ends
}

/// The lines that change with those around them, and how many they are.
pub(super) fn changes(before: &str, after: &str) -> (Vec<DiffLine>, String) {
    let diff = TextDiff::configure().timeout(COMPARED_WITHIN).diff_lines(before, after);
    let (mut lines, mut added, mut removed) = (Vec::new(), 0, 0);
    for group in diff.grouped_ops(AROUND) {
        if !lines.is_empty() {
            lines.push(DiffLine { kind: "gap", sign: "…", spoken: "", text: String::new() });
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (kind, sign, spoken) = match change.tag() {
                ChangeTag::Insert => ("added", "+", messages::ADDED),
                ChangeTag::Delete => ("removed", "−", messages::REMOVED),
                ChangeTag::Equal => ("kept", "", ""),
            };
            added += usize::from(change.tag() == ChangeTag::Insert);
            removed += usize::from(change.tag() == ChangeTag::Delete);
            let text = change.value().trim_end_matches('\n').to_owned();
            lines.push(DiffLine { kind, sign, spoken, text });
        }
    }
    (lines, messages::lines_changed(added, removed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_change_are_shown_with_three_around_them() {
        let before: String = (0..40).map(|number| format!("line {number}\n")).collect();
        let after = before.replace("line 20\n", "zwanzig\nund mehr\n").replace("line 39\n", "");
        let (lines, counted) = changes(&before, &after);
        let shown: Vec<String> = lines.iter().map(|line| format!("{}{}", line.sign, line.text)).collect();
        assert_eq!(
            shown,
            [
                "line 17",
                "line 18",
                "line 19",
                "−line 20",
                "+zwanzig",
                "+und mehr",
                "line 21",
                "line 22",
                "line 23",
                "…",
                "line 36",
                "line 37",
                "line 38",
                "−line 39"
            ]
        );
        assert_eq!(counted, "2 lines added, 2 lines removed");
        assert!(changes(&before, &before).0.is_empty());
    }

    #[test]
    fn what_is_sent_of_a_note_is_measured_as_browsers_send_it() {
        assert_eq!(sent_length("a b\n"), "a+b%0D%0A".len());
        assert_eq!(sent_length("лодка"), "лодка".len() * 3);
    }
}
