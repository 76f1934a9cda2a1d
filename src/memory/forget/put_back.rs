//! Putting notes back as they were before, as far as nobody wrote something else in their place.

use serde::{Deserialize, Serialize};

use super::{ForgetError, NotesPlan};
use crate::memory::facts::{FactData, Page, PageEdit, new_page};
use crate::memory::people::merged_files;
use crate::memory::store::{MemoryStore, NotePath, Source, StoreError};

/// How it went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutBack {
    /// Files that are byte for byte as they were.
    pub whole: usize,
    /// Facts added to files that read otherwise by now.
    pub facts: usize,
}

/// Undoes a plan. A file that still reads as it was left gets its old text; in one that was edited since, the facts that
/// are missing are added at its end. Doing it again does nothing. Blocks.
///
/// # Errors
/// When the store refuses.
pub fn put_back(store: &MemoryStore, plan: &NotesPlan) -> Result<PutBack, ForgetError> {
    let mut done = PutBack::default();
    for edit in &plan.edits {
        let (now, seen) = store.read_or_none(&edit.path)?;
        if now == edit.before {
            continue;
        }
        let is_as_left = edit.after.as_deref().unwrap_or_default() == now;
        let text = if is_as_left {
            done.whole += 1;
            edit.before.clone()
        } else if edit.path.as_str() == "people/_aliases.json" {
            match merged_files(&now, &edit.before) {
                Some(merged) => merged,
                None => continue,
            }
        } else {
            match with_lines(&edit.path, &now, edit, &mut done.facts) {
                Some(text) => text,
                None => continue,
            }
        };
        match store.write_if_unchanged(&edit.path, seen, &text, Source::Undo) {
            Ok(_) => {}
            // Somebody writes there at this very moment: theirs holds, and the rest is put back all the same.
            Err(StoreError::Changed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(done)
}

/// A note with the facts that are missing in it.
fn with_lines(path: &NotePath, now: &str, edit: &super::NoteEdit, added: &mut usize) -> Option<String> {
    let title = path.stem().to_owned();
    let text = if now.is_empty() {
        let before = Page::parse(&edit.before).ok()?;
        new_page(&before.front().audience, &title)
    } else {
        now.to_owned()
    };
    let page = Page::parse(&text).ok()?;
    let old = Page::parse(&edit.before).ok()?;
    let mut change = PageEdit::of(&page);
    for line in &edit.lines {
        let Ok(mut data) = line.data.parse::<FactData>() else { continue };
        let Some(id) = data.id.clone() else { continue };
        if page.fact(&id).is_some() {
            continue;
        }
        // One that had its audience from where it stood keeps it.
        let from_place = || old.fact(&id).and_then(|block| block.audience.clone());
        data.to = data.to.clone().or_else(from_place);
        if change.add(None, &line.words, &data).is_ok() {
            *added += 1;
        }
    }
    (!change.is_empty()).then(|| change.text())
}
