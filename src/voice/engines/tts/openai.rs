//! OpenAI's `/audio/speech`, and the servers that speak it: Kokoro-FastAPI, speaches, openedai-speech, OpenRouter.

use reqwest::{Client, RequestBuilder};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::super::http::Service;
use super::super::{Phrase, SynthesizerAbilities};
use super::stream::{HttpVoice, Reading, WavOrPlain};

/// A server with OpenAI's interface.
#[derive(Debug)]
pub(in super::super) struct OpenAiVoice {
    pub(in super::super) service: Service,
    pub(in super::super) http: Client,
    /// Up to and without `/audio/speech`.
    pub(in super::super) base: String,
    pub(in super::super) model: String,
    pub(in super::super) voice: String,
    /// What its plain samples come at; servers do not say.
    pub(in super::super) rate: u32,
}

impl HttpVoice for OpenAiVoice {
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
        let mut body = json!({
            "model": self.model,
            "input": phrase.text,
            "voice": self.voice,
            "response_format": "pcm",
            "stream": true,
        });
        // OpenAI streams plain sound by itself and refuses fields that it does not know.
        if self.base.contains("api.openai.com")
            && let Some(fields) = body.as_object_mut()
        {
            fields.remove("stream");
        }
        if let Some(direction) = &phrase.direction {
            body["instructions"] = direction.as_str().into();
        }
        let request = self.http.post(format!("{}/audio/speech", self.base.trim_end_matches('/'))).json(&body);
        if self.service.has_key() { request.bearer_auth(self.service.key.expose_secret()) } else { request }
    }

    fn reading(&self) -> Box<dyn Reading> {
        Box::new(WavOrPlain::new(self.service.engine, self.rate))
    }
}
