//! Cartesia's websocket, `/tts/websocket`.

use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::super::http::Service;
use super::super::pcm::PcmBytes;
use super::super::socket::{Dial, Link, Out, address};
use super::super::{EngineError, Phrase, SpokenWord, SynthesizerAbilities};
use super::contexts::{SocketVoice, Told, What};

/// The interface that is spoken, by its date.
const VERSION: &str = "2025-04-16";
/// Half of what a call plays: less to carry, and nothing of a voice lies above.
const RATE: u32 = 24_000;

/// Cartesia.
#[derive(Debug)]
pub(in super::super) struct Cartesia {
    pub(in super::super) service: Service,
    pub(in super::super) base: String,
    pub(in super::super) model: String,
    pub(in super::super) voice_id: String,
    pub(in super::super) language: String,
}

#[async_trait]
impl SocketVoice for Cartesia {
    fn service(&self) -> &Service {
        &self.service
    }

    fn rate(&self) -> u32 {
        RATE
    }

    fn abilities(&self) -> SynthesizerAbilities {
        SynthesizerAbilities { word_times: true, streaming: true, directions: false }
    }

    async fn dial(&self) -> Result<Link, EngineError> {
        let query = [("cartesia_version", VERSION)];
        let url = address(self.service.engine, &self.base, "/tts/websocket", &query)?;
        let headers = vec![
            ("x-api-key", self.service.key.expose_secret().to_owned()),
            ("cartesia-version", VERSION.to_owned()),
        ];
        Dial { service: self.service.clone(), url, headers }.connect().await
    }

    fn begin(&self, context: &str, phrase: &Phrase) -> Vec<Out> {
        let order = json!({
            "model_id": self.model,
            "transcript": phrase.text,
            "voice": {"mode": "id", "id": self.voice_id},
            "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": RATE},
            "language": self.language,
            "context_id": context,
            "continue": false,
            "add_timestamps": true,
            "max_buffer_delay_ms": 0,
        });
        vec![Out::Text(order.to_string())]
    }

    fn stop(&self, context: &str) -> Vec<Out> {
        vec![Out::Text(json!({"context_id": context, "cancel": true}).to_string())]
    }

    fn read(&self, message: &str) -> Vec<Told> {
        let Ok(value) = serde_json::from_str::<Value>(message) else {
            let error = self.service.protocol("a message that is no JSON");
            return vec![Told { context: None, what: What::Failed(error) }];
        };
        let word = |key: &str| value.get(key).and_then(Value::as_str);
        let what = match word("type") {
            Some("chunk") => match STANDARD.decode(word("data").unwrap_or_default()) {
                Ok(bytes) => What::Sound(PcmBytes::default().read(&bytes), Vec::new()),
                Err(_) => What::Failed(self.service.protocol("sound that is no base64")),
            },
            Some("timestamps") => What::Words(words(value.get("word_timestamps"))),
            Some("done") => What::Done,
            Some("error") => What::Failed(self.error(&value)),
            _ => return Vec::new(),
        };
        vec![Told { context: word("context_id").map(str::to_owned), what }]
    }
}

impl Cartesia {
    fn error(&self, value: &Value) -> EngineError {
        let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let said = ["error", "title", "message"].map(word).join(" ");
        let status =
            value.get("status_code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        match status {
            Some(status) => self.service.refused(status, None, said.trim()),
            None => self.service.complaint(said.trim()),
        }
    }
}

/// Three lists of one length.
fn words(times: Option<&Value>) -> Vec<SpokenWord> {
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
