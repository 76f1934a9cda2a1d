//! Why the store refused.

use std::io;

use super::NotePath;
use super::path::InvalidPath;

/// Why a note was not read, found or written. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The name is not one a note may have.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    #[error("there is no {path}")]
    NotFound { path: NotePath },
    /// A link, a folder or a device stands where a note should, or a file where a folder should.
    #[error("{path} is no plain file in plain folders")]
    NotPlain { path: NotePath },
    /// Only Markdown and `people/_aliases.json` are written.
    #[error("{path} is not a kind of file that is written here")]
    NotWritten { path: NotePath },
    /// More than 256 KiB.
    #[error("{path} would have {bytes} bytes, more than a note may have")]
    TooLarge { path: NotePath, bytes: u64 },
    /// Its folder holds 10,000 files.
    #[error("the folder of {path} is full")]
    FolderFull { path: NotePath },
    #[error("{path} is not text")]
    NotText { path: NotePath },
    /// Somebody edited, made or removed it since it was looked at: what they did holds.
    #[error("{path} was changed in the meantime")]
    Changed { path: NotePath },
    /// A pattern that cannot be searched for.
    #[error("that cannot be searched for: {reason}")]
    Pattern { reason: String },
    /// Another process writes and does not come to an end.
    #[error("another process is writing to the memory")]
    Busy,
    #[error("cannot {action} {what}: {source}")]
    Io {
        action: &'static str,
        /// On what, for people.
        what: String,
        source: io::Error,
    },
}

impl StoreError {
    pub(super) fn io(action: &'static str, what: impl Into<String>, source: io::Error) -> Self {
        Self::Io { action, what: what.into(), source }
    }

    /// What the system said about a note, with "not there" told apart.
    pub(super) fn about(action: &'static str, path: &NotePath, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path: path.clone() },
            _ => Self::io(action, path.as_str(), source),
        }
    }
}
