//! What contributes to a prompt: one file per provider.

mod character;
mod live_state;
mod mode;
mod recent_history;

pub use character::{CharacterProvider, CharacterSizes, character_macros, character_sizes};
pub(super) use character::{HouseWords, addressee_of, character_contributions, example_speaker, moment_of};
pub use live_state::LiveStateProvider;
pub use mode::ModeProvider;
pub use recent_history::RecentHistoryProvider;
pub(super) use recent_history::turn_contributions;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;

use super::contribution::Contribution;
use super::request::TurnRequest;

/// Why a provider had nothing to give. The turn goes on without it (gathering fails open).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProviderError(pub String);

/// A source of context. Providers run at the same time, each under its own deadline.
#[async_trait]
pub trait ContextProvider: Send + Sync + Debug {
    /// Its name in traces.
    fn name(&self) -> &'static str;

    /// How long it may take.
    fn deadline(&self) -> Duration;

    /// What it has to say about this turn.
    ///
    /// # Errors
    /// When it could not find out; said in the trace, never fatal.
    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError>;
}
