//! Transcription of whole utterances: sound is kept until it is finalized, then sent in one request to
//! `/audio/transcriptions`: OpenAI's, that of the many local servers that speak it (speaches, faster-whisper-server,
//! whisper.cpp, which has a path of its own), or OpenRouter's, which wants JSON with the sound inside.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Client;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{mean_confidence, name_prompt};
use crate::voice::engines::cost::{Meter, Tally};
use crate::voice::engines::pcm::wav_bytes;
use crate::voice::engines::service::{Service, is_local};
use crate::voice::engines::{
    EngineError, SpeechInput, Transcriber, TranscriberAbilities, TranscriptEvent, Transcription,
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
/// The longest wait for an answer; local models need a while for a long utterance.
const PATIENCE: Duration = Duration::from_secs(15);

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Understood {
    pub text: String,
    /// US dollars, where the service says so.
    pub cost_usd: Option<f64>,
    /// How sure it is of the words, from 0 to 1, where it says so.
    pub confidence: Option<f64>,
}

/// How the sound travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upload {
    Form,
    Json,
}

/// A service that takes whole utterances.
#[derive(Debug, Clone)]
pub(crate) struct WholeUtterances {
    pub service: Service,
    pub http: Client,
    pub url: String,
    pub model: String,
    pub language: Option<String>,
    pub upload: Upload,
    pub meter: Arc<Meter>,
}

#[async_trait]
impl Transcriber for WholeUtterances {
    fn name(&self) -> &str {
        self.service.engine
    }

    fn abilities(&self) -> TranscriberAbilities {
        TranscriberAbilities { partials: false, ends_turns: false, streaming: false }
    }

    fn is_here(&self) -> bool {
        // A relay of OpenRouter sends it on.
        self.upload == Upload::Form && is_local(&self.url)
    }

    async fn open(&self, hints: &TranscriptionHints) -> Result<Transcription, EngineError> {
        let tally = Tally::new(&self.meter, hints.speaker.as_ref());
        tally.allow()?;
        let (input, inputs) = mpsc::channel(INPUTS);
        let (events_to, events) = mpsc::channel(EVENTS);
        // Ends when the transcription is let go of.
        tokio::spawn(self.clone().listen(hints.clone(), tally, inputs, events_to));
        Ok(Transcription { input, events })
    }
}

impl WholeUtterances {
    async fn listen(
        self,
        hints: TranscriptionHints,
        mut tally: Tally,
        mut inputs: mpsc::Receiver<SpeechInput>,
        events: mpsc::Sender<TranscriptEvent>,
    ) {
        let mut kept: Vec<i16> = Vec::new();
        loop {
            let input = tokio::select! {
                input = inputs.recv() => input,
                () = events.closed() => return,
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
                        answer = self.understand(&hints, &mut tally, &utterance) => answer,
                        // The request is broken off with it.
                        () = events.closed() => return,
                    };
                    let sure = answer.as_ref().ok().and_then(|understood| understood.confidence);
                    if let Some(sure) = TranscriptEvent::before_words(sure)
                        && events.send(sure).await.is_err()
                    {
                        return;
                    }
                    let event = match answer {
                        Ok(understood) => TranscriptEvent::Final { text: understood.text, finalized: true },
                        Err(error) => TranscriptEvent::Failed(error),
                    };
                    let over = matches!(&event, TranscriptEvent::Failed(error) if !error.may_pass());
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

    async fn understand(
        &self,
        hints: &TranscriptionHints,
        tally: &mut Tally,
        utterance: &[i16],
    ) -> Result<Understood, EngineError> {
        if utterance.len() < SHORTEST {
            return Ok(Understood::default());
        }
        tally.allow()?;
        let wav = wav_bytes(RATE, utterance);
        let mut answer = self.transcribe(wav.clone(), hints).await;
        let again = match &answer {
            Err(EngineError::RateLimited { retry_after, .. }) => {
                retry_after.filter(|wait| *wait <= WAIT_LIMIT)
            }
            Err(EngineError::Unreachable { .. }) => Some(PAUSE),
            _ => None,
        };
        if let Some(wait) = again {
            tokio::time::sleep(wait).await;
            answer = self.transcribe(wav, hints).await;
        }
        let understood = answer?;
        tally.utterance(utterance.len(), understood.cost_usd);
        Ok(understood)
    }

    async fn transcribe(&self, wav: Vec<u8>, hints: &TranscriptionHints) -> Result<Understood, EngineError> {
        let request = self.service.bearer(self.http.post(&self.url));
        let request = match self.upload {
            Upload::Json => {
                let sound = json!({"data": STANDARD.encode(wav), "format": "wav"});
                let mut body = json!({"model": self.model, "input_audio": sound});
                if let Some(language) = &self.language {
                    body["language"] = language.as_str().into();
                }
                request.json(&body)
            }
            Upload::Form => {
                let file = Part::bytes(wav).file_name("speech.wav").mime_str("audio/wav");
                let file = file.map_err(|error| self.service.broken(&error))?;
                // OpenAI's newer models know only the short answer; the long one tells what was made up over silence.
                let format = if self.model.starts_with("gpt-") { "json" } else { "verbose_json" };
                let mut form = Form::new().part("file", file).text("model", self.model.clone());
                form = form.text("response_format", format);
                if let Some(language) = &self.language {
                    form = form.text("language", language.clone());
                }
                if let Some(names) = name_prompt(&hints.keyterms) {
                    form = form.text("prompt", names);
                }
                request.multipart(form)
            }
        };
        read_answer(&self.service, &self.service.text(request, PATIENCE).await?)
    }
}

/// Reads the short and the long answer. whisper.cpp may refuse with status 200.
pub(crate) fn read_answer(service: &Service, body: &str) -> Result<Understood, EngineError> {
    let value = service.json(body, "an answer")?;
    let Some(text) = value.get("text").and_then(Value::as_str) else {
        let refusal = service.refusal_in(&value, body);
        return Err(refusal.unwrap_or_else(|| service.protocol("an answer without text")));
    };
    let cost_usd = value.pointer("/usage/cost").and_then(Value::as_f64).filter(|cost| *cost >= 0.0);
    // What Whisper itself takes for silence is not what somebody said: it fills it with what subtitles end with.
    let segments = value.get("segments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = if segments.iter().any(is_hallucinated) {
        let said = segments.iter().filter(|segment| !is_hallucinated(segment));
        said.filter_map(|segment| segment.get("text")?.as_str()).collect()
    } else {
        text.to_owned()
    };
    let said = segments.iter().filter(|segment| !is_hallucinated(segment));
    let sure = mean_confidence(said.filter_map(|segment| segment.get("avg_logprob")?.as_f64()));
    // It says the logarithm.
    let confidence = sure.map(f64::exp).filter(|_| !text.trim().is_empty());
    Ok(Understood { text: text.trim().to_owned(), cost_usd, confidence })
}

/// More likely no speech than speech (Whisper's own bound), and this little sure of the words; speech is at -0.1 to -0.5.
const NO_SPEECH: f64 = 0.6;
const UNSURE: f64 = -0.5;
/// Hardly anything speaks for speech, however sure it is of the words.
const SURELY_NO_SPEECH: f64 = 0.9;

/// Whether a segment was made up over silence or noise.
fn is_hallucinated(segment: &Value) -> bool {
    let number = |key: &str| segment.get(key).and_then(Value::as_f64);
    let no_speech = number("no_speech_prob").unwrap_or_default();
    let sure = number("avg_logprob").unwrap_or_default();
    no_speech > SURELY_NO_SPEECH || no_speech > NO_SPEECH && sure < UNSURE
}
