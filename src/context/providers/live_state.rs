//! What is true right now and only the program knows: the time, and what sort of place this is.

use std::time::Duration;

use async_trait::async_trait;

use super::{ContextProvider, Part, ProviderError};
use crate::context::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::{Layer, PlaceKind};
use crate::text::names::prompt_label;

/// Contributes one line about now (specs mechanisms A21); it stands in the volatile tail, never in the stable block.
#[derive(Debug, Clone, Copy, Default)]
pub struct LiveStateProvider;

#[async_trait]
impl ContextProvider for LiveStateProvider {
    fn name(&self) -> &'static str {
        "live"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn part(&self) -> Part {
        Part::Current
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        let now = request.now.to_zoned(request.display_tz.clone());
        let mut text = format!("Now: {}", now.strftime("%A %-d %B %Y, %H:%M %Z"));
        let place = &request.place;
        let wherefore = match (place.kind, place.channel_name.as_deref(), place.guild_name.as_deref()) {
            (PlaceKind::Dm, ..) => Some("a private conversation".to_owned()),
            (PlaceKind::Terminal, ..) => None,
            (_, Some(channel), Some(guild)) => {
                Some(format!("{} on the server {}", prompt_label(channel), prompt_label(guild)))
            }
            (_, Some(channel), None) => Some(prompt_label(channel)),
            (_, None, _) => None,
        };
        if let Some(place) = wherefore {
            text.push_str(". Here: ");
            text.push_str(&place);
        }
        Ok(vec![Contribution {
            importance: Importance::Axiom,
            ..Contribution::new(
                "live/now",
                Layer::Core,
                Placement::Tail(TailPart::Now),
                // The channel's and the server's names are other people's words.
                Trust::Chat,
                place.audience.clone(),
                text,
            )
        }])
    }
}
