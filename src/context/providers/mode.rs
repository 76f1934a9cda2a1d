//! How this channel is to be written in: its backdrop, else the mode's instructions.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::character::{addressee_of, character_macros, moment_of};
use super::{ContextProvider, Part, ProviderError};
use crate::config::LiveConfig;
use crate::context::contribution::{Contribution, Importance, Placement, Trust};
use crate::context::request::TurnRequest;
use crate::domain::{Audience, Layer};
use crate::familiar::LiveCharacter;

/// Contributes the channel's author note (backdrop precedence: specs familiar-connect 1.5), macros filled in as in the
/// card's own fields.
#[derive(Debug)]
pub struct ModeProvider {
    character: Arc<LiveCharacter>,
    config: Arc<LiveConfig>,
}

impl ModeProvider {
    /// Names come from the live character, the addressee's stand-in from the configuration.
    #[must_use]
    pub fn new(character: Arc<LiveCharacter>, config: Arc<LiveConfig>) -> Self {
        Self { character, config }
    }
}

#[async_trait]
impl ContextProvider for ModeProvider {
    fn name(&self) -> &'static str {
        "mode"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(250)
    }

    fn part(&self) -> Part {
        Part::Project
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        let Some(note) = request.channel.author_note() else { return Ok(Vec::new()) };
        let user = addressee_of(request, &self.config.current().render.user_fallback);
        let text = character_macros(&self.character.current(), &user, &moment_of(request), note);
        Ok(vec![Contribution {
            importance: Importance::High,
            ..Contribution::new(
                format!("mode/{}", request.channel.mode),
                Layer::AuthorNote,
                Placement::Mode,
                Trust::Canon,
                Audience::Canon,
                text,
            )
        }])
    }
}
