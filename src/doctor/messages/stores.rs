//! What the doctor says of the databases.

use std::path::Path;

use super::size;
use crate::doctor::report::Check;

pub(in crate::doctor) fn store_not_there(name: &'static str) -> Check {
    Check::ok(name, "not there yet; made at the first start")
}

pub(in crate::doctor) fn store_sound(name: &'static str, bytes: u64) -> Check {
    Check::ok(name, format!("sound, {}", size(bytes)))
}

pub(in crate::doctor) fn store_unfinished(name: &'static str, bytes: u64) -> Check {
    Check::ok(
        name,
        format!("sound as far as was looked; {} take longer than there was time for", size(bytes)),
    )
}

pub(in crate::doctor) fn store_damaged(name: &'static str, path: &Path, complaint: &str) -> Check {
    Check::fail(
        name,
        format!("{}: {complaint}", path.display()),
        "stop the familiar, keep a copy of the folder, and put a backup in its place (docs/operations/backup.md)",
    )
}

pub(in crate::doctor) fn store_closed(name: &'static str, path: &Path, complaint: &str) -> Check {
    Check::warn(
        name,
        format!("{} could not be looked at: {complaint}", path.display()),
        "let this user read and write the folder it is in, or run the doctor as the user the familiar runs as",
    )
}

pub(in crate::doctor) fn wal_large(name: &'static str, bytes: u64) -> Check {
    Check::warn(
        name,
        format!("the -wal file beside it has grown to {}", size(bytes)),
        "stop the familiar once in an orderly way; if it grows again, some other program keeps the file open",
    )
}
