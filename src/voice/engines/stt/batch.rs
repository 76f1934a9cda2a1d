//! Transcription of whole utterances: sound is kept until it is finalized, then sent in one request.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc;

use super::super::cost::{Meter, Tally};
use super::super::http::Service;
use super::super::pcm::wav_bytes;
use super::super::{
    EngineError, HeardWord, SpeechInput, Transcriber, TranscriberAbilities, TranscriptEvent, Transcription,
    TranscriptionHints,
};
use crate::voice::frame::RATE;

/// Inputs that may wait while a request runs.
const INPUTS: usize = 1500;
/// Events that may wait.
const EVENTS: usize = 64;
/// The longest utterance; of a longer one the beginning is dropped.
const UTTERANCE_SECONDS: usize = 120;
/// Shorter sounds hold no word.
const SHORTEST: usize = RATE as usize / 10;
/// A pause that is asked for is kept to at most so long; longer ones are a failure.
const WAIT_LIMIT: Duration = Duration::from_secs(3);
/// The pause before the one further try after a broken connection.
const PAUSE: Duration = Duration::from_millis(200);

/// What a service understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in super::super) struct Understood {
    pub(in super::super) text: String,
    pub(in super::super) words: Vec<HeardWord>,
    /// US dollars, where the service says so.
    pub(in super::super) cost_usd: Option<f64>,
}

/// A service that takes whole utterances.
#[async_trait]
pub(in super::super) trait BatchService: Send + Sync + Debug + 'static {
    /// Name and key.
    fn service(&self) -> &Service;

    /// Whether it times words.
    fn times_words(&self) -> bool;

    /// Whether it is on this machine.
    fn is_here(&self) -> bool {
        false
    }

    /// Sends one WAV.
    async fn transcribe(&self, wav: Vec<u8>, hints: &TranscriptionHints) -> Result<Understood, EngineError>;
}

/// A [`Transcriber`] over a service for whole utterances.
#[derive(Debug)]
pub(in super::super) struct Batch<S> {
    pub(in super::super) service: Arc<S>,
    pub(in super::super) meter: Arc<Meter>,
}

#[async_trait]
impl<S: BatchService> Transcriber for Batch<S> {
    fn name(&self) -> &str {
        self.service.service().engine
    }

    fn abilities(&self) -> TranscriberAbilities {
        let words = self.service.times_words();
        TranscriberAbilities { partials: false, ends_turns: false, words, streaming: false }
    }

    fn is_here(&self) -> bool {
        self.service.is_here()
    }

    async fn open(&self, hints: &TranscriptionHints) -> Result<Transcription, EngineError> {
        let tally = Tally::new(&self.meter, hints.speaker.as_ref());
        tally.allow()?;
        let (input, inputs) = mpsc::channel(INPUTS);
        let (events_to, events) = mpsc::channel(EVENTS);
        // Ends when the transcription is let go of.
        tokio::spawn(listen(Arc::clone(&self.service), hints.clone(), tally, inputs, events_to));
        Ok(Transcription { input, events })
    }
}

async fn listen<S: BatchService>(
    service: Arc<S>,
    hints: TranscriptionHints,
    mut tally: Tally,
    mut inputs: mpsc::Receiver<SpeechInput>,
    events: mpsc::Sender<TranscriptEvent>,
) {
    let mut kept: Vec<i16> = Vec::new();
    let closed = events.clone();
    loop {
        let input = tokio::select! {
            input = inputs.recv() => input,
            () = closed.closed() => None,
        };
        match input {
            Some(SpeechInput::Samples(samples)) => {
                kept.extend_from_slice(&samples);
                let surplus = kept.len().saturating_sub(UTTERANCE_SECONDS * RATE as usize);
                kept.drain(..surplus);
            }
            Some(SpeechInput::Finalize) => {
                let utterance = std::mem::take(&mut kept);
                let answer = tokio::select! {
                    answer = understand(&*service, &hints, &mut tally, &utterance) => answer,
                    // The request is broken off with it.
                    () = closed.closed() => return,
                };
                let event = match answer {
                    Ok(Understood { text, words, .. }) => {
                        TranscriptEvent::Final { text, words, finalized: true }
                    }
                    Err(error) => TranscriptEvent::Failed(error),
                };
                let over = matches!(&event, TranscriptEvent::Failed(error) if error.is_permanent());
                if events.send(event).await.is_err() {
                    return;
                }
                if over {
                    break;
                }
            }
            None => break,
        }
    }
    // Nobody may be left to be told.
    let _ = events.send(TranscriptEvent::Closed).await;
}

async fn understand<S: BatchService>(
    service: &S,
    hints: &TranscriptionHints,
    tally: &mut Tally,
    utterance: &[i16],
) -> Result<Understood, EngineError> {
    if utterance.len() < SHORTEST {
        return Ok(Understood::default());
    }
    tally.allow()?;
    let wav = wav_bytes(RATE, utterance);
    let again = match service.transcribe(wav.clone(), hints).await {
        Err(EngineError::RateLimited { retry_after: Some(wait), .. }) if wait <= WAIT_LIMIT => wait,
        Err(EngineError::Unreachable { .. }) => PAUSE,
        answer => return counted(answer, tally, utterance.len()),
    };
    tokio::time::sleep(again).await;
    counted(service.transcribe(wav, hints).await, tally, utterance.len())
}

/// What was understood is paid for.
fn counted(
    answer: Result<Understood, EngineError>,
    tally: &mut Tally,
    samples: usize,
) -> Result<Understood, EngineError> {
    if let Ok(understood) = &answer {
        tally.utterance(samples, understood.cost_usd);
    }
    answer
}
