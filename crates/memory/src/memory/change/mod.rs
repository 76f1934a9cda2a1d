//! Changes to notes that a program wants to make: fact by fact, checked against the note as it stands when they are made.
//!
//! Owns how a change is carried out without touching what a person wrote, and changes that wait for a yes. Must not know
//! who wants them, nor models. Start reading at [`apply_changes`].

mod pending;
#[cfg(test)]
mod tests;

pub use pending::{Pending, PendingChange, PendingError, Proposal};
pub(in crate::memory) use pending::{unread_lines, without_lines};

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::facts::{EditError, FactData, FactId, NotePage, PageEdit, Validity, new_page};
use super::store::{MemoryStore, NoteEditor, NotePath, ReadVersion, StoreError};
use crate::domain::Audience;
use crate::text::likeness::Likeness;

/// A note that somebody edits at the same moment is read anew this often.
const TRIES: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteChange {
    /// Which note; it is made where it is not there.
    pub note: NotePath,
    /// What a new note is called.
    pub title: String,
    /// Before whom it was learnt. Only facts of this very audience are ever changed: what is told in private changes
    /// nothing that others see.
    pub audience: Audience,
    pub what: PageChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageChange {
    Add {
        words: String,
        /// Its data, with an id and the audience.
        data: FactData,
    },
    /// A fact in the place of another.
    Supersede {
        old: FactId,
        /// How that one read; if somebody has changed its words since, it stays.
        seen: String,
        words: String,
        data: FactData,
    },
    End {
        fact: FactId,
        seen: String,
        /// The last day it holds.
        until: Date,
    },
}

impl PageChange {
    /// The data of the fact that it adds; none where it ends one.
    pub fn data(&self) -> Option<&FactData> {
        match self {
            Self::Add { data, .. } | Self::Supersede { data, .. } => Some(data),
            Self::End { .. } => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeFate {
    /// It stands in the note.
    Written,
    Known,
    /// Somebody changed the note, or what was to be changed is not there: what they did holds.
    Overtaken,
    /// The note cannot be changed; why.
    Refused(String),
}

/// Carries changes out, note by note; one note's changes are made together or not at all. What becomes of each, in their
/// order. Blocks.
pub fn apply_changes(
    store: &MemoryStore,
    changes: &[NoteChange],
    today: Date,
    source: NoteEditor,
) -> Vec<ChangeFate> {
    let mut fates: Vec<ChangeFate> = vec![ChangeFate::Overtaken; changes.len()];
    let notes: BTreeSet<&NotePath> = changes.iter().map(|change| &change.note).collect();
    for note in notes {
        let own: Vec<(usize, &NoteChange)> =
            changes.iter().enumerate().filter(|(_, change)| change.note == *note).collect();
        let mut done = Err(StoreError::Changed { path: note.clone() });
        for _ in 0..TRIES {
            done = change_note(store, note, &own, today, source);
            if !matches!(done, Err(StoreError::Changed { .. })) {
                break;
            }
        }
        match done {
            Ok(done) => {
                for ((at, _), fate) in own.into_iter().zip(done) {
                    fates[at] = fate;
                }
            }
            Err(StoreError::Changed { .. }) => {}
            Err(error) => {
                for (at, _) in own {
                    fates[at] = ChangeFate::Refused(error.to_string());
                }
            }
        }
    }
    fates
}

fn change_note(
    store: &MemoryStore,
    note: &NotePath,
    changes: &[(usize, &NoteChange)],
    today: Date,
    source: NoteEditor,
) -> Result<Vec<ChangeFate>, StoreError> {
    let (mut text, seen) = store.read_or_none(note)?;
    if let (ReadVersion::Nothing, Some((_, first))) = (seen, changes.first()) {
        text = new_page(&first.audience, &first.title);
    }
    let page = match NotePage::parse(&text) {
        Ok(page) => page,
        Err(error) => return Ok(vec![ChangeFate::Refused(format!("{note}: {error}")); changes.len()]),
    };
    let mut hand = PageEditor::over(&page, today);
    let fates: Vec<ChangeFate> = changes.iter().map(|(_, change)| hand.make(change)).collect();
    if !hand.edit.is_empty() {
        store.write_if_unchanged(note, seen, &hand.edit.text(), source)?;
    }
    Ok(fates)
}

struct PageEditor<'a> {
    page: &'a NotePage,
    edit: PageEdit<'a>,
    today: Date,
    /// What is said already, to whom, and under which id.
    known: Vec<(Audience, Likeness, FactId)>,
    /// Each fact is changed once.
    touched: Vec<FactId>,
}

impl<'a> PageEditor<'a> {
    fn over(page: &'a NotePage, today: Date) -> Self {
        let known = page
            .facts()
            .filter(|(_, block)| !matches!(block.standing(today), Validity::Until(_)))
            .filter_map(|(id, block)| Some((block.audience.clone()?, Likeness::of(&block.words), id.clone())))
            .collect();
        Self { page, edit: PageEdit::of(page), today, known, touched: Vec::new() }
    }

    fn make(&mut self, change: &NoteChange) -> ChangeFate {
        match &change.what {
            PageChange::Add { words, data } => self.add(change, words, data),
            PageChange::Supersede { old, seen, words, data } => {
                if !self.is_as_seen(change, old, seen) {
                    return ChangeFate::Overtaken;
                }
                if Likeness::of(words).is_double_of(&Likeness::of(seen)) {
                    return ChangeFate::Known;
                }
                let now = match self.double_of(&change.audience, words) {
                    Some(known) => known,
                    None => {
                        let data = FactData { was: Some(old.clone()), ..data.clone() };
                        match self.add(change, words, &data) {
                            ChangeFate::Written => {}
                            fate => return fate,
                        }
                        let Some(id) = data.id else { return ChangeFate::Overtaken };
                        id
                    }
                };
                self.touched.push(old.clone());
                change_fate(self.edit.supersede(old, &now, self.today))
            }
            PageChange::End { fact: id, seen, until } => {
                if !self.is_as_seen(change, id, seen) {
                    return ChangeFate::Overtaken;
                }
                let Some(block) = self.page.fact(id) else { return ChangeFate::Overtaken };
                let mut data = block.data.clone().unwrap_or_default();
                if data.until.is_some_and(|known| known <= *until) {
                    return ChangeFate::Known;
                }
                data.until = Some(*until);
                // A fact that has its audience from where it stands keeps it.
                data.to = data.to.or_else(|| block.audience.clone());
                self.touched.push(id.clone());
                change_fate(self.edit.replace(id, &block.words, &data))
            }
        }
    }

    fn add(&mut self, change: &NoteChange, words: &str, data: &FactData) -> ChangeFate {
        if self.double_of(&change.audience, words).is_some() {
            return ChangeFate::Known;
        }
        let fate = change_fate(self.edit.add(words, data));
        if let (ChangeFate::Written, Some(id)) = (&fate, &data.id) {
            self.known.push((change.audience.clone(), Likeness::of(words), id.clone()));
        }
        fate
    }

    /// A fact that says the same to the same people, or to everybody.
    fn double_of(&self, audience: &Audience, words: &str) -> Option<FactId> {
        let new = Likeness::of(words);
        let is_told = |to: &Audience| to == audience || *to == Audience::Canon;
        let same = |known: &Likeness| known.is_double_of(&new) || new.begins(known);
        self.known.iter().find(|(to, known, _)| is_told(to) && same(known)).map(|(_, _, id)| id.clone())
    }

    fn is_as_seen(&self, change: &NoteChange, id: &FactId, seen: &str) -> bool {
        !self.touched.contains(id)
            && self.page.fact(id).is_some_and(|block| {
                block.audience.as_ref() == Some(&change.audience)
                    && block.words == seen
                    && !matches!(block.standing(self.today), Validity::Until(_))
            })
    }
}

fn change_fate(done: Result<(), EditError>) -> ChangeFate {
    match done {
        Ok(()) => ChangeFate::Written,
        Err(EditError::NoFact(_)) => ChangeFate::Overtaken,
        Err(error) => ChangeFate::Refused(error.to_string()),
    }
}
