//! What lies in the folder.

use std::collections::BTreeMap;

use cap_std::fs::{Dir, DirEntry, Metadata};
use globset::{GlobBuilder, GlobMatcher};
use jiff::Timestamp;

use super::path::{DEPTH_MAX, is_hidden};
use super::{FOLDER_MAX, MemoryStore, NotePath, RESULTS_MAX, StoreError, folder_of, open_folder};

/// Longest pattern of [`MemoryStore::glob`], in bytes.
const GLOB_MAX: usize = 256;

/// A plain file in the memory folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteFile {
    pub path: NotePath,
    /// How large, in bytes.
    pub bytes: u64,
    /// When it was last written, where the file system knows.
    pub modified: Option<Timestamp>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    pub files: Vec<NoteFile>,
    /// There are more: ask again with the last one's path.
    pub is_more: bool,
    /// Folders of more than [`FOLDER_MAX`] files, the rest of which is not seen.
    pub overfull: Vec<String>,
}

/// Everything a walk saw.
#[derive(Debug, Default)]
pub(in crate::memory) struct Walked {
    pub files: BTreeMap<NotePath, NoteFile>,
    pub overfull: Vec<String>,
}

impl MemoryStore {
    /// Files under `folder` (`None`: all), by path, those that come behind `after`.
    ///
    /// # Errors
    /// When `folder` is a file, or a folder cannot be read. A folder that is not there holds nothing.
    pub fn list(&self, folder: Option<&NotePath>, after: Option<&NotePath>) -> Result<Listing, StoreError> {
        Ok(walk_page(self.walk(folder)?, after, |_| true))
    }

    /// Files whose path matches `pattern`, as [`Self::list`] gives them. `*` and `?` stay within one name, `**` does
    /// not; `{a,b}` and `[a-z]` as usual.
    ///
    /// # Errors
    /// [`StoreError::Pattern`], or when a folder cannot be read.
    pub fn glob(&self, pattern: &str, after: Option<&NotePath>) -> Result<Listing, StoreError> {
        let matcher = matcher(pattern)?;
        Ok(walk_page(self.walk(None)?, after, |path| matcher.is_match(path.as_str())))
    }

    /// A plain file's size and time; `None` where there is none.
    pub(in crate::memory) fn stamp(&self, path: &NotePath) -> Option<NoteFile> {
        let folder = folder_of(&self.open_root().ok()??, path).ok()?;
        let about = folder.symlink_metadata(path.name()).ok()?;
        about.is_file().then(|| walked_file(path.clone(), &about))
    }

    /// All plain files under a folder, without a bound on their number but the folders' own.
    pub(in crate::memory) fn walk(&self, under: Option<&NotePath>) -> Result<Walked, StoreError> {
        let mut walked = Walked::default();
        let Some(root) = self.open_root()? else { return Ok(walked) };
        let (start, prefix) = match under {
            None => (root, String::new()),
            Some(folder) => match open_folder(&root, folder.names(), folder) {
                Ok(start) => (start, folder.as_str().to_owned()),
                Err(StoreError::NotFound { .. }) => return Ok(walked),
                Err(error) => return Err(error),
            },
        };
        let mut folders = vec![(start, prefix)];
        while let Some((folder, prefix)) = folders.pop() {
            visit_folder(&folder, &prefix, &mut walked, &mut folders)?;
        }
        walked.overfull.sort();
        Ok(walked)
    }
}

/// A pattern for paths.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, StoreError> {
    if pattern.len() > GLOB_MAX {
        return Err(StoreError::Pattern { reason: "it is too long".to_owned() });
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(false).build();
    Ok(glob.map_err(|error| StoreError::Pattern { reason: error.to_string() })?.compile_matcher())
}

fn walk_page(walked: Walked, after: Option<&NotePath>, is_wanted: impl Fn(&NotePath) -> bool) -> Listing {
    let behind = |path: &NotePath| after.is_none_or(|after| path > after);
    let mut wanted =
        walked.files.into_iter().filter(|(path, _)| behind(path) && is_wanted(path)).map(|(_, file)| file);
    let files = wanted.by_ref().take(RESULTS_MAX).collect();
    Listing { files, is_more: wanted.next().is_some(), overfull: walked.overfull }
}

fn visit_folder(
    folder: &Dir,
    prefix: &str,
    walked: &mut Walked,
    folders: &mut Vec<(Dir, String)>,
) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("look into", last_folder(prefix), error);
    let mut files = 0;
    for entry in folder.entries().map_err(failed)? {
        // What is removed meanwhile is not there.
        let Ok(entry) = entry else { continue };
        let Some((name, path)) = note_name(&entry, prefix) else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if path.names().count() < DEPTH_MAX
                && let Ok(inner) = folder.open_dir(&name)
            {
                folders.push((inner, path.into()));
            }
        } else if kind.is_file() {
            files += 1;
            if files > FOLDER_MAX {
                walked.overfull.push(last_folder(prefix).to_owned());
                return Ok(());
            }
            if let Ok(about) = entry.metadata() {
                walked.files.insert(path.clone(), walked_file(path, &about));
            }
        }
    }
    Ok(())
}

fn walked_file(path: NotePath, about: &Metadata) -> NoteFile {
    let modified = about.modified().ok().map(cap_std::time::SystemTime::into_std);
    let modified = modified.and_then(|at| Timestamp::try_from(at).ok());
    NoteFile { path, bytes: about.len(), modified }
}

/// A name that a note or its folder may have; all others are not ours.
fn note_name(entry: &DirEntry, prefix: &str) -> Option<(String, NotePath)> {
    let name = entry.file_name().into_string().ok()?;
    if is_hidden(prefix, &name) {
        return None;
    }
    let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
    NotePath::new(path).ok().map(|path| (name, path))
}

fn last_folder(prefix: &str) -> &str {
    if prefix.is_empty() { "the memory folder" } else { prefix }
}
