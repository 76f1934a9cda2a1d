//! Which familiar, its settings, its character, its files, and whether it runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::report::Check;
use super::{files, messages, notes};
use crate::config::{Defaults, FamiliarHome, LiveConfig};
use crate::domain::{ChannelId, FamiliarId, InvalidId};
use crate::familiar::{Character, Presence, list, presence};

/// What the folder holds, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Home {
    pub checks: Vec<Check>,
    /// Absent when there is none.
    pub place: Option<FamiliarHome>,
    /// Absent when the settings are broken; the defaults where there is no familiar.
    pub config: Option<Arc<LiveConfig>>,
    /// Absent when it cannot be read.
    pub character: Option<Character>,
}

impl Home {
    /// Blocks on the disk.
    pub fn look(
        data_dir: &Path,
        wanted: Result<Option<FamiliarId>, InvalidId>,
        familiars_dir: Option<PathBuf>,
    ) -> Self {
        let mut found = Self::default();
        let chosen = match wanted {
            Ok(wanted) => choose(data_dir, wanted),
            Err(invalid) => Err(messages::familiars_unreadable(&invalid.to_string())),
        };
        let id = match chosen {
            Ok(id) => id,
            Err(check) => {
                found.checks.push(check);
                found.settings_of_nobody(data_dir, familiars_dir);
                return found;
            }
        };
        let home = FamiliarHome::new(data_dir, &id);
        found.checks.push(messages::familiar(&id, home.root()));
        found.place = Some(home.clone());
        found.settings(&home, familiars_dir.map_or_else(Defaults::embedded, Defaults::from_dir));
        found.character(&home);
        found.checks.extend(files::look(&home));
        found.checks.extend(notes::look(&home));
        found.checks.extend(notes::unwritten(&home));
        found.checks.push(match presence(&home) {
            Ok(Presence::Running { pid }) => messages::running(pid),
            Ok(Presence::Resting) => messages::not_running(),
            Err(error) => messages::lock_unreadable(&error.to_string()),
        });
        found
    }

    /// Token and key can be looked at before anybody has moved in: the defaults say where.
    fn settings_of_nobody(&mut self, data_dir: &Path, familiars_dir: Option<PathBuf>) {
        let defaults = familiars_dir.map_or_else(Defaults::embedded, Defaults::from_dir);
        self.config = FamiliarId::new("nobody")
            .ok()
            .and_then(|nobody| LiveConfig::load(FamiliarHome::new(data_dir, &nobody), defaults).ok());
    }

    fn settings(&mut self, home: &FamiliarHome, defaults: Defaults) {
        let config = match LiveConfig::load(home.clone(), defaults) {
            Ok(config) => config,
            Err(error) => {
                let lines = error.lines();
                return self.checks.extend(lines.iter().map(|line| messages::settings_stop_the_start(line)));
            }
        };
        let sidecars = sidecars(home);
        for channel in &sidecars {
            // Reading it is what finds its mistakes.
            let _ = config.channel(channel);
        }
        let mistakes: Vec<String> = config.mistakes().iter().flat_map(|error| error.lines()).collect();
        if mistakes.is_empty() {
            self.checks.push(messages::settings(sidecars.len()));
        }
        self.checks.extend(mistakes.iter().map(|line| messages::settings_not_taken(line)));
        self.config = Some(config);
    }

    fn character(&mut self, home: &FamiliarHome) {
        match Character::load(home) {
            Ok(character) => {
                self.checks.push(if character.description.trim().is_empty() {
                    messages::character_says_nothing(&character.name)
                } else {
                    messages::character(&character.name, character.greetings.len())
                });
                self.character = Some(character);
            }
            Err(refusal) => self.checks.push(messages::character_unreadable(&refusal.to_string())),
        }
    }
}

/// As `familiar run` chooses, except that nobody moves in.
fn choose(data_dir: &Path, wanted: Option<FamiliarId>) -> Result<FamiliarId, Check> {
    let here = list(data_dir).map_err(|refusal| messages::familiars_unreadable(&refusal.to_string()))?;
    let ids: Vec<FamiliarId> = here.into_iter().map(|known| known.id).collect();
    let names = || ids.iter().map(FamiliarId::to_string).collect::<Vec<_>>();
    match (wanted, ids.as_slice()) {
        (Some(id), known) if known.contains(&id) => Ok(id),
        (Some(id), _) => Err(messages::unknown_familiar(&id, &names())),
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(messages::no_familiar(&data_dir.join("familiars"))),
        (None, _) => Err(messages::several_familiars(&names())),
    }
}

/// The channels that have a file of their own, in order.
pub(super) fn sidecars(home: &FamiliarHome) -> Vec<ChannelId> {
    let entries = std::fs::read_dir(home.channels_dir()).into_iter().flatten().flatten();
    let mut channels: Vec<ChannelId> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| ChannelId::new(name.strip_suffix(".toml")?).ok())
        .collect();
    channels.sort();
    channels
}
