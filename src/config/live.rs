//! The settings of a running familiar.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::channel::{self, ChannelConfig};
use super::check::check;
use super::defaults::{Defaults, checked};
use super::error::ConfigError;
use super::familiar::Config;
use super::files::read_optional;
use super::home::FamiliarHome;
use super::merge::merge;
use super::read::View;
use super::source::{Rank, Source};
use super::tree::Node;
use crate::domain::{ChannelId, ChannelMode};

/// The settings of a running familiar, shared by every part that needs them. What it hands out is a snapshot: a
/// turn that started with one set of settings ends with it.
#[derive(Debug)]
pub struct LiveConfig {
    home: FamiliarHome,
    defaults: Defaults,
    state: ArcSwap<State>,
    channels: Mutex<HashMap<ChannelId, Arc<ChannelConfig>>>,
}

/// What the familiar's own files say.
#[derive(Debug)]
struct State {
    tree: Node,
    config: Arc<Config>,
    modes: BTreeMap<ChannelMode, Arc<str>>,
}

impl State {
    fn read(home: &FamiliarHome, defaults: &Defaults) -> Result<Self, ConfigError> {
        let mut tree = defaults.tree()?;
        let path = home.character_toml();
        if let Some(text) = read_optional(&path)? {
            tree = merge(tree, checked(path.display().to_string(), text, Rank::Familiar)?);
        }
        let config = Arc::new(Config::resolve(View::new(&tree))?);
        let mut modes = BTreeMap::new();
        for mode in ChannelMode::ALL {
            let own = read_optional(&home.mode_file(mode))?.filter(|text| !text.trim().is_empty());
            let text = match own {
                Some(text) => text,
                None => defaults.mode_instructions(mode)?,
            };
            modes.insert(mode, Arc::from(text.trim_end()));
        }
        Ok(Self { tree, config, modes })
    }

    fn instructions(&self, mode: ChannelMode) -> Arc<str> {
        self.modes.get(&mode).cloned().unwrap_or_default()
    }
}

impl LiveConfig {
    /// Reads the settings of a familiar.
    ///
    /// # Errors
    /// When a file cannot be read, or holds a mistake; the error points into the file.
    pub fn load(home: FamiliarHome, defaults: Defaults) -> Result<Arc<Self>, ConfigError> {
        let state = State::read(&home, &defaults)?;
        Ok(Arc::new(Self {
            home,
            defaults,
            state: ArcSwap::from_pointee(state),
            channels: Mutex::new(HashMap::new()),
        }))
    }

    /// The familiar's folder.
    #[must_use]
    pub fn home(&self) -> &FamiliarHome {
        &self.home
    }

    /// The settings as they are now.
    #[must_use]
    pub fn current(&self) -> Arc<Config> {
        self.state.load().config.clone()
    }

    /// The instructions of a mode: the familiar's own, else the default ones; empty when there are none.
    #[must_use]
    pub fn mode_instructions(&self, mode: ChannelMode) -> Arc<str> {
        self.state.load().instructions(mode)
    }

    /// A channel's settings. Its file is read at the first call and kept; a missing one means the default mode, and
    /// so does a broken one, which is logged.
    #[must_use]
    pub fn channel(&self, id: &ChannelId) -> Arc<ChannelConfig> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = channels.get(id) {
            return known.clone();
        }
        let state = self.state.load();
        let read = self.read_channel(&state, id).unwrap_or_else(|error| {
            for line in error.lines() {
                tracing::warn!(channel = %id, "channel settings not used: {line}");
            }
            None
        });
        let channel = Arc::new(read.unwrap_or_else(|| self.plain_channel(&state)));
        channels.insert(id.clone(), channel.clone());
        channel
    }

    fn plain_channel(&self, state: &State) -> ChannelConfig {
        let mode = state.config.default_mode;
        ChannelConfig::of_mode(&state.config.modes[&mode], state.instructions(mode))
    }

    fn read_channel(&self, state: &State, id: &ChannelId) -> Result<Option<ChannelConfig>, ConfigError> {
        let path = self.home.channel_toml(id);
        let Some(text) = read_optional(&path)? else { return Ok(None) };
        let source = Source { name: path.display().to_string(), text, rank: Rank::Channel };
        let node = Node::parse(&Arc::new(source))?;
        let problems = check(&node, &channel::keys());
        if !problems.is_empty() {
            return Err(ConfigError::Invalid(problems));
        }
        let tree = merge(state.tree.clone(), node);
        Ok(Some(ChannelConfig::resolve(View::new(&tree), |mode| state.instructions(mode))?))
    }

    /// Where the defaults come from.
    #[must_use]
    pub fn defaults(&self) -> &Defaults {
        &self.defaults
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::domain::{FamiliarId, Layer, Slot};

    fn familiar() -> (tempfile::TempDir, FamiliarHome) {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        fs::create_dir_all(home.channels_dir()).unwrap();
        (dir, home)
    }

    #[test]
    fn an_empty_folder_is_a_familiar_with_the_seeds_defaults() {
        let (_dir, home) = familiar();
        let live = LiveConfig::load(home, Defaults::embedded()).unwrap();
        let config = live.current();
        assert_eq!(config.default_mode, ChannelMode::TextConversationRp);
        assert_eq!(config.interjection.messages(), 9);
        assert_eq!(config.llm.slots.len(), 8);
        assert_eq!(config.llm.slots[&Slot::MainProse].temperature, Some(0.7));
        let full = &config.modes[&ChannelMode::FullRp];
        assert_eq!((full.budget_tokens, full.deadline), (8000, Duration::from_secs(30)));
        assert_eq!(full.layers[&Layer::RecentHistory], Some(2000));
        let channel = live.channel(&ChannelId::from(1_u64));
        assert_eq!(channel.mode, ChannelMode::TextConversationRp);
        assert!(channel.typing.enabled);
        assert!(channel.author_note().unwrap().contains("chat room"));
    }

    #[test]
    fn a_channel_overrides_its_mode() {
        let (_dir, home) = familiar();
        let id = ChannelId::from(7_u64);
        fs::write(
            home.channel_toml(&id),
            "mode = \"full_rp\"\nbackdrop = \"A ship.\"\n[typing_simulation]\nenabled = true\n",
        )
        .unwrap();
        let live = LiveConfig::load(home, Defaults::embedded()).unwrap();
        let channel = live.channel(&id);
        assert_eq!(channel.mode, ChannelMode::FullRp);
        assert_eq!(channel.author_note(), Some("A ship."));
        assert!(channel.typing.enabled);
        assert_eq!(channel.budget_tokens, 8000);
    }
}
