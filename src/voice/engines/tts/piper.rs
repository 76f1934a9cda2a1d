//! Piper's own HTTP server: text in, a WAV at the voice's rate out.

use reqwest::{Client, RequestBuilder};
use serde_json::json;

use super::super::http::Service;
use super::super::{Phrase, SynthesizerAbilities};
use super::stream::{HttpVoice, Reading, WavOrPlain};

/// What plain samples would come at: the rate of Piper's voices of medium quality.
const RATE: u32 = 22_050;

/// A Piper server.
#[derive(Debug)]
pub(in super::super) struct Piper {
    pub(in super::super) service: Service,
    pub(in super::super) http: Client,
    /// The whole address: older servers take text at `/`, newer ones at `/synthesize`.
    pub(in super::super) url: String,
    pub(in super::super) voice: Option<String>,
}

impl HttpVoice for Piper {
    fn service(&self) -> &Service {
        &self.service
    }

    fn http(&self) -> &Client {
        &self.http
    }

    fn base(&self) -> &str {
        &self.url
    }

    fn abilities(&self) -> SynthesizerAbilities {
        SynthesizerAbilities { word_times: false, streaming: false, directions: false }
    }

    fn request(&self, phrase: &Phrase) -> RequestBuilder {
        let mut body = json!({"text": phrase.text});
        if let Some(voice) = &self.voice {
            body["voice"] = voice.as_str().into();
        }
        self.http.post(&self.url).json(&body)
    }

    fn reading(&self) -> Box<dyn Reading> {
        Box::new(WavOrPlain::new(self.service.engine, RATE))
    }
}
