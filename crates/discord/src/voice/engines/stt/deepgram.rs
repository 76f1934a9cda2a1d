//! Deepgram's live transcription: `/v1/listen` (Nova models), and Flux, `/v2/listen`, which also tells when a turn begins
//! and ends.

use std::time::Duration;

use async_trait::async_trait;
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::live::{LiveService, LiveSession, RecogniserMessage};
use super::{keyterms, mean_confidence};
use crate::voice::engines::pcm::to_bytes;
use crate::voice::engines::service::{Service, word_at, words_at};
use crate::voice::engines::socket::{Link, Out, dial};
use crate::voice::engines::{EngineError, TranscriberAbilities, TranscriptEvent, TranscriptionHints};
use crate::voice::frame::RATE;

/// How the names of Flux models end that know more than English.
const EVERY_LANGUAGE: &str = "-multi";

#[derive(Debug)]
pub(crate) struct Deepgram {
    pub service: Service,
    pub base: String,
    pub model: String,
    pub language: Option<String>,
    pub is_flux: bool,
}

#[async_trait]
impl LiveService for Deepgram {
    fn service(&self) -> &Service {
        &self.service
    }

    fn abilities(&self) -> TranscriberAbilities {
        TranscriberAbilities { partials: true, ends_turns: self.is_flux, streaming: true }
    }

    fn takes_all_for(&self) -> Option<&'static str> {
        let is_english =
            |language: &String| language.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("en"));
        let knows_all = !self.is_flux || self.model.ends_with(EVERY_LANGUAGE);
        (!knows_all && !self.language.as_ref().is_some_and(is_english)).then_some("English")
    }

    async fn dial(&self, hints: &TranscriptionHints) -> Result<Link, EngineError> {
        let (rate, language) = (RATE.to_string(), self.language.as_deref());
        let mut query =
            vec![("model", self.model.as_str()), ("encoding", "linear16"), ("sample_rate", &rate)];
        let path = if self.is_flux {
            query.extend([
                // How sure it is that a turn is over before it says so (voice 2.2), and before it says "perhaps":
                // replies may be thought of from then on.
                ("eot_threshold", "0.7"),
                ("eager_eot_threshold", "0.5"),
                // After so much silence a turn is over in any case.
                ("eot_timeout_ms", "3000"),
            ]);
            // The English model takes no hint.
            if self.model.ends_with(EVERY_LANGUAGE) {
                query.extend(language.map(|language| ("language_hint", language)));
            }
            "/v2/listen"
        } else {
            query.extend([
                // Live, it tells languages apart only where it is asked for all of them.
                ("language", language.unwrap_or("multi")),
                ("channels", "1"),
                ("interim_results", "true"),
                ("smart_format", "true"),
                // Else it waits for more words before it writes a number.
                ("no_delay", "true"),
                // Pieces become final in pauses. Whether the turn is over is decided elsewhere.
                ("endpointing", "300"),
            ]);
            "/v1/listen"
        };
        // Older models call it "keywords" and refuse this.
        if self.is_flux || self.model.starts_with("nova-3") {
            query.extend(keyterms(&hints.keyterms).into_iter().map(|term| ("keyterm", term)));
        }
        let token = format!("Token {}", self.service.key.expose_secret());
        dial(&self.service, &self.base, path, &query, &[("authorization", token.as_str())]).await
    }

    fn session(&self, _: &TranscriptionHints) -> Box<dyn LiveSession> {
        Box::new(DeepgramSession { service: self.service.clone(), is_flux: self.is_flux })
    }
}

#[derive(Debug)]
pub(crate) struct DeepgramSession {
    pub service: Service,
    pub is_flux: bool,
}

