//! Storing many turns at once.

use rusqlite::Transaction;

use crate::domain::StoredId;

use super::append::{count_tokens, find_any, insert, next_ordinal};
use super::{History, HistoryError, HistoryOptions, NewTurn};

impl History {
    /// Stores turns in their order, all in one transaction, which is many times faster than one by one. A turn one of
    /// whose messages is stored already is passed over. The ids are in the order of the turns; of a turn that was
    /// passed over it is the one that stands there.
    ///
    /// # Errors
    /// When the database refuses; none of them is stored then.
    pub async fn store_all(&self, new: Vec<NewTurn>) -> Result<Vec<StoredId>, HistoryError> {
        let options = self.options.clone();
        let stored = self.change(move |tx| new.iter().map(|new| store(tx, &options, new)).collect()).await?;
        Ok(stored)
    }
}

fn store(tx: &Transaction<'_>, options: &HistoryOptions, new: &NewTurn) -> rusqlite::Result<StoredId> {
    if let Some(known) = find_any(tx, &new.place.channel, &new.messages)? {
        return Ok(known);
    }
    let ordinal = next_ordinal(tx, &new.place)?;
    let id = insert(tx, new, ordinal)?;
    count_tokens(tx, options, id, &new.content)?;
    Ok(id)
}
