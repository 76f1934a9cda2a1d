//! Which accounts are one person's: in the graph they are one node, that of the note about them.
//!
//! Owns the comparison with what the tables were made by. Must not know how notes say so. Start at [`OnePerson::of`].

use std::collections::BTreeMap;

use rusqlite::Transaction;

use crate::domain::Visible;
use crate::memory::Memory;

/// By an account's slug, the slug of whoever it belongs to, where that is another account's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OnePerson(BTreeMap<String, String>);

impl OnePerson {
    /// As the notes have it now.
    pub(super) async fn of(memory: &Memory) -> Self {
        let nobody = Visible::default();
        let people = memory.seen_by(&nobody).people().await;
        Self(people.joined().map(|(account, person)| (account.to_owned(), person.to_owned())).collect())
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
}
