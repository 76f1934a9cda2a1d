//! Deepgram's live transcription, `/v1/listen` (Nova models).

use std::time::Duration;

use async_trait::async_trait;
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::super::http::Service;
use super::super::pcm::to_bytes;
use super::super::socket::{Dial, Link, Out, address};
use super::super::{EngineError, TranscriberAbilities, TranscriptEvent, TranscriptionHints};
use super::live::{Heard, LiveService, LiveSession};
use super::{keyterms, words};
use crate::voice::frame::RATE;

/// Deepgram, by its `/v1` interface.
#[derive(Debug)]
pub(in super::super) struct Deepgram {
    pub(in super::super) service: Service,
    pub(in super::super) base: String,
    pub(in super::super) model: String,
    pub(in super::super) language: Option<String>,
}

/// The header that carries Deepgram's key.
pub(super) fn authorization(service: &Service) -> Vec<(&'static str, String)> {
    vec![("authorization", format!("Token {}", service.key.expose_secret()))]
}

#[async_trait]
impl LiveService for Deepgram {
    fn service(&self) -> &Service {
        &self.service
    }

    fn abilities(&self) -> TranscriberAbilities {
        TranscriberAbilities { partials: true, ends_turns: false, words: true, streaming: true }
    }

    async fn dial(&self, hints: &TranscriptionHints) -> Result<Link, EngineError> {
        let rate = RATE.to_string();
        let mut query = vec![
            ("model", self.model.as_str()),
            // Live, it tells languages apart only where it is asked for all of them.
            ("language", hints.language_or(&self.language).unwrap_or("multi")),
            ("encoding", "linear16"),
            ("sample_rate", &rate),
            ("channels", "1"),
            ("interim_results", "true"),
            ("smart_format", "true"),
            // Else it waits for more words before it writes a number.
            ("no_delay", "true"),
            // Pieces become final in pauses. Whether the turn is over is decided elsewhere.
            ("endpointing", "300"),
        ];
        // Older models call it "keywords" and refuse this.
        if self.model.starts_with("nova-3") {
            query.extend(keyterms(&hints.keyterms).into_iter().map(|term| ("keyterm", term)));
        }
        let url = address(self.service.engine, &self.base, "/v1/listen", &query)?;
        Dial { service: self.service.clone(), url, headers: authorization(&self.service) }.connect().await
    }

    fn session(&self, _: &TranscriptionHints) -> Box<dyn LiveSession> {
        Box::new(Session { service: self.service.clone() })
    }
}

#[derive(Debug)]
pub(in super::super) struct Session {
    pub(in super::super) service: Service,
}

fn control(kind: &str) -> Option<Out> {
    Some(Out::Text(format!(r#"{{"type":"{kind}"}}"#)))
}

impl LiveSession for Session {
    fn audio(&mut self, samples: &[i16]) -> Out {
        Out::Binary(to_bytes(samples))
    }

    fn finalize(&mut self) -> Option<Out> {
        control("Finalize")
    }

    fn keep_alive(&mut self) -> Option<Out> {
        control("KeepAlive")
    }

    fn closing(&mut self) -> Option<Out> {
        control("CloseStream")
    }

    fn read(&mut self, message: &str) -> Vec<Heard> {
        let Ok(value) = serde_json::from_str::<Value>(message) else {
            return vec![Heard::Broken(self.service.protocol("a message that is no JSON"))];
        };
        match value.get("type").and_then(Value::as_str) {
            Some("Results") => results(&value),
            Some("Error") => {
                let said = value.get("description").or_else(|| value.get("message")).and_then(Value::as_str);
                vec![Heard::Broken(self.service.complaint(said.unwrap_or("an error without words")))]
            }
            // "Metadata", "SpeechStarted", "UtteranceEnd", and what may be added.
            _ => Vec::new(),
        }
    }
}

fn results(value: &Value) -> Vec<Heard> {
    let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or_default();
    let best = value.pointer("/channel/alternatives/0");
    let text = best.and_then(|best| best.get("transcript")?.as_str()).unwrap_or_default().trim().to_owned();
    if !flag("is_final") {
        return vec![Heard::Event(TranscriptEvent::Partial { text })];
    }
    let finalized = flag("from_finalize");
    let mut heard = Vec::new();
    if finalized {
        heard.push(Heard::SettledAtFinalize);
    } else if let Some(sample) = end_sample(value) {
        heard.push(Heard::SettledTo(sample));
    }
    let words = words(best.and_then(|best| best.get("words")));
    heard.push(Heard::Event(TranscriptEvent::Final { text, words, finalized }));
    heard
}

/// Where a result ends, in samples since the connection began.
fn end_sample(value: &Value) -> Option<u64> {
    let seconds = value.get("start")?.as_f64()? + value.get("duration")?.as_f64()?;
    samples(seconds)
}

/// Seconds as samples.
pub(super) fn samples(seconds: f64) -> Option<u64> {
    let micros = Duration::try_from_secs_f64(seconds).ok()?.as_micros();
    u64::try_from(micros * u128::from(RATE) / 1_000_000).ok()
}
