//! Changing notes: whole or not at all, one writer at a time, each write told in the log before it is done.

use std::io::{self, Write as _};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use super::audit::{AuditLog, AuditedWrite, Content, private, rotate};
use super::{
    AuditEntry, ContentHash, FILE_MAX, FOLDER_MAX, MemoryStore, NoteEditor, NotePath, StoreError, folder_of,
    read_in,
};

/// What a file is called until it is whole.
const UNFINISHED: &str = ".writing-";

/// The one file that is no Markdown.
const ALIASES: &str = "people/_aliases.json";

/// What whoever changes a note saw of it. A note that looks otherwise by now was edited by somebody, and stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadVersion {
    Nothing,
    /// It had this content.
    Text(ContentHash),
}

impl ReadVersion {
    fn is_still(self, now: Option<&[u8]>) -> bool {
        match (self, now) {
            (Self::Nothing, None) => true,
            (Self::Text(hash), Some(bytes)) => ContentHash::of(bytes) == hash,
            _ => false,
        }
    }
}

/// What becomes of a note.
enum NoteWrite<'a> {
    /// This is its text.
    Text(&'a str),
    /// This comes at its end, on a line of its own.
    More(&'a str),
    Gone,
}

impl MemoryStore {
    /// Puts a whole text in a note's place, whatever is there. For people's own commands; programs use
    /// [`Self::write_if_unchanged`]. A crash leaves the old text or the new one.
    ///
    /// # Errors
    /// [`StoreError::NotWritten`] for what is neither Markdown nor `people/_aliases.json`, [`StoreError::TooLarge`],
    /// [`StoreError::FolderFull`], [`StoreError::NotPlain`], [`StoreError::Busy`], or what the disk said.
    pub fn write(&self, path: &NotePath, text: &str, source: NoteEditor) -> Result<ContentHash, StoreError> {
        self.change(path, None, &NoteWrite::Text(text), source)
    }

    /// Puts a whole text in a note's place if the note is still as it was `seen`. A note that somebody edited in the
    /// meantime is never overwritten: hand edits win.
    ///
    /// # Errors
    /// [`StoreError::Changed`], and as [`Self::write`].
    pub fn write_if_unchanged(
        &self,
        path: &NotePath,
        seen: ReadVersion,
        text: &str,
        source: NoteEditor,
    ) -> Result<ContentHash, StoreError> {
        self.change(path, Some(seen), &NoteWrite::Text(text), source)
    }

    /// Adds text at a note's end, on a line of its own; makes the note where there is none.
    ///
    /// # Errors
    /// As [`Self::write`]; [`StoreError::NotText`] when the note is none.
    pub fn append(&self, path: &NotePath, text: &str, source: NoteEditor) -> Result<ContentHash, StoreError> {
        self.change(path, None, &NoteWrite::More(text), source)
    }

    /// Removes a note.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], and as [`Self::write`].
    pub fn delete(&self, path: &NotePath, source: NoteEditor) -> Result<(), StoreError> {
        self.change(path, None, &NoteWrite::Gone, source).map(drop)
    }

    /// Removes a note if it is still as it was `seen`.
    ///
    /// # Errors
    /// [`StoreError::Changed`], and as [`Self::delete`].
    pub fn delete_if_unchanged(
        &self,
        path: &NotePath,
        seen: ReadVersion,
        source: NoteEditor,
    ) -> Result<(), StoreError> {
        self.change(path, Some(seen), &NoteWrite::Gone, source).map(drop)
    }

    /// Removes what writes that a crash cut short left behind, and tells how many there were; puts a long log of writes
    /// aside.
    ///
    /// # Errors
    /// [`StoreError::Busy`], or when a folder cannot be read.
    pub fn sweep(&self) -> Result<usize, StoreError> {
        let _own = self.writing.lock();
        let Some(root) = self.open_root()? else { return Ok(0) };
        // Nobody writes while this is held: every unfinished file is a dead writer's.
        let mut all = AuditLog::lock(&root)?;
        rotate(&root, &mut all)?;
        let mut folders: Vec<String> =
            self.walk(None)?.files.keys().filter_map(|path| path.folder().map(str::to_owned)).collect();
        folders.dedup();
        let inner = folders.iter().filter_map(|folder| root.open_dir(folder).ok());
        let mut swept = 0;
        for folder in inner.chain(root.try_clone().ok()) {
            let entries = folder.entries().map_err(|error| StoreError::io("look into", "a folder", error))?;
            for name in entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
                if name.starts_with(UNFINISHED) && folder.remove_file(&name).is_ok() {
                    swept += 1;
                }
            }
        }
        Ok(swept)
    }

    fn change(
        &self,
        path: &NotePath,
        seen: Option<ReadVersion>,
        change: &NoteWrite<'_>,
        source: NoteEditor,
    ) -> Result<ContentHash, StoreError> {
        if !path.is_markdown() && path.as_str() != ALIASES {
            return Err(StoreError::NotWritten { path: path.clone() });
        }
        let _own = self.writing.lock();
        let root = self.made_root()?;
        let mut log = AuditLog::lock(&root)?;
        let folder = match change {
            NoteWrite::Gone => folder_of(&root, path)?,
            NoteWrite::Text(_) | NoteWrite::More(_) => made_folder(&root, path)?,
        };
        let before = match read_in(&folder, path) {
            Ok(bytes) => Some(bytes),
            Err(StoreError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        if !seen.is_none_or(|seen| seen.is_still(before.as_deref())) {
            return Err(StoreError::Changed { path: path.clone() });
        }
        let (op, after) = match change {
            NoteWrite::Text(text) => (AuditedWrite::Write, Some((*text).to_owned())),
            NoteWrite::More(text) => (AuditedWrite::Append, Some(with_more(path, before.as_deref(), text)?)),
            NoteWrite::Gone if before.is_none() => return Err(StoreError::NotFound { path: path.clone() }),
            NoteWrite::Gone => (AuditedWrite::Delete, None),
        };
        if let Some(text) = after.as_deref().filter(|text| text.len() as u64 > FILE_MAX) {
            return Err(StoreError::TooLarge { path: path.clone(), bytes: text.len() as u64 });
        }
        if before.is_none() && is_full(&folder, path)? {
            return Err(StoreError::FolderFull { path: path.clone() });
        }
        let entry = AuditEntry {
            at: self.clock.now(),
            op,
            path: path.clone(),
            source,
            before: before.as_deref().map(Content::of),
            after: after.as_ref().map(|text| Content::of(text.as_bytes())),
        };
        let done = match after.as_deref() {
            Some(text) => {
                let unfinished = TemporaryFile::write(&folder, path, text)?;
                log.add(&entry)?;
                unfinished.put_in_place(path, seen)
            }
            None => {
                log.add(&entry)?;
                folder.remove_file(path.name()).map_err(|error| StoreError::about("remove", path, error))
            }
        };
        if let Err(error) = done {
            log.add(&AuditEntry { op: AuditedWrite::Failed, after: entry.before.clone(), ..entry })?;
            return Err(error);
        }
        sync_folder(&folder);
        Ok(ContentHash::of(after.unwrap_or_default().as_bytes()))
    }

    fn made_root(&self) -> Result<Dir, StoreError> {
        if let Some(root) = self.open_root()? {
            return Ok(root);
        }
        let failed = |error| StoreError::io("make", self.root.display().to_string(), error);
        Dir::create_ambient_dir_all(&self.root, ambient_authority()).map_err(failed)?;
        Dir::open_ambient_dir(&self.root, ambient_authority()).map_err(failed)
    }
}

/// A text that is on the disk, but not yet where it belongs. Dropped, it is removed.
struct TemporaryFile<'a> {
    folder: &'a Dir,
    name: String,
    is_in_place: bool,
}

impl<'a> TemporaryFile<'a> {
    fn write(folder: &'a Dir, path: &NotePath, text: &str) -> Result<Self, StoreError> {
        let failed = |error| StoreError::io("write", path.as_str(), error);
        let name = format!("{UNFINISHED}{:016x}", rand::random::<u64>());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        let mut file = folder.open_with(&name, &options).map_err(failed)?;
        let unfinished = Self { folder, name, is_in_place: false };
        file.write_all(text.as_bytes()).map_err(failed)?;
        if let Ok(old) = folder.symlink_metadata(path.name()) {
            // The file it replaces may have been shared on purpose.
            file.set_permissions(old.permissions()).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        Ok(unfinished)
    }

    /// The last look at what stands there is as late as can be: between it and the rename nothing is waited for.
    fn put_in_place(mut self, path: &NotePath, seen: Option<ReadVersion>) -> Result<(), StoreError> {
        if let Some(seen) = seen {
            let now = read_in(self.folder, path).ok();
            if !seen.is_still(now.as_deref()) {
                return Err(StoreError::Changed { path: path.clone() });
            }
        }
        self.folder
            .rename(&self.name, self.folder, path.name())
            .map_err(|error| StoreError::io("write", path.as_str(), error))?;
        self.is_in_place = true;
        Ok(())
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.is_in_place {
            // What cannot be removed now is swept up later.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// The folder a note lies in; made where it is not there.
fn made_folder(root: &Dir, path: &NotePath) -> Result<Dir, StoreError> {
    if let Some(folder) = path.folder() {
        match root.create_dir_all(folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(StoreError::NotPlain { path: path.clone() });
            }
            Err(error) => return Err(StoreError::io("make the folder of", path.as_str(), error)),
        }
    }
    folder_of(root, path)
}

fn with_more(path: &NotePath, before: Option<&[u8]>, more: &str) -> Result<String, StoreError> {
    let before = before.map(<[u8]>::to_vec).unwrap_or_default();
    let mut text = String::from_utf8(before).map_err(|_| StoreError::NotText { path: path.clone() })?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(more);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn is_full(folder: &Dir, path: &NotePath) -> Result<bool, StoreError> {
    let entries = folder.entries().map_err(|error| StoreError::io("look beside", path.as_str(), error))?;
    Ok(entries.take(FOLDER_MAX).count() >= FOLDER_MAX)
}

/// A rename is durable once its folder is; systems that cannot open folders do without.
fn sync_folder(folder: &Dir) {
    if let Ok(folder) = folder.open(".") {
        let _ = folder.sync_all();
    }
}
