//! What a familiar's own files say at one moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::channel::{self, ChannelConfig};
use super::check::check;
use super::defaults::{Defaults, checked};
use super::error::ConfigError;
use super::familiar::Config;
use super::files::read_optional;
use super::home::FamiliarHome;
use super::merge::merge;
use super::prompts::{self, PromptName, Prompts};
use super::read::View;
use super::source::{Rank, Source};
use super::tree::Node;
use crate::domain::{ChannelId, ChannelMode};

/// `character.toml` over the defaults, and the instructions of the modes.
#[derive(Debug)]
pub(super) struct State {
    tree: Node,
    /// Whether there was a `character.toml`.
    pub has_file: bool,
    /// Whether nothing stands in it.
    pub is_blank: bool,
    pub config: Arc<Config>,
    modes: BTreeMap<ChannelMode, Arc<str>>,
    prompts: Prompts,
}

impl State {
    pub(super) fn read(home: &FamiliarHome, defaults: &Defaults) -> Result<Self, ConfigError> {
        let mut tree = defaults.tree()?;
        let path = home.character_toml();
        let text = read_optional(&path)?;
        let has_file = text.is_some();
        let is_blank = text.as_deref().is_none_or(|text| text.trim().is_empty());
        if let Some(text) = text {
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
        let prompts = prompts::read(home, defaults)?;
        Ok(Self { tree, has_file, is_blank, config, modes, prompts })
    }

    pub(super) fn instructions(&self, mode: ChannelMode) -> Arc<str> {
        self.modes.get(&mode).cloned().unwrap_or_default()
    }

    pub(super) fn prompt(&self, name: PromptName) -> Arc<str> {
        self.prompts.get(&name).cloned().unwrap_or_else(|| Arc::from(name.built_in()))
    }

    /// Everything it says, as written, for comparing two moments.
    pub(super) fn leaves(&self) -> BTreeMap<String, String> {
        let mut leaves = self.tree.leaves();
        let modes = self.modes.iter().map(|(mode, text)| (format!("modes/{mode}.md"), text));
        let prompts = self.prompts.iter().map(|(name, text)| (format!("prompts/{}.md", name.as_str()), text));
        leaves.extend(modes.chain(prompts).map(|(file, text)| (file, format!("{text:?}"))));
        leaves
    }

    /// A channel that does nothing differently.
    pub(super) fn plain_channel(&self) -> ChannelConfig {
        let mode = self.config.default_mode;
        let plan = Arc::clone(&self.config.plan);
        ChannelConfig::of_mode(&self.config.modes[&mode], self.config.answers, plan, self.instructions(mode))
    }

    /// A channel with its own file laid over everything.
    pub(super) fn channel(&self, sidecar: &Node) -> Result<ChannelConfig, ConfigError> {
        let tree = merge(self.tree.clone(), sidecar.clone());
        Ok(ChannelConfig::resolve(View::new(&tree), |mode| self.instructions(mode))?)
    }
}

/// A channel's file as it was read.
pub(super) fn sidecar_source(
    home: &FamiliarHome,
    id: &ChannelId,
) -> Result<Option<Arc<Source>>, ConfigError> {
    let path = home.channel_toml(id);
    let text = read_optional(&path)?;
    Ok(text.map(|text| Arc::new(Source { name: path.display().to_string(), text, rank: Rank::Channel })))
}

/// A channel's file, parsed and checked.
pub(super) fn sidecar(source: &Arc<Source>) -> Result<Node, ConfigError> {
    let node = Node::parse(source)?;
    match check(&node, &channel::keys()) {
        problems if problems.is_empty() => Ok(node),
        problems => Err(ConfigError::Invalid(problems)),
    }
}
