//! The machine: folders, disk, certificates, clock, terminal, and whether the window may open.

use std::io::{self, Write as _};
use std::path::Path;

use jiff::SignedDuration;

use super::report::{CheckStatus, DoctorCheck};
use super::{ReportScreen, messages};
use crate::config::{FamiliarHome, LiveConfig, Secrets, Unwritable};

/// Below this a day of talk may fill the disk.
const DISK_FAIL_BYTES: u64 = 100 * 1024 * 1024;
/// Below this somebody should know.
const DISK_WARN_BYTES: u64 = 1024 * 1024 * 1024;

/// So much is written to see whether a disk has room: what SQLite's index of a journal takes at least, and that again.
const TRIAL_BYTES: usize = 64 * 1024;

/// Signatures and schedules bear clocks that differ by less.
const CLOCK_WARN: SignedDuration = SignedDuration::from_secs(30);

/// Blocks on the disk.
pub(super) fn examine_machine(
    data_dir: &Path,
    locale: Option<&str>,
    screen: ReportScreen,
) -> Vec<DoctorCheck> {
    let there = existing_folder(data_dir);
    [folder(data_dir, there), disk(there)].into_iter().chain(terminal(locale, screen)).collect()
}

/// The folder, or the nearest one above it that is there: at the first start it is made.
fn existing_folder(data_dir: &Path) -> &Path {
    let here = Path::new(".");
    data_dir
        .ancestors()
        .map(|folder| if folder.as_os_str().is_empty() { here } else { folder })
        .find(|folder| folder.exists())
        .unwrap_or(here)
}

fn folder(data_dir: &Path, there: &Path) -> DoctorCheck {
    match folder_takes_files(there) {
        Ok(()) => messages::data_folder(data_dir),
        Err(error) => messages::data_folder_not_writable(data_dir, &error.to_string()),
    }
}

fn folder_takes_files(folder: &Path) -> io::Result<()> {
    // An unnamed file: whatever happens to this process, nothing stays behind.
    tempfile::tempfile_in(folder).map(drop)
}

/// Why nothing can be written in a folder, as far as that can be mended; `None` where it can be written. Blocks on the disk.
pub(super) fn unwritable(folder: &Path) -> Option<Unwritable> {
    // A full disk still takes files with nothing in them.
    let tried = tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(&vec![0; TRIAL_BYTES]));
    tried.err().and_then(|error| Unwritable::of(&error))
}

/// What this user may not write of a familiar's own folder though a start has to, databases aside. Blocks on the disk.
pub(super) fn familiar_folder(home: &FamiliarHome) -> Option<DoctorCheck> {
    let lock = home.lock_file();
    let refused = folder_takes_files(home.root()).map_err(|error| (home.root(), error));
    let refused = refused.and_then(|()| may_write(&lock).map_err(|error| (lock.as_path(), error)));
    let (path, error) = refused.err()?;
    Some(messages::familiar_not_writable(path, home.root(), &error.to_string()))
}

/// Whether this user may write a file, where it is there. It is not opened for that: closing a database's file would let go
/// of the locks that this process has on it.
pub(super) fn may_write(file: &Path) -> io::Result<()> {
    if file.exists() { access(file) } else { Ok(()) }
}

#[cfg(unix)]
fn access(file: &Path) -> io::Result<()> {
    rustix::fs::access(file, rustix::fs::Access::WRITE_OK).map_err(io::Error::from)
}

