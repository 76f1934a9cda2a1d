//! Editing a note: its Markdown, what saving would change, and only then saving. A note that was changed meanwhile is never
//! overwritten, and what somebody wrote is never lost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::{Extension, Query, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use similar::{ChangeTag, TextDiff};

use super::door::sent_form;
use super::memory::{Which, href, note_path, read_from_disk, title_of_note};
use super::messages;
use super::operator::{read_note, write_note};
use super::pages::{PageHead, Refusal, SignedIn, html_page, theme_of};
use super::server::{FORM_BYTES, Shared};
use crate::memory::facts::NotePage;
use crate::memory::store::{ContentHash, NotePath, NoteText, StoreError};

/// Lines that stay, around those that do not.
const AROUND: usize = 3;

/// So long it is looked for the fewest lines that change; then more are told than need be.
const COMPARED_WITHIN: Duration = Duration::from_millis(200);

/// Of a form beside the note's own words.
const OTHER_FIELDS_BYTES: usize = 4 * 1024;

#[derive(Debug, Template)]
#[template(path = "note_edit.html")]
struct EditPage {
    page: PageHead,
    back: String,
    path: String,
    notices: Vec<String>,
    /// The note as it was when this page was made; empty where there was none.
    seen: String,
    /// The text whose changes stand here; empty where none do.
    looked: String,
    has_changes: bool,
    counted: String,
    lines: Vec<DiffLine>,
    text: String,
}

#[derive(Debug)]
struct DiffLine {
    /// `added`, `removed`, `kept` or `gap`
    kind: &'static str,
    sign: &'static str,
    /// For whoever does not see the sign.
    spoken: &'static str,
    text: String,
}

/// What somebody sent of a note.
struct Edit {
    path: NotePath,
    seen: String,
    looked: String,
    text: String,
    is_to_save: bool,
}

impl Edit {
    fn of(mut fields: BTreeMap<String, String>) -> Result<Self, Refusal> {
        let mut field = |name: &str| fields.remove(name).unwrap_or_default();
        let path = note_path(field("path")).ok_or(Refusal(StatusCode::BAD_REQUEST))?;
        Ok(Self {
            path,
            seen: field("seen"),
            looked: field("looked"),
            // Browsers end lines as letters do.
            text: field("text").replace("\r\n", "\n"),
            is_to_save: field("step") == "save",
        })
    }

    /// With the ends of lines that the file has.
    fn for_file(&self, now: Option<&NoteText>) -> String {
        match now {
            Some(now) if now.text.contains("\r\n") => self.text.replace('\n', "\r\n"),
            _ => self.text.clone(),
        }
    }
}

/// What became of it.
enum Looked {
    Saved,
    /// To be shown with the note as it is now.
    Shown {
        now: Option<NoteText>,
        notice: Option<String>,
        status: StatusCode,
    },
}

/// The field in which a note is edited.
pub(super) async fn edit_note(
    State(shared): State<Arc<Shared>>,
    Extension(session): SignedIn,
    Query(which): Query<Which>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let path = which.note()?;
    let (memory, wanted) = (Arc::clone(&shared.parts.memory), path.clone());
    let note = read_from_disk(move || read_note(&memory, &wanted)).await?;
    let note = note.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    if sent_length(&note.text) > FORM_BYTES - OTHER_FIELDS_BYTES {
        return Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE));
    }
    let page = shared.head(&title(&path, &note.text), "/memory", session.as_ref(), theme_of(&headers));
    let text = note.text.replace("\r\n", "\n");
    Ok(html_page(&edit_page(page, &path, Some(&note), text, Vec::new())))
}

