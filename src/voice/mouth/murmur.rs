//! Small sounds beside any reply: "mm-hm".
//!
//! Owns that one that comes too late is not heard. Must not know when one is welcome. Start reading at
//! [`Murmurs::begin`].

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::clips::Clips;
use super::shape::Shaper;
use crate::voice::engines::{Phrase, SpeechEvent, Synthesizer};

/// They are worth nothing later than this: whoever paused has gone on.
const WITHIN: Duration = Duration::from_millis(1_000);

/// The one that is being made.
#[derive(Debug, Default)]
pub(super) struct Murmurs {
    making: Option<AbortOnDropHandle<Option<Vec<f32>>>>,
}

impl Murmurs {
    /// Makes the sound of these words, unless one is being made.
    pub fn begin(&mut self, words: String, clips: Clips, synthesizer: Arc<dyn Synthesizer>) {
        if self.making.is_none() {
            let made = async move { timeout(WITHIN, make(words, clips, synthesizer)).await.ok().flatten() };
            self.making = Some(AbortOnDropHandle::new(tokio::spawn(made)));
        }
    }

    /// Whatever is being made is not wanted any more.
    pub fn stop(&mut self) {
        self.making = None;
    }

    /// The sound, 48 kHz, once it is made; never, where none is. Can be dropped and asked again.
    pub async fn made(&mut self) -> Vec<f32> {
        let Some(making) = self.making.as_mut() else { return std::future::pending().await };
        let samples = making.await.ok().flatten().unwrap_or_default();
        self.making = None;
        samples
    }
}

/// All of it at once: it is half a second long. What fails is not heard, and nobody misses it.
async fn make(text: String, clips: Clips, synthesizer: Arc<dyn Synthesizer>) -> Option<Vec<f32>> {
    let mut speech = clips.speak(&Phrase::of(text), synthesizer).await.ok()?;
    let mut shaper = Shaper::new(speech.rate);
    let mut samples = Vec::new();
    while let Some(event) = speech.events.recv().await {
        match event {
            SpeechEvent::Samples(more) => samples.extend(shaper.push(&more)),
            SpeechEvent::Words(_) => {}
            SpeechEvent::Done => break,
            SpeechEvent::Failed(_) => return None,
        }
    }
    samples.extend(shaper.finish());
    Some(samples)
}
