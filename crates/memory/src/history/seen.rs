//! Who reads: somebody who may see a part of it, or whoever keeps all of it.
//!
//! What was said, who said it and what was thought of it is looked up through one of these two. What answers people reads
//! through [`Seen`]; the rooms that may name [`Whole`] stand in `tests/architecture.rs`. A [`History`] itself tells in which
//! places something was said, how much and up to where, hands whoever changes something what they changed, and a start what a
//! killed program left unfinished.

use rusqlite::{Params, Row, Transaction};

use super::{History, HistoryError};
use crate::domain::Visible;

/// What somebody may see of a history. Every read of it leaves out the rest, in the query itself.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub(super) history: &'a History,
    pub(super) visible: &'a Visible,
}

/// All of a history, whoever could hear it: for what sums it up, carries it, checks it or forgets it, and answers nobody.
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a>(pub(super) &'a History);

impl History {
    /// What may be shown to those who see what was learnt before these audiences.
    pub fn seen_by<'a>(&'a self, visible: &'a Visible) -> Seen<'a> {
        Seen { history: self, visible }
    }

    /// Everything, for what answers nobody.
    pub fn whole(&self) -> Whole<'_> {
        Whole(self)
    }
}

impl History {
    pub(super) async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<R, HistoryError> {
        self.database.read(work).await
    }

    pub(super) async fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<R, HistoryError> {
        self.database.write(work).await
    }

    /// What one statement finds, row by row.
    pub(super) async fn all<R: Send + 'static>(
        &self,
        sql: impl AsRef<str> + Send + 'static,
        bound: impl Params + Send + 'static,
        each: impl FnMut(&Row<'_>) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<Vec<R>, HistoryError> {
        self.read(move |tx| tx.prepare_cached(sql.as_ref())?.query_map(bound, each)?.collect()).await
    }

    /// The only row of a statement that always finds one.
    pub(super) async fn one<R: Send + 'static>(
        &self,
        sql: impl AsRef<str> + Send + 'static,
        bound: impl Params + Send + 'static,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<R, HistoryError> {
        self.read(move |tx| tx.prepare_cached(sql.as_ref())?.query_row(bound, read)).await
    }

    /// How many rows one statement changed.
    pub(super) async fn change(
        &self,
        sql: &'static str,
        bound: impl Params + Send + 'static,
    ) -> Result<usize, HistoryError> {
        self.write(move |tx| tx.prepare_cached(sql)?.execute(bound)).await
    }
}
