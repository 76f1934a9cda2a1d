//! Voices over HTTP: one answer of sound for each phrase. Each service is a row of [`Wire`]: how it is asked, and how its
//! answer reads.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use eventsource_stream::{EventStreamError, Eventsource as _};
use futures::StreamExt as _;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use super::stream::{Flow, Pieces, bounded_pieces, other_kind};
use super::{count_phrase, ready};
use crate::config::GeminiDirection;
use crate::voice::engines::cost::Meter;
use crate::voice::engines::service::Service;
use crate::voice::engines::{EngineError, Phrase, Speech, Synthesizer};

/// A voice at one address.
#[derive(Debug)]
pub(crate) struct HttpVoice {
    pub service: Service,
    /// Shared, so that connections stay warm.
    pub http: Client,
    pub url: String,
    pub wire: Wire,
    pub meter: Arc<Meter>,
    /// The longest wait for the first sound, and for the next.
    pub patience: Duration,
}

#[derive(Debug)]
pub(crate) enum Wire {
    /// OpenAI's `/audio/speech`, and the servers that speak it: Kokoro-FastAPI, speaches, openedai-speech, OpenRouter.
    /// Servers do not say what rate their plain samples have. `direction` is sent to a model that takes one.
    OpenAi { model: String, voice: String, rate: u32, direction: Option<String> },
    /// Piper's own server: text in, a WAV at the voice's rate out.
    Piper { voice: Option<String> },
    /// Azure AI Speech: SSML in, plain samples out.
    Azure { voice: String },
    /// Gemini: a prompt that says how and what, an event stream with sound in base64 back.
    Gemini { voice: String, direction: GeminiDirection },
}

impl HttpVoice {
    fn request(&self, phrase: &Phrase) -> RequestBuilder {
        let request = self.http.post(&self.url);
        match &self.wire {
            Wire::OpenAi { model, voice, direction, .. } => {
                let mut body =
                    json!({"model": model, "input": phrase.text, "voice": voice, "response_format": "pcm"});
                // OpenAI streams plain sound by itself and refuses fields that it does not know.
                if !self.url.contains("api.openai.com") {
                    body["stream"] = true.into();
                }
                // Nor does every model take direction: it is sent where the operator gives one.
                if let Some(direction) = direction {
                    body["instructions"] = with_mood(direction, phrase.mood).into();
                }
                self.service.bearer(request).json(&body)
            }
            Wire::Piper { voice: None } => request.json(&json!({"text": phrase.text})),
            Wire::Piper { voice } => request.json(&json!({"text": phrase.text, "voice": voice})),
            Wire::Azure { voice } => request
                .header("Ocp-Apim-Subscription-Key", self.service.key_header())
                .header("X-Microsoft-OutputFormat", "raw-24khz-16bit-mono-pcm")
                .header(CONTENT_TYPE, "application/ssml+xml")
                .body(ssml(voice, &phrase.text)),
            Wire::Gemini { voice, direction } => {
                let body = json!({
                    "contents": [{"role": "user", "parts": [{"text": prompt(direction, phrase)}]}],
                    "generationConfig": {
                        "responseModalities": ["AUDIO"],
                        "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": voice}}},
                    },
                });
                request.header("x-goog-api-key", self.service.key_header()).json(&body)
            }
        }
    }

    /// The rate of plain samples; a WAV says it itself.
    fn rate(&self) -> u32 {
        match self.wire {
            Wire::OpenAi { rate, .. } => rate,
            // That of Piper's voices of medium quality.
            Wire::Piper { .. } => 22_050,
            Wire::Azure { .. } | Wire::Gemini { .. } => 24_000,
        }
    }
}

#[async_trait]
impl Synthesizer for HttpVoice {
    fn name(&self) -> &str {
        self.service.engine
    }

