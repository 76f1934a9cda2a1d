//! Taking a wish back, within seven days, by whoever wished it.

use std::sync::Arc;

use super::eraser::{EraseError, Eraser, Stores, blocking};
use super::files;
use super::living::Forgotten;
use super::order::Done;
use super::seal;
use super::tombstone;
use super::wish::{Asker, Plan};
use crate::history::KeptState;
use crate::memory::forget::put_back;

/// What came back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Undone {
    /// What had gone. Records of turns do not come back, and summaries are made anew.
    pub plan: Plan,
}

impl Eraser {
    /// What this asker could take back now: the newest wish, if there is one.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn undoable(&self, by: &Asker) -> Result<Option<Plan>, EraseError> {
        Ok(self.newest_of(by)?.map(|done| done.plan))
    }

    /// Takes back the newest wish of this asker that still can be; `None` where there is none.
    ///
    /// # Errors
    /// When the copy or a store cannot be read or written; trying again does what is left.
    pub async fn undo(&self, by: &Asker) -> Result<Option<Undone>, EraseError> {
        let _one = self.one_at_a_time.lock().await;
        let Some(done) = self.newest_of(by)? else { return Ok(None) };
        self.folder.put_done(&Done { undoing: true, ..done.clone() })?;
        self.put_back(&done).await?;
        Ok(Some(Undone { plan: done.plan }))
    }

    /// Finishes what a crash broke off; how many.
    pub(super) async fn finish_undoing(&self) -> Result<usize, EraseError> {
        let mut finished = 0;
        for done in self.folder.done()?.into_iter().filter(|done| done.undoing) {
            self.put_back(&done).await?;
            finished += 1;
        }
        Ok(finished)
    }

    fn newest_of(&self, by: &Asker) -> Result<Option<Done>, EraseError> {
        let (by, now) = (self.folder.asker(by), self.now());
        let mut own: Vec<Done> =
            self.folder.done()?.into_iter().filter(|done| done.by == by && done.until >= now).collect();
        own.sort_by_key(|done| done.at);
        Ok(own.pop())
    }

    async fn put_back(&self, done: &Done) -> Result<(), EraseError> {
        let Stores { home, history, memory, .. } = &self.stores;
        if let Some(copy) = seal::open(&self.folder, &done.id)? {
            // First of all: what comes back must not be forgotten again at the next start.
            tombstone::remove(&self.folder, &done.id)?;
            history.put_back(copy.turns).await?;
            let (feelings, comings) = (copy.feelings, copy.comings);
            let state = KeptState { feelings, comings, ..KeptState::default() };
            history.put_state(Vec::new(), state).await?;
            history.put_under(copy.under).await?;
            let store = Arc::clone(&memory.store);
            blocking(move || put_back(&store, &copy.notes)).await??;
            for file in &copy.files {
                files::put_back(home, file)?;
            }
            memory.index.keep_up().await?;
            self.living.done(&Forgotten::default()).await;
        }
        Ok(self.folder.remove_done(&done.id)?)
    }
}
