//! Deepgram's Flux, `/v2/listen`: transcription that also tells when a turn begins and ends.

use async_trait::async_trait;
use serde_json::Value;

use super::super::http::Service;
use super::super::pcm::to_bytes;
use super::super::socket::{Dial, Link, Out, address};
use super::super::{EngineError, TranscriberAbilities, TranscriptEvent, TranscriptionHints};
use super::deepgram::{authorization, samples};
use super::live::{Heard, LiveService, LiveSession};
use super::{keyterms, words};
use crate::voice::frame::RATE;

/// How sure Flux is that a turn is over before it says so (specs voice 2.2).
const END_OF_TURN: &str = "0.7";
/// How sure it is before it says "perhaps": replies may be thought of from then on.
const EAGER_END_OF_TURN: &str = "0.5";
/// After so much silence a turn is over in any case.
const END_OF_TURN_TIMEOUT_MS: &str = "3000";
/// How the names of models end that know more than English.
const EVERY_LANGUAGE: &str = "-multi";

/// Deepgram, by its `/v2` interface.
#[derive(Debug)]
pub(in super::super) struct Flux {
    pub(in super::super) service: Service,
    pub(in super::super) base: String,
    pub(in super::super) model: String,
    pub(in super::super) language: Option<String>,
}

#[async_trait]
impl LiveService for Flux {
    fn service(&self) -> &Service {
        &self.service
    }

    fn abilities(&self) -> TranscriberAbilities {
        TranscriberAbilities { partials: true, ends_turns: true, words: true, streaming: true }
    }

    fn takes_all_for(&self) -> Option<&'static str> {
        let is_english =
            |language: &String| language.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("en"));
        let knows_all = self.model.ends_with(EVERY_LANGUAGE);
        (!knows_all && !self.language.as_ref().is_some_and(is_english)).then_some("English")
    }

    async fn dial(&self, hints: &TranscriptionHints) -> Result<Link, EngineError> {
        let rate = RATE.to_string();
        let mut query = vec![
            ("model", self.model.as_str()),
            ("encoding", "linear16"),
            ("sample_rate", &rate),
            ("eot_threshold", END_OF_TURN),
            ("eager_eot_threshold", EAGER_END_OF_TURN),
            ("eot_timeout_ms", END_OF_TURN_TIMEOUT_MS),
        ];
        // The English model takes no hint.
        if self.model.ends_with(EVERY_LANGUAGE) {
            query.extend(hints.language_or(&self.language).map(|language| ("language_hint", language)));
        }
        query.extend(keyterms(&hints.keyterms).into_iter().map(|term| ("keyterm", term)));
        let url = address(self.service.engine, &self.base, "/v2/listen", &query)?;
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

impl LiveSession for Session {
    fn audio(&mut self, samples: &[i16]) -> Out {
        Out::Binary(to_bytes(samples))
    }

    fn finalize(&mut self) -> Option<Out> {
        // Ignored where no turn is in progress; then there is nothing to say, either.
        Some(Out::Text(r#"{"type":"ForceEndTurn"}"#.to_owned()))
    }

    fn closing(&mut self) -> Option<Out> {
        Some(Out::Text(r#"{"type":"CloseStream"}"#.to_owned()))
    }

    fn read(&mut self, message: &str) -> Vec<Heard> {
        let Ok(value) = serde_json::from_str::<Value>(message) else {
            return vec![Heard::Broken(self.service.protocol("a message that is no JSON"))];
        };
        match value.get("type").and_then(Value::as_str) {
            Some("TurnInfo") => turn_info(&value),
            Some("Error") => {
                let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
                let said = format!("{} {}", word("code"), word("description"));
                vec![Heard::Broken(self.service.complaint(&said))]
            }
            // "Connected", "ConfigureSuccess", and what may be added.
            _ => Vec::new(),
        }
    }
}

fn turn_info(value: &Value) -> Vec<Heard> {
    let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let text = word("transcript").trim().to_owned();
    let here = value.get("audio_window_end").and_then(Value::as_f64).and_then(samples);
    let settled = here.map(Heard::SettledTo);
    let event = Heard::Event;
    match word("event") {
        // Between turns nothing is pending, and what was heard is silence.
        "Update" if text.is_empty() => settled.into_iter().collect(),
        "Update" => vec![event(TranscriptEvent::Partial { text })],
        "StartOfTurn" => {
            vec![event(TranscriptEvent::StartOfTurn), event(TranscriptEvent::Partial { text })]
        }
        "EagerEndOfTurn" => vec![event(TranscriptEvent::EagerEndOfTurn { text })],
        "TurnResumed" => vec![event(TranscriptEvent::TurnResumed), event(TranscriptEvent::Partial { text })],
        // The answer to "ForceEndTurn".
        "EndOfTurn" if word("trigger") == "manual" => {
            let words = words(value.get("words"));
            let said = event(TranscriptEvent::Final { text, words, finalized: true });
            [Heard::SettledAtFinalize, said].into()
        }
        "EndOfTurn" => settled.into_iter().chain([event(TranscriptEvent::EndOfTurn { text })]).collect(),
        _ => Vec::new(),
    }
}
