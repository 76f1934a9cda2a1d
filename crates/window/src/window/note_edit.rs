//! Editing a note: its Markdown, what saving would change, and only then saving. A note that was changed meanwhile is never
//! overwritten, and what somebody wrote is never lost.

use std::sync::Arc;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::door::SentForm;
use super::edit::{EditPage, Edited, EditedSort, Notices, fits_into_a_form, for_file, text_mark};
use super::memory::{NoteQuery, read_from_disk};
use super::messages;
use super::names::Names;
use super::note_href::{edit_href, href, note_path};
use super::operator::{NotesOf, read_note, title_of_note, without_head, write_note};
use super::pages::{PageHead, Refusal, Visitor, html_page};
use super::shared::Shared;
use crate::domain::Visible;
use crate::memory::facts::NotePage;
use crate::memory::store::{NotePath, NoteText, StoreError};

/// What somebody sent of a note.
struct Edit {
    path: NotePath,
    seen: String,
    looked: String,
    text: String,
    is_to_save: bool,
}

impl Edit {
    fn of(mut form: SentForm) -> Result<Self, Refusal> {
        let path = note_path(form.take("path")).ok_or(Refusal(StatusCode::BAD_REQUEST))?;
        Ok(Self {
            path,
            seen: form.take("seen"),
            looked: form.take("looked"),
            // Browsers end lines as letters do.
            text: form.take("text").replace("\r\n", "\n"),
            is_to_save: form.field("step") == "save",
        })
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
    Extension(visitor): Extension<Visitor>,
    Query(which): Query<NoteQuery>,
) -> Result<Response, Refusal> {
    let path = which.note()?;
    let (memory, wanted) = (Arc::clone(&shared.parts.memory), path.clone());
    let note = read_from_disk(move || read_note(&memory, &wanted)).await?;
    let note = note.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    if !fits_into_a_form(&note.text) {
        return Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE));
    }
    let page = shared.door.head(&title(&path, &note.text), "/memory", &visitor);
    let text = note.text.replace("\r\n", "\n");
    Ok(html_page(&edit_page(page, &path, Some(&note), text, Vec::new())))
}

/// Shows what an edit changes, or saves what was looked at.
pub(super) async fn post_edit(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let edit = Edit::of(form)?;
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
            let page = shared.door.head(&title(&edit.path, &edit.text), "/memory", &visitor);
            let mut notices: Vec<String> = notice.into_iter().chain(unseen(&edit.path, &edit.text)).collect();
            match &now {
                Some(now) => notices.extend(for_others(&shared, &edit.path, &now.text, &edit.text).await),
                None if edit.seen.is_empty() => {
                    notices.extend(for_whom(&shared, &edit.path, &edit.text).await);
                }
                None => {}
            }
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
    let text = for_file(&edit.text, now.as_ref().map(|now| now.text.as_str()).unwrap_or_default());
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

/// The field in which a note is begun that is not there yet.
pub(super) async fn new_note(shared: &Shared, page: PageHead, path: &NotePath, text: String) -> EditPage {
    let words: Vec<String> = for_whom(shared, path, &text).await.into_iter().collect();
    // Nothing of what stands there by itself is a change of whoever begins it.
    let kept = text.clone();
    let kept = (kept.as_str(), seen_mark(None));
    EditPage::of(page, edited(path, None), kept, text, Notices { words, is_wrong: false })
}

/// Who may see a note that is new.
async fn for_whom(shared: &Shared, path: &NotePath, text: &str) -> Option<String> {
    let head = NotePage::parse(text).ok().filter(|_| is_believed(path));
    let audience = head.map(|page| page.front().audience.clone())?;
    Some(messages::note_begins(&Names::all(shared).await.who_hears(&audience)))
}

/// Who may see a note after an edit, where that changes with it, and whether its head is lost. A head that is no longer read
/// as one would open a private note to everybody without a word.
async fn for_others(shared: &Shared, path: &NotePath, before: &str, after: &str) -> Vec<String> {
    let audience = |text| NotePage::parse(text).ok().map(|page| page.front().audience.clone());
    // What cannot be read is told already: nobody would see it.
    let Some(now) = audience(after).filter(|_| is_believed(path)) else { return Vec::new() };
    let so_far = audience(before);
    let mut words = Vec::new();
    if so_far.as_ref() != Some(&now) {
        let names = Names::all(shared).await;
        let known =
            so_far.as_ref().map_or_else(|| messages::NOBODY.to_owned(), |known| names.who_hears(known));
        // Of two circles as small, the other one is news to whoever is in it.
        let is_wider =
            so_far.is_none_or(|known| Visible::narrowest_of([known.clone(), now.clone()]) == known);
        words.push(messages::note_is_for(&names.who_hears(&now), &known, is_wider));
    }
    if without_head(before) != before && without_head(after) == after {
        words.push(messages::HEAD_LOST.to_owned());
    }
    words
}

/// What is edited. Nothing leads back to a note that is not there.
fn edited(path: &NotePath, now: Option<&NoteText>) -> Edited {
    let sort = if is_believed(path) { EditedSort::Note } else { EditedSort::Writing };
    let back = now.map_or_else(|| "/memory".to_owned(), |_| href(path));
    Edited { action: "/memory/edit", back, way: edit_href(path), path: path.to_string(), sort }
}

fn edit_page(
    page: PageHead,
    path: &NotePath,
    now: Option<&NoteText>,
    text: String,
    notices: Vec<String>,
) -> EditPage {
    let kept = (now.map(|now| now.text.as_str()).unwrap_or_default(), seen_mark(now));
    EditPage::of(page, edited(path, now), kept, text, Notices { words: notices, is_wrong: false })
}

/// By which a note is known again.
fn seen_mark(note: Option<&NoteText>) -> String {
    note.map(|note| note.hash.to_string()).unwrap_or_default()
}

fn title(path: &NotePath, text: &str) -> String {
    let of_page = NotePage::parse(text).map(|page| title_of_note(path, &page));
    messages::edit_title(&of_page.unwrap_or_else(|_| path.stem().to_owned()))
}

fn is_believed(path: &NotePath) -> bool {
    NotesOf::holding(path) == NotesOf::Memory
}

/// What of it nobody would see.
fn unseen(path: &NotePath, text: &str) -> Vec<String> {
    if !is_believed(path) {
        return Vec::new();
    }
    match NotePage::parse(text) {
        Ok(page) => {
            let broken = page.broken().iter();
            broken.map(|line| messages::nobody_would_see_line(line.line, &line.reason.to_string())).collect()
        }
        Err(error) => vec![messages::nobody_would_see(&error.to_string())],
    }
}
