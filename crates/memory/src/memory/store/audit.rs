//! The log of every write: when, what, where, by whom, and how the file looked before and after. Never its words.
//!
//! Owns `.audit.jsonl` and the lock that one writer at a time holds on it, across processes. Must not know what notes
//! say. Start at [`AuditEntry`].

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::thread;
use std::time::Duration;

use cap_std::fs::{Dir, OpenOptions};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{NotePath, StoreError};
use crate::home::if_there;
use crate::text::short::hex;

/// The log's name in the memory folder.
pub(super) const AUDIT_LOG: &str = ".audit.jsonl";

/// Logs that had grown long are put aside as `.audit.1.jsonl`, `.audit.2.jsonl` and so on.
const ASIDE: &str = ".audit.";
const JSONL: &str = ".jsonl";

/// One of them while it is written anew.
const NEW: &str = ".new";

/// From here on the log is put aside: some 15,000 writes.
const LOG_MAX: u64 = 4 * 1024 * 1024;

/// Another process gets so many chances to finish its write, so far apart: two seconds. A write takes milliseconds.
const LOCK_TRIES: u32 = 400;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Longer lines are not the log's own, in bytes.
const LINE_MAX: u64 = 8 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NoteEditor {
    /// The person whose familiar it is, by a command.
    Operator,
    /// The worker that writes down what was said.
    Writer,
    /// The model, by a tool.
    Tool,
    /// What is tidied up at night.
    Sleep,
    /// Somebody's request to be forgotten.
    Forget,
    /// Such a request taken back.
    Undo,
    /// A file from elsewhere.
    Import,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditedWrite {
    /// The whole text was put there.
    Write,
    /// Text was added at the end.
    Append,
    Delete,
    /// The write told in the entry before was not done.
    Failed,
}

/// SHA-256 of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A file's size and hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub bytes: u64,
    pub sha256: String,
}

impl Content {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, sha256: ContentHash::of(bytes).to_string() }
    }
}

/// One write. It stands in the log before the file changes, so that no change is without its entry; one that failed
/// afterwards is followed by [`AuditedWrite::Failed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    pub at: Timestamp,
    pub op: AuditedWrite,
    pub path: NotePath,
    pub source: NoteEditor,
    /// What was there; `None` for nothing.
    pub before: Option<Content>,
    /// What is there now; `None` for nothing.
    pub after: Option<Content>,
}

/// The log, locked: while this lives, no other process and no other thread writes notes through a store.
#[derive(Debug)]
pub(super) struct AuditLog {
    file: File,
}

impl AuditLog {
    /// Opens or makes the log and waits for whoever writes.
    pub(super) fn lock(root: &Dir) -> Result<Self, StoreError> {
        let failed = |error| StoreError::io("open", AUDIT_LOG, error);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        private(&mut options);
        let file = root.open_with(AUDIT_LOG, &options).map_err(failed)?.into_std();
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
                // Some network file systems have no locks; this process's own writers still wait for each other.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Self { file });
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(StoreError::Busy)
    }

    /// Adds a line and waits until it is on the disk.
    pub(super) fn add(&mut self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.try_add(entry).map_err(|error| StoreError::io("write", AUDIT_LOG, error))
    }

    fn try_add(&mut self, entry: &AuditEntry) -> io::Result<()> {
        let mut line = Vec::new();
        if !self.ends_with_a_line()? {
            // A crash in the middle of a line: it is nobody's any more.
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, entry)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()
    }

    fn ends_with_a_line(&mut self) -> io::Result<bool> {
        if self.file.seek(SeekFrom::End(0))? == 0 {
            return Ok(true);
        }
        self.file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        self.file.read_exact(&mut last)?;
        Ok(last == *b"\n")
    }
}