    fn costs(&self) -> bool {
        self.meter.costs()
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    async fn warm_up(&self) {
        let request = self.http.head(&self.url).timeout(self.patience).send();
        // Any answer at all leaves a connection behind, which is all that is wanted.
        let _ = request.await;
    }

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        let chars = ready(&self.service, &self.meter, phrase)?;
        let response = self.service.send(self.request(phrase), self.patience).await?;
        count_phrase(&self.meter, phrase, chars);
        let is_events = matches!(self.wire, Wire::Gemini { .. });
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if let Some(what) = kind.filter(|_| !is_events).and_then(other_kind) {
            return Err(self.service.no_samples(&what));
        }
        let service = self.service.clone();
        let pieces = response.bytes_stream().map(move |piece| match piece {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => Err(service.broken(&error)),
        });
        let pieces = bounded_pieces(&self.service, pieces, chars);
        let pieces = if is_events { sound_of_events(self.service.clone(), pieces) } else { pieces };
        Flow::new(self.service.clone(), pieces, self.rate(), self.patience).begin().await
    }
}

/// The sound in Gemini's events.
fn sound_of_events(service: Service, pieces: Pieces) -> Pieces {
    Box::pin(pieces.eventsource().map(move |event| match event {
        Ok(event) => sound_of_event(&service, &event.data),
        Err(EventStreamError::Transport(error)) => Err(error),
        Err(error) => Err(service.protocol(&error.to_string())),
    }))
}

pub(crate) fn sound_of_event(service: &Service, data: &str) -> Result<Vec<u8>, EngineError> {
    let value = service.json(data, "an event")?;
    if let Some(error) = service.refusal_in(&value, data) {
        return Err(error);
    }
    if let Some(reason) = value.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        return Err(service.unsupported(format!("it will not say this ({reason})")));
    }
    let mut sound = Vec::new();
    let parts = value.pointer("/candidates/0/content/parts").and_then(Value::as_array);
    for data in parts.into_iter().flatten().filter_map(|part| part.pointer("/inlineData/data")?.as_str()) {
        sound.extend(service.sound(data)?);
    }
    Ok(sound)
}

/// A direction, with the mood it is spoken in where that is not even.
fn with_mood(direction: &str, mood: Option<&str>) -> String {
    mood.map_or_else(|| direction.to_owned(), |mood| format!("{direction} Mood: {mood}."))
}

/// The phrase as SSML. A voice's name begins with its language: `en-US-AmberNeural`.
pub(crate) fn ssml(voice: &str, text: &str) -> String {
    let language: Vec<&str> = voice.splitn(3, '-').take(2).collect();
    let language = if language.len() == 2 { language.join("-") } else { "en-US".to_owned() };
    let [language, voice, text] = [&language, voice, text].map(escaped);
    format!(
        "<speak version=\"1.0\" xmlns=\"http://www.w3.org/2001/10/synthesis\" xml:lang=\"{language}\"><voice \
         name=\"{voice}\">{text}</voice></speak>"
    )
}

/// Text that means itself in XML; characters that XML cannot hold are left out.
fn escaped(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    let kept: String = kept.filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
    let marks = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;")];
    marks.iter().fold(kept, |text, (mark, written)| text.replace(mark, written))
}

/// The director's notes, laid out as Google's guide lays them out, and last what is to be said.
pub(crate) fn prompt(direction: &GeminiDirection, phrase: &Phrase) -> String {
    let (text, mood) = (&phrase.text, phrase.mood.map(str::to_owned));
    let part = |heading: &str, words: &Option<String>| {
        let words = words.as_deref().map(str::trim).filter(|words| !words.is_empty());
        words.map(|words| format!("{heading}{words}\n")).unwrap_or_default()
    };
    let notes = part("Style: ", &direction.style)
        + &part("Pace: ", &direction.pace)
        + &part("Accent: ", &direction.accent)
        + &part("Mood: ", &mood);
    let notes = if notes.is_empty() { notes } else { format!("### DIRECTOR'S NOTES\n{notes}") };
    let all = part("# AUDIO PROFILE: ", &direction.audio_profile)
        + &part("## THE SCENE: ", &direction.scene)
        + &notes
        + &part("### SAMPLE CONTEXT\n", &direction.context);
    // Without it a short line is taken for a question to be answered.
    if all.is_empty() { format!("Say: {text}") } else { format!("{all}#### TRANSCRIPT\n{text}") }
}
