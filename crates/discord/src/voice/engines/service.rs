//! A speech service: its name, its key, what it answers over HTTP, and what its refusals mean.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::HeaderValue;
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::EngineError;
use crate::net::{Bounds, ReadCut, innermost, is_on_this_machine, retry_after, whole_body};
use crate::text::short::{one_line, shortened};

/// A service's own words are kept up to this many characters.
const SAID_CHARS: usize = 240;
/// Bodies of refusals, and how long they may take once their status is known.
const REFUSAL: Bounds = Bounds { bytes: 64 * 1024, time: Duration::from_secs(2) };
/// The longest text that is taken for what was said in an utterance, word for word with its times.
const TEXT_BYTES: u64 = 4 * 1024 * 1024;

/// One service: its name for people, and the key that never shows.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    pub engine: &'static str,
    pub key: SecretString,
}

impl Service {
    pub(super) fn new(engine: &'static str, key: Option<&SecretString>) -> Self {
        Self { engine, key: key.cloned().unwrap_or_default() }
    }

    /// The request with the key, where there is one.
    pub(super) fn bearer(&self, request: RequestBuilder) -> RequestBuilder {
        let key = self.key.expose_secret();
        if key.is_empty() { request } else { request.bearer_auth(key) }
    }

    /// The key as a header that no log shows; empty where it holds what no header may.
    pub(super) fn key_header(&self) -> HeaderValue {
        let mut key =
            HeaderValue::from_str(self.key.expose_secret()).unwrap_or_else(|_| HeaderValue::from_static(""));
        key.set_sensitive(true);
        key
    }

    /// Words fit to be shown: one line, not long, without the key.
    pub(super) fn shown(&self, words: &str) -> String {
        let key = self.key.expose_secret();
        let words = if key.is_empty() { words.to_owned() } else { words.replace(key, "[key]") };
        shortened(&one_line(&words), SAID_CHARS)
    }

    pub(super) fn unreachable(&self, said: &str) -> EngineError {
        EngineError::Unreachable { engine: self.engine, said: self.shown(said) }
    }

    pub(super) fn protocol(&self, said: &str) -> EngineError {
        EngineError::Protocol { engine: self.engine, said: self.shown(said) }
    }

    /// `said` is in words of ours.
    pub(super) fn unsupported(&self, said: impl Into<String>) -> EngineError {
        EngineError::Unsupported { engine: self.engine, said: said.into() }
    }

    pub(super) fn stalled(&self, waited: Duration) -> EngineError {
        EngineError::Stalled { engine: self.engine, waited }
    }

    /// Sends a request and waits for the head of the answer, at most so long.
    ///
    /// # Errors
    /// When there is no answer in time, or it is a refusal.
    pub(super) async fn send(
        &self,
        request: RequestBuilder,
        patience: Duration,
    ) -> Result<Response, EngineError> {
        let answer = tokio::time::timeout(patience, request.send()).await;
        let response = answer.map_err(|_| self.stalled(patience))?.map_err(|error| self.broken(&error))?;
        if response.status().is_success() { Ok(response) } else { Err(self.refusal(response).await) }
    }

    /// What a failed connection says.
    pub(super) fn broken(&self, error: &reqwest::Error) -> EngineError {
        self.unreachable(&innermost(error))
    }

    async fn refusal(&self, response: Response) -> EngineError {
        let (status, headers) = (response.status(), response.headers().clone());
        // What came until then is more use than nothing.
        let (body, _) = whole_body(response.bytes_stream(), REFUSAL).await;
        self.refused(
            status.as_u16(),
            retry_after(&headers, jiff::Timestamp::now()),
            &String::from_utf8_lossy(&body),
        )
    }

    /// Sends a request and reads the text that it is answered with, at most so long.
    ///
    /// # Errors
    /// As [`Self::send`], and when the answer is no text, too long, or not all of it comes in time.
    pub(super) async fn text(
        &self,
        request: RequestBuilder,
        patience: Duration,
    ) -> Result<String, EngineError> {
        let begun = tokio::time::Instant::now();
        let response = self.send(request, patience).await?;
        let time = patience.saturating_sub(begun.elapsed());
        let (body, end) = whole_body(response.bytes_stream(), Bounds { bytes: TEXT_BYTES, time }).await;
        end.map_err(|cut| match cut {
            ReadCut::TooMuch(_) => self.protocol(&format!("an answer without end: {cut}")),
            ReadCut::TooLong(_) => self.stalled(patience),
            ReadCut::Broken(error) => self.broken(&error),
        })?;
        String::from_utf8(body).map_err(|_| self.protocol("an answer that is no text"))
    }

    /// The meaning of a refusal, by its status and its words.
    pub(super) fn refused(&self, status: u16, retry_after: Option<Duration>, body: &str) -> EngineError {
        let engine = self.engine;
        let told = body_words(body);
        let named = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let said = match (told.is_empty(), named) {
            (false, _) => self.shown(&told),
            (true, Some(name)) => format!("{status} {name}"),
            (true, None) => status.to_string(),
        };
        let retry_after = retry_after.or_else(|| retry_delay(body));
        match (status, about(&told, body)) {
            (402, _) | (400 | 401 | 403, About::Money) => EngineError::OutOfQuota { engine, said },
            // Google words its rates as a quota, and says when to come back.
            (429, About::Money) if retry_after.is_none() => EngineError::OutOfQuota { engine, said },
            (429, _) => EngineError::RateLimited { engine, retry_after, said },
            (401 | 403, _) | (400, About::Key) => EngineError::Refused { engine, said },
            (408 | 500.., _) => EngineError::Unreachable { engine, said },
            _ => EngineError::Unsupported { engine, said },
        }
    }

