//! Where a note is shown and edited.

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
