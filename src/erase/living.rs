//! What goes on while something is forgotten: conversations, caches, what is true right now.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::{AccountId, StoredId};

/// What is forgotten, for those who hold something of it in memory.
#[derive(Debug, Clone, Default)]
pub struct Forgotten {
    /// Stored turns that are no more.
    pub turns: Arc<BTreeSet<StoredId>>,
    /// The person who is forgotten whole.
    pub person: Option<AccountId>,
}

/// The running program. It is told twice: before the stores are touched, so that what is being answered lets go of it, and
/// after, so that nothing that was read in between stays.
#[async_trait]
pub trait Living: Send + Sync + Debug {
    /// Lets go of it.
    async fn let_go(&self, forgotten: &Forgotten);

    /// It is done: what was made of it is to be made anew from what is left.
    async fn done(&self, forgotten: &Forgotten);
}

/// Nothing runs: a command works on the files alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyThere;

#[async_trait]
impl Living for NobodyThere {
    async fn let_go(&self, _forgotten: &Forgotten) {}

    async fn done(&self, _forgotten: &Forgotten) {}
}
