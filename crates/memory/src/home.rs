//! Where everything of one familiar lives on disk (familiar-connect 1.2), and writing files that are never half
//! written.

mod commands;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use commands::{Commands, for_a_shell};

use crate::domain::{ChannelId, ChannelMode, FamiliarId};

/// Where familiars live when nothing says otherwise.
pub const DATA_DIR: &str = "data";

/// The folder `data/familiars/<id>` and the names of what is in it. Only names paths; creates nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamiliarHome {
    id: FamiliarId,
    root: PathBuf,
}

impl FamiliarHome {
    /// The home of `id` under a data directory (usually [`DATA_DIR`]).
    pub fn new(data_dir: &Path, id: &FamiliarId) -> Self {
        Self { id: id.clone(), root: data_dir.join("familiars").join(id.as_str()) }
    }

    /// The home that lies there, wherever that is; `None` where nobody can be called as the folder is.
    pub fn at(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        let id = FamiliarId::new(root.file_name()?.to_str()?).ok()?;
        Some(Self { id, root })
    }

    pub fn id(&self) -> &FamiliarId {
        &self.id
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The data directory that it lies in.
    pub fn data_dir(&self) -> &Path {
        self.root.ancestors().nth(2).unwrap_or(&self.root)
    }

    /// The familiar's own settings; optional.
    pub fn character_toml(&self) -> PathBuf {
        self.root.join("character.toml")
    }

    /// What it does at which hours; optional.
    pub fn schedule_md(&self) -> PathBuf {
        self.root.join("schedule.md")
    }

    /// Which channels it listens in.
    pub fn subscriptions_toml(&self) -> PathBuf {
        self.root.join("subscriptions.toml")
    }

    /// The folder of the channel sidecars.
    pub fn channels_dir(&self) -> PathBuf {
        self.root.join("channels")
    }

    pub fn channel_toml(&self, channel: &ChannelId) -> PathBuf {
        self.channels_dir().join(format!("{channel}.toml"))
    }

    /// The last prompt sent for a channel, as `/context` shows it.
    pub fn last_context(&self, channel: &ChannelId) -> PathBuf {
        self.channels_dir().join(format!("{channel}.last-context.md"))
    }

    /// The folder of the familiar's own mode instructions.
    pub fn modes_dir(&self) -> PathBuf {
        self.root.join("modes")
    }

    /// The familiar's own instructions for a mode; optional.
    pub fn mode_file(&self, mode: ChannelMode) -> PathBuf {
        self.modes_dir().join(format!("{mode}.md"))
    }

    /// The folder of the familiar's own versions of the program's texts.
    pub fn prompts_dir(&self) -> PathBuf {
        self.root.join("prompts")
    }

    /// The folder of the prompt sections that are added; in it one folder per mode.
    pub fn sections_dir(&self) -> PathBuf {
        self.prompts_dir().join("sections")
    }

    /// The folder of what it knows how to do.
    pub fn skills_dir(&self) -> PathBuf {
        self.root.join("skills")
    }

    /// The folder of what was settled with servers and people.
    pub fn places_dir(&self) -> PathBuf {
        self.root.join("places")
    }

    /// What it believes, as Markdown.
    pub fn memory_dir(&self) -> PathBuf {
        self.root.join("memory")
    }

    /// What the embedding model made of what was said; derived.
    pub fn embeddings_db(&self) -> PathBuf {
        self.memory_dir().join(".index").join("embeddings.sqlite")
    }

    /// Who it is: the unpacked card.
    pub fn self_dir(&self) -> PathBuf {
        self.memory_dir().join("self")
    }

    /// Its lore, one file per entry.
    pub fn lore_dir(&self) -> PathBuf {
        self.memory_dir().join("lore")
    }

    /// Which messages on a platform hold words of whom: transcripts of calls.
    pub fn transcripts_json(&self) -> PathBuf {
        self.root.join("transcripts.json")
    }

    /// How the connection to Discord is, for whoever looks from outside.
    pub fn connection_json(&self) -> PathBuf {
        self.root.join("connection.json")
    }

    /// Which places people paired.
    pub fn pairing_json(&self) -> PathBuf {
        self.root.join("pairing.json")
    }

    pub fn history_db(&self) -> PathBuf {
        self.root.join("history.db")
    }

    /// What each turn left behind.
    pub fn traces_db(&self) -> PathBuf {
        self.root.join("traces.db")
    }

    /// Which tools turns of which shape used, in numbers.
    pub fn tool_use(&self) -> PathBuf {
        self.root.join("tool-use.tsv")
    }

    /// What was forgotten: requests on their way, sealed copies, tombstones.
    pub fn forgotten_dir(&self) -> PathBuf {
        self.root.join("forgotten")
    }

    /// Who opted out and who lets it learn, a second time: beside what an older backup must not bring back either.
    pub fn consents_json(&self) -> PathBuf {
        self.forgotten_dir().join("consents.json")
    }

    /// The address at which the window opens, while it is there.
    pub fn window_file(&self) -> PathBuf {
        self.root.join(".window")
    }

    /// Locked by the one process that runs this familiar.
    pub fn lock_file(&self) -> PathBuf {
        self.root.join(".lock")
    }
}

/// Replaces a file in one step: written beside it, flushed to the disk, renamed over it. When anything
/// fails, the old file is untouched. Missing folders are created.
pub fn write_atomic(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(dir)?;
    let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(dir)?;
    file.write_all(contents.as_ref())?;
    file.as_file().sync_all()?;
    if let Ok(old) = fs::metadata(path) {
        // A temporary file is private to its owner; the file it replaces may have been shared on purpose.
        fs::set_permissions(file.path(), old.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    // The rename itself is only durable once the folder is; systems that cannot open folders do without.
    if let Ok(folder) = fs::File::open(dir) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// What was opened or read; `None` when there is no such file or folder.
pub fn if_there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
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

    #[test]
    fn a_file_is_replaced_whole_and_folders_are_created() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("channels/7.toml");
        write_atomic(&path, "one").unwrap();
        write_atomic(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_failed_write_leaves_what_was_there() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("busy");
        // A folder of that name cannot be replaced by a file: the last step, the rename, fails.
        fs::create_dir_all(target.join("inside")).unwrap();
        write_atomic(&target, "new").unwrap_err();
        assert!(target.join("inside").is_dir());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    }
}