    /// Reads what was sent as JSON; `what` names it.
    pub(super) fn json(&self, text: &str, what: &str) -> Result<Value, EngineError> {
        serde_json::from_str(text).map_err(|_| self.protocol(&format!("{what} that is no JSON")))
    }

    /// Reads sound that was sent in JSON.
    pub(super) fn sound(&self, data: &str) -> Result<Vec<u8>, EngineError> {
        STANDARD.decode(data).map_err(|_| self.protocol("sound that is no base64"))
    }

    /// What an answer refuses that came with a good status: some say 200 before they know, and then what happened inside.
    pub(super) fn refusal_in(&self, answer: &Value, body: &str) -> Option<EngineError> {
        let status =
            answer.pointer("/error/code").and_then(Value::as_u64).and_then(|code| code.try_into().ok());
        let said = answer.pointer("/error/message").or_else(|| answer.get("error")).and_then(Value::as_str);
        match status {
            Some(status) => Some(self.refused(status, None, body)),
            None => said.map(|said| self.complaint(said)),
        }
    }

    /// The meaning of words that came without a status, over a socket.
    pub(super) fn complaint(&self, words: &str) -> EngineError {
        let (engine, said) = (self.engine, self.shown(words));
        match about(words, "") {
            About::Money => EngineError::OutOfQuota { engine, said },
            About::Key => EngineError::Refused { engine, said },
            About::Rate => EngineError::RateLimited { engine, retry_after: None, said },
            About::Anything => EngineError::Protocol { engine, said },
        }
    }
}

/// What a refusal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Money,
    Key,
    Rate,
    Anything,
}

fn about(told: &str, body: &str) -> About {
    let words = format!("{told} {body}").to_lowercase();
    let says = |cues: &[&str]| cues.iter().any(|cue| words.contains(cue));
    if says(&["quota", "credit", "payment", "billing", "insufficient balance", "insufficient_balance"]) {
        About::Money
    } else if says(&["api key", "api_key", "apikey", "unauthorized", "invalid_auth", "invalid credentials"]) {
        About::Key
    } else if says(&["rate limit", "rate_limit", "too many", "too_many", "concurren"]) {
        About::Rate
    } else {
        About::Anything
    }
}

/// What a message says in one place; nothing where it says none.
pub(super) fn word_at<'a>(message: &'a Value, place: &str) -> &'a str {
    message.pointer(place).and_then(Value::as_str).unwrap_or_default()
}

/// What a message says in several places, together.
pub(super) fn words_at(message: &Value, places: &[&str]) -> String {
    let words: Vec<&str> = places.iter().map(|place| word_at(message, place)).collect();
    words.join(" ").trim().to_owned()
}

/// The words in a body: the known shapes of the services, else the text itself where it is no page.
fn body_words(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        let page = body.trim_start().starts_with('<');
        return if page { String::new() } else { body.trim().to_owned() };
    };
    // Google wraps a streamed refusal in a list.
    let value = value.get(0).unwrap_or(&value);
    let places = ["/error/message", "/detail/message", "/err_msg", "/message", "/error", "/detail", "/title"];
    let found = places.iter().find_map(|place| value.pointer(place).and_then(Value::as_str));
    found.map_or_else(|| value.to_string(), str::to_owned)
}

/// Google's `RetryInfo`: `"retryDelay": "17s"`.
fn retry_delay(body: &str) -> Option<Duration> {
    let rest = body.split("\"retryDelay\"").nth(1)?;
    let value = rest.split('"').nth(1)?;
    Duration::try_from_secs_f64(value.strip_suffix('s')?.parse().ok()?).ok()
}

/// Whether an address is on this machine.
pub(crate) fn is_local(base: &str) -> bool {
    Url::parse(base).is_ok_and(|url| is_on_this_machine(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, body: &str) -> EngineError {
        Service::new("Test", Some(&SecretString::from("sk-very-secret"))).refused(status, None, body)
    }

    #[test]
    fn refusals_are_told_apart_by_status_and_words() {
        assert!(matches!(refused(401, ""), EngineError::Refused { said, .. } if said == "401 Unauthorized"));
        let quota = r#"{"detail":{"status":"quota_exceeded","message":"This request exceeds your quota."}}"#;
        assert!(matches!(refused(401, quota), EngineError::OutOfQuota { .. }));
        let paid = r#"{"err_code":"ASR_PAYMENT_REQUIRED","err_msg":"Project does not have enough credits."}"#;
        assert!(
            matches!(refused(402, paid), EngineError::OutOfQuota { said, .. } if said.contains("enough"))
        );
        let google = r#"[{"error":{"code":429,"message":"You exceeded your current quota","details":[{"@type":
            "type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}]"#;
        let wait = Some(Duration::from_secs(17));
        assert!(
            matches!(refused(429, google), EngineError::RateLimited { retry_after, .. } if retry_after == wait)
        );
        let openai = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
        assert!(matches!(refused(429, openai), EngineError::OutOfQuota { .. }));
        let bad_key = r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}"#;
        assert!(matches!(refused(400, bad_key), EngineError::Refused { .. }));
        assert!(matches!(refused(404, r#"{"error":"no such model"}"#), EngineError::Unsupported { .. }));
        assert!(matches!(refused(503, "<html>busy</html>"), EngineError::Unreachable { said, .. }
            if said == "503 Service Unavailable"));
    }

    #[test]
    fn a_key_that_is_repeated_back_is_masked_and_words_stay_short() {
        let error = refused(401, r#"{"error":{"message":"Incorrect API key provided: sk-very-secret"}}"#);
        assert!(error.to_string().contains("[key]") && !error.to_string().contains("sk-very"), "{error}");
        let long = refused(418, &"words\n".repeat(500)).to_string();
        assert!(long.chars().count() < 300 && !long.contains('\n'), "{long}");
    }
}
