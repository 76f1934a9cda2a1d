//! Which accounts are one person's: in the graph they are one node, that of the note about them.
//!
//! Owns the comparison with what the tables were made by. Must not know how notes say so. Start at [`OnePerson::of`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::Transaction;

use super::kinds::{NodeId, NodeKind};
use crate::domain::Visible;
use crate::memory::Memory;

/// By an account's slug, the slug of whoever it belongs to, where that is another account's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct OnePerson(BTreeMap<Arc<str>, Arc<str>>);

impl OnePerson {
    /// As the notes have it now.
    pub(super) async fn of(memory: &Memory) -> Self {
        let nobody = Visible::only([]);
        let people = memory.seen_by(&nobody).people().await;
        Self(people.joined().map(|(account, person)| (account.into(), person.into())).collect())
    }

    /// As it was when the tables were made.
    pub(super) fn read(tx: &Transaction<'_>) -> rusqlite::Result<Self> {
        let mut known = tx.prepare("SELECT account, person FROM one_person")?;
        let rows = known.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<rusqlite::Result<_>>().map(Self)
    }

    /// Writes it down beside what is made by it.
    pub(super) fn keep(&self, tx: &Transaction<'_>) -> rusqlite::Result<()> {
        let mut add = tx.prepare("INSERT INTO one_person (account, person) VALUES (?1, ?2)")?;
        self.0.iter().try_for_each(|(account, person)| add.execute([account, person]).map(drop))
    }

    /// The person behind an account, by slugs.
    pub(super) fn slug<'a>(&'a self, account: &'a Arc<str>) -> &'a Arc<str> {
        self.0.get(account).unwrap_or(account)
    }

    /// The node that stands for it.
    pub(super) fn node<'a>(&self, id: &'a NodeId) -> Cow<'a, NodeId> {
        match self.0.get(&id.key).filter(|_| id.kind == NodeKind::Person) {
            Some(person) => Cow::Owned(NodeId::new(NodeKind::Person, Arc::clone(person))),
            None => Cow::Borrowed(id),
        }
    }
}
