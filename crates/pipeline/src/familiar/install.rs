//! Writing an import so that a crash leaves the old state or the new one, and so that people's edits survive.
//!
//! A new folder is built beside its place and renamed into it. An existing folder is changed through a journal: all
//! new files are staged, one rename commits, then they are moved into place; whoever opens the folder next finishes
//! what a crash interrupted. Must not know cards. Start at [`FileChange`].

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use familiar_cards::{Refusal, RefusalKind};

use crate::home::if_there;
use crate::text::short::hex;

/// What the last import wrote: the base of the three-way comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// SHA-256 of the imported file.
    pub sha256: String,
    /// The name it was imported under.
    pub name: String,
    /// The folder under `memory/lore` that holds the card's own book.
    pub book: Option<String>,
    /// SHA-256 of every file as the import made it, by path from the root.
    pub files: BTreeMap<String, String>,
}

impl Record {
    /// Reads a record; `None` when there is none or it is not readable, which makes every file an edit.
    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A file of a familiar's folder; `None` where there is none.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Refusal> {
    if_there(fs::read(path)).map_err(|error| Refusal::io("read", path, &error))
}

/// What is to be written and removed under a root.
#[derive(Debug, Default)]
pub(crate) struct FileChange {
    /// New contents by path from the root, with `/`.
    pub write: BTreeMap<String, Vec<u8>>,
    pub remove: Vec<String>,
}

/// A file that both sides may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedFile {
    /// Its path from the root.
    pub path: String,
    /// Whether the new import says something else there.
    pub conflict: bool,
}

/// Compares base, disk and new per file: what nobody touched follows the import, what somebody edited stays.
pub(crate) fn three_way(
    root: &Path,
    base: &BTreeMap<String, String>,
    new: BTreeMap<String, Vec<u8>>,
) -> Result<(FileChange, Vec<SharedFile>), Refusal> {
    let mut change = FileChange::default();
    let mut kept = Vec::new();
    let gone: Vec<&String> = base.keys().filter(|path| !new.contains_key(*path)).collect();
    for path in gone {
        match disk_hash(root, path)? {
            Some(disk) if base.get(path) == Some(&disk) => change.remove.push(path.clone()),
            Some(_) => kept.push(SharedFile { path: path.clone(), conflict: true }),
            None => {}
        }
    }
    for (path, bytes) in new {
        let (disk, hash) = (disk_hash(root, &path)?, sha256(&bytes));
        let before = base.get(&path);
        if disk.as_ref() == Some(&hash) {
            continue;
        }
        if disk.as_ref() == before {
            change.write.insert(path, bytes);
        } else {
            let conflict = before != Some(&hash);
            kept.push(SharedFile { path, conflict });
        }
    }
    Ok((change, kept))
}

fn disk_hash(root: &Path, path: &str) -> Result<Option<String>, Refusal> {
    Ok(read_if_there(&root.join(path))?.map(|bytes| sha256(&bytes)))
}

const STAGING: &str = ".import-staging";
const COMMITTED: &str = ".import-commit";
const REMOVALS: &str = "remove.json";

/// Builds a new folder beside `root` and renames it into place. Nothing is left when that fails.
pub(crate) fn create(root: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Refusal> {
    let parent = root.parent().unwrap_or(Path::new("."));
    let made = make_dirs(parent)?;
    let built = build_beside(parent, root, files);
    if built.is_err() {
        // Only folders that this call made, and only while they are empty.
        for dir in made.iter().rev() {
            let _ = fs::remove_dir(dir);
        }
    }
    built
}

/// Creates missing folders and says which.
fn make_dirs(dir: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let mut missing: Vec<PathBuf> = dir
        .ancestors()
        .take_while(|dir| !dir.as_os_str().is_empty() && !dir.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    fs::create_dir_all(dir).map_err(|error| Refusal::io("create", dir, &error))?;
    Ok(missing)
}

fn build_beside(parent: &Path, root: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Refusal> {
    let temp = tempfile::Builder::new()
        .prefix(".import-")
        .tempdir_in(parent)
        .map_err(|error| Refusal::io("create a folder in", parent, &error))?;
    let inner = temp.path().join("new");
    write_files(&inner, files)?;
    fs::rename(&inner, root).map_err(|error| Refusal::io("create", root, &error))?;
    sync_dir(parent);
    Ok(())
}

/// Changes an existing folder through the journal.
pub(crate) fn update(root: &Path, change: &FileChange) -> Result<(), Refusal> {
    recover(root)?;
    stage(root, change).inspect_err(|_| {
        let _ = fs::remove_dir_all(root.join(STAGING));
    })?;
    commit(root)?;
    recover(root)
}

fn stage(root: &Path, change: &FileChange) -> Result<(), Refusal> {
    let staging = root.join(STAGING);
    let _ = fs::remove_dir_all(&staging);
    write_files(&staging.join("files"), &change.write)?;
    let removals = serde_json::to_vec(&change.remove).unwrap_or_default();
    write_synced(&staging.join(REMOVALS), &removals)
}

fn commit(root: &Path) -> Result<(), Refusal> {
    let committed = root.join(COMMITTED);
    fs::rename(root.join(STAGING), &committed).map_err(|error| Refusal::io("write", &committed, &error))?;
    sync_dir(root);
    Ok(())
}

/// Finishes a committed change and drops one that was not. Does nothing in a tidy folder.
///
/// # Errors
/// When a file cannot be moved into place; the next call tries again.
pub(crate) fn recover(root: &Path) -> Result<(), Refusal> {
    let _ = fs::remove_dir_all(root.join(STAGING));
    let committed = root.join(COMMITTED);
    if !committed.is_dir() {
        return Ok(());
    }
    let removals = fs::read(committed.join(REMOVALS)).unwrap_or_default();
    let removals: Vec<String> = serde_json::from_slice(&removals).unwrap_or_default();
    for path in removals {
        remove_installed(root, &path)?;
    }
    move_tree(&committed.join("files"), root)?;
    fs::remove_dir_all(&committed).map_err(|error| Refusal::io("remove", &committed, &error))?;
    Ok(())
}

fn remove_installed(root: &Path, path: &str) -> Result<(), Refusal> {
    let full = root.join(path);
    if_there(fs::remove_file(&full)).map_err(|error| Refusal::io("remove", &full, &error))?;
    // An emptied folder goes, a full one refuses.
    if let Some(parent) = full.parent().filter(|parent| *parent != root) {
        let _ = fs::remove_dir(parent);
    }
    Ok(())
}

fn move_tree(from: &Path, to: &Path) -> Result<(), Refusal> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to).map_err(|error| Refusal::io("create", to, &error))?;
    let entries = fs::read_dir(from).map_err(|error| Refusal::io("read", from, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| Refusal::io("read", from, &error))?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            move_tree(&entry.path(), &target)?;
        } else {
            fs::rename(entry.path(), &target).map_err(|error| Refusal::io("write", &target, &error))?;
        }
    }
    Ok(())
}

