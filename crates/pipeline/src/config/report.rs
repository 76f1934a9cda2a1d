//! What came of reading settings anew, and how that is told.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::ConfigError;

/// What a reload changed, and what it could not take over. Empty when the files say what they said before.
#[derive(Debug, Clone, Default)]
pub struct ReloadReport {
    /// The settings that have new values now.
    pub changes: Vec<SettingChange>,
    /// Mistakes found by this reload; for each of these files the old settings stay in force.
    pub errors: Vec<Arc<ConfigError>>,
    /// Files that had a mistake before and are in order again.
    pub mended: Vec<PathBuf>,
    /// Somebody changed it by a command, which answers them.
    pub(super) is_asked_for: bool,
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
        for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
            let (before, now) = (old.get(key), new.get(key));
            if before != now {
                self.changes.push(SettingChange {
                    file: file.to_owned(),
                    key: key.clone(),
                    old: before.cloned(),
                    new: now.cloned(),
                });
            }
        }
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
