//! Names of notes: relative, plain, and the same on every system.
//!
//! Owns which names may be used. Must not know what lies in the files, nor touch the disk. Start at [`NotePath`].

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest path, in bytes.
const PATH_MAX: usize = 512;

/// Longest name of one file or folder, in bytes: room for the temporary name within the 255 that file systems allow.
const NAME_MAX: usize = 200;

/// Most names in one path.
pub(super) const DEPTH_MAX: usize = 8;

/// Devices on Windows, whatever ending follows: a memory folder is copied between systems.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Proposals that wait for a yes (a dry run of the writer) are the only thing in a hidden folder that is a note.
pub(in crate::memory) const PROPOSALS: &str = "sessions/.pending";

/// The one note at the top.
const TOP: &str = "notes.md";

/// Folders whose notes have audiences line by line.
pub const NOTE_FOLDERS: [&str; 3] = ["people", "topics", "sessions"];

/// Where a note lies, relative to the memory folder, with `/` between names: `people/discord-42.md`.
///
/// Whatever a `NotePath` says stays inside the folder as far as names go: no `..`, no root, no drive, nothing hidden
/// but `sessions/.pending`. Links are the store's business.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NotePath(String);

/// A name that no note may have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} names no note: {reason}")]
pub struct InvalidPath {
    pub path: String,
    pub reason: &'static str,
}

impl NotePath {
    /// Checks a path.
    ///
    /// # Errors
    /// When it is empty, absolute, longer than 512 bytes or eight names, or one of its names is `.`, `..`, hidden,
    /// longer than 200 bytes, reserved on Windows, ends with a dot or a space, begins with a space, or holds
    /// `\ : * ? " < > |` or a control character.
    pub fn new(path: impl Into<String>) -> Result<Self, InvalidPath> {
        let path = path.into();
        match path_problem(&path) {
            None => Ok(Self(path)),
            Some(reason) => Err(InvalidPath { path, reason }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The last name without `.md`.
    pub fn stem(&self) -> &str {
        self.name().strip_suffix(".md").unwrap_or(self.name())
    }

    /// Every name, from the outermost folder on.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The folder it lies in; `None` at the top.
    pub fn folder(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(folder, _)| folder)
    }

    /// Whether it lies in `folder` or in one of that folder's folders.
    pub fn is_in(&self, folder: &str) -> bool {
        self.0.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Whether it is a Markdown file.
    pub fn is_markdown(&self) -> bool {
        self.name().len() > 3 && self.name().ends_with(".md")
    }

    /// Whether it is a note in one of these folders, or the one at the top. Proposals are not believed yet.
    pub fn is_note_in(&self, folders: &[&str]) -> bool {
        let is_note = self.0 == TOP || folders.iter().any(|folder| self.is_in(folder));
        is_note && self.is_markdown() && !self.is_proposal()
    }

    /// Whether it waits for a yes.
    pub fn is_proposal(&self) -> bool {
        self.is_in(PROPOSALS)
    }
}

/// Whether a file or folder of that name is passed over: programs keep their own things under hidden names.
pub(super) fn is_hidden(folder: &str, name: &str) -> bool {
    name.starts_with('.') && PROPOSALS.split_once('/') != Some((folder, name))
}

fn path_problem(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("it is empty");
    }
    if path.len() > PATH_MAX {
        return Some("it is longer than 512 bytes");
    }
    if path.starts_with('/') {
        return Some("it is not relative");
    }
    let mut folder = "";
    for (depth, name) in path.split('/').enumerate() {
        if depth >= DEPTH_MAX {
            return Some("it lies too deep");
        }
        if let Some(reason) = wrong_name(if depth == 1 { folder } else { "" }, name) {
            return Some(reason);
        }
        folder = name;
    }
    None
}

fn wrong_name(folder: &str, name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("a name in it is empty");
    }
    if name == "." || name == ".." {
        return Some("it climbs");
    }
    if is_hidden(folder, name) {
        return Some("hidden files are the program's own");
    }
    if name.len() > NAME_MAX {
        return Some("a name in it is longer than 200 bytes");
    }
    if name.chars().any(|c| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')) {
        return Some("a character in it is not allowed in file names everywhere");
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return Some("a name in it begins or ends with a space, or ends with a dot");
    }
    is_reserved(name).then_some("a name in it is a device on Windows")
}

fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let is_port = ["com", "lpt"].iter().any(|port| {
        let number = stem.strip_prefix(port);
        number.is_some_and(|number| {
            let mut digits = number.chars();
            matches!((digits.next(), digits.next()), (Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'), None))
        })
    });
    is_port || RESERVED.contains(&stem.as_str())
}

impl fmt::Display for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for NotePath {
    type Err = InvalidPath;
    fn from_str(path: &str) -> Result<Self, InvalidPath> {
        Self::new(path)
    }
}

impl TryFrom<String> for NotePath {
    type Error = InvalidPath;
    fn try_from(path: String) -> Result<Self, InvalidPath> {
        Self::new(path)
    }
}

impl From<NotePath> for String {
    fn from(path: NotePath) -> Self {
        path.0
    }
}
