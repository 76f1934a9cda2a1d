//! Changes that wait for a yes, in `sessions/.pending/`: nobody is shown them, and no search finds them.
//!
//! A file holds one change a line, as JSON between code fences; whoever does not want one deletes its line before saying
//! yes.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{ChangeFate, NoteChange, PageChange, apply_changes};
use crate::domain::Audience;
use crate::memory::facts::{FactData, FactId, InvalidFact};
use crate::memory::store::{
    InvalidPath, MemoryStore, NoteEditor, NotePath, PROPOSALS, ReadVersion, StoreError,
};

/// Files of one moment are told apart by a number up to this.
const SAME_MOMENT_MAX: u32 = 100;

/// Changes that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// When they were proposed.
    pub at: Timestamp,
    /// From what, for people.
    pub from: String,
    /// Before whom it was learnt.
    pub audience: Audience,
    /// What to do about it.
    pub waiting: PendingChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingChange {
    Changes(Vec<NoteChange>),
    /// An answer of a model that could not be read: nothing that can be approved.
    Answer(String),
}

/// A file that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Its name without folder and `.md`: what people call it by.
    pub name: String,
    pub text: String,
    seen: ReadVersion,
    path: NotePath,
}

/// Why a proposal cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub enum PendingError {
    /// There is none of that name.
    #[error("nothing of the name {0:?} waits")]
    NoSuch(String),
    /// A line of it is no change.
    #[error("line {line} is no change: {reason}")]
    Line { line: usize, reason: String },
    /// It holds an answer that could not be read.
    #[error(
        "it holds a model's answer that could not be read; there is nothing to carry out, only to reject"
    )]
    Nothing,
    /// Not a file's name.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, Serialize, Deserialize)]
struct PendingLine {
    note: NotePath,
    title: String,
    audience: String,
    #[serde(flatten)]
    what: WrittenChange,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum WrittenChange {
    Add { text: String, data: String },
    Supersede { fact: String, was: String, text: String, data: String },
    End { fact: String, was: String, until: String },
}

impl Proposal {
    /// Puts it where it waits; under which name. Blocks.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn keep(&self, store: &MemoryStore) -> Result<String, PendingError> {
        let text = self.text();
        let stamp = self.at.strftime("%Y%m%d-%H%M%S");
        for number in 1..=SAME_MOMENT_MAX {
            let name = if number == 1 { stamp.to_string() } else { format!("{stamp}-{number}") };
            let path = path_of(&name)?;
            match store.write_if_unchanged(&path, ReadVersion::Nothing, &text, NoteEditor::Writer) {
                Ok(_) => return Ok(name),
                Err(StoreError::Changed { .. }) if number < SAME_MOMENT_MAX => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(PendingError::NoSuch(stamp.to_string()))
    }

    fn text(&self) -> String {
        let mut text = format!(
            "---\naudience: {}\n---\n# From {}, {}\n\n",
            self.audience,
            self.from,
            self.at.strftime("%F %H:%M UTC")
        );
        match &self.waiting {
            PendingChange::Changes(changes) => {
                text.push_str("Delete the lines that are not to hold.\n\n```json\n");
                for change in changes {
                    if let Ok(line) = serde_json::to_string(&PendingLine::of(change)) {
                        text.push_str(&line);
                        text.push('\n');
                    }
                }
            }
            PendingChange::Answer(answer) => {
                text.push_str(
                    "This answer of the model could not be read. Nothing of it was written.\n\n```json\n",
                );
                // As one line of JSON it can end no fence.
                text.push_str(&serde_json::json!({ "answer": answer }).to_string());
                text.push('\n');
            }
        }
        text.push_str("```\n");
        text
    }
}

impl Pending {
    /// Everything that waits, oldest first, at most the oldest thousand. Blocks.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn all(store: &MemoryStore) -> Result<Vec<Self>, PendingError> {
        let listing = store.list(Some(&NotePath::new(PROPOSALS)?), None)?;
        let names = listing.files.iter().map(|file| file.path.stem().to_owned());
        names.map(|name| Self::read(store, &name)).collect()
    }

    /// One of them. Blocks.
    ///
    /// # Errors
    /// [`PendingError::NoSuch`], or what the store says.
    pub fn read(store: &MemoryStore, name: &str) -> Result<Self, PendingError> {
        let path = path_of(name.strip_suffix(".md").unwrap_or(name))?;
        match store.read(&path) {
            Ok(note) => Ok(Self { name: path.stem().to_owned(), seen: note.seen(), text: note.text, path }),
            Err(StoreError::NotFound { .. }) => Err(PendingError::NoSuch(name.to_owned())),
            Err(error) => Err(error.into()),
        }
    }

