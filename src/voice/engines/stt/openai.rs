//! OpenAI's transcription of files, `/audio/transcriptions`, and the many local servers that speak it: speaches,
//! faster-whisper-server, whisper.cpp (which has a path of its own).

use std::time::Duration;

use async_trait::async_trait;
use reqwest::Client;
use reqwest::multipart::{Form, Part};
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::super::choose::is_local;
use super::super::http::Service;
use super::super::{EngineError, TranscriptionHints};
use super::batch::{BatchService, Understood};
use super::{keyterms, words};

/// The longest wait for an answer; local models need a while for a long utterance.
const PATIENCE: Duration = Duration::from_secs(15);

/// A server with OpenAI's interface for files.
#[derive(Debug)]
pub(in super::super) struct OpenAiFiles {
    pub(in super::super) service: Service,
    pub(in super::super) http: Client,
    /// The whole address.
    pub(in super::super) url: String,
    pub(in super::super) model: String,
    pub(in super::super) language: Option<String>,
}

/// Names as a text that could have come before: Whisper then writes them so.
pub(super) fn prompt(terms: &[String]) -> Option<String> {
    let terms = keyterms(terms);
    if terms.is_empty() { None } else { Some(format!("{}.", terms.join(", "))) }
}

#[async_trait]
impl BatchService for OpenAiFiles {
    fn service(&self) -> &Service {
        &self.service
    }

    fn times_words(&self) -> bool {
        // OpenAI's newer models know only the short answer.
        !self.model.starts_with("gpt-")
    }

    fn is_here(&self) -> bool {
        is_local(&self.url)
    }

    async fn transcribe(&self, wav: Vec<u8>, hints: &TranscriptionHints) -> Result<Understood, EngineError> {
        let file = Part::bytes(wav).file_name("speech.wav").mime_str("audio/wav");
        let file = file.map_err(|error| self.service.broken(&error))?;
        let mut form = Form::new().part("file", file).text("model", self.model.clone());
        if let Some(language) = hints.language_or(&self.language) {
            form = form.text("language", language.to_owned());
        }
        form = if self.times_words() {
            form.text("response_format", "verbose_json").text("timestamp_granularities[]", "word")
        } else {
            form.text("response_format", "json")
        };
        if let Some(prompt) = prompt(&hints.keyterms) {
            form = form.text("prompt", prompt);
        }
        let mut request = self.http.post(&self.url).multipart(form);
        if self.service.has_key() {
            request = request.bearer_auth(self.service.key.expose_secret());
        }
        let body = self.service.text(request, PATIENCE).await?;
        understood(&self.service, &body)
    }
}

/// Reads the short and the long answer. whisper.cpp keeps words in segments, and may refuse with status 200.
pub(in super::super) fn understood(service: &Service, body: &str) -> Result<Understood, EngineError> {
    let no_json = || service.protocol("an answer that is no JSON");
    let value: Value = serde_json::from_str(body).map_err(|_| no_json())?;
    let Some(text) = value.get("text").and_then(Value::as_str) else {
        // OpenRouter says 200 before it knows, and then what happened inside.
        let status =
            value.pointer("/error/code").and_then(Value::as_u64).and_then(|code| code.try_into().ok());
        if let Some(status) = status {
            return Err(service.refused(status, None, body));
        }
        let said = value.pointer("/error/message").or_else(|| value.get("error")).and_then(Value::as_str);
        return Err(
            said.map_or_else(|| service.protocol("an answer without text"), |said| service.complaint(said))
        );
    };
    let mut timed = words(value.get("words"));
    if timed.is_empty() {
        let segments = value.get("segments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        timed = segments.iter().flat_map(|segment| words(segment.get("words"))).collect();
    }
    // What Whisper itself takes for silence is not what somebody said: it fills it with what subtitles end with.
    let segments = value.get("segments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let said: Vec<&Value> = segments.iter().filter(|segment| !is_doubtful(segment)).collect();
    if said.len() < segments.len() {
        let text: String = said.iter().filter_map(|segment| segment.get("text")?.as_str()).collect();
        let spans: Vec<(f64, f64)> = said
            .iter()
            .filter_map(|segment| Some((segment.get("start")?.as_f64()?, segment.get("end")?.as_f64()?)))
            .collect();
        timed.retain(|word| {
            spans.iter().any(|(start, end)| (*start..*end).contains(&word.start.as_secs_f64()))
        });
        return Ok(Understood { text: text.trim().to_owned(), words: timed, cost_usd: cost(&value) });
    }
    Ok(Understood { text: text.trim().to_owned(), words: timed, cost_usd: cost(&value) })
}

fn cost(value: &Value) -> Option<f64> {
    value.pointer("/usage/cost").and_then(Value::as_f64).filter(|cost| *cost >= 0.0)
}

/// More likely no speech than speech (Whisper's own bound), and this little sure of the words; speech is at -0.1 to -0.5.
const NO_SPEECH: f64 = 0.6;
const UNSURE: f64 = -0.5;
/// Hardly anything speaks for speech, however sure it is of the words.
const SURELY_NO_SPEECH: f64 = 0.9;

/// Whether a segment was made up over silence or noise.
fn is_doubtful(segment: &Value) -> bool {
    let number = |key: &str| segment.get(key).and_then(Value::as_f64);
    let no_speech = number("no_speech_prob").unwrap_or_default();
    let sure = number("avg_logprob").unwrap_or_default();
    no_speech > SURELY_NO_SPEECH || no_speech > NO_SPEECH && sure < UNSURE
}