/// Shows what an edit changes, or saves what was looked at.
pub(super) async fn post_edit(
    State(shared): State<Arc<Shared>>,
    Extension(session): SignedIn,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Refusal> {
    let edit = Edit::of(sent_form(session.as_ref(), request).await?)?;
    let memory = Arc::clone(&shared.parts.memory);
    let (edit, looked) = read_from_disk(move || {
        let now = read_note(&memory, &edit.path)?;
        let looked = look_at(&edit, now, |now, text| write_note(&memory, &edit.path, now, text));
        Ok((edit, looked))
    })
    .await?;
    match looked {
        Looked::Saved => Ok(Redirect::to(&href(&edit.path)).into_response()),
        Looked::Shown { now, notice, status } => {
            let page =
                shared.head(&title(&edit.path, &edit.text), "/memory", session.as_ref(), theme_of(&headers));
            let notices: Vec<String> = notice.into_iter().chain(unseen(&edit.text)).collect();
            let page = edit_page(page, &edit.path, now.as_ref(), edit.text, notices);
            Ok((status, html_page(&page)).into_response())
        }
    }
}

/// Saves where that is wanted, and where what is saved is what was looked at.
fn look_at(
    edit: &Edit,
    now: Option<NoteText>,
    save: impl FnOnce(Option<&NoteText>, &str) -> Result<(), StoreError>,
) -> Looked {
    let shown = |now, notice: &str, status| Looked::Shown { now, notice: Some(notice.to_owned()), status };
    if seen_mark(now.as_ref()) != edit.seen {
        let notice =
            if now.is_some() { messages::NOTE_EDITED_MEANWHILE } else { messages::NOTE_GONE_MEANWHILE };
        return shown(now, notice, StatusCode::CONFLICT);
    }
    let text = edit.for_file(now.as_ref());
    if now.as_ref().is_some_and(|now| now.text == text) {
        return shown(now, messages::NOTE_UNCHANGED, StatusCode::OK);
    }
    if !edit.is_to_save {
        return Looked::Shown { now, notice: None, status: StatusCode::OK };
    }
    if edit.looked != text_mark(&edit.text) {
        return shown(now, messages::LOOK_AGAIN, StatusCode::OK);
    }
    match save(now.as_ref(), &text) {
        Ok(()) => Looked::Saved,
        Err(error) => {
            tracing::warn!(%error, "a note could not be saved from the window");
            let notice = messages::not_saved(&error.to_string());
            Looked::Shown { now, notice: Some(notice), status: StatusCode::CONFLICT }
        }
    }
}

fn edit_page(
    page: PageHead,
    path: &NotePath,
    now: Option<&NoteText>,
    text: String,
    notices: Vec<String>,
) -> EditPage {
    let before = now.map(|now| now.text.replace("\r\n", "\n")).unwrap_or_default();
    let (lines, counted) = changes(&before, &text);
    let has_changes = !lines.is_empty();
    EditPage {
        page,
        back: href(path),
        path: path.to_string(),
        notices,
        seen: seen_mark(now),
        looked: if has_changes { text_mark(&text) } else { String::new() },
        has_changes,
        counted,
        lines,
        text,
    }
}

/// By which a note is known again.
fn seen_mark(note: Option<&NoteText>) -> String {
    note.map(|note| note.hash.to_string()).unwrap_or_default()
}

fn text_mark(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

/// How many bytes a form takes for it.
fn sent_length(text: &str) -> usize {
    // Every end of a line is sent as two letters.
    let ends = text.matches('\n').count() * "%0D".len();
    form_urlencoded::byte_serialize(text.as_bytes()).map(str::len).sum::<usize>() + ends
}

fn title(path: &NotePath, text: &str) -> String {
    let of_page = NotePage::parse(text).map(|page| title_of_note(path, &page));
    messages::edit_title(&of_page.unwrap_or_else(|_| path.stem().to_owned()))
}

/// What of it nobody would see.
fn unseen(text: &str) -> Vec<String> {
    match NotePage::parse(text) {
        Ok(page) => {
            let broken = page.broken().iter();
            broken.map(|line| messages::nobody_would_see_line(line.line, &line.reason.to_string())).collect()
        }
        Err(error) => vec![messages::nobody_would_see(&error.to_string())],
    }
}

/// The lines that change with those around them, and how many they are.
fn changes(before: &str, after: &str) -> (Vec<DiffLine>, String) {
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
        assert_eq!(counted, "2 lines more, 2 lines less");
        assert!(changes(&before, &before).0.is_empty());
    }

    #[test]
    fn what_is_sent_of_a_note_is_measured_as_browsers_send_it() {
        assert_eq!(sent_length("a b\n"), "a+b%0D%0A".len());
        assert_eq!(sent_length("лодка"), "лодка".len() * 3);
    }
}