    /// The changes in it.
    ///
    /// # Errors
    /// [`PendingError::Line`], or [`PendingError::Nothing`].
    pub fn changes(&self) -> Result<Vec<NoteChange>, PendingError> {
        let mut changes = Vec::new();
        for (number, line) in (1..).zip(self.text.lines()).filter(|(_, line)| line.starts_with('{')) {
            if line.starts_with("{\"answer\"") {
                return Err(PendingError::Nothing);
            }
            let wrong = |reason: String| PendingError::Line { line: number, reason };
            let read: PendingLine = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            changes.push(read.change().map_err(wrong)?);
        }
        Ok(changes)
    }

    /// Carries it out and removes it. What became of each change. Blocks.
    ///
    /// # Errors
    /// As [`Self::changes`], or when the file cannot be removed.
    pub fn approve(&self, store: &MemoryStore, today: Date) -> Result<Vec<ChangeFate>, PendingError> {
        let fates = apply_changes(store, &self.changes()?, today, NoteEditor::Operator);
        self.reject(store)?;
        Ok(fates)
    }

    /// Removes it. Blocks.
    ///
    /// # Errors
    /// When somebody edited it in between, or the store refuses.
    pub fn reject(&self, store: &MemoryStore) -> Result<(), PendingError> {
        Ok(store.delete_if_unchanged(&self.path, self.seen, NoteEditor::Operator)?)
    }
}

/// A waiting file without the changes that are `unwanted` (by their note, the data of the new fact, and the fact they
/// change): `None` where it stays as it is, `Some(None)` where nothing of it is left. A line that nobody could read may hold
/// anything: `unread_goes` says whether it goes.
pub(in crate::memory) fn without_lines(
    text: &str,
    unwanted: impl Fn(&NotePath, Option<&FactData>, Option<&FactId>) -> bool,
    unread_goes: bool,
) -> Option<Option<String>> {
    let is_unwanted = |line: &str| {
        if !line.starts_with('{') {
            return false;
        }
        let Some(change) = read_line(line) else { return unread_goes };
        let changed = match &change.what {
            PageChange::Add { .. } => None,
            PageChange::Supersede { old: fact, .. } | PageChange::End { fact, .. } => Some(fact),
        };
        unwanted(&change.note, change.what.data(), changed)
    };
    if !text.lines().any(is_unwanted) {
        return None;
    }
    let left: Vec<&str> = text.split_inclusive('\n').filter(|line| !is_unwanted(line.trim_end())).collect();
    Some(left.iter().any(|line| line.starts_with('{')).then(|| left.concat()))
}

/// How many lines of a waiting file nobody could read.
pub(in crate::memory) fn unread_lines(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with('{') && read_line(line).is_none()).count()
}

fn read_line(line: &str) -> Option<NoteChange> {
    serde_json::from_str::<PendingLine>(line).ok()?.change().ok()
}

fn path_of(name: &str) -> Result<NotePath, InvalidPath> {
    NotePath::new(format!("{PROPOSALS}/{name}.md"))
}

impl PendingLine {
    fn of(change: &NoteChange) -> Self {
        let what = match &change.what {
            PageChange::Add { words, data } => {
                WrittenChange::Add { text: words.clone(), data: data.to_string() }
            }
            PageChange::Supersede { old, seen, words, data } => WrittenChange::Supersede {
                fact: old.to_string(),
                was: seen.clone(),
                text: words.clone(),
                data: data.to_string(),
            },
            PageChange::End { fact, seen, until } => {
                WrittenChange::End { fact: fact.to_string(), was: seen.clone(), until: until.to_string() }
            }
        };
        let (note, title) = (change.note.clone(), change.title.clone());
        Self { note, title, audience: change.audience.to_string(), what }
    }

    fn change(self) -> Result<NoteChange, String> {
        let data = |data: &str| data.parse::<FactData>().map_err(|error: InvalidFact| error.to_string());
        let fact = |id: &str| id.parse().map_err(|error: InvalidFact| error.to_string());
        let what = match self.what {
            WrittenChange::Add { text, data: written } => {
                PageChange::Add { words: text, data: data(&written)? }
            }
            WrittenChange::Supersede { fact: old, was, text, data: written } => {
                PageChange::Supersede { old: fact(&old)?, seen: was, words: text, data: data(&written)? }
            }
            WrittenChange::End { fact: id, was, until } => PageChange::End {
                fact: fact(&id)?,
                seen: was,
                until: until.parse().map_err(|error: jiff::Error| error.to_string())?,
            },
        };
        let audience = self.audience.parse().map_err(|error: crate::domain::InvalidId| error.to_string())?;
        Ok(NoteChange { note: self.note, title: self.title, audience, what })
    }
}
