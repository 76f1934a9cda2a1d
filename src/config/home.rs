//! Where everything of one familiar lives on disk (specs familiar-connect 1.2).

use std::path::{Path, PathBuf};

use crate::domain::{ChannelId, ChannelMode, FamiliarId};

/// The folder `data/familiars/<id>` and the names of what is in it. Only names paths; creates nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamiliarHome {
    id: FamiliarId,
    root: PathBuf,
}

impl FamiliarHome {
    /// The home of `id` under a data directory (usually `data`).
    #[must_use]
    pub fn new(data_dir: &Path, id: &FamiliarId) -> Self {
        Self { id: id.clone(), root: data_dir.join("familiars").join(id.as_str()) }
    }

    /// The home that lies there, wherever that is; `None` where nobody can be called as the folder is.
    #[must_use]
    pub fn at(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        let id = FamiliarId::new(root.file_name()?.to_str()?).ok()?;
        Some(Self { id, root })
    }

    /// Whose home it is.
    #[must_use]
    pub fn id(&self) -> &FamiliarId {
        &self.id
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The familiar's own settings; optional.
    #[must_use]
    pub fn character_toml(&self) -> PathBuf {
        self.root.join("character.toml")
    }

    /// Which channels it listens in.
    #[must_use]
    pub fn subscriptions_toml(&self) -> PathBuf {
        self.root.join("subscriptions.toml")
    }

    /// The folder of the channel sidecars.
    #[must_use]
    pub fn channels_dir(&self) -> PathBuf {
        self.root.join("channels")
    }

    /// One channel's settings.
    #[must_use]
    pub fn channel_toml(&self, channel: &ChannelId) -> PathBuf {
        self.channels_dir().join(format!("{channel}.toml"))
    }

    /// The last prompt sent for a channel, as `/context` shows it.
    #[must_use]
    pub fn last_context(&self, channel: &ChannelId) -> PathBuf {
        self.channels_dir().join(format!("{channel}.last-context.md"))
    }

    /// The folder of the familiar's own mode instructions.
    #[must_use]
    pub fn modes_dir(&self) -> PathBuf {
        self.root.join("modes")
    }

    /// The familiar's own instructions for a mode; optional.
    #[must_use]
    pub fn mode_file(&self, mode: ChannelMode) -> PathBuf {
        self.modes_dir().join(format!("{mode}.md"))
    }

    /// The folder of the familiar's own versions of the program's texts.
    #[must_use]
    pub fn prompts_dir(&self) -> PathBuf {
        self.root.join("prompts")
    }

    /// The folder of the prompt sections that are added; in it one folder per mode.
    #[must_use]
    pub fn sections_dir(&self) -> PathBuf {
        self.prompts_dir().join("sections")
    }

    /// The folder of what it knows how to do.
    #[must_use]
    pub fn skills_dir(&self) -> PathBuf {
        self.root.join("skills")
    }

    /// The folder of what was settled with servers and people.
    #[must_use]
    pub fn places_dir(&self) -> PathBuf {
        self.root.join("places")
    }

    /// What it believes, as Markdown.
    #[must_use]
    pub fn memory_dir(&self) -> PathBuf {
        self.root.join("memory")
    }

    /// What the embedding model made of what was said; derived.
    #[must_use]
    pub fn embeddings_db(&self) -> PathBuf {
        self.memory_dir().join(".index").join("embeddings.sqlite")
    }

    /// Who it is: the unpacked card.
    #[must_use]
    pub fn self_dir(&self) -> PathBuf {
        self.memory_dir().join("self")
    }

    /// Its lore, one file per entry.
    #[must_use]
    pub fn lore_dir(&self) -> PathBuf {
        self.memory_dir().join("lore")
    }

    /// Which messages on a platform hold words of whom: transcripts of calls.
    #[must_use]
    pub fn transcripts_json(&self) -> PathBuf {
        self.root.join("transcripts.json")
    }

    /// How the connection to Discord is, for whoever looks from outside.
    #[must_use]
    pub fn connection_json(&self) -> PathBuf {
        self.root.join("connection.json")
    }

    /// Which places people paired.
    #[must_use]
    pub fn pairing_json(&self) -> PathBuf {
        self.root.join("pairing.json")
    }

    /// What happened.
    #[must_use]
    pub fn history_db(&self) -> PathBuf {
        self.root.join("history.db")
    }

    /// What each turn left behind.
    #[must_use]
    pub fn traces_db(&self) -> PathBuf {
        self.root.join("traces.db")
    }

    /// What was forgotten: wishes on their way, sealed copies, tombstones.
    #[must_use]
    pub fn forgotten_dir(&self) -> PathBuf {
        self.root.join("forgotten")
    }

    /// Locked by the one process that runs this familiar.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.root.join(".lock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_inside_the_familiars_folder() {
        let home = FamiliarHome::new(Path::new("data"), &FamiliarId::new("ada").unwrap());
        let channel = ChannelId::from(42_u64);
        assert_eq!(home.root(), Path::new("data/familiars/ada"));
        assert_eq!(home.channel_toml(&channel), Path::new("data/familiars/ada/channels/42.toml"));
        assert_eq!(home.last_context(&channel), Path::new("data/familiars/ada/channels/42.last-context.md"));
        assert_eq!(home.mode_file(ChannelMode::FullRp), Path::new("data/familiars/ada/modes/full_rp.md"));
        for path in [home.history_db(), home.lore_dir(), home.self_dir(), home.lock_file(), home.traces_db()]
        {
            assert!(path.starts_with(home.root()));
        }
    }
}