#[cfg(not(unix))]
fn access(file: &Path) -> io::Result<()> {
    let is_read_only = file.metadata()?.permissions().readonly();
    if is_read_only { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
}

/// Nothing where the window opens, or is not to.
pub(super) fn window(config: &LiveConfig, secrets: &Secrets) -> Option<DoctorCheck> {
    let config = config.current();
    let window = &config.window;
    let is_shut = window.enabled && window.lacks_token(secrets.window_token.as_ref());
    is_shut.then(messages::window_shut)
}

/// How much room is left where a folder is. Blocks on the disk.
pub(super) fn disk_at(folder: &Path) -> DoctorCheck {
    disk(existing_folder(folder))
}

#[cfg(unix)]
fn disk(there: &Path) -> DoctorCheck {
    match rustix::fs::statvfs(there) {
        Ok(disk) => disk_with(disk.f_bavail.saturating_mul(disk.f_frsize)),
        Err(error) => messages::disk_not_known(&error.to_string()),
    }
}

#[cfg(not(unix))]
fn disk(_: &Path) -> DoctorCheck {
    messages::disk_not_known("this system is not asked")
}

#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix is asked"))]
fn disk_with(free: u64) -> DoctorCheck {
    let status = if free < DISK_FAIL_BYTES {
        CheckStatus::Fail
    } else if free < DISK_WARN_BYTES {
        CheckStatus::Warn
    } else {
        CheckStatus::Ok
    };
    messages::disk_check(free, status)
}

fn terminal(locale: Option<&str>, screen: ReportScreen) -> Option<DoctorCheck> {
    Some(match (screen, locale) {
        (ReportScreen::Window | ReportScreen::Setup, _) => return None,
        (ReportScreen::Elsewhere, _) => messages::no_terminal(),
        // Windows' console does not speak of locales.
        (ReportScreen::Terminal, _) if cfg!(windows) => messages::terminal_check(),
        (ReportScreen::Terminal, Some(locale)) if is_utf8(locale) => messages::terminal_check(),
        (ReportScreen::Terminal, locale) => messages::terminal_without_utf8(locale),
    })
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

pub(super) fn https() -> DoctorCheck {
    match crate::llm::https_works() {
        Ok(()) => messages::https_check(),
        Err(reason) => messages::https_broken(&reason),
    }
}

/// One server may be wrong itself: ours is wrong when all that answered say so.
pub(super) fn clock(servers_ahead: impl IntoIterator<Item = Option<SignedDuration>>) -> DoctorCheck {
    let nearest = servers_ahead.into_iter().flatten().min_by_key(|ahead| ahead.abs());
    match nearest {
        None => messages::clock_not_known(),
        Some(ahead) if ahead.abs() > CLOCK_WARN => messages::clock_wrong(ahead),
        Some(_) => messages::clock_right(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_room_is_told_in_two_steps() {
        assert_eq!(disk_with(DISK_FAIL_BYTES - 1).status, CheckStatus::Fail);
        assert_eq!(disk_with(DISK_WARN_BYTES - 1).status, CheckStatus::Warn);
        assert_eq!(disk_with(DISK_WARN_BYTES).status, CheckStatus::Ok);
    }

    #[test]
    fn the_clock_is_wrong_only_when_every_server_says_so() {
        let s = |seconds| Some(SignedDuration::from_secs(seconds));
        assert_eq!(clock([None, None]).status, CheckStatus::Skipped);
        assert_eq!(clock([s(-3600), s(-31)]).status, CheckStatus::Warn);
        assert_eq!(clock([s(-3600), s(30)]).status, CheckStatus::Ok);
    }

    #[test]
    fn a_data_folder_that_is_not_there_yet_is_judged_by_the_one_above() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(existing_folder(&folder.path().join("not/there")), folder.path());
        assert_eq!(existing_folder(Path::new("surely-not-here")), Path::new("."));
        assert_eq!(super::folder(&folder.path().join("x"), folder.path()).status, CheckStatus::Ok);
        assert_eq!(super::folder(folder.path(), Path::new("/surely/not/here")).status, CheckStatus::Fail);
    }

    #[test]
    fn why_a_folder_takes_nothing_is_told_only_where_it_takes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(unwritable(folder.path()), None);
        assert_eq!(unwritable(&folder.path().join("nowhere")), None, "that is neither full nor locked");
    }

    #[test]
    fn a_terminal_needs_a_utf8_locale() {
        let at = |locale| terminal(locale, ReportScreen::Terminal).unwrap().status;
        assert_eq!(at(Some("de_DE.UTF-8")), CheckStatus::Ok);
        assert_eq!(at(Some("C.utf8")), CheckStatus::Ok);
        assert_eq!(at(Some("C")), CheckStatus::Warn);
        assert_eq!(at(None), CheckStatus::Warn);
        assert_eq!(terminal(None, ReportScreen::Elsewhere).unwrap().status, CheckStatus::Skipped);
        assert!(terminal(None, ReportScreen::Window).is_none());
    }
}
