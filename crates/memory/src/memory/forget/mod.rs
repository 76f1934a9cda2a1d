//! Taking out of the notes what somebody wants forgotten: whole notes, single facts, names, and what waits for a yes.
//!
//! Owns which lines go and how they come back. A fact goes with everything that stands under it; a note of which nothing
//! but headings would be left goes whole. What a person wrote elsewhere stays byte for byte. Must not know who may ask
//! for what. Everything here blocks. Start reading at [`planned`].

mod find;
#[cfg(test)]
mod tests;

pub use find::{FactFound, chain_of, facts_of, files_where, sparing, with_derived};

use find::facts_in;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::change::{Pending, unread_lines, without_lines};
use super::facts::{BlockKind, By, FactData, FactId, NotePage, PageEdit, new_page};
use super::people::{AliasError, merged_files, without_aliases};
use super::store::{MemoryStore, NoteEditor, NotePath, ReadVersion, StoreError};
use crate::domain::{AccountId, StoredId};

/// A note that somebody edits at the same moment is planned anew this often.
const TRIES: usize = 3;

/// Folders that are authored, and no memories.
const AUTHORED: [&str; 2] = ["self", "lore"];

/// Where names that people go by stand.
const ALIASES: &str = "people/_aliases.json";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgetNotes {
    /// Everything about these people and by them.
    pub people: BTreeSet<AccountId>,
    /// Facts learnt from these turns.
    pub turns: BTreeSet<StoredId>,
    pub facts: BTreeSet<FactId>,
    /// Facts that stay though they were learnt from these turns.
    pub spared: BTreeSet<FactId>,
    pub notes: BTreeSet<NotePath>,
}

impl ForgetNotes {
    fn covers(&self, data: &FactData) -> bool {
        let by = matches!(&data.by, Some(By::Person(person)) if self.people.contains(person));
        let is_from = |turn: StoredId| self.turns.contains(&turn);
        let is_in = |facts: &BTreeSet<FactId>| data.id.as_ref().is_some_and(|id| facts.contains(id));
        by || is_in(&self.facts) || (!is_in(&self.spared) && data.turns().any(is_from))
    }

    /// Whether there is anything of it: then what nobody can read may hold some of it, too.
    fn is_anything(&self) -> bool {
        let Self { people, turns, facts, spared: _, notes } = self;
        !(people.is_empty() && turns.is_empty() && facts.is_empty() && notes.is_empty())
    }

    fn covers_note(&self, path: &NotePath) -> bool {
        self.notes.contains(path) || self.own_notes().any(|own| own == path.as_str())
    }

    fn own_notes(&self) -> impl Iterator<Item = String> + '_ {
        self.people.iter().map(|person| format!("people/{}.md", person.slug()))
    }
}

/// A line that goes, to be put back one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgottenLine {
    pub words: String,
    /// Its data, as it was written.
    pub data: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteEdit {
    pub path: NotePath,
    pub before: String,
    /// Its text after; `None` where it goes.
    pub after: Option<String>,
    /// The facts that go.
    pub lines: Vec<ForgottenLine>,
}

impl NoteEdit {
    /// Whether an answer of a model goes that nobody could read.
    pub fn is_unread(&self) -> bool {
        let left = self.after.as_deref().map_or(0, unread_lines);
        self.path.is_proposal() && unread_lines(&self.before) > left
    }

