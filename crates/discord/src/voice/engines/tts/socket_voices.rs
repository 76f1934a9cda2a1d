//! The two services that speak over a socket of contexts: Cartesia's `/tts/websocket` and ElevenLabs'
//! `/multi-stream-input`.

use std::time::Duration;

use async_trait::async_trait;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::contexts::{ContextMessage, RATE, SocketVoice, What};
use crate::voice::engines::pcm::PcmBytes;
use crate::voice::engines::service::{Service, word_at, words_at};
use crate::voice::engines::socket::{Link, dial};
use crate::voice::engines::{EngineError, SpokenWord};

/// The interface that is spoken, by its date.
const VERSION: &str = "2025-04-16";

#[derive(Debug)]
pub(crate) struct Cartesia {
    pub service: Service,
    pub base: String,
    pub model: String,
    pub voice_id: String,
    pub language: String,
}

#[async_trait]
impl SocketVoice for Cartesia {
    fn service(&self) -> &Service {
        &self.service
    }

    async fn dial(&self) -> Result<Link, EngineError> {
        let query = [("cartesia_version", VERSION)];
        let headers = [("x-api-key", self.service.key.expose_secret()), ("cartesia-version", VERSION)];
        dial(&self.service, &self.base, "/tts/websocket", &query, &headers).await
    }

    fn begin(&self, context: &str, text: &str) -> Vec<Value> {
        vec![json!({
            "model_id": self.model,
            "transcript": text,
            "voice": {"mode": "id", "id": self.voice_id},
            "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": RATE},
            "language": self.language,
            "context_id": context,
            "continue": false,
            "add_timestamps": true,
            "max_buffer_delay_ms": 0,
        })]
    }

    fn stop(&self, context: &str) -> Value {
        json!({"context_id": context, "cancel": true})
    }

    fn read(&self, value: &Value) -> Vec<ContextMessage> {
        let what = match word_at(value, "/type") {
            "chunk" => sound(&self.service, word_at(value, "/data"), Vec::new()),
            "timestamps" => What::Words(spoken_words(value.get("word_timestamps"))),
            "done" => What::Done,
            "error" => What::Failed(self.error(value)),
            _ => return Vec::new(),
        };
        let context = value.get("context_id").and_then(Value::as_str).map(str::to_owned);
        vec![ContextMessage { context, what }]
    }
}

impl Cartesia {
    fn error(&self, value: &Value) -> EngineError {
        let said = words_at(value, &["/error", "/title", "/message"]);
        let status =
            value.get("status_code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        match status {
            Some(status) => self.service.refused(status, None, &said),
            None => self.service.complaint(&said),
        }
    }
}

/// A piece of sound, with the words in it.
fn sound(service: &Service, data: &str, words: Vec<SpokenWord>) -> What {
    let bytes = service.sound(data);
    bytes.map_or_else(What::Failed, |bytes| What::Sound(PcmBytes::default().read(&bytes), words))
}

/// Three lists of one length.
fn spoken_words(times: Option<&Value>) -> Vec<SpokenWord> {
    let list = |key: &str| times.and_then(|times| times.get(key)?.as_array()).map(Vec::as_slice);
    let (words, starts, ends) = (list("words"), list("start"), list("end"));
    let (Some(words), Some(starts), Some(ends)) = (words, starts, ends) else { return Vec::new() };
    let time = |value: &Value| Duration::try_from_secs_f64(value.as_f64()?).ok();
    let all = words.iter().zip(starts).zip(ends);
    all.filter_map(|((word, start), end)| {
        let start = time(start)?;
        let end = time(end)?.max(start);
        Some(SpokenWord { text: word.as_str()?.to_owned(), start, end })
    })
    .collect()
}

#[derive(Debug)]
pub(crate) struct ElevenLabs {
    pub service: Service,
    pub base: String,
    pub model: String,
    pub voice_id: String,
}

#[async_trait]
impl SocketVoice for ElevenLabs {
    fn service(&self) -> &Service {
        &self.service
    }

    async fn dial(&self) -> Result<Link, EngineError> {
        let query = [
            ("model_id", self.model.as_str()),
            ("output_format", "pcm_24000"),
            ("auto_mode", "true"),
            ("sync_alignment", "true"),
            ("inactivity_timeout", "180"),
        ];
        let path = format!("/v1/text-to-speech/{}/multi-stream-input", self.voice_id);
        let headers = [("xi-api-key", self.service.key.expose_secret())];
        dial(&self.service, &self.base, &path, &query, &headers).await
    }

    fn begin(&self, context: &str, text: &str) -> Vec<Value> {
        // A text has to end in a space, or its last word waits for more.
        let text = format!("{} ", text.trim());
        vec![
            json!({"text": " ", "context_id": context}),
            json!({"text": text, "context_id": context, "flush": true}),
            json!({"context_id": context, "close_context": true}),
        ]
    }

    fn stop(&self, context: &str) -> Value {
        json!({"context_id": context, "close_context": true})
    }

    fn read(&self, value: &Value) -> Vec<ContextMessage> {
        // Both spellings are seen.
        let either = |camel: &str, snake: &str| value.get(camel).or_else(|| value.get(snake));
        let context = either("contextId", "context_id").and_then(Value::as_str).map(str::to_owned);
        if value.get("error").is_some_and(|error| !error.is_null()) {
            let said = words_at(value, &["/error", "/message"]);
            return vec![ContextMessage { context, what: What::Failed(self.service.complaint(&said)) }];
        }
        let mut told = Vec::new();
        let audio = word_at(value, "/audio");
        if !audio.is_empty() {
            let what = sound(&self.service, audio, words_of_characters(value.get("alignment")));
            told.push(ContextMessage { context: context.clone(), what });
        }
        if either("isFinal", "is_final").and_then(Value::as_bool).unwrap_or_default() {
            told.push(ContextMessage { context, what: What::Done });
        }
        told
    }
}

/// Words of timed characters. Times count from the beginning of the sound they come with.
pub(crate) fn words_of_characters(alignment: Option<&Value>) -> Vec<SpokenWord> {
    let list = |camel: &str, snake: &str| {
        let alignment = alignment?;
        alignment.get(camel).or_else(|| alignment.get(snake))?.as_array().map(Vec::as_slice)
    };
    let (chars, starts, lasts) = (
        list("chars", "characters"),
        list("charStartTimesMs", "char_start_times_ms"),
        list("charDurationsMs", "chars_durations_ms"),
    );
    let (Some(chars), Some(starts), Some(lasts)) = (chars, starts, lasts) else { return Vec::new() };
    let mut words: Vec<SpokenWord> = Vec::new();
    let mut within = false;
    for ((c, start), lasts) in chars.iter().zip(starts).zip(lasts) {
        let (Some(c), Some(start), Some(lasts)) = (c.as_str(), start.as_u64(), lasts.as_u64()) else {
            continue;
        };
        if c.trim().is_empty() {
            within = false;
            continue;
        }
        let (start, end) = (Duration::from_millis(start), Duration::from_millis(start.saturating_add(lasts)));
        match words.last_mut().filter(|_| within) {
            Some(word) => {
                word.text.push_str(c);
                word.end = word.end.max(end);
            }
            None => words.push(SpokenWord { text: c.to_owned(), start, end }),
        }
        within = true;
    }
    words
}
