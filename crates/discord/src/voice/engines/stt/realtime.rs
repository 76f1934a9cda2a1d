//! OpenAI's realtime transcription over a websocket; speaches and other local servers speak it, too.

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::live::{LiveService, LiveSession, RecogniserMessage};
use super::name_prompt;
use crate::voice::engines::pcm::{ToTwentyFour, to_bytes};
use crate::voice::engines::service::{Service, is_local, word_at, words_at};
use crate::voice::engines::socket::{Link, Out, dial};
use crate::voice::engines::{EngineError, TranscriberAbilities, TranscriptEvent, TranscriptionHints};

/// A server with OpenAI's realtime interface.
#[derive(Debug)]
pub(crate) struct Realtime {
    pub service: Service,
    /// Up to and without `/realtime`.
    pub base: String,
    pub model: String,
    pub language: Option<String>,
}

/// Whether a model tells words while they are spoken. OpenAI's others begin once all of it was handed in (its guide
/// "Realtime transcription"), and so do the Whisper models of local servers.
pub(crate) fn streams(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let begins_late = ["gpt-4o", "gpt-transcribe", "whisper", "faster-whisper", "distil-whisper"];
    !begins_late.iter().any(|begins| name.starts_with(begins))
}

#[async_trait]
impl LiveService for Realtime {
    fn service(&self) -> &Service {
        &self.service
    }

    fn abilities(&self) -> TranscriberAbilities {
        let partials = streams(&self.model);
        TranscriberAbilities { partials, ends_turns: false, streaming: true }
    }

    fn is_here(&self) -> bool {
        is_local(&self.base)
    }

    async fn dial(&self, _: &TranscriptionHints) -> Result<Link, EngineError> {
        let mut query = vec![("intent", "transcription")];
        // OpenAI wants the model in the session only; local servers choose it by the address.
        if !self.base.contains("api.openai.com") {
            query.push(("model", self.model.as_str()));
        }
        let key = self.service.key.expose_secret();
        let bearer = format!("Bearer {key}");
        let header = [("authorization", bearer.as_str())];
        let headers: &[(&str, &str)] = if key.is_empty() { &[] } else { &header };
        dial(&self.service, &self.base, "/realtime", &query, headers).await
    }

    fn session(&self, hints: &TranscriptionHints) -> Box<dyn LiveSession> {
        let mut transcription = json!({"model": self.model});
        if let Some(language) = &self.language {
            transcription["language"] = language.as_str().into();
        }
        if let Some(prompt) = name_prompt(&hints.keyterms) {
            transcription["prompt"] = prompt.into();
        }
        Box::new(RealtimeSession::new(self.service.clone(), transcription))
    }
}

pub(crate) struct RealtimeSession {
    service: Service,
    transcription: Value,
    rate: ToTwentyFour,
    /// The deltas of the item that is being written.
    said: String,
}

impl LiveSession for RealtimeSession {
    fn opening(&mut self) -> Option<Out> {
        let input = json!({
            "format": {"type": "audio/pcm", "rate": 24_000},
            "transcription": self.transcription,
            // When a turn is over is decided elsewhere.
            "turn_detection": null,
        });
        let update = json!({"type": "session.update", "session": {"type": "transcription", "audio": {"input": input}}});
        Some(Out::Text(update.to_string()))
    }

    fn audio(&mut self, samples: &[i16]) -> Out {
        let audio = STANDARD.encode(to_bytes(&self.rate.read(samples)));
        Out::Text(json!({"type": "input_audio_buffer.append", "audio": audio}).to_string())
    }

    fn finalize(&mut self) -> Option<Out> {
        Some(Out::Text(r#"{"type":"input_audio_buffer.commit"}"#.to_owned()))
    }

    fn read(&mut self, message: &Value) -> Vec<RecogniserMessage> {
        let finished = |text: &str| {
            let text = text.trim().to_owned();
            vec![
                RecogniserMessage::SettledAtFinalize,
                RecogniserMessage::Event(TranscriptEvent::Final { text, finalized: true }),
            ]
        };
        let complaint = || {
            let said = words_at(message, &["/error/code", "/error/message"]);
            vec![RecogniserMessage::Broken(self.service.complaint(&said))]
        };
        match word_at(message, "/type") {
            "conversation.item.input_audio_transcription.delta" => {
                self.said.push_str(word_at(message, "/delta"));
                vec![RecogniserMessage::Event(TranscriptEvent::Partial { text: self.said.trim().to_owned() })]
            }
            "conversation.item.input_audio_transcription.completed" => {
                self.said.clear();
                finished(word_at(message, "/transcript"))
            }
            "conversation.item.input_audio_transcription.failed" => {
                self.said.clear();
                complaint()
            }
            // Less than a tenth of a second: nothing was said.
            "error" if word_at(message, "/error/code") == "input_audio_buffer_commit_empty" => finished(""),
            "error" => complaint(),
            _ => Vec::new(),
        }
    }
}

impl RealtimeSession {
    pub(crate) fn new(service: Service, transcription: Value) -> Self {
        Self { service, transcription, rate: ToTwentyFour::default(), said: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_words_come_while_they_are_spoken_is_known_of_the_model() {
        for model in ["gpt-realtime-whisper", "gpt-live-transcribe", "nvidia/parakeet-rnnt-streaming"] {
            assert!(streams(model), "{model}");
        }
        for model in
            ["gpt-4o-mini-transcribe", "gpt-4o-transcribe", "whisper-1", "Systran/faster-whisper-small"]
        {
            assert!(!streams(model), "{model}");
        }
    }
}