    pub fn is_whole_note(&self) -> bool {
        self.after.is_none() && !self.is_unread()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotesPlan {
    pub edits: Vec<NoteEdit>,
}

impl NotesPlan {
    /// The facts that go.
    pub fn lines(&self) -> impl Iterator<Item = &ForgottenLine> {
        self.edits.iter().flat_map(|edit| &edit.lines)
    }

    /// Their ids, of those that have one.
    pub fn fact_ids(&self) -> impl Iterator<Item = FactId> {
        self.lines().filter_map(|line| line.data.parse::<FactData>().ok()?.id)
    }

    pub fn notes(&self) -> usize {
        self.edits.iter().filter(|edit| edit.is_whole_note()).count()
    }

    /// How many answers of models go that nobody could read.
    pub fn unread(&self) -> usize {
        self.edits.iter().filter(|edit| edit.is_unread()).count()
    }

    /// Everything that goes, in words.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let whole = self.edits.iter().filter(|edit| edit.after.is_none()).map(|edit| edit.before.as_str());
        whole.chain(self.lines().map(|line| line.words.as_str()))
    }

    /// The facts of its files as they were before.
    pub fn facts_before(&self) -> Vec<FactFound> {
        self.edits.iter().flat_map(|edit| facts_in(&edit.path, &edit.before)).collect()
    }

    /// The same plan over files in which what is unwanted never stood, so that putting it back brings nothing of that; and
    /// what it lost. Where nothing is left to put back, a file is not in it.
    pub fn without(self, unwanted: &ForgetNotes) -> Result<(Self, Self), ForgetError> {
        let (mut left, mut lost) = (Self::default(), Self::default());
        for one in self.edits {
            let Some(before) = forget_in_file(unwanted, one.path.clone(), one.before.clone())? else {
                left.edits.push(one);
                continue;
            };
            let Some(text) = before.after else {
                lost.edits.push(one);
                continue;
            };
            let after = match one.after {
                None => None,
                Some(after) => match forget_in_file(unwanted, one.path.clone(), after.clone())? {
                    None => Some(after),
                    Some(change) => change.after,
                },
            };
            if after.as_ref() != Some(&text) {
                let lines = one.lines.into_iter().filter(|line| !before.lines.contains(line)).collect();
                left.edits.push(NoteEdit { path: one.path.clone(), before: text.clone(), after, lines });
            }
            lost.edits.push(NoteEdit { after: Some(text), ..before });
        }
        Ok((left, lost))
    }
}

/// Why notes could not be forgotten or put back.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// `people/_aliases.json` cannot be read; somebody has to mend it first.
    #[error(transparent)]
    Aliases(#[from] AliasError),
}

/// What would be done to the notes. Changes nothing.
pub fn planned(store: &MemoryStore, unwanted: &ForgetNotes) -> Result<NotesPlan, ForgetError> {
    Ok(NotesPlan { edits: edits(store, unwanted)?.into_iter().map(|(edit, _)| edit).collect() })
}

/// Takes it out of the notes, and out of the log of writes the names of files that went. Doing it again does nothing.
pub fn forget_in_notes(store: &MemoryStore, unwanted: &ForgetNotes) -> Result<(), ForgetError> {
    let mut gone = BTreeSet::new();
    let mut tries = 0;
    loop {
        let edits = edits(store, unwanted)?;
        if edits.is_empty() {
            break;
        }
        for (edit, seen) in edits {
            let done = match &edit.after {
                None => {
                    gone.insert(edit.path.clone());
                    store.delete_if_unchanged(&edit.path, seen, NoteEditor::Forget)
                }
                Some(text) => store.write_if_unchanged(&edit.path, seen, text, NoteEditor::Forget).map(drop),
            };
            match done {
                Ok(()) | Err(StoreError::NotFound { .. }) => {}
                // Whoever edits wins, and what they left is looked at again.
                Err(StoreError::Changed { .. }) if tries < TRIES => tries += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
    gone.extend(unwanted.notes.iter().cloned());
    gone.extend(unwanted.own_notes().filter_map(|own| NotePath::new(own).ok()));
    Ok(store.forget_in_audit(&gone)?)
}

/// Lets nothing stand that was noted of turns which were taken back, nor what was concluded from that. What was noted of
/// several turns goes with the first of them: nobody can tell which of them said what.
///
/// # Errors
/// As [`forget_in_notes`].
pub fn forget_taken_back(store: &MemoryStore, turns: BTreeSet<StoredId>) -> Result<(), ForgetError> {
    let unwanted = ForgetNotes { turns, ..ForgetNotes::default() };
    let facts = facts_of(store, |_| true)?;
    if facts.iter().any(|fact| unwanted.covers(&fact.data)) || is_proposed(store, &unwanted) {
        forget_in_notes(store, &with_derived(&facts, unwanted))?;
    }
    Ok(())
}

/// Whether something that waits for a yes was learnt from it.
fn is_proposed(store: &MemoryStore, unwanted: &ForgetNotes) -> bool {
    let waiting = Pending::all(store).unwrap_or_default();
    let mut changes = waiting.iter().filter_map(|one| one.changes().ok()).flatten();
    changes.any(|change| change.what.data().is_some_and(|data| unwanted.covers(data)))
}

fn edits(store: &MemoryStore, unwanted: &ForgetNotes) -> Result<Vec<(NoteEdit, ReadVersion)>, ForgetError> {
    let mut edits = Vec::new();
    for path in store.walk(None)?.files.into_keys() {
        let (text, seen) = match store.read(&path) {
            Ok(note) => {
                let seen = note.seen();
                (note.text, seen)
            }
            // What cannot be read as a note holds no facts.
            Err(StoreError::NotFound { .. } | StoreError::NotText { .. } | StoreError::TooLarge { .. }) => {
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        edits.extend(forget_in_file(unwanted, path, text)?.map(|edit| (edit, seen)));
    }
    Ok(edits)
}

/// What becomes of one file; `None` where nothing does.
fn forget_in_file(
    unwanted: &ForgetNotes,
    path: NotePath,
    before: String,
) -> Result<Option<NoteEdit>, ForgetError> {
    if path.as_str() == ALIASES {
        if unwanted.people.is_empty() {
            return Ok(None);
        }
        let slugs = unwanted.people.iter().map(AccountId::slug).collect();
        let after = without_aliases(&before, &slugs).map_err(AliasError::from)?;
        return Ok(after.map(|after| NoteEdit { path, before, after: Some(after), lines: Vec::new() }));
    }
    if !path.is_markdown() || AUTHORED.iter().any(|folder| path.is_in(folder)) {
        return Ok(None);
    }
    if path.is_proposal() {
        let covers = |note: &NotePath, data: Option<&FactData>, changed: Option<&FactId>| {
            unwanted.covers_note(note)
                || data.is_some_and(|data| unwanted.covers(data))
                || changed.is_some_and(|fact| unwanted.facts.contains(fact))
        };
        let after = match unwanted.notes.contains(&path) {
            // It went before, and a backup brought it back.
            true => Some(None),
            false => without_lines(&before, covers, unwanted.is_anything()),
        };
        return Ok(after.map(|after| NoteEdit { path, before, after, lines: Vec::new() }));
    }
    let Ok(page) = NotePage::parse(&before) else {
        // A note nobody can read: it goes where it is about them, and says nothing otherwise.
        let is_whole = unwanted.covers_note(&path);
        return Ok(is_whole.then(|| NoteEdit { path, before, after: None, lines: Vec::new() }));
    };
    let is_whole = unwanted.covers_note(&path);
    let mut change = PageEdit::of(&page);
    let mut lines = Vec::new();
    for (id, block) in page.facts() {
        let data = block.data.clone().unwrap_or_default();
        if is_whole || unwanted.covers(&data) {
            lines.push(ForgottenLine { words: block.words.clone(), data: data.to_string() });
            // It is there: the page was just read.
            let _ = change.remove_with_all(id);
        }
    }
    if is_whole {
        return Ok(Some(NoteEdit { path, before, after: None, lines }));
    }
    if lines.is_empty() {
        return Ok(None);
    }
    let after = change.text();
    let says_something = NotePage::parse(&after).is_ok_and(|page| {
        let words = |block: &super::facts::PageBlock| {
            !matches!(block.kind, BlockKind::Heading(_)) && !block.words.is_empty()
        };
        page.blocks().iter().any(words)
    });
    Ok(Some(NoteEdit { path, before, after: says_something.then_some(after), lines }))
}

/// Undoes a plan. A file that still reads as it was left gets its old text; in one that was edited since, the facts that
/// are missing are added at its end. Doing it again does nothing. Blocks.
pub fn put_back(store: &MemoryStore, plan: &NotesPlan) -> Result<(), ForgetError> {
    for edit in &plan.edits {
        let (now, seen) = store.read_or_none(&edit.path)?;
        if now == edit.before {
            continue;
        }
        let is_as_left = edit.after.as_deref().unwrap_or_default() == now;
        let text = if is_as_left {
            Some(edit.before.clone())
        } else if edit.path.as_str() == ALIASES {
            merged_files(&now, &edit.before)
        } else {
            with_lines(&now, edit)
        };
        let Some(text) = text else { continue };
        match store.write_if_unchanged(&edit.path, seen, &text, NoteEditor::Undo) {
            Ok(_) => {}
            // Somebody writes there at this very moment: theirs holds, and the rest is put back all the same.
            Err(StoreError::Changed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// A note with the facts that are missing in it.
fn with_lines(now: &str, edit: &NoteEdit) -> Option<String> {
    let text = if now.is_empty() {
        let before = NotePage::parse(&edit.before).ok()?;
        new_page(&before.front().audience, edit.path.stem())
    } else {
        now.to_owned()
    };
    let page = NotePage::parse(&text).ok()?;
    let old = NotePage::parse(&edit.before).ok()?;
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
        // One that cannot be added is left out; the others come back all the same.
        let _ = change.add(&line.words, &data);
    }
    (!change.is_empty()).then(|| change.text())
}
