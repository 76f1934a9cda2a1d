//! Noticing that somebody edited a settings file.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use notify_debouncer_full::notify::{self, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use super::error::ConfigError;
use super::live::LiveConfig;

/// Quiet after the last change before files are read again: editors write, rename and touch in one save.
const SETTLE: Duration = Duration::from_millis(250);

/// Settings are watched for as long as this lives.
#[must_use = "dropping the guard ends the watch"]
pub struct WatchGuard {
    _debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
}

impl fmt::Debug for WatchGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WatchGuard")
    }
}

impl LiveConfig {
    /// Watches the familiar's folder (and the defaults' folder) and reloads after each edit; [`Self::changes`] tells
    /// what came of it. Creates the folders it watches.
    ///
    /// # Errors
    /// When a folder cannot be created, or the system refuses to watch it.
    pub fn watch(self: &Arc<Self>) -> Result<WatchGuard, ConfigError> {
        let live: Weak<Self> = Arc::downgrade(self);
        let failed = |path: &Path, error: notify::Error| {
            ConfigError::io("watch", path, io::Error::other(error.to_string()))
        };
        let mut debouncer = new_debouncer(SETTLE, None, move |events: DebounceEventResult| {
            let Some(live) = live.upgrade() else { return };
            // After an error of the watcher events may be missing; reading once too often does no harm.
            let relevant =
                events.map_or(true, |events| events.iter().any(|event| may_change_settings(event)));
            // This is the watcher's own thread; what comes meanwhile is told of afterwards.
            if relevant && live.reload_what_is_whole() {
                std::thread::sleep(SETTLE);
                live.reload();
            }
        })
        .map_err(|error| failed(self.home().root(), error))?;
        for (dir, depth) in self.watched() {
            fs::create_dir_all(&dir).map_err(|error| ConfigError::io("create", &dir, error))?;
            debouncer.watch(&dir, depth).map_err(|error| failed(&dir, error))?;
        }
        // What was edited between loading and watching.
        self.reload();
        Ok(WatchGuard { _debouncer: debouncer })
    }

    /// Folders are watched, not files: an editor that saves by renaming replaces the file.
    fn watched(&self) -> Vec<(PathBuf, RecursiveMode)> {
        let home = self.home();
        // Not deeper, since the memory beside the settings changes all the time.
        let flat = [home.root().to_owned(), home.channels_dir(), home.modes_dir()];
        // These have folders in them: sections by mode, imported skills.
        let deep = [home.prompts_dir(), home.skills_dir(), home.places_dir()];
        let of_defaults = self.defaults().dir().map(|dir| {
            [
                (dir.to_owned(), RecursiveMode::NonRecursive),
                (dir.join("modes"), RecursiveMode::NonRecursive),
                (dir.join("prompts"), RecursiveMode::Recursive),
            ]
        });
        let flat = flat.into_iter().map(|dir| (dir, RecursiveMode::NonRecursive));
        let deep = deep.into_iter().map(|dir| (dir, RecursiveMode::Recursive));
        flat.chain(deep).chain(of_defaults.into_iter().flatten().filter(|(dir, _)| dir.is_dir())).collect()
    }
}

/// Whether something may have become of a settings file. Reading one is an event too, and settings are read after an event.
fn may_change_settings(event: &notify::Event) -> bool {
    !event.kind.is_access() && event.paths.iter().any(|path| is_settings(path))
}

/// Whether a path may hold settings: not the databases, and not the prompts written beside the channels.
fn is_settings(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    (name.ends_with(".toml") || name.ends_with(".md")) && !name.ends_with(".last-context.md")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Defaults, FamiliarHome};
    use crate::domain::FamiliarId;

    #[test]
    fn databases_and_written_prompts_are_not_settings() {
        for settings in ["x/character.toml", "x/modes/full_rp.md", "x/channels/1.toml"] {
            assert!(is_settings(Path::new(settings)), "{settings}");
        }
        for other in ["x/history.db", "x/history.db-wal", "x/channels/1.last-context.md", "x/.lock", ""] {
            assert!(!is_settings(Path::new(other)), "{other}");
        }
    }

    /// Else each look at the settings would be the reason for the next.
    #[test]
    fn settings_that_are_only_read_are_not_read_again() {
        use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
        let event = |kind| notify::Event::new(kind).add_path(PathBuf::from("x/character.toml"));
        for access in
            [AccessKind::Open(AccessMode::Read), AccessKind::Close(AccessMode::Read), AccessKind::Any]
        {
            assert!(!may_change_settings(&event(EventKind::Access(access))), "{access:?}");
        }
        assert!(may_change_settings(&event(EventKind::Modify(ModifyKind::Any))));
        assert!(may_change_settings(&event(EventKind::Any)));
    }

    #[tokio::test]
    async fn an_edit_that_renames_a_file_into_place_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        let live = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
        let mut changes = live.changes();
        let guard = live.watch().unwrap();
        let beside = home.root().join("character.toml~");
        fs::write(&beside, "interjection = \"eager\"\n").unwrap();
        fs::rename(&beside, home.character_toml()).unwrap();
        let report = tokio::time::timeout(Duration::from_secs(60), changes.recv()).await.unwrap().unwrap();
        assert!(report.touches("interjection"), "{report}");
        assert_eq!(live.current().interjection.messages(), Some(6));
        drop(guard);
    }
}
