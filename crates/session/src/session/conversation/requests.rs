//! What is wanted of a reply where people read it, and what becomes of that.

use super::going_back::{Alternatives, GoBack};
use crate::domain::{AccountId, MessageId};
use crate::session::in_place::NotPut;
use crate::session::outbox::{DeliveryError, Notice};

/// Who wants what of which reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairRequest {
    /// Any message of the reply.
    pub message: MessageId,
    pub by: AccountId,
    /// Whether they manage the place.
    pub manages: bool,
    pub what: Wanted,
}

/// What is wanted of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing yet: how it stands.
    Look,
    /// Another answer in its place, an earlier or a later one; or it goes, with what its asker had said.
    GoBack(GoBack),
    /// These words in its place.
    Words(String),
    /// It goes.
    Delete,
    /// More of it, behind it.
    GoOn,
}

impl Wanted {
    /// Whether other words are to stand there.
    pub(super) fn gives_words(&self) -> bool {
        matches!(self, Self::Words(_) | Self::GoBack(GoBack::Again | GoBack::Earlier | GoBack::Later))
    }
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repaired {
    /// The reply reads so, and is which of how many answers. `refused`: why not all of it was taken.
    Stands {
        /// The message that it is known by from now on.
        message: MessageId,
        text: String,
        alternatives: Alternatives,
        refused: Option<DeliveryError>,
    },
    /// It is gone; so many messages of whoever asked could not be taken away with it.
    Gone {
        left: usize,
    },
    /// More is being said behind it.
    GoesOn,
    /// Something was said behind it: there it does not go on.
    NotNewest,
    /// No reply that is remembered here.
    NotKnown,
    /// Others caused it.
    NotTheirs,
    /// There is none before, or behind; or nothing was asked.
    NoOther,
    /// Something else is being answered.
    Busy,
    /// As many answers were given as there are for now.
    TooMuch,
    /// No other answer came, and what whoever asked would be told of that; the one that stands is as it was.
    NoAnswer(Option<Notice>),
    Unchanged(NotPut),
}
