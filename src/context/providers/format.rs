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
        let given = |source: &str, placement: Placement, words: &str| {
            let audience = Audience::Canon;
            Contribution {
                importance: Importance::High,
                ..Contribution::new(source, Layer::Core, placement, Trust::Program, audience, words)
            }
        };
        let place = place(request.channel.mode, request.place.platform);
        // The same for every turn here, whether it is typed or spoken: it may stand in the part that is cached.
        let mut shapes = vec![given("format/place", Placement::Mode, place)];
        if request.modality == Modality::Voice {
            shapes.push(given("format/voice", Placement::Tail(TailPart::Format), HEARD));
        }
        Ok(shapes)
    }
}

/// Of an answer that is spoken.
const HEARD: &str =
    "Format: heard, not read. Plain spoken sentences without Markdown, links or emoji; the point first.";

/// What the place can show of what is written there.
fn place(mode: ChannelMode, platform: Platform) -> &'static str {
    match (mode, platform) {
        (ChannelMode::ImitateVoice, _) => "The first sentence carries the point.",
        (ChannelMode::FullRp, Platform::Discord) => {
            "This is Discord: its Markdown works, tables do not; a message holds 2,000 characters."
        }
        (ChannelMode::TextConversationRp, Platform::Discord) => {
            "This is Discord: its Markdown works, tables and headings do not."
        }
        (_, Platform::Terminal) => "This is a plain text terminal: no Markdown tables, headings or links.",
    }
}
