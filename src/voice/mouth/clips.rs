//! Sounds of words that are said again and again: fillers.
//!
//! Owns that each is made once and heard at once from then on, with the times of its words (specs voice 2.3: "cached
//! audio"). Must not know when one is said. Start reading at [`Clips::speak`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use super::relay::relay;
use crate::voice::engines::{EngineError, Phrase, Speech, SpeechEvent, Synthesizer};

/// So many are kept; a list of settings is short.
const KEPT: usize = 16;

/// What may wait of a sound that is being made.
const EVENTS: usize = 64;

/// A sound as it came: samples a second, and what came.
type Clip = (u32, Vec<SpeechEvent>);

/// The sounds that were made, by their words.
#[derive(Debug, Clone, Default)]
pub(super) struct Clips(Arc<Mutex<HashMap<String, Clip>>>);

impl Clips {
    /// The sound of a phrase: as it was made before, or made now and kept once it is whole.
    ///
    /// # Errors
    /// When it is to be made and the engine does not take it.
    pub async fn speak(
        &self,
        phrase: &Phrase,
        synthesizer: Arc<dyn Synthesizer>,
    ) -> Result<Speech, EngineError> {
        if let Some((rate, events)) = self.kept(&phrase.text) {
            let (tell, told) = mpsc::channel(events.len().max(1));
            for event in events {
                // There is room for all of them.
                tell.try_send(event).ok();
            }
            return Ok(Speech::new(rate, told));
        }
        let speech = synthesizer.speak(phrase).await?;
        let (rate, text, clips) = (speech.rate, phrase.text.clone(), self.clone());
        let mut events = Vec::new();
        // Where nobody listens any more, half a sound is not kept.
        Ok(relay(speech, EVENTS, move |event| {
            events.push(event.clone());
            if matches!(event, SpeechEvent::Done) {
                clips.keep(text.clone(), (rate, std::mem::take(&mut events)));
            }
        }))
    }

    fn kept(&self, text: &str) -> Option<Clip> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
    }

    fn keep(&self, text: String, clip: Clip) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT {
            kept.insert(text, clip);
        }
    }
}
