//! The way in: into a familiar that has lived nothing yet, so that every number stays what it was.

use std::io::{self, BufRead};
use std::sync::Arc;

use super::write::{ArchiveLine, VERSION, is_memory};
use crate::domain::StoredId;
use crate::history::{History, HistoryError, KeptState, KeptTurn};
use crate::memory::Memory;
use crate::memory::store::{InvalidPath, MemoryStore, NoteEditor, NotePath, ReadVersion, StoreError};

/// Turns stored in one transaction.
const STRETCH: usize = 1_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    pub turns: usize,
    pub notes: usize,
}

/// Why memories could not be read in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It has lived already: what is evidence for what would be mixed up.
    #[error("this familiar has a history already; import into a new one")]
    HasLived,
    /// A note is there that reads otherwise.
    #[error("{0} is there already and reads otherwise")]
    NoteThere(NotePath),
    /// A chat of another program in which several characters speak.
    #[error("several characters speak in this chat ({0}); only a chat with one can be taken in")]
    Several(String),
    /// A line is none of an export, or of a chat.
    #[error("line {line}: {reason}")]
    Line { line: usize, reason: String },
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Reads an export into a familiar without a history. Every line is looked at before any is taken in.
///
/// # Errors
/// [`ImportError::HasLived`], [`ImportError::NoteThere`], [`ImportError::Line`]; nothing was changed then. Else what a store
/// says.
pub async fn import_archive(
    history: &History,
    memory: &Memory,
    from: &mut (dyn BufRead + Send),
) -> Result<Imported, ImportError> {
    if !history.whole().kept_after(StoredId(0), 1).await?.is_empty() {
        return Err(ImportError::HasLived);
    }
    let (mut channels, mut turns, mut notes) = (Vec::new(), Vec::<KeptTurn>::new(), Vec::new());
    let mut state = KeptState::default();
    for (number, line) in (1..).zip(from.lines()) {
        let wrong = |reason: String| ImportError::Line { line: number, reason };
        match serde_json::from_str(&line?).map_err(|error| wrong(error.to_string()))? {
            ArchiveLine::FamiliarMemory { version } if number == 1 && version <= VERSION => {}
            ArchiveLine::FamiliarMemory { version } if number == 1 => {
                return Err(wrong(format!("version {version} is newer than this program; update it")));
            }
            _ if number == 1 => return Err(wrong("it does not begin like an export".to_owned())),
            ArchiveLine::FamiliarMemory { .. } => return Err(wrong("it begins twice".to_owned())),
            ArchiveLine::Channel(channel) => channels.push(channel),
            ArchiveLine::Turn(turn) => turns.push(*turn),
            ArchiveLine::Mark(mark) => state.marks.push(mark),
            ArchiveLine::Feeling(feeling) => state.feelings.push(feeling),
            ArchiveLine::PassedOver(stretch) => state.passed_over.push(stretch),
            ArchiveLine::Coming(coming) => state.comings.push(coming),
            ArchiveLine::Reminder(reminder) => state.reminders.push(*reminder),
            ArchiveLine::Response(_) => {}
            ArchiveLine::Note(note) => {
                let path = NotePath::new(note.path).map_err(|error: InvalidPath| wrong(error.to_string()))?;
                if !is_memory(&path) {
                    return Err(wrong(format!("{path} is no memory")));
                }
                notes.push((path, note.text));
            }
        }
    }
    let store = Arc::clone(memory.whole().store);
    let imported = Imported { turns: turns.len(), notes: notes.len() };
    let to_write = tokio::task::spawn_blocking(move || new_notes(&store, notes));
    let to_write = to_write.await.map_err(io::Error::from)??;
    history.put_state(channels, state).await?;
    let mut left = turns.into_iter().peekable();
    while left.peek().is_some() {
        history.put_back(left.by_ref().take(STRETCH).collect()).await?;
    }
    let store = Arc::clone(memory.whole().store);
    let written = tokio::task::spawn_blocking(move || -> Result<(), StoreError> {
        for (path, text) in to_write {
            store.write_if_unchanged(&path, ReadVersion::Nothing, &text, NoteEditor::Import)?;
        }
        Ok(())
    });
    written.await.map_err(io::Error::from)??;
    Ok(imported)
}

/// Those that are not there; what is there must read the same.
fn new_notes(
    store: &MemoryStore,
    notes: Vec<(NotePath, String)>,
) -> Result<Vec<(NotePath, String)>, ImportError> {
    let mut new = Vec::new();
    for (path, text) in notes {
        match store.read_or_none(&path)? {
            (_, ReadVersion::Nothing) => new.push((path, text)),
            (known, _) if known == text => {}
            _ => return Err(ImportError::NoteThere(path)),
        }
    }
    Ok(new)
}
