//! Cartesia's websocket, `/tts/websocket`.

use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::contexts::{RATE, SocketVoice, Told, What};
use crate::voice::engines::pcm::PcmBytes;
use crate::voice::engines::service::Service;
use crate::voice::engines::socket::{Dial, Link, address};
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
        let url = address(self.service.engine, &self.base, "/tts/websocket", &query)?;
        let headers = vec![
            ("x-api-key", self.service.key.expose_secret().to_owned()),
            ("cartesia-version", VERSION.to_owned()),
        ];
        Dial { service: self.service.clone(), url, headers }.connect().await
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

    fn read(&self, value: &Value) -> Vec<Told> {
        let word = |key: &str| value.get(key).and_then(Value::as_str);
        let what = match word("type") {
            Some("chunk") => match STANDARD.decode(word("data").unwrap_or_default()) {
                Ok(bytes) => What::Sound(PcmBytes::default().read(&bytes), Vec::new()),
                Err(_) => What::Failed(self.service.protocol("sound that is no base64")),
            },
            Some("timestamps") => What::Words(words(value.get("word_timestamps"))),
            Some("done") => What::Done,
            Some("error") => What::Failed(self.error(value)),
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
