//! What the doctor says of the databases.

use std::path::Path;

use super::bytes_in_words;
use crate::doctor::report::DoctorCheck;

pub(in crate::doctor) fn store_not_there(name: &'static str) -> DoctorCheck {
    DoctorCheck::ok(name, "not there yet; made at the first start")
}

pub(in crate::doctor) fn store_sound(name: &'static str, bytes: u64) -> DoctorCheck {
    DoctorCheck::ok(name, format!("sound, {}", bytes_in_words(bytes)))
}

pub(in crate::doctor) fn store_unfinished(name: &'static str, bytes: u64) -> DoctorCheck {
    DoctorCheck::ok(
        name,
        format!("sound as far as was looked; {} take longer than there was time for", bytes_in_words(bytes)),
    )
}

pub(in crate::doctor) fn store_damaged(name: &'static str, path: &Path, complaint: &str) -> DoctorCheck {
    DoctorCheck::fail(
        name,
        format!("{}: {complaint}", path.display()),
        "stop the familiar, keep a copy of the folder, and put a backup in its place (docs/operations/backup.md)",
    )
}

pub(in crate::doctor) fn store_closed(name: &'static str, path: &Path, complaint: &str) -> DoctorCheck {
    DoctorCheck::warn(
        name,
        format!("{} could not be looked at: {complaint}", path.display()),
        "let this user read and write the folder it is in, or run the doctor as the user the familiar runs as",
    )
}

pub(in crate::doctor) fn wal_large(name: &'static str, bytes: u64) -> DoctorCheck {
    DoctorCheck::warn(
        name,
        format!("the -wal file beside it has grown to {}", bytes_in_words(bytes)),
        "stop the familiar once in an orderly way; if it grows again, some other program keeps the file open",
    )
}
