//! What things are forgotten in, what is told of it, and why it may fail.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use tokio::task::JoinError;

use crate::config::FamiliarHome;
use crate::domain::{AccountId, StoredId};
use crate::history::{History, HistoryError, SaidWords};
use crate::memory::Memory;
use crate::memory::forget::ForgetError;
use crate::memory::index::IndexError;
use crate::memory::people::JoinNotesError;
use crate::memory::store::{InvalidPath, StoreError};
use crate::text::echo::Echoes;
use crate::trace::{TraceError, TraceStore};

/// Why something could not be forgotten. What was begun is finished at the next start.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// They may not ask for that.
    #[error("that is not theirs to forget")]
    NotTheirs,
    #[error(transparent)]
    Name(#[from] InvalidPath),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Traces(#[from] TraceError),
    #[error(transparent)]
    Notes(#[from] ForgetError),
    /// Two accounts were not made one person.
    #[error(transparent)]
    Join(#[from] JoinNotesError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error("what is to be forgotten cannot be written down or removed: {0}")]
    Io(#[from] io::Error),
    #[error("it was broken off")]
    BrokenOff(#[from] JoinError),
}

/// Every store something can be forgotten in.
#[derive(Debug, Clone)]
pub struct Stores {
    pub home: FamiliarHome,
    pub history: Arc<History>,
    pub traces: Arc<TraceStore>,
    pub memory: Arc<Memory>,
}

/// What is forgotten, for those who hold something of it in memory.
#[derive(Debug, Clone, Default)]
pub struct Forgotten {
    /// Stored turns that are no more.
    pub turns: Arc<BTreeSet<StoredId>>,
    /// What all of it said: a reply that is on its way may hold it.
    pub words: Arc<Echoes>,
    /// By what it was chosen, as far as that is a rule.
    pub said: Arc<Vec<SaidWords>>,
    /// The accounts of the person who is forgotten whole.
    pub people: BTreeSet<AccountId>,
}
