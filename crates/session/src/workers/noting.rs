//! What may be noted of what was said, and writing it into notes: at once, or as a proposal where nothing is to be written
//! unseen.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use super::job::WorkerParts;
use crate::domain::{ChangePass, Place, StoredId, StoredTurn};
use crate::history::HistoryError;
use crate::identity::caller_in;
use crate::memory::change::{
    ChangeFate, NoteChange, PageChange, Pending, PendingChange, Proposal, apply_changes,
};
use crate::memory::facts::FactData;
use crate::memory::store::{MemoryStore, NoteEditor};

impl WorkerParts {
    /// Whether changes are made, as it is set, for whoever has leave to.
    pub(super) fn hand(&self, leave: &ChangePass, from: &'static str) -> NotingHand {
        if self.config.current().memory_writer.dry_run {
            NotingHand::Proposes { at: self.clock.now(), from }
        } else {
            NotingHand::Writes(leave.clone())
        }
    }

    /// Works on the notes, which may block; `None`, and told, where that was broken off.
    pub(super) async fn with_notes<R: Send + 'static>(
        &self,
        what: &'static str,
        work: impl FnOnce(&MemoryStore) -> R + Send + 'static,
    ) -> Option<R> {
        let store = Arc::clone(self.memory.whole().store);
        let done = tokio::task::spawn_blocking(move || work(&store)).await;
        done.inspect_err(|error| tracing::error!(%error, "{what} was broken off")).ok()
    }

    /// What people said of whom something may be kept, and leave to keep it (M11, M13); `None` where
    /// there is nothing of anybody.
    pub(super) fn to_learn_from(
        &self,
        place: &Place,
        mut said: Vec<StoredTurn>,
    ) -> Option<(Vec<StoredTurn>, ChangePass)> {
        let config = self.config.current();
        let mut leave = None;
        said.retain(|turn| {
            let Some(author) = &turn.author else { return true };
            let pass = caller_in(&config, place, Some(author)).change(&turn.audience);
            let may_be_read = author.is_bot || pass.is_some();
            leave = leave.take().or(pass);
            may_be_read
        });
        leave.map(|pass| (said, pass))
    }

    /// Those changes whose messages all still stand: while a model thinks, somebody may take words back, or be forgotten.
    pub(super) async fn still_said(&self, changes: Vec<NoteChange>) -> Result<Vec<NoteChange>, HistoryError> {
        let sources = |change: &NoteChange| -> Vec<StoredId> {
            change.what.data().into_iter().flat_map(FactData::turns).collect()
        };
        let all = changes.iter().flat_map(sources).collect();
        let standing = self.history.whole().kept(all).await?;
        let stands =
            |turn: &StoredId| standing.iter().any(|kept| kept.id == turn.0 && kept.deleted_at_ms.is_none());
        Ok(changes.into_iter().filter(|change| sources(change).iter().all(stands)).collect())
    }
}

/// Whether changes are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotingHand {
    /// At once, by this leave.
    Writes(ChangePass),
    /// They wait for a yes (`memory_writer.dry_run`).
    Proposes {
        at: Timestamp,
        /// From what, for people.
        from: &'static str,
    },
}

impl NotingHand {
    /// Makes changes that were all learnt before the same people, or proposes those that do not wait already. Blocks.
    pub(super) fn note(&self, store: &MemoryStore, changes: Vec<NoteChange>, today: Date) {
        let (at, from) = match self {
            Self::Proposes { at, from } => (at, from),
            Self::Writes(leave) => {
                for fate in change_notes(leave, store, &changes, today) {
                    if let ChangeFate::Refused(why) = fate {
                        tracing::warn!(%why, "a note could not be changed");
                    }
                }
                return;
            }
        };
        let waiting = match Pending::all(store) {
            Ok(waiting) => waiting.iter().filter_map(|one| one.changes().ok()).flatten().collect(),
            Err(error) => {
                tracing::warn!(%error, "what waits for a yes cannot be read");
                Vec::<NoteChange>::new()
            }
        };
        let is_new = |change: &NoteChange| !waiting.iter().any(|known| is_the_same(known, change));
        let changes: Vec<NoteChange> = changes.into_iter().filter(is_new).collect();
        let Some(audience) = changes.first().map(|change| change.audience.clone()) else { return };
        let proposal = Proposal {
            at: *at,
            from: (*from).to_owned(),
            audience,
            waiting: PendingChange::Changes(changes),
        };
        if let Err(error) = proposal.keep(store) {
            tracing::warn!(%error, "a change to a note could not be proposed");
        }
    }
}

/// Makes changes, by leave of whoever they were learnt from; what becomes of each. Blocks.
pub(super) fn change_notes(
    _: &ChangePass,
    store: &MemoryStore,
    changes: &[NoteChange],
    today: Date,
) -> Vec<ChangeFate> {
    apply_changes(store, changes, today, NoteEditor::Writer)
}

/// Each proposal of the same has another id.
fn is_the_same(one: &NoteChange, other: &NoteChange) -> bool {
    let what = match (&one.what, &other.what) {
        (PageChange::Add { words, .. }, PageChange::Add { words: others, .. }) => words == others,
        (
            PageChange::Supersede { old, words, .. },
            PageChange::Supersede { old: other, words: others, .. },
        ) => old == other && words == others,
        (PageChange::End { fact, .. }, PageChange::End { fact: other, .. }) => fact == other,
        _ => false,
    };
    what && one.note == other.note && one.audience == other.audience
}
