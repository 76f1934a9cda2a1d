//! What in the notes wants mending: said with file and line, changed by nobody.

use super::facts::Page;
use super::store::{MemoryStore, NotePath, StoreError};

/// Folders whose notes have audiences line by line.
const FOLDERS: [&str; 3] = ["people", "topics", "sessions"];

/// Something in a note that keeps it, or a line of it, from being used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteProblem {
    /// In which note.
    pub path: NotePath,
    /// In which line, from 1; `None` for the whole note.
    pub line: Option<u32>,
    /// What is wrong.
    pub reason: String,
}

/// Everything that wants mending, by path and line, and how many notes there are. Blocks.
///
/// # Errors
/// When the folder cannot be looked at.
pub fn problems(store: &MemoryStore) -> Result<(usize, Vec<NoteProblem>), StoreError> {
    let mut problems = Vec::new();
    let mut notes = 0;
    for path in store.walk(None)?.files.into_keys() {
        let is_note = path.as_str() == "notes.md" || FOLDERS.iter().any(|folder| path.is_in(folder));
        if !is_note || !path.is_markdown() {
            continue;
        }
        notes += 1;
        let whole = |reason: String| NoteProblem { path: path.clone(), line: None, reason };
        let file = match store.read_bytes(&path) {
            Ok(file) => file,
            Err(StoreError::NotFound { .. }) => continue,
            Err(error) => {
                problems.push(whole(error.to_string()));
                continue;
            }
        };
        match Page::parse(&String::from_utf8_lossy(&file)) {
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
