//! The databases: whether SQLite finds them sound, and whether their journals are in hand.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::report::Check;
use super::{blocking, messages};
use crate::config::FamiliarHome;
use crate::sqlite::{FileHealth, quick_check};

/// SQLite moves the journal into the file at about 4 MiB; this much says that it never gets to it.
const WAL_WARN_BYTES: u64 = 256 * 1024 * 1024;

/// Both at once, each within the deadline.
pub(super) async fn look(home: Option<FamiliarHome>, deadline: Duration) -> Vec<Check> {
    let Some(home) = home else { return Vec::new() };
    let (history, traces) = (home.history_db(), home.traces_db());
    let (history, traces) = tokio::join!(
        blocking(move || store("history", &history, deadline)),
        blocking(move || store("traces", &traces, deadline)),
    );
    [history, traces].into_iter().flatten().flatten().collect()
}

fn store(name: &'static str, path: &Path, deadline: Duration) -> Vec<Check> {
    let Ok(facts) = path.metadata() else { return vec![messages::store_not_there(name)] };
    let mut checks = vec![match quick_check(path, deadline) {
        FileHealth::Sound => messages::store_sound(name, facts.len()),
        FileHealth::Unfinished => messages::store_unfinished(name, facts.len()),
        FileHealth::Closed(complaint) => messages::store_closed(name, path, &complaint),
        FileHealth::Damaged(complaints) => {
            messages::store_damaged(name, path, complaints.first().map_or("it is damaged", String::as_str))
        }
    }];
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    let grown = PathBuf::from(wal).metadata().map_or(0, |facts| facts.len());
    if grown > WAL_WARN_BYTES {
        checks.push(messages::wal_large(name, grown));
    }
    checks
}
