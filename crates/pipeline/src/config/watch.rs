//! Noticing that somebody edited a settings file, and telling what came of it.

use std::collections::BTreeMap;
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
        for dir in self.watched() {
            fs::create_dir_all(&dir).map_err(|error| ConfigError::io("create", &dir, error))?;
            // Folders are watched, not files: an editor that saves by renaming replaces the file. Not deeper, since
            // the memory beside the settings changes all the time.
            debouncer.watch(&dir, RecursiveMode::NonRecursive).map_err(|error| failed(&dir, error))?;
        }
        for dir in self.watched_deep() {
            fs::create_dir_all(&dir).map_err(|error| ConfigError::io("create", &dir, error))?;
            debouncer.watch(&dir, RecursiveMode::Recursive).map_err(|error| failed(&dir, error))?;
        }
        // What was edited between loading and watching.
        self.reload();
        Ok(WatchGuard { _debouncer: debouncer })
    }

    fn watched(&self) -> Vec<PathBuf> {
        let home = self.home();
        let mut dirs = vec![home.root().to_owned(), home.channels_dir(), home.modes_dir()];
        if let Some(defaults) = self.defaults().dir() {
            let folders = [defaults.to_owned(), defaults.join("modes")];
            dirs.extend(folders.into_iter().filter(|dir| dir.is_dir()));
        }
        dirs
    }

    /// Folders that have folders in them: sections by mode, imported skills.
    fn watched_deep(&self) -> Vec<PathBuf> {
        let home = self.home();
        let mut dirs = vec![home.prompts_dir(), home.skills_dir(), home.places_dir()];
        dirs.extend(self.defaults().dir().map(|dir| dir.join("prompts")).filter(|dir| dir.is_dir()));
        dirs
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

/// What a reload changed, and what it could not take over. Empty when the files say what they said before.
#[derive(Debug, Clone, Default)]
pub struct ReloadReport {
    /// The settings that have new values now.
    pub changes: Vec<SettingChange>,
    /// Mistakes found by this reload; for each of these files the old settings stay in force.
    pub errors: Vec<Arc<ConfigError>>,
    /// Files that had a mistake before and are in order again.
    pub mended: Vec<PathBuf>,
    /// What may only look so because a file is being written right now is left out, and noted in `is_in_doubt`.
    pub(super) is_first_look: bool,
    /// Something was left out: the files are to be read once more, a little later.
    pub(super) is_in_doubt: bool,
}

/// One setting that has a new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChange {
    /// The file it was changed in.
    pub file: PathBuf,
    pub key: String,
    /// The value before; `None` when it was not set.
    pub old: Option<String>,
    /// The value now; `None` when it is no longer set.
    pub new: Option<String>,
}

impl ReloadReport {
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.errors.is_empty() && self.mended.is_empty()
    }

    /// Whether what was found is left out for now, where it is `odd`: as files are for a moment while they are written.
    pub(super) fn doubts(&mut self, odd: bool) -> bool {
        let doubts = odd && self.is_first_look;
        self.is_in_doubt |= doubts;
        doubts
    }

    /// Adds what differs between two states of one file.
    pub(super) fn compare(
        &mut self,
        file: &Path,
        old: &BTreeMap<String, String>,
        new: &BTreeMap<String, String>,
    ) {
        for (key, before) in old {
            if new.get(key) != Some(before) {
                self.push(file, key, Some(before), new.get(key));
            }
        }
        for (key, now) in new {
            if !old.contains_key(key) {
                self.push(file, key, None, Some(now));
            }
        }
    }

    fn push(&mut self, file: &Path, key: &str, old: Option<&String>, new: Option<&String>) {
        self.changes.push(SettingChange {
            file: file.to_owned(),
            key: key.to_owned(),
            old: old.cloned(),
            new: new.cloned(),
        });
    }
}

/// The setting that people write in chat; what they say there stands in no log.
const WRITTEN_IN_CHAT: &str = "backdrop";

/// Longest value shown in a report, in characters.
const SHOWN_CHARS: usize = 80;

impl fmt::Display for SettingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Option<String>| match value {
            None => "unset".to_owned(),
            Some(value) if self.key == WRITTEN_IN_CHAT => {
                format!("{} characters", value.trim_matches('"').chars().count())
            }
            Some(value) if value.chars().count() > SHOWN_CHARS => {
                value.chars().take(SHOWN_CHARS).chain("…".chars()).collect()
            }
            Some(value) => value.clone(),
        };
        write!(f, "{}: {} → {}", self.key, shown(&self.old), shown(&self.new))
    }
}

impl fmt::Display for ReloadReport {
    /// One line per change, mistake and mended file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes = self.changes.iter().map(SettingChange::to_string);
        let mistakes = self
            .errors
            .iter()
            .flat_map(|error| error.lines())
            .map(|line| format!("{line} (the old settings stay in force)"));
        let mended = self.mended.iter().map(|file| format!("{} is in order again", file.display()));
        let lines: Vec<String> = changes.chain(mistakes).chain(mended).collect();
        f.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Defaults, FamiliarHome};
    use crate::domain::FamiliarId;

    impl ReloadReport {
        /// Whether a key, or anything below it, has a new value.
        pub(in crate::config) fn touches(&self, key: &str) -> bool {
            self.changes.iter().any(|change| {
                change
                    .key
                    .strip_prefix(key)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            })
        }
    }

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

    #[test]
    fn a_report_says_old_and_new_and_what_is_unset() {
        let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let mut report = ReloadReport::default();
        assert!(report.is_empty());
        report.compare(
            Path::new("character.toml"),
            &map(&[("a", "1"), ("llm.mood_eval.model", "\"x\""), ("same", "1")]),
            &map(&[("a", "2"), ("b", "3"), ("same", "1"), ("backdrop", "\"A ship.\"")]),
        );
        insta::assert_snapshot!(report, @r#"
        a: 1 → 2
        llm.mood_eval.model: "x" → unset
        b: unset → 3
        backdrop: unset → 7 characters
        "#);
        assert!(report.touches("llm") && report.touches("llm.mood_eval") && !report.touches("ll"));
    }
}
