//! Where a note is shown and edited, and which is meant by such an address.

use crate::memory::store::NotePath;

/// Where a note is shown.
pub(super) fn href(path: &NotePath) -> String {
    format!("/memory/note?{}", query_of(path))
}

/// Where it is edited.
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
