//! The databases, the embedding model and the notes: whether they are sound and at hand.

use std::path::Path;
use std::time::Duration;

use super::messages::{EMBEDDINGS, RERANKER};
use super::report::{DoctorCheck, Remedy};
use super::{examine_blocking, machine, messages};
use crate::config::{EmbeddingsConfig, FamiliarHome, RerankConfig};
use crate::embedding::{HubModel, TextModel, open_reranker};
use crate::history::{has_messages_in, has_reminders_in, is_newer_history, passed_over_in};
use crate::memory::{Memory, lost_history, problems};
use crate::sqlite::{FileHealth, beside, quick_check};
use crate::trace::is_newer_record;

/// SQLite moves the journal into the file at about 4 MiB; this much says that it never gets to it.
const WAL_WARN_BYTES: u64 = 256 * 1024 * 1024;

/// Both at once, each within the deadline.
pub(super) async fn databases(home: Option<FamiliarHome>, deadline: Duration) -> Vec<DoctorCheck> {
    let Some(home) = home else { return Vec::new() };
    let traces = home.traces_db();
    let (history, traces) = tokio::join!(
        examine_blocking(move || history_check(&home, deadline)),
        examine_blocking(move || {
            let is_newer = is_newer_record(&traces).unwrap_or_default();
            store_check("traces", &traces, is_newer, deadline, messages::record_damaged)
        }),
    );
    [history, traces].into_iter().flatten().flatten().collect()
}

/// A history that a start refuses to do without is nothing that the start makes.
fn history_check(home: &FamiliarHome, deadline: Duration) -> Vec<DoctorCheck> {
    let path = home.history_db();
    // Whether it can be read at all is looked at below, and so are the notes elsewhere.
    let has_messages = path.exists() && has_messages_in(&path).unwrap_or(true);
    match lost_history(home, has_messages) {
        Ok(Some(lost)) => vec![messages::history_lost(&lost)],
        Ok(None) | Err(_) => {
            let is_newer = is_newer_history(&path).unwrap_or_default();
            store_check("history", &path, is_newer, deadline, messages::history_damaged)
        }
    }
}

/// What a start refuses fails. `damaged` says what becomes of a file that is.
fn store_check(
    name: &'static str,
    path: &Path,
    is_newer: bool,
    deadline: Duration,
    damaged: fn(&Path, &str) -> DoctorCheck,
) -> Vec<DoctorCheck> {
    let Ok(facts) = path.metadata() else { return vec![messages::store_not_there(name)] };
    if is_newer {
        return vec![messages::store_newer(name, path)];
    }
    let wal = beside(path, "-wal");
    for file in [path, &wal, &beside(path, "-shm")] {
        if let Err(error) = machine::may_write(file) {
            return vec![messages::store_closed(name, file, &error.to_string())];
        }
    }
    let mut checks = vec![match quick_check(path, deadline) {
        FileHealth::Sound => messages::store_sound(name, facts.len()),
        FileHealth::Unfinished => messages::store_unfinished(name, facts.len()),
        FileHealth::Closed(complaint) => messages::store_closed(name, path, &complaint),
        FileHealth::DiskFails(complaint) => {
            let why = path.parent().and_then(machine::unwritable);
            messages::store_disk_fails(name, path, &complaint, why)
        }
        FileHealth::Damaged(complaints) => {
            damaged(path, complaints.first().map_or("it is damaged", String::as_str))
        }
    }];
    let grown = wal.metadata().map_or(0, |facts| facts.len());
    if grown > WAL_WARN_BYTES {
        checks.push(messages::wal_large(name, grown));
    }
    checks
}

/// Blocks on the disk.
pub(super) fn embedding_model(config: &EmbeddingsConfig, hub: Option<&str>, data_dir: &Path) -> DoctorCheck {
    if !config.enabled {
        return messages::embeddings_off();
    }
    if let Some(folder) = &config.folder {
        return match TextModel::missing_in(folder) {
            None => EMBEDDINGS.here(folder),
            Some(file) => EMBEDDINGS.folder_lacks(folder, file),
        };
    }
    let model = HubModel::embedder(config);
    match model.folder(&data_dir.join("models")) {
        Err(error) => EMBEDDINGS.unusable(&error.to_string()),
        Ok(folder) if HubModel::is_in(&folder) => EMBEDDINGS.here(&folder),
        Ok(_) => match hub {
            Some(endpoint) => EMBEDDINGS.to_be_fetched(&model.model, endpoint),
            None => EMBEDDINGS.not_here(),
        },
    }
}

