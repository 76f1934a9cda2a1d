//! Gemini's speech: a prompt that says how and what, an event stream with sound in base64 back.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use super::super::http::Service;
use super::super::pcm::PcmBytes;
use super::super::{EngineError, Phrase, SynthesizerAbilities};
use super::stream::{HttpVoice, Reading};
use crate::config::GeminiDirection;

/// What it speaks at where it does not say.
const RATE: u32 = 24_000;
/// An event longer than this is none: a minute of sound is 4 MB.
const EVENT_LIMIT: usize = 16 * 1024 * 1024;

/// Gemini.
#[derive(Debug)]
pub(in super::super) struct Gemini {
    pub(in super::super) service: Service,
    pub(in super::super) http: Client,
    pub(in super::super) base: String,
    pub(in super::super) model: String,
    pub(in super::super) voice: String,
    pub(in super::super) direction: GeminiDirection,
}

impl HttpVoice for Gemini {
    fn service(&self) -> &Service {
        &self.service
    }

    fn http(&self) -> &Client {
        &self.http
    }

    fn base(&self) -> &str {
        &self.base
    }

    fn abilities(&self) -> SynthesizerAbilities {
        SynthesizerAbilities { word_times: false, streaming: true, directions: true }
    }

    fn request(&self, phrase: &Phrase) -> RequestBuilder {
        let prompt = prompt(&self.direction, phrase.direction.as_deref(), &phrase.text);
        let body = json!({
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "generationConfig": {
                "responseModalities": ["AUDIO"],
                "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": self.voice}}},
            },
        });
        let base = self.base.trim_end_matches('/');
        self.http
            .post(format!("{base}/v1beta/models/{}:streamGenerateContent?alt=sse", self.model))
            .header("x-goog-api-key", self.service.key_header())
            .json(&body)
    }

    fn reading(&self) -> Box<dyn Reading> {
        Box::new(Events::new(self.service.clone()))
    }
}

/// The director's notes, laid out as Google's guide lays them out, and last what is to be said.
pub(in super::super) fn prompt(direction: &GeminiDirection, manner: Option<&str>, text: &str) -> String {
    let mut out = String::new();
    let mut part = |heading: &str, words: Option<&str>| {
        if let Some(words) = words.map(str::trim).filter(|words| !words.is_empty()) {
            out.push_str(heading);
            out.push_str(words);
            out.push('\n');
        }
    };
    part("# AUDIO PROFILE: ", direction.audio_profile.as_deref());
    part("## THE SCENE: ", direction.scene.as_deref());
    let notes = [
        ("Style: ", direction.style.as_deref()),
        ("Pace: ", direction.pace.as_deref()),
        ("Accent: ", direction.accent.as_deref()),
        ("This line: ", manner),
    ];
    if notes.iter().any(|(_, words)| words.is_some()) {
        part("", Some("### DIRECTOR'S NOTES"));
        for (heading, words) in notes {
            part(heading, words);
        }
    }
    part("### SAMPLE CONTEXT\n", direction.context.as_deref());
    if out.is_empty() {
        // Without it a short line is taken for a question to be answered.
        return format!("Say: {text}");
    }
    format!("{out}#### TRANSCRIPT\n{text}")
}

/// An event stream of answers.
#[derive(Debug)]
pub(in super::super) struct Events {
    service: Service,
    line: Vec<u8>,
    rate: Option<u32>,
    samples: PcmBytes,
}

impl Events {
    pub(in super::super) fn new(service: Service) -> Self {
        Self { service, line: Vec::new(), rate: None, samples: PcmBytes::default() }
    }

    fn line(&mut self) -> Result<Vec<i16>, EngineError> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let Some(data) = line.trim().strip_prefix("data:") else { return Ok(Vec::new()) };
        let value: Value = serde_json::from_str(data.trim())
            .map_err(|_| self.service.protocol("an event that is no JSON"))?;
        let status =
            value.pointer("/error/code").and_then(Value::as_u64).and_then(|code| code.try_into().ok());
        if let Some(status) = status {
            return Err(self.service.refused(status, None, data));
        }
        if let Some(error) = value.pointer("/error/message").and_then(Value::as_str) {
            return Err(self.service.complaint(error));
        }
        if let Some(reason) = value.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            let said = format!("it will not say this ({reason})");
            return Err(EngineError::Unsupported { engine: self.service.engine, said });
        }
        let parts = value.pointer("/candidates/0/content/parts").and_then(Value::as_array);
        let mut samples = Vec::new();
        for part in parts.map(Vec::as_slice).unwrap_or_default() {
            let Some(sound) = part.get("inlineData") else { continue };
            let kind = sound.get("mimeType").and_then(Value::as_str).unwrap_or_default();
            self.rate = self.rate.or_else(|| rate(kind));
            let data = sound.get("data").and_then(Value::as_str).unwrap_or_default();
            let bytes =
                STANDARD.decode(data).map_err(|_| self.service.protocol("sound that is no base64"))?;
            samples.extend(self.samples.read(&bytes));
        }
        Ok(samples)
    }
}

/// The rate in `audio/L16;codec=pcm;rate=24000`.
fn rate(kind: &str) -> Option<u32> {
    let rate = kind.split(';').find_map(|part| part.trim().strip_prefix("rate="))?;
    rate.parse().ok().filter(|rate| (8_000..=192_000).contains(rate))
}

impl Reading for Events {
    fn rate(&self) -> Option<u32> {
        Some(self.rate.unwrap_or(RATE))
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Vec<i16>, EngineError> {
        let mut samples = Vec::new();
        for byte in bytes {
            if *byte == b'\n' {
                samples.extend(self.line()?);
            } else {
                self.line.push(*byte);
            }
            if self.line.len() > EVENT_LIMIT {
                return Err(self.service.protocol("an event without end"));
            }
        }
        Ok(samples)
    }
}
