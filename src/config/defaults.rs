//! The defaults: `familiars/_default`, built into the program and optionally laid over from a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::check::check;
use super::error::ConfigError;
use super::familiar;
use super::files::read_optional;
use super::merge::merge;
use super::source::{Rank, Source};
use super::tree::Node;
use crate::domain::ChannelMode;

/// How the embedded file is named in messages.
const EMBEDDED_NAME: &str = "familiars/_default/character.toml (built in)";

/// The embedded defaults, word for word.
pub const CHARACTER_TOML: &str = include_str!("../../familiars/_default/character.toml");

/// Where defaults come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaults {
    dir: Option<PathBuf>,
}

impl Defaults {
    /// The ones built into the program.
    #[must_use]
    pub fn embedded() -> Self {
        Self { dir: None }
    }

    /// A `_default` folder, laid over the ones built in. Files it does not hold are not missed.
    #[must_use]
    pub fn from_dir(dir: impl Into<PathBuf>) -> Self {
        Self { dir: Some(dir.into()) }
    }

    /// The folder, where there is one.
    #[must_use]
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The default settings as one tree.
    pub(super) fn tree(&self) -> Result<Node, ConfigError> {
        let embedded = checked(EMBEDDED_NAME.to_owned(), CHARACTER_TOML.to_owned(), Rank::Embedded)?;
        let Some(path) = self.dir.as_ref().map(|dir| dir.join("character.toml")) else { return Ok(embedded) };
        Ok(match read_optional(&path)? {
            Some(text) => merge(embedded, checked(path.display().to_string(), text, Rank::Defaults)?),
            None => embedded,
        })
    }

    /// The default instructions of a mode.
    pub(super) fn mode_instructions(&self, mode: ChannelMode) -> Result<String, ConfigError> {
        let embedded = match mode {
            ChannelMode::FullRp => include_str!("../../familiars/_default/modes/full_rp.md"),
            ChannelMode::TextConversationRp => {
                include_str!("../../familiars/_default/modes/text_conversation_rp.md")
            }
            ChannelMode::ImitateVoice => include_str!("../../familiars/_default/modes/imitate_voice.md"),
        };
        let of_dir = match &self.dir {
            Some(dir) => read_optional(&dir.join("modes").join(format!("{mode}.md")))?,
            None => None,
        };
        Ok(of_dir.unwrap_or_else(|| embedded.to_owned()))
    }
}

/// Parses and checks a `character.toml`.
pub(super) fn checked(name: String, text: String, rank: Rank) -> Result<Node, ConfigError> {
    let node = Node::parse(&Arc::new(Source { name, text, rank }))?;
    match check(&node, &familiar::keys()) {
        problems if problems.is_empty() => Ok(node),
        problems => Err(ConfigError::Invalid(problems)),
    }
}
