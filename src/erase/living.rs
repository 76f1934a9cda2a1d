//! What goes on while something is forgotten: conversations, caches, what is true right now.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;

use crate::clock::SystemClock;
use crate::config::{FamiliarHome, forget_in_calls};
use crate::domain::{AccountId, StoredId};
use crate::identity::Pairing;
use crate::text::echo::Echoes;

/// What is forgotten, for those who hold something of it in memory.
#[derive(Debug, Clone, Default)]
pub struct Forgotten {
    /// Stored turns that are no more.
    pub turns: Arc<BTreeSet<StoredId>>,
    /// What all of it said: a reply that is on its way may hold it.
    pub words: Arc<Echoes>,
    /// The person who is forgotten whole.
    pub person: Option<AccountId>,
}

/// The running program. It is told twice: before the stores are touched, so that what is being answered lets go of it, and
/// after, so that nothing that was read in between stays.
#[async_trait]
pub trait Living: Send + Sync + Debug {
    /// Lets go of it. When this returns, everything of it that is stored at all is stored: what is on its way is not any
    /// more where it holds any of it.
    async fn let_go(&self, forgotten: &Forgotten);

    /// The stores are done: what else lies in files (a graph, who paired what, who agreed to be heard) forgets it too, and leaves nothing of it
    /// there.
    ///
    /// # Errors
    /// What the disk or a database says; it is tried again at the next start.
    async fn scrub(&self, _forgotten: &Forgotten) -> io::Result<()> {
        Ok(())
    }

    /// It is done: what was made of it is to be made anew from what is left.
    async fn done(&self, forgotten: &Forgotten);
}

/// Nothing runs: a command works on the files alone. What of them is derived and has no way of its own to forget is removed
/// and made anew at the next start.
#[derive(Debug, Clone)]
pub struct NobodyThere(pub FamiliarHome);

/// Derived files that forget by themselves.
const FORGETTING: [&str; 2] = ["notes.sqlite", "embeddings.sqlite"];

#[async_trait]
impl Living for NobodyThere {
    async fn let_go(&self, _forgotten: &Forgotten) {}

    async fn scrub(&self, forgotten: &Forgotten) -> io::Result<()> {
        if let Some(person) = &forgotten.person {
            let pairing = Pairing::of(&self.0, Arc::new(SystemClock)).map_err(io::Error::other)?;
            pairing.forget(person).map_err(io::Error::other)?;
            forget_in_calls(&self.0, person).map_err(io::Error::other)?;
        }
        let entries = match fs::read_dir(self.0.memory_dir().join(".index")) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let is_kept = FORGETTING.iter().any(|kept| name.to_string_lossy().starts_with(kept));
            if !is_kept && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    async fn done(&self, _forgotten: &Forgotten) {}
}
