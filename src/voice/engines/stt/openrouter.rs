//! OpenRouter's transcription: the address of OpenAI's, but JSON with the sound inside, and the cost in the answer.

use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Client;
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::super::http::Service;
use super::super::{EngineError, TranscriptionHints};
use super::batch::{BatchService, Understood};
use super::openai::understood;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// OpenRouter.
#[derive(Debug)]
pub(in super::super) struct OpenRouter {
    pub(in super::super) service: Service,
    pub(in super::super) http: Client,
    /// Up to and without `/audio/transcriptions`.
    pub(in super::super) base: String,
    pub(in super::super) model: String,
    pub(in super::super) language: Option<String>,
}

#[async_trait]
impl BatchService for OpenRouter {
    fn service(&self) -> &Service {
        &self.service
    }

    fn times_words(&self) -> bool {
        false
    }

    async fn transcribe(&self, wav: Vec<u8>, hints: &TranscriptionHints) -> Result<Understood, EngineError> {
        let mut body = json!({
            "model": self.model,
            "input_audio": {"data": STANDARD.encode(wav), "format": "wav"},
        });
        if let Some(language) = hints.language_or(&self.language) {
            body["language"] = language.into();
        }
        let url = format!("{}/audio/transcriptions", self.base.trim_end_matches('/'));
        let request = self.http.post(url).bearer_auth(self.service.key.expose_secret()).json(&body);
        let body = self.service.text(request, PATIENCE).await?;
        understood(&self.service, &body)
    }
}