/// Nothing where finds are not put in order. Blocks on the disk.
pub(super) fn reranker(config: &RerankConfig, hub: Option<&str>, data_dir: &Path) -> Option<DoctorCheck> {
    if !config.enabled {
        return None;
    }
    let model = HubModel::reranker(config.model, hub);
    let fetched = || model.folder(&data_dir.join("models")).ok().filter(|folder| HubModel::is_in(folder));
    let Some(folder) = config.folder.clone().or_else(fetched) else {
        return Some(match hub {
            Some(endpoint) => RERANKER.to_be_fetched(&model.model, endpoint),
            None => RERANKER.not_here(),
        });
    };
    Some(match open_reranker(&folder, 1) {
        Ok(_) => RERANKER.here(&folder),
        Err(error) => RERANKER.unusable(&error.to_string()),
    })
}

/// Problems that are named one by one.
const NAMED: usize = 8;

/// What no memory is made of any more. Nothing where nothing is known of that: whether the history can be read at all is
/// told elsewhere. Blocks on the disk.
pub(super) fn unwritten_check(home: &FamiliarHome) -> Option<DoctorCheck> {
    let given_up =
        passed_over_in(&home.history_db()).ok()?.into_iter().filter(|one| one.not_before.is_none());
    let given_up = given_up.count();
    (given_up > 0).then(|| messages::memories_given_up(given_up))
}

/// Whether anybody is to be reminded at a time, as far as that can be read. Blocks on the disk.
pub(super) fn has_reminders(home: &FamiliarHome) -> bool {
    has_reminders_in(&home.history_db()).unwrap_or_default()
}

/// Blocks on the disk.
pub(super) fn notes_on_disk(home: &FamiliarHome) -> Vec<DoctorCheck> {
    let memory = Memory::at(home);
    let store = memory.whole().store;
    let (notes, found) = match problems(store) {
        Ok(found) => found,
        Err(error) => return vec![messages::notes_unreadable(&error.to_string())],
    };
    if found.is_empty() {
        return if notes > 0 { vec![messages::notes_sound(notes)] } else { Vec::new() };
    }
    let mut checks: Vec<DoctorCheck> = found
        .iter()
        .take(NAMED)
        .map(|problem| {
            let file = store.root().join(Path::new(problem.path.as_str()));
            messages::note_broken(&file, problem.line, &problem.reason)
                .mended_by(Remedy::Note(problem.path.clone()))
        })
        .collect();
    if found.len() > NAMED {
        checks.push(messages::notes_broken_too(found.len() - NAMED));
    }
    checks
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::doctor::CheckStatus;
    use crate::domain::FamiliarId;

    #[test]
    fn what_belongs_to_another_user_fails_as_the_start_does() {
        // Root may write everything.
        let is_refused = !rustix::process::geteuid().is_root();
        let allow = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("ada").unwrap());
        std::fs::create_dir_all(home.root()).unwrap();
        let history = home.history_db();
        rusqlite::Connection::open(&history).unwrap().execute_batch("CREATE TABLE turns (x TEXT)").unwrap();
        let wal = history.with_extension("db-wal");
        std::fs::write(home.lock_file(), "").unwrap();
        let deadline = Duration::from_secs(60);
        let check = || store_check("history", &history, false, deadline, messages::history_damaged);
        let told = || check().remove(0).status;
        let expected = if is_refused { CheckStatus::Fail } else { CheckStatus::Ok };
        assert_eq!((told(), machine::familiar_folder(&home)), (CheckStatus::Ok, None));
        allow(&history, 0o444);
        assert_eq!(told(), expected);
        allow(&history, 0o644);
        std::fs::write(&wal, "").unwrap();
        allow(&wal, 0o444);
        assert_eq!(told(), expected);
        let lock = home.lock_file();
        for path in [lock.as_path(), home.root()] {
            allow(path, 0o555);
            assert_eq!(machine::familiar_folder(&home).is_some(), is_refused, "{}", path.display());
            allow(path, 0o755);
        }
        let closed = messages::store_closed("history", &history, "unable to open database file");
        assert_eq!(closed.status, CheckStatus::Fail);
    }
}