fn control(kind: &str) -> Option<Out> {
    Some(Out::Text(format!(r#"{{"type":"{kind}"}}"#)))
}

impl LiveSession for DeepgramSession {
    fn audio(&mut self, samples: &[i16]) -> Out {
        Out::Binary(to_bytes(samples))
    }

    fn finalize(&mut self) -> Option<Out> {
        // Flux ignores it where no turn is in progress; then there is nothing to say, either.
        control(if self.is_flux { "ForceEndTurn" } else { "Finalize" })
    }

    fn keep_alive(&mut self) -> Option<Out> {
        if self.is_flux { None } else { control("KeepAlive") }
    }

    fn closing(&mut self) -> Option<Out> {
        control("CloseStream")
    }

    fn read(&mut self, message: &Value) -> Vec<RecogniserMessage> {
        match word_at(message, "/type") {
            "Results" => results(message),
            "TurnInfo" => turn_info(message),
            "Error" => {
                let said = words_at(message, &["/code", "/description", "/message"]);
                vec![RecogniserMessage::Broken(self.service.complaint(&said))]
            }
            // "Metadata", "SpeechStarted", "Connected", and what may be added.
            _ => Vec::new(),
        }
    }
}

fn results(value: &Value) -> Vec<RecogniserMessage> {
    let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or_default();
    let text = word_at(value, "/channel/alternatives/0/transcript").trim().to_owned();
    if !flag("is_final") {
        return vec![RecogniserMessage::Event(TranscriptEvent::Partial { text })];
    }
    let finalized = flag("from_finalize");
    let number = |key: &str| value.get(key).and_then(Value::as_f64);
    let end = number("start").zip(number("duration")).and_then(|(start, lasts)| samples(start + lasts));
    let settled = if finalized {
        Some(RecogniserMessage::SettledAtFinalize)
    } else {
        end.map(RecogniserMessage::SettledTo)
    };
    let sure = value.pointer("/channel/alternatives/0/confidence").and_then(Value::as_f64);
    let sure = TranscriptEvent::before_words(sure.filter(|_| !text.is_empty())).map(RecogniserMessage::Event);
    let words = RecogniserMessage::Event(TranscriptEvent::Final { text, finalized });
    [settled, sure, Some(words)].into_iter().flatten().collect()
}

fn turn_info(value: &Value) -> Vec<RecogniserMessage> {
    let text = word_at(value, "/transcript").trim().to_owned();
    let here = value.get("audio_window_end").and_then(Value::as_f64).and_then(samples);
    let settled = here.map(RecogniserMessage::SettledTo);
    let event = RecogniserMessage::Event;
    match word_at(value, "/event") {
        // Between turns nothing is pending, and what was heard is silence.
        "Update" if text.is_empty() => settled.into_iter().collect(),
        "Update" | "StartOfTurn" => vec![event(TranscriptEvent::Partial { text })],
        "EagerEndOfTurn" => vec![event(TranscriptEvent::EagerEndOfTurn { text })],
        "TurnResumed" => vec![event(TranscriptEvent::TurnResumed), event(TranscriptEvent::Partial { text })],
        // The answer to "ForceEndTurn".
        "EndOfTurn" if word_at(value, "/trigger") == "manual" => {
            let answer = event(TranscriptEvent::Final { text, finalized: true });
            let settled = RecogniserMessage::SettledAtFinalize;
            [Some(settled), sure_of_words(value), Some(answer)].into_iter().flatten().collect()
        }
        "EndOfTurn" => {
            let turn = event(TranscriptEvent::EndOfTurn { text });
            [settled, sure_of_words(value), Some(turn)].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// How sure it is of the words of a turn, taken together.
fn sure_of_words(value: &Value) -> Option<RecogniserMessage> {
    let words = value.get("words")?.as_array()?.iter();
    let sure = mean_confidence(words.filter_map(|word| word.get("confidence")?.as_f64()));
    TranscriptEvent::before_words(sure).map(RecogniserMessage::Event)
}

/// Seconds since the connection began, as samples.
fn samples(seconds: f64) -> Option<u64> {
    let micros = Duration::try_from_secs_f64(seconds).ok()?.as_micros();
    u64::try_from(micros * u128::from(RATE) / 1_000_000).ok()
}
