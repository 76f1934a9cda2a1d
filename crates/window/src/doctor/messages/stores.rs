//! What is said of the databases.

use std::path::Path;

use super::bytes_in_words;
use crate::config::Unwritable;
use crate::doctor::report::DoctorCheck;
use crate::history::History;
use crate::memory::LostHistory;
use crate::trace::TraceStore;

pub(in super::super) fn store_not_there(name: &'static str) -> DoctorCheck {
    DoctorCheck::ok(name, "not there yet; made at the first start")
}

pub(in super::super) fn history_lost(lost: &LostHistory) -> DoctorCheck {
    DoctorCheck::fail("history", lost.what.as_str(), LostHistory::ADVICE)
}

pub(in super::super) fn store_sound(name: &'static str, bytes: u64) -> DoctorCheck {
    DoctorCheck::ok(name, format!("sound, {}", bytes_in_words(bytes)))
}

pub(in super::super) fn store_unfinished(name: &'static str, bytes: u64) -> DoctorCheck {
    DoctorCheck::ok(
        name,
        format!("sound as far as was looked; {} take longer than there was time for", bytes_in_words(bytes)),
    )
}

pub(in super::super) fn history_damaged(path: &Path, complaint: &str) -> DoctorCheck {
    DoctorCheck::fail("history", format!("{}: {complaint}", path.display()), History::MEND)
}

/// A start goes on without what was in it.
pub(in super::super) fn record_damaged(path: &Path, complaint: &str) -> DoctorCheck {
    DoctorCheck::warn("traces", format!("{}: {complaint}", path.display()), TraceStore::MEND)
}

pub(in super::super) fn store_closed(name: &'static str, path: &Path, complaint: &str) -> DoctorCheck {
    DoctorCheck::fail(
        name,
        format!("{} cannot be read and written: {complaint}", path.display()),
        "let this user read and write it and the folder it is in, or run the doctor as the user the familiar runs as",
    )
}

/// The disk cannot be read or written; `why`, as far as it is known.
pub(in super::super) fn store_disk_fails(
    name: &'static str,
    path: &Path,
    complaint: &str,
    why: Option<Unwritable>,
) -> DoctorCheck {
    DoctorCheck::fail(
        name,
        format!("{}: {complaint}: the disk fails, and nothing says that the file is damaged", path.display()),
        match why {
            Some(why) => format!("{}, and run the doctor again", why.advice()),
            None => "see that the disk has room and works, and run the doctor again; if it is dying, copy the folder \
                     elsewhere first"
                .to_owned(),
        },
    )
}

pub(in super::super) fn store_newer(name: &'static str, path: &Path) -> DoctorCheck {
    DoctorCheck::fail(
        name,
        format!("{} was written by a newer version of the program", path.display()),
        "update the program, or put a copy from before in its place (docs/operations/upgrade.md)",
    )
}

pub(in super::super) fn wal_large(name: &'static str, bytes: u64) -> DoctorCheck {
    DoctorCheck::warn(
        name,
        format!("the -wal file beside it has grown to {}", bytes_in_words(bytes)),
        "stop the familiar once in an orderly way; if it grows again, some other program keeps the file open",
    )
}