/// Takes the entries about some files out of the log and of those put aside: their names may say what was in them. Lines that
/// are no entries go too.
pub(super) fn forget_entries(root: &Dir, gone: &BTreeSet<NotePath>) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("write", AUDIT_LOG, error);
    // In the same file: whoever waits for the lock waits for this one.
    let mut log = AuditLog::lock(root)?;
    for (_, aside) in put_aside(root)? {
        let Some(left) = without_entries(read_audit(root, &aside, usize::MAX)?, gone).map_err(failed)? else {
            continue;
        };
        let unfinished = format!("{aside}{NEW}");
        root.write(&unfinished, left)
            .and_then(|()| root.rename(&unfinished, root, &aside))
            .map_err(failed)?;
    }
    let Some(left) = without_entries(read_audit(root, AUDIT_LOG, usize::MAX)?, gone).map_err(failed)? else {
        return Ok(());
    };
    log.file
        .set_len(0)
        .and_then(|()| log.file.write_all(&left))
        .and_then(|()| log.file.sync_data())
        .map_err(failed)
}

/// The lines of a log without those about some files; `None` where there is none of them.
fn without_entries(entries: VecDeque<AuditEntry>, gone: &BTreeSet<NotePath>) -> io::Result<Option<Vec<u8>>> {
    if entries.iter().all(|entry| !gone.contains(&entry.path)) {
        return Ok(None);
    }
    let mut text = Vec::new();
    for entry in entries.iter().filter(|entry| !gone.contains(&entry.path)) {
        serde_json::to_writer(&mut text, entry)?;
        text.push(b'\n');
    }
    Ok(Some(text))
}

/// Puts the log aside where it has grown long, beside those put aside before: none is ever thrown away. Whether it did.
pub(super) fn rotate(root: &Dir, log: &mut AuditLog) -> Result<bool, StoreError> {
    let failed = |error| StoreError::io("put aside", AUDIT_LOG, error);
    if log.file.metadata().map_err(failed)?.len() <= LOG_MAX {
        return Ok(false);
    }
    let number = put_aside(root)?.last().map_or(1, |(number, _)| number + 1);
    root.copy(AUDIT_LOG, root, format!("{ASIDE}{number}{JSONL}")).map_err(failed)?;
    log.file.set_len(0).and_then(|()| log.file.sync_data()).map_err(failed)?;
    Ok(true)
}

/// The logs put aside, by their numbers, the oldest first.
fn put_aside(root: &Dir) -> Result<Vec<(u32, String)>, StoreError> {
    let entries = root.entries().map_err(|error| StoreError::io("look into", "the memory folder", error))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut found: Vec<(u32, String)> = names
        .filter_map(|name| {
            let number = name.strip_prefix(ASIDE)?.strip_suffix(JSONL)?;
            // What earlier versions called the only one.
            let number = if number == "before" { Some(0) } else { number.parse().ok() };
            number.map(|number| (number, name.clone()))
        })
        .collect();
    found.sort();
    Ok(found)
}

/// The newest `most` entries, oldest first. Lines that a crash cut short are passed over.
pub(super) fn newest_entries(root: &Dir, most: usize) -> Result<Vec<AuditEntry>, StoreError> {
    let mut entries = read_audit(root, AUDIT_LOG, most)?;
    for (_, aside) in put_aside(root)?.into_iter().rev() {
        if entries.len() >= most {
            break;
        }
        let mut older = read_audit(root, &aside, most - entries.len())?;
        older.append(&mut entries);
        entries = older;
    }
    Ok(entries.into())
}

fn read_audit(root: &Dir, name: &str, most: usize) -> Result<VecDeque<AuditEntry>, StoreError> {
    let failed = |error| StoreError::io("read", name, error);
    let Some(file) = if_there(root.open(name)).map_err(failed)? else { return Ok(VecDeque::new()) };
    let mut lines = BufReader::new(file.into_std());
    let mut entries = VecDeque::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.by_ref().take(LINE_MAX).read_until(b'\n', &mut line).map_err(failed)? == 0 {
            return Ok(entries);
        }
        if let Ok(entry) = serde_json::from_slice(&line) {
            if entries.len() == most {
                entries.pop_front();
            }
            if most > 0 {
                entries.push_back(entry);
            }
        }
    }
}

/// New files are for the operator's eyes; whoever wants to share them says so to the system.
pub(super) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}
