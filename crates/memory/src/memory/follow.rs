//! Which notes changed since somebody last asked, with what they say now: for what is derived from notes and kept in
//! memory.
//!
//! Must not know what is made of them. Start at [`NotesFollower`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::store::{ContentHash, MemoryStore, NoteFile, NotePath, StoreError};
use super::watch::{Changes, FolderWatch, FollowMark};

/// Folders whose notes are followed.
const FOLDERS: [&str; 5] = ["self", "people", "topics", "sessions", "lore"];

/// The kernel is not asked about it, so it is looked at every time: a handful of files.
const CARD: &str = "self";

/// Where nobody tells of changes, everything is looked at so often at most.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A file this fresh may be written again without another time to show for it.
const FRESH: Duration = Duration::from_secs(2);

/// What happened to a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteTold {
    /// It reads like that.
    Stands {
        path: NotePath,
        /// Its text; what is no UTF-8 in it is replaced.
        text: String,
        hash: ContentHash,
    },
    /// It is gone, or nobody can read it.
    Gone(NotePath),
}

impl NoteTold {
    pub fn path(&self) -> &NotePath {
        let (Self::Stands { path, .. } | Self::Gone(path)) = self;
        path
    }
}

/// Follows the notes of one memory.
#[derive(Debug)]
pub struct NotesFollower {
    store: Arc<MemoryStore>,
    watch: Arc<FolderWatch>,
    heard: FollowMark,
    looked: Option<Instant>,
    known: BTreeMap<NotePath, FollowedNote>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FollowedNote {
    hash: String,
    stamp: Option<(u64, Timestamp)>,
}

impl NotesFollower {
    /// From the beginning, but for the notes that are `known` by the hash of their bytes.
    pub(super) fn new(
        store: Arc<MemoryStore>,
        watch: Arc<FolderWatch>,
        known: impl IntoIterator<Item = (NotePath, String)>,
    ) -> Self {
        let known =
            known.into_iter().map(|(path, hash)| (path, FollowedNote { hash, stamp: None })).collect();
        Self { store, watch, heard: FollowMark::default(), looked: None, known }
    }

    /// Everything that changed since the last time, in the order of paths. Blocks.
    ///
    /// # Errors
    /// When the folder cannot be looked at; what was not told then is told the next time.
    pub fn told(&mut self) -> Result<Vec<NoteTold>, StoreError> {
        if !self.store.root().is_dir() {
            let gone = std::mem::take(&mut self.known);
            return Ok(gone.into_keys().map(NoteTold::Gone).collect());
        }
        let paths = match self.watch.since(&mut self.heard) {
            Changes::Files(names) => {
                let heard = names.into_iter().filter_map(|name| NotePath::new(name).ok());
                let mut paths: BTreeSet<NotePath> = heard.filter(is_followed).collect();
                paths.extend(self.changed(Some(CARD))?);
                paths
            }
            Changes::Unknown => {
                let is_recent = self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY);
                if is_recent && !self.watch.is_watching() {
                    return Ok(Vec::new());
                }
                let changed = self.changed(None);
                if changed.is_err() {
                    self.heard = FollowMark::default();
                }
                self.looked = Some(Instant::now());
                changed?
            }
        };
        Ok(paths.into_iter().filter_map(|path| self.look_at(path)).collect())
    }

    /// Files that came, went, or have another size or time, in a folder or everywhere.
    fn changed(&self, folder: Option<&str>) -> Result<BTreeSet<NotePath>, StoreError> {
        let under = folder.and_then(|folder| NotePath::new(folder).ok());
        let files: BTreeMap<NotePath, NoteFile> = self
            .store
            .walk(under.as_ref())?
            .files
            .into_iter()
            .filter(|(path, _)| is_followed(path))
            .collect();
        let is_there = |path: &&NotePath| folder.is_none_or(|folder| path.is_in(folder));
        let gone = self.known.keys().filter(is_there).filter(|path| !files.contains_key(*path)).cloned();
        let is_other = |file: &&NoteFile| {
            let stamp = self.known.get(&file.path).and_then(|known| known.stamp);
            stamp.is_none_or(|stamp| Some(stamp) != file.modified.map(|at| (file.bytes, at)))
        };
        let mut paths: BTreeSet<NotePath> =
            files.values().filter(is_other).map(|file| file.path.clone()).collect();
        paths.extend(gone);
        Ok(paths)
    }

