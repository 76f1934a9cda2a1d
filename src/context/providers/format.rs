//! The shape an answer has to have where it goes.

use std::time::Duration;

use async_trait::async_trait;

use super::{ContextProvider, Part, ProviderError};
use crate::context::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::{Audience, ChannelMode, Layer, Modality, Platform};

/// Contributes what the place itself can show (specs mechanisms A25): what a mode's instructions cannot know, and
/// nothing that they already say.
#[derive(Debug, Clone, Copy, Default)]
pub struct FormatProvider;

#[async_trait]
impl ContextProvider for FormatProvider {
    fn name(&self) -> &'static str {
        "format"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn part(&self) -> Part {
        Part::Current
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        let words = words(request.modality, request.channel.mode, request.place.platform);
        Ok(vec![Contribution {
            importance: Importance::Normal,
            ..Contribution::new(
                "format",
                Layer::Core,
                Placement::Tail(TailPart::Format),
                Trust::Program,
                Audience::Canon,
                words,
            )
        }])
    }
}

fn words(modality: Modality, mode: ChannelMode, platform: Platform) -> &'static str {
    match (modality, mode, platform) {
        (Modality::Voice, ..) => {
            "Format: heard, not read. Plain spoken sentences without Markdown, links or emoji; the point first."
        }
        (_, ChannelMode::ImitateVoice, _) => "Format: the first sentence carries the point.",
        (_, ChannelMode::FullRp, Platform::Discord) => {
            "Format: Discord; its Markdown works, tables do not; a message holds 2,000 characters."
        }
        (_, ChannelMode::TextConversationRp, Platform::Discord) => {
            "Format: Discord; its Markdown works, tables and headings do not."
        }
        (_, _, Platform::Terminal) => "Format: a plain text terminal; no Markdown tables, headings or links.",
    }
}
