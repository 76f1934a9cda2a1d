//! Files that people read, beside the stores: the newest turn of each channel, and what was settled with one person.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::FamiliarHome;
use crate::domain::{AccountId, ChannelId};
use crate::history::set_aside_names;
use crate::home::if_there;
use crate::text::echo::Echoes;

/// The newest turn of a channel, readable.
const LAST_CONTEXT: &str = ".last-context.md";

/// A file that goes, to be put back one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileBefore {
    /// Below the familiar's folder.
    pub path: PathBuf,
    pub text: String,
}

/// Where it stands what was settled with a person, below the familiar's folder.
pub(super) fn settled_path(person: &AccountId) -> PathBuf {
    Path::new("places").join(format!("dm-{}.md", person.id()))
}

/// The file of what was settled with a person, where there is one.
pub(super) fn settled_with(home: &FamiliarHome, person: &AccountId) -> Option<FileBefore> {
    let path = settled_path(person);
    let text = fs::read_to_string(home.root().join(&path)).ok()?;
    Some(FileBefore { path, text })
}

/// Removes what was settled with these people, the newest turns of channels that were touched or hold the words, and copies of
/// databases.
pub(super) fn remove_settled(
    home: &FamiliarHome,
    people: &BTreeSet<AccountId>,
    channels: &BTreeSet<ChannelId>,
    words: &Echoes,
) -> io::Result<()> {
    for file in people.iter().filter_map(|person| settled_with(home, person)) {
        gone(&home.root().join(file.path))?;
    }
    // Copies of databases, from before a layout was changed or because one was damaged, hold everything.
    for copy in [home.history_db(), home.traces_db()].iter().flat_map(|path| set_aside_names(path)) {
        gone(&copy)?;
    }
    let entries = if_there(fs::read_dir(home.channels_dir()))?;
    for path in entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        let Some(channel) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(LAST_CONTEXT))
        else {
            continue;
        };
        let is_touched = channels.iter().any(|touched| touched.as_str() == channel);
        // One that cannot be read as text may hold anything; the next turn writes another.
        if is_touched || fs::read_to_string(&path).map_or(true, |text| words.are_in(&text)) {
            gone(&path)?;
        }
    }
    Ok(())
}

/// Puts a file back where there is none.
pub(super) fn put_back(home: &FamiliarHome, file: &FileBefore) -> io::Result<()> {
    let path = home.root().join(&file.path);
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, &file.text)
}

/// Removes a file that may be gone already.
pub(super) fn gone(path: &Path) -> io::Result<()> {
    if_there(fs::remove_file(path)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FamiliarId;

    #[test]
    fn copies_of_databases_go_with_whatever_is_forgotten() {
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("ada").unwrap());
        fs::create_dir_all(home.root()).unwrap();
        let names = [
            "history.db",
            "history.db-wal",
            "history.db.before-12",
            "history.db.damaged",
            "history.db.damaged-wal",
            "traces.db.damaged",
            "traces.db.damaged-wal",
        ];
        for name in names {
            fs::write(home.root().join(name), "my secret").unwrap();
        }
        remove_settled(&home, &BTreeSet::new(), &BTreeSet::new(), &Echoes::default()).unwrap();
        let left: Vec<bool> = names.iter().map(|name| home.root().join(name).exists()).collect();
        assert_eq!(left, [true, true, false, false, false, false, false]);
    }
}
