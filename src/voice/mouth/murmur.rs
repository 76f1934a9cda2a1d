//! Small sounds beside any reply: "mm-hm".
//!
//! Owns how they are made, once each, and that one that comes too late is not heard. Must not know when one is welcome.
//! Start reading at [`Murmurs::begin`].

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::shape::Shaper;
use crate::voice::engines::{Phrase, SpeechEvent, Synthesizer};

/// They are worth nothing later than this: whoever paused has gone on.
const WITHIN: Duration = Duration::from_millis(1_000);

/// So many are kept; a list of settings is short.
const KEPT: usize = 16;

/// The sounds, and the one that is being made.
#[derive(Debug, Default)]
pub(super) struct Murmurs {
    kept: HashMap<String, Vec<f32>>,
    making: Option<(String, AbortOnDropHandle<Option<Vec<f32>>>)>,
}

impl Murmurs {
    /// Makes the sound of these words, unless one is being made.
    pub fn begin(&mut self, words: String, synthesizer: Arc<dyn Synthesizer>) {
        if self.making.is_some() {
            return;
        }
        let known = self.kept.get(&words).cloned();
        let phrase = words.clone();
        let made = async move {
            match known {
                Some(samples) => Some(samples),
                None => timeout(WITHIN, make(phrase, synthesizer)).await.ok().flatten(),
            }
        };
        self.making = Some((words, AbortOnDropHandle::new(tokio::spawn(made))));
    }

    /// Whatever is being made is not wanted any more.
    pub fn stop(&mut self) {
        self.making = None;
    }

    /// The sound, 48 kHz, once it is made; never, where none is. Can be dropped and asked again.
    pub async fn made(&mut self) -> Vec<f32> {
        let Some((_, making)) = self.making.as_mut() else { return std::future::pending().await };
        let samples = making.await.ok().flatten().unwrap_or_default();
        if let Some((words, _)) = self.making.take()
            && !samples.is_empty()
            && self.kept.len() < KEPT
        {
            self.kept.insert(words, samples.clone());
        }
        samples
    }
}

/// All of it at once: it is half a second long. What fails is not heard, and nobody misses it.
async fn make(text: String, synthesizer: Arc<dyn Synthesizer>) -> Option<Vec<f32>> {
    let phrase = Phrase { reply: u64::MAX, text, direction: None, is_last: true, listener: None };
    let mut speech = synthesizer.speak(&phrase).await.ok()?;
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
