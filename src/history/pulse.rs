//! What was written since the program started, by its marks: whether what somebody read a moment ago is still what the
//! history says (specs mechanisms A3).
//!
//! Owns no words. Must not know who reads, or what for. Start reading at [`History::still`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Transaction;

use crate::domain::{AccountId, ChannelId, StoredId, StoredTurn};
use crate::sqlite::DatabaseError;

use super::{History, HistoryError};

/// Marks of new turns kept. What was read before so many were said is read anew.
const MARKS: usize = 512;

/// A moment of the history. What is read afterwards is at least as new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsOf {
    changes: u64,
    feelings: u64,
    row: StoredId,
}

impl AsOf {
    /// The last row there was.
    #[must_use]
    pub fn row(self) -> StoredId {
        self.row
    }
}

/// What somebody read about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About<'a> {
    /// What is said in a channel.
    Channel(&'a ChannelId),
    /// What somebody says, wherever.
    Account(&'a AccountId),
    /// How the familiar feels.
    Feelings,
}

#[derive(Debug)]
struct Mark {
    row: StoredId,
    channel: ChannelId,
    account: Option<AccountId>,
}

#[derive(Debug, Default)]
struct Marks {
    changes: u64,
    feelings: u64,
    new: VecDeque<Mark>,
    /// The last row whose mark had to go.
    gone: Option<StoredId>,
}

/// The marks of one open history.
#[derive(Debug, Clone, Default)]
pub(super) struct Pulse(Arc<Mutex<Marks>>);

impl Pulse {
    fn lock(&self) -> MutexGuard<'_, Marks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn said(&self, turn: &StoredTurn, channel: &ChannelId) {
        let mut marks = self.lock();
        if marks.new.len() >= MARKS {
            marks.gone = marks.new.pop_front().map(|mark| mark.row);
        }
        let account = turn.author.as_ref().map(|author| author.account.clone());
        marks.new.push_back(Mark { row: turn.id, channel: channel.clone(), account });
    }

    fn changed(&self) {
        self.lock().changes += 1;
    }

    pub(super) fn felt(&self) {
        self.lock().feelings += 1;
    }
}

impl History {
    /// Now. To be asked before anything is read whose age matters.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn as_of(&self) -> Result<AsOf, HistoryError> {
        let (changes, feelings) = {
            let marks = self.pulse.lock();
            (marks.changes, marks.feelings)
        };
        Ok(AsOf { changes, feelings, row: self.newest().await? })
    }

    /// Whether what was read about something at a moment still holds, but for these rows: nothing was edited, taken back
    /// or forgotten anywhere since, and nothing else was said about it. Waits for nothing.
    #[must_use]
    pub fn still(&self, then: AsOf, about: About<'_>, but: &[StoredTurn]) -> bool {
        let marks = self.pulse.lock();
        if marks.changes != then.changes {
            return false;
        }
        let concerns = |mark: &Mark| match about {
            About::Channel(channel) => mark.channel == *channel,
            About::Account(account) => mark.account.as_ref() == Some(account),
            About::Feelings => false,
        };
        if about == About::Feelings {
            return marks.feelings == then.feelings;
        }
        let is_seen_whole = marks.gone.is_none_or(|gone| gone <= then.row);
        let new = marks.new.iter().rev().take_while(|mark| mark.row > then.row);
        is_seen_whole
            && new.filter(|mark| concerns(mark)).all(|mark| but.iter().any(|turn| turn.id == mark.row))
    }

    /// Writes something other than a new turn: whatever was read before has to be read anew.
    pub(super) async fn change<R, F>(&self, work: F) -> Result<R, DatabaseError>
    where
        R: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> rusqlite::Result<R> + Send + 'static,
    {
        self.change_where(work, |_| true).await
    }

    /// As [`change`](Self::change), where `has_changed` says of what was written whether it is anything that is read ahead.
    pub(super) async fn change_where<R, F>(
        &self,
        work: F,
        has_changed: impl FnOnce(&R) -> bool + Send + 'static,
    ) -> Result<R, DatabaseError>
    where
        R: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> rusqlite::Result<R> + Send + 'static,
    {
        let pulse = self.pulse.clone();
        let done = move |written: &R| {
            if has_changed(written) {
                pulse.changed();
            }
        };
        self.database.write_then(work, done).await
    }
}
