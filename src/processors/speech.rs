//! The speech form: a reply as it can be said aloud. A formatter, no model: it works sentence by sentence, so that the
//! reply still streams (specs cards-and-lore 6.2, "voice variant").

use std::sync::Arc;

use super::seam::{PostProcessor, SentenceWork, TurnView, Work};
use crate::domain::{ChannelMode, Modality};
use crate::text::speech::speakable;

/// Makes what is spoken, or written as if spoken, speakable.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpeechForm;

/// Whether the turn's reply is heard, or is to read as if it were.
pub(super) fn is_spoken(turn: &TurnView) -> bool {
    turn.plan.modality == Modality::Voice || turn.channel.mode == ChannelMode::ImitateVoice
}

impl PostProcessor for SpeechForm {
    fn name(&self) -> &'static str {
        "speech form"
    }

    fn begin(&self, turn: &Arc<TurnView>) -> Work {
        if turn.rim_forms_speech || !is_spoken(turn) {
            Work::Nothing
        } else if turn.plan.modality == Modality::Voice || turn.channel.recast {
            Work::Sentences(Box::new(Speaking::default()))
        } else {
            Work::Skip("switched off for this channel or its mode".to_owned())
        }
    }
}

/// One reply.
#[derive(Debug, Default)]
struct Speaking {
    has_spoken: bool,
}

impl SentenceWork for Speaking {
    fn sentence(&mut self, sentence: &str) -> String {
        let said = speakable(sentence);
        if said.is_empty() {
            return String::new();
        }
        // What comes between two sentences is a breath, whatever stood there.
        let said = if self.has_spoken { format!(" {said}") } else { said };
        self.has_spoken = true;
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_joined_by_a_breath() {
        let mut speaking = Speaking::default();
        let said: String =
            ["😀 ", "**Hello** there.\n\n", "---\n", "- How are you?"].map(|s| speaking.sentence(s)).concat();
        assert_eq!(said, "Hello there. How are you?");
    }
}
