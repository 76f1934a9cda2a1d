//! How this channel is to be written in: its backdrop, else the mode's instructions.

use std::time::Duration;

use async_trait::async_trait;

use super::{ContextProvider, ProviderError};
use crate::context::contribution::{Contribution, Importance, Placement, Trust};
use crate::context::request::TurnRequest;
use crate::domain::{Audience, Layer};

/// Contributes the channel's author note (backdrop precedence: specs familiar-connect 1.5).
#[derive(Debug, Clone, Copy, Default)]
pub struct ModeProvider;

#[async_trait]
impl ContextProvider for ModeProvider {
    fn name(&self) -> &'static str {
        "mode"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(250)
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        let Some(note) = request.channel.author_note() else { return Ok(Vec::new()) };
        Ok(vec![Contribution {
            source: format!("mode/{}", request.channel.mode),
            layer: Layer::AuthorNote,
            placement: Placement::Mode,
            importance: Importance::High,
            relevance: 1.0,
            trust: Trust::Canon,
            audience: Audience::Canon,
            text: note.to_owned(),
            tokens: None,
            turn: None,
            group: None,
        }])
    }
}