    /// What there is to tell of a note; nothing where it is as it was.
    fn look_at(&mut self, path: NotePath) -> Option<NoteTold> {
        let stamp = self.store.stamp(&path);
        let bytes = stamp.as_ref().and_then(|_| self.store.read_bytes(&path).ok());
        let (Some(stamp), Some(bytes)) = (stamp, bytes) else {
            return self.known.remove(&path).map(|_| NoteTold::Gone(path));
        };
        let hash = ContentHash::of(&bytes);
        let is_settled = |at: &Timestamp| {
            Duration::try_from(Timestamp::now().duration_since(*at)).is_ok_and(|age| age > FRESH)
        };
        let known = FollowedNote {
            hash: hash.to_string(),
            stamp: stamp.modified.filter(is_settled).map(|at| (stamp.bytes, at)),
        };
        let is_same = self.known.get(&path).is_some_and(|before| before.hash == known.hash);
        self.known.insert(path.clone(), known);
        (!is_same).then(|| NoteTold::Stands {
            path,
            text: String::from_utf8_lossy(&bytes).into_owned(),
            hash,
        })
    }
}

fn is_followed(path: &NotePath) -> bool {
    path.is_note_in(&FOLDERS)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::clock::SystemClock;

    fn told(follower: &mut NotesFollower) -> Vec<String> {
        let words = |told: NoteTold| match told {
            NoteTold::Stands { path, text, .. } => format!("{path}: {text}"),
            NoteTold::Gone(path) => format!("{path} gone"),
        };
        follower.told().unwrap().into_iter().map(words).collect()
    }

    #[test]
    fn contradiction_2_every_change_of_a_note_is_told_once() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("memory");
        for folder in ["people", "self", "sessions/.pending"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("people/discord-1.md"), "Ana").unwrap();
        fs::write(root.join("self/description.md"), "Mika").unwrap();
        fs::write(root.join("sessions/.pending/x.md"), "not yet").unwrap();
        let store = Arc::new(MemoryStore::in_folder(root.clone(), Arc::new(SystemClock)));
        let watch = Arc::new(FolderWatch::of(root.clone()));
        let mut follower = NotesFollower::new(Arc::clone(&store), Arc::clone(&watch), []);
        assert_eq!(told(&mut follower), ["people/discord-1.md: Ana", "self/description.md: Mika"]);
        assert!(told(&mut follower).is_empty());
        fs::write(root.join("people/discord-1.md"), "Ana Maria").unwrap();
        fs::write(root.join("self/description.md"), "Mika!").unwrap();
        fs::write(root.join("people/discord-2.md"), "Ben").unwrap();
        let said =
            ["people/discord-1.md: Ana Maria", "people/discord-2.md: Ben", "self/description.md: Mika!"];
        assert_eq!(told(&mut follower), said);
        fs::remove_file(root.join("people/discord-2.md")).unwrap();
        assert_eq!(told(&mut follower), ["people/discord-2.md gone"]);
        let ana = (NotePath::new("people/discord-1.md").unwrap(), ContentHash::of(b"Ana Maria").to_string());
        let gone = (NotePath::new("people/discord-9.md").unwrap(), String::new());
        let mut later = NotesFollower::new(store, watch, [ana, gone]);
        assert_eq!(told(&mut later), ["people/discord-9.md gone", "self/description.md: Mika!"]);
    }
}
