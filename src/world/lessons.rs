//! What people asked for in this session (A23): kept by account and channel until the session is over.

use jiff::Timestamp;

use super::wish::{Change, Wish};
use crate::domain::{AccountId, MessageId};

/// Wishes of one person in one channel; the newest win.
const PER_PERSON: usize = 8;

/// Wishes of all people in one channel.
const PER_CHANNEL: usize = 32;

/// One wish, with the message that is its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    /// Whose wish.
    pub account: AccountId,
    /// What is wished, in the program's own terms: never the person's words.
    pub wish: Wish,
    /// The message it was read from.
    pub message: Option<MessageId>,
    /// When.
    pub at: Timestamp,
}

/// Takes a wish in or back. A newer wish of one sort replaces the older one.
pub(super) fn apply(
    known: &mut Vec<Lesson>,
    account: &AccountId,
    change: Change,
    message: Option<&MessageId>,
    at: Timestamp,
) {
    let wish = match change {
        Change::Undo(sort) => {
            known.retain(|lesson| lesson.account != *account || lesson.wish.sort() != sort);
            return;
        }
        Change::UndoAll => {
            known.retain(|lesson| lesson.account != *account);
            return;
        }
        Change::Ask(wish) => wish,
    };
    known.retain(|lesson| lesson.account != *account || lesson.wish.sort() != wish.sort());
    known.push(Lesson { account: account.clone(), wish, message: message.cloned(), at });
    let own = |lesson: &Lesson| lesson.account == *account;
    while known.iter().filter(|lesson| own(lesson)).count() > PER_PERSON {
        let Some(oldest) = known.iter().position(own) else { break };
        known.remove(oldest);
    }
    if known.len() > PER_CHANNEL {
        known.drain(..known.len() - PER_CHANNEL);
    }
}
