//! The memory folder on the disk: Markdown files that a person may edit at any time, and that programs change only with
//! care (familiar-connect 1.11).
//!
//! Owns names, caps, links, whole writes and the log of writes. Must not know what notes mean, nor who may see what:
//! nothing that comes from here may be shown in a place before it went through a [`crate::memory::facts::NotePage`]. Every
//! method blocks. Start reading at [`MemoryStore`].

mod audit;
mod error;
mod path;
mod search;
#[cfg(test)]
mod tests;
mod walk;
mod write;

pub use audit::{AuditEntry, AuditedWrite, Content, ContentHash, NoteEditor};
pub use error::StoreError;
pub(super) use path::PROPOSALS;
pub use path::{InvalidPath, NOTE_FOLDERS, NotePath};
pub(in crate::memory) use search::TextPattern;
pub use search::{GrepLine, GrepOptions, Grepped, HowFar};
pub use walk::{Listing, NoteFile};
pub use write::ReadVersion;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use parking_lot::Mutex;

use crate::clock::SharedClock;
use crate::home::if_there;

/// Largest note, in bytes (familiar-connect 1.11).
pub const FILE_MAX: u64 = 256 * 1024;

/// Most results of one operation (familiar-connect 1.11).
pub const RESULTS_MAX: usize = 1_000;

/// Most files in one folder (familiar-connect 1.11).
pub const FOLDER_MAX: usize = 10_000;

/// A memory folder. It need not exist: nothing is in it then, and the first write makes it.
#[derive(Debug)]
pub struct MemoryStore {
    root: PathBuf,
    clock: SharedClock,
    /// This process's writers, one after the other.
    writing: Mutex<()>,
}

/// A note's text as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    pub text: String,
    /// Of these bytes; whoever changes the note says that this is what they saw.
    pub hash: ContentHash,
}

impl NoteText {
    pub fn seen(&self) -> ReadVersion {
        ReadVersion::Text(self.hash)
    }
}

impl MemoryStore {
    /// The memory in a folder. Reads nothing yet.
    pub fn in_folder(root: PathBuf, clock: SharedClock) -> Self {
        Self { root, clock, writing: Mutex::new(()) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A note's text.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], [`StoreError::NotPlain`] for links, folders and devices, [`StoreError::TooLarge`],
    /// [`StoreError::NotText`], or what the disk said.
    pub fn read(&self, path: &NotePath) -> Result<NoteText, StoreError> {
        let bytes = self.read_bytes(path)?;
        let hash = ContentHash::of(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| StoreError::NotText { path: path.clone() })?;
        Ok(NoteText { text, hash })
    }

    /// A note's text, or that there is none: what a program that wants to change it has to know.
    ///
    /// # Errors
    /// As [`Self::read`], but for [`StoreError::NotFound`].
    pub fn read_or_none(&self, path: &NotePath) -> Result<(String, ReadVersion), StoreError> {
        match self.read(path) {
            Ok(note) => {
                let seen = note.seen();
                Ok((note.text, seen))
            }
            Err(StoreError::NotFound { .. }) => Ok((String::new(), ReadVersion::Nothing)),
            Err(error) => Err(error),
        }
    }

    /// A note's bytes, whatever they are.
    ///
    /// # Errors
    /// As [`Self::read`], but for [`StoreError::NotText`].
    pub fn read_bytes(&self, path: &NotePath) -> Result<Vec<u8>, StoreError> {
        let Some(root) = self.open_root()? else { return Err(StoreError::NotFound { path: path.clone() }) };
        let folder = folder_of(&root, path)?;
        read_in(&folder, path)
    }

    /// The newest entries of the log of writes, oldest first, at most [`RESULTS_MAX`].
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn audit(&self, most: usize) -> Result<Vec<AuditEntry>, StoreError> {
        match self.open_root()? {
            Some(root) => audit::newest_entries(&root, most.min(RESULTS_MAX)),
            None => Ok(Vec::new()),
        }
    }

    /// Takes files out of the log of writes, and of the logs put aside: what was in them is to be forgotten, and their names may
    /// tell it.
    ///
    /// # Errors
    /// [`StoreError::Busy`], or what the disk said.
    pub fn forget_in_audit(&self, gone: &std::collections::BTreeSet<NotePath>) -> Result<(), StoreError> {
        self.open_root()?.map_or(Ok(()), |root| audit::forget_entries(&root, gone))
    }

    /// The folder, where there is one. It is opened anew each time: a backup may have taken its place.
    fn open_root(&self) -> Result<Option<Dir>, StoreError> {
        if_there(Dir::open_ambient_dir(&self.root, ambient_authority()))
            .map_err(|error| StoreError::io("open", self.root.display().to_string(), error))
    }
}

/// The folder a note lies in. Every step is a folder itself, never a link to one.
fn folder_of(root: &Dir, path: &NotePath) -> Result<Dir, StoreError> {
    let names = path.folder().into_iter().flat_map(|folder| folder.split('/'));
    open_folder(root, names, path)
}

/// The folder to which these names lead, for `path`. A link on the way could lead out of the memory.
fn open_folder<'n>(
    root: &Dir,
    names: impl Iterator<Item = &'n str>,
    path: &NotePath,
) -> Result<Dir, StoreError> {
    let failed = |error| StoreError::about("open", path, error);
    let mut folder = root.try_clone().map_err(failed)?;
    for name in names {
        if !folder.symlink_metadata(name).map_err(failed)?.is_dir() {
            return Err(StoreError::NotPlain { path: path.clone() });
        }
        folder = folder.open_dir(name).map_err(failed)?;
    }
    Ok(folder)
}

/// Reads a plain file of at most [`FILE_MAX`].
fn read_in(folder: &Dir, path: &NotePath) -> Result<Vec<u8>, StoreError> {
    let failed = |error| StoreError::about("read", path, error);
    let about = folder.symlink_metadata(path.name()).map_err(failed)?;
    if !about.is_file() {
        return Err(StoreError::NotPlain { path: path.clone() });
    }
    let file = folder.open(path.name()).map_err(failed)?;
    let mut bytes = Vec::with_capacity(usize::try_from(about.len().min(FILE_MAX)).unwrap_or(0));
    // It may grow while it is read.
    file.take(FILE_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > FILE_MAX {
        let bytes = about.len().max(bytes.len() as u64);
        return Err(StoreError::TooLarge { path: path.clone(), bytes });
    }
    Ok(bytes)
}
