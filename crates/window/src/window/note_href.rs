//! Where a note is shown and edited, and which is meant by such an address.

use crate::memory::store::{NOTE_FOLDERS, NotePath};

pub(super) fn href(path: &NotePath) -> String {
    format!("/memory/note?{}", query_of(path))
}

pub(super) fn edit_href(path: &NotePath) -> String {
    format!("/memory/edit?{}", query_of(path))
}

/// What names it in an address.
pub(super) fn query_of(path: &NotePath) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("path", path.as_str()).finish()
}

/// A note's path, as somebody sent it. What waits for a yes has a page of its own.
pub(super) fn note_path(path: String) -> Option<NotePath> {
    NotePath::new(path).ok().filter(|path| path.is_markdown() && !path.is_proposal())
}

/// The note that a piece is from, by the name that the record has for the piece.
pub(super) fn note_named(source: &str) -> Option<NotePath> {
    let is_name = |at: usize| at == 0 || source[..at].ends_with([' ', '/']);
    let begins = NOTE_FOLDERS
        .iter()
        .filter_map(|folder| source.find(&format!("{folder}/")))
        .find(|at| is_name(*at))?;
    let path = &source[begins..];
    NotePath::new(&path[..path.find(".md")? + ".md".len()]).ok()
}
