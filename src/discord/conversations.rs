//! What this room needs of the sessions.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::domain::{InboundEvent, Place};

/// The way into the conversations. The session's handle is one; tests have another.
#[async_trait]
pub trait Conversations: Send + Sync + Debug {
    /// Hands in an event; returns when its conversation has taken it.
    ///
    /// # Errors
    /// In words, when it was not taken: shutting down, or nothing to answer through.
    async fn submit(&self, event: InboundEvent) -> Result<(), String>;

    /// Posts a greeting of the card; `which` counts from 0, `None` is the first.
    ///
    /// # Errors
    /// See [`GreetingRefused`].
    async fn greet(&self, place: Place, which: Option<usize>) -> Result<(), GreetingRefused>;
}

/// Why a greeting was not posted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GreetingRefused {
    /// The card has no greeting of that number.
    #[error("there are {available} greetings")]
    NoSuchGreeting {
        /// How many there are.
        available: usize,
    },
    /// Anything else, in words.
    #[error("{0}")]
    Failed(String),
}
