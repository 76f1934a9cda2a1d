//! What in the notes wants mending: said with file and line, changed by nobody.

use std::fmt;

use jiff::Timestamp;

use super::Memory;
use super::facts::{FactData, NotePage};
use super::store::{MemoryStore, NOTE_FOLDERS, NotePath, StoreError};
use crate::domain::StoredId;
use crate::home::FamiliarHome;

/// Something in a note that keeps it, or a line of it, from being used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteProblem {
    pub path: NotePath,
    /// In which line, from 1; `None` for the whole note.
    pub line: Option<u32>,
    pub reason: String,
}

/// Notes were made from messages, and the history that held them is gone. A familiar does not come up so by itself: an empty
/// history in its place would hide the loss while a backup is at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostHistory {
    pub what: String,
}

impl LostHistory {
    pub const ADVICE: &str = "put a backup of it in its place (docs/operations/backup.md); where there is none, go on with the \
                              notes alone: familiar run --without-history";
}

impl fmt::Display for LostHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, Self::ADVICE)
    }
}

/// Whether notes outlived their history; `has_messages` says whether that holds any. Blocks.
///
/// # Errors
/// When the folder of the notes cannot be looked at.
pub fn lost_history(home: &FamiliarHome, has_messages: bool) -> Result<Option<LostHistory>, StoreError> {
    if has_messages {
        return Ok(None);
    }
    let history = home.history_db();
    let how = if history.exists() { "is empty" } else { "is not there" };
    let newest = newest_evidence_in(Memory::at(home).whole().store, Timestamp::MIN)?;
    Ok(newest.map(|_| LostHistory {
        what: format!(
            "{} {how}, but {} holds what was learnt from messages",
            history.display(),
            home.memory_dir().display()
        ),
    }))
}

/// No history gets so far: such a number was written by somebody, and no message could get one behind it.
const FURTHEST: StoredId = StoredId(1 << 40);

/// The newest stored message that any note says it was made from which was written since then. Notes that cannot be read say
/// nothing. Blocks.
///
/// # Errors
/// When the folder of the notes cannot be looked at.
pub fn newest_evidence_in(store: &MemoryStore, since: Timestamp) -> Result<Option<StoredId>, StoreError> {
    let mut newest = None;
    for (path, file) in store.walk(None)?.files {
        let is_note = path.is_markdown() && NOTE_FOLDERS.iter().any(|folder| path.is_in(folder));
        let is_new = file.modified.is_none_or(|at| at >= since);
        let Some(bytes) = (is_note && is_new).then(|| store.read_bytes(&path).ok()).flatten() else {
            continue;
        };
        let Ok(page) = NotePage::parse(&String::from_utf8_lossy(&bytes)) else { continue };
        let turns = page.facts().filter_map(|(_, block)| block.data.as_ref()).flat_map(FactData::turns);
        newest = newest.max(turns.filter(|turn| *turn < FURTHEST).max());
    }
    Ok(newest)
}

/// Everything that wants mending, by path and line, and how many notes there are. Blocks.
///
/// # Errors
/// When the folder cannot be looked at.
pub fn problems(store: &MemoryStore) -> Result<(usize, Vec<NoteProblem>), StoreError> {
    let mut problems = Vec::new();
    let mut notes = 0;
    for path in store.walk(None)?.files.into_keys() {
        let is_note = path.as_str() == "notes.md" || NOTE_FOLDERS.iter().any(|folder| path.is_in(folder));
        if !is_note || !path.is_markdown() {
            continue;
        }
        notes += 1;
        let whole = |reason: String| NoteProblem { path: path.clone(), line: None, reason };
        // As whoever uses it reads it: what is no text is refused there too.
        let file = match store.read(&path) {
            Ok(file) => file,
            Err(StoreError::NotFound { .. }) => continue,
            Err(error) => {
                problems.push(whole(error.to_string()));
                continue;
            }
        };
        match NotePage::parse(&file.text) {
            Err(error) => problems.push(whole(error.to_string())),
            Ok(page) => {
                problems.extend(page.broken().iter().map(|broken| NoteProblem {
                    line: Some(broken.line),
                    ..whole(broken.reason.to_string())
                }))
            }
        }
    }
    problems.extend(super::people::alias_problem(store));
    Ok((notes, problems))
}
