//! Who reads the notes: somebody who may see a part of them, or whoever keeps all of them.
//!
//! No word of a note comes out of a [`Memory`] but through one of these two. What answers people reads through
//! [`SeenNotes`]; the rooms that may name [`WholeNotes`] stand in `tests/architecture.rs`.

use std::sync::Arc;

use jiff::civil::Date;
use tokio::task::{JoinError, spawn_blocking};

use super::Memory;
use super::change::{ChangeFate, NoteChange, apply_changes};
use super::forget::{FactFound, facts_of};
use super::grep::{SeenLine, seen_lines};
use super::index::{Hits, IndexError, NotesIndex};
use super::people::SeenPeople;
use super::store::{MemoryStore, NoteEditor, StoreError};
use crate::domain::{AccountId, Visible};

/// What somebody may see of the notes, line by line.
#[derive(Debug, Clone, Copy)]
pub struct SeenNotes<'a> {
    memory: &'a Memory,
    visible: &'a Visible,
}

/// All notes, whoever may see them: for what writes, carries, checks or forgets them, and answers nobody.
#[derive(Debug, Clone, Copy)]
pub struct WholeNotes<'a> {
    pub store: &'a Arc<MemoryStore>,
    /// Where words stand in the files.
    pub index: &'a NotesIndex,
}

impl Memory {
    /// What may be shown to those who see what was learnt before these audiences.
    pub fn seen_by<'a>(&'a self, visible: &'a Visible) -> SeenNotes<'a> {
        SeenNotes { memory: self, visible }
    }

    /// Everything, for what answers nobody.
    pub fn whole(&self) -> WholeNotes<'_> {
        WholeNotes { store: &self.store, index: &self.index }
    }

    /// The name, without `.md`, of the note about whoever has an account: it may be another account's.
    pub async fn person_of(&self, account: &AccountId) -> String {
        self.people.seen_by(Visible::default()).await.slug_of(account)
    }

    /// All accounts of whoever has this one, itself first.
    pub async fn accounts_of(&self, account: &AccountId) -> Vec<AccountId> {
        self.people.seen_by(Visible::default()).await.accounts_of(account)
    }

    /// Takes in what changed on the disk, so that the next search need not.
    ///
    /// # Errors
    /// When the folder or the database cannot be used.
    pub async fn keep_up(&self) -> Result<(), IndexError> {
        self.index.keep_up().await
    }

    /// Changes notes; what became of each change.
    ///
    /// # Errors
    /// When the program is going down.
    pub async fn change(
        &self,
        changes: Vec<NoteChange>,
        today: Date,
        editor: NoteEditor,
    ) -> Result<Vec<ChangeFate>, JoinError> {
        let store = Arc::clone(&self.store);
        spawn_blocking(move || apply_changes(&store, &changes, today, editor)).await
    }
}

impl SeenNotes<'_> {
    /// The notes about people as they are on the disk now.
    pub async fn people(self) -> SeenPeople {
        self.memory.people.seen_by(self.visible.clone()).await
    }

    /// Passages that hold any of some words ([`crate::text::keywords::forms`]), at most `most`.
    ///
    /// # Errors
    /// When the folder or the database cannot be used.
    pub async fn holding(self, words: &[Vec<String>], most: usize) -> Result<Hits, IndexError> {
        self.memory.index.holding(words, self.visible, most).await
    }

    /// Lines that match `pattern` (as for [`MemoryStore::grep`], capitals and small letters the same) and hold on `today`, at
    /// most `most`. Card and lore are not looked at: they have their own way into a prompt.
    ///
    /// # Errors
    /// [`StoreError::Pattern`], or when a folder cannot be read.
    pub async fn lines(
        self,
        pattern: String,
        today: Date,
        most: usize,
    ) -> Result<Result<Vec<SeenLine>, StoreError>, JoinError> {
        let (store, visible) = (Arc::clone(&self.memory.store), self.visible.clone());
        spawn_blocking(move || seen_lines(&store, &pattern, &visible, today, most)).await
    }

    /// The facts by or about a person, by whichever of their accounts, whenever they hold.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub async fn facts_of(self, person: AccountId) -> Result<Result<Vec<FactFound>, StoreError>, JoinError> {
        let accounts = self.memory.accounts_of(&person).await;
        let (store, visible) = (Arc::clone(&self.memory.store), self.visible.clone());
        let is_theirs =
            move |fact: &FactFound| accounts.iter().any(|account| fact.is_shown_to(account, &visible));
        spawn_blocking(move || facts_of(&store, is_theirs)).await
    }
}