/// Files one thread writes at least, and threads at most: waiting for the disk is what takes long, and the disk
/// takes many files at once as gladly as one.
const FILES_PER_THREAD: usize = 32;
const THREADS_MAX: usize = 16;

fn write_files(dir: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Refusal> {
    let files: Vec<(&String, &Vec<u8>)> = files.iter().collect();
    let share = files.len().div_ceil(THREADS_MAX).max(FILES_PER_THREAD);
    std::thread::scope(|scope| {
        let writers: Vec<_> = files
            .chunks(share)
            .map(|files| {
                scope.spawn(move || {
                    files.iter().try_for_each(|(path, bytes)| write_synced(&dir.join(path), bytes))
                })
            })
            .collect();
        // Every writer is waited for, so that nothing is still being written when a failure is cleaned up.
        let outcomes: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        outcomes.into_iter().try_for_each(|outcome| {
            outcome.unwrap_or_else(|_| Err(Refusal::new(RefusalKind::Io, "a writing thread stopped")))
        })
    })
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let refused = |error: std::io::Error| Refusal::io("write", path, &error);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(refused)?;
    }
    let mut file = fs::File::create(path).map_err(refused)?;
    file.write_all(bytes).map_err(refused)?;
    file.sync_all().map_err(refused)
}

/// Makes a rename durable where the system can; where it cannot there is nothing better to do.
fn sync_dir(dir: &Path) {
    if let Ok(dir) = fs::File::open(dir) {
        let _ = dir.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        list.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
    }

    fn hashes(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter().map(|(path, text)| ((*path).to_owned(), sha256(text.as_bytes()))).collect()
    }

    fn put(root: &Path, list: &[(&str, &str)]) {
        for (path, text) in list {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn untouched_files_follow_and_edits_stay() {
        let dir = tempfile::tempdir().unwrap();
        let base = [("a", "1"), ("b", "1"), ("c", "1"), ("d", "1"), ("e", "1"), ("f", "1")];
        // a: untouched, b: edited, c: edited and changed by the import, d: deleted, e: gone from the import,
        // f: gone from the import and edited.
        put(dir.path(), &[("a", "1"), ("b", "mine"), ("c", "mine"), ("e", "1"), ("f", "mine"), ("own", "x")]);
        let new = files(&[("a", "2"), ("b", "1"), ("c", "2"), ("d", "2"), ("g", "new")]);
        let (change, kept) = three_way(dir.path(), &hashes(&base), new).unwrap();
        assert_eq!(change.write.keys().collect::<Vec<_>>(), ["a", "g"]);
        assert_eq!(change.remove, ["e"]);
        let kept: Vec<_> = kept.iter().map(|k| (k.path.as_str(), k.conflict)).collect();
        assert_eq!(kept, [("f", true), ("b", false), ("c", true), ("d", true)]);
    }

    #[test]
    fn a_crash_before_the_commit_leaves_the_old_state() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), &[("x/a", "old")]);
        let change = FileChange { write: files(&[("x/a", "new")]), remove: Vec::new() };
        stage(dir.path(), &change).unwrap();
        recover(dir.path()).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("x/a")).unwrap(), "old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_crash_after_the_commit_leaves_the_new_state() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), &[("x/a", "old"), ("y/b", "old")]);
        let change =
            FileChange { write: files(&[("x/a", "new"), ("z", "new")]), remove: vec!["y/b".to_owned()] };
        stage(dir.path(), &change).unwrap();
        commit(dir.path()).unwrap();
        // Half of it was applied before the crash.
        fs::rename(dir.path().join(COMMITTED).join("files/z"), dir.path().join("z")).unwrap();
        recover(dir.path()).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("x/a")).unwrap(), "new");
        assert_eq!(fs::read_to_string(dir.path().join("z")).unwrap(), "new");
        assert!(!dir.path().join("y").exists());
        assert!(!dir.path().join(COMMITTED).exists());
    }

    #[test]
    fn a_failed_creation_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("data/familiars/ada");
        // A file and a folder of the same name cannot both be written.
        let clash = files(&[("a", "1"), ("a/b", "2")]);
        assert!(create(&root, &clash).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
