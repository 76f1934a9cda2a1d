//! What went wrong: from statuses, error bodies and broken connections to a [`ModelError`].

use std::time::Duration;

use serde_json::Value;

use super::endpoint::{Endpoint, other_host};
use super::window::named_window;
use super::{ModelError, SamplingRefusal};
use crate::domain::{KeyFor, ModelErrorClass};
use crate::net::{ReadCut, innermost};
use crate::text::short::shortened;

/// The provider's words are kept up to this many characters.
const WORDS_CHARS: usize = 400;

/// An error object as providers send it, in a body or inside a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApiErrorObject {
    /// `code`, where it is a number or reads as one.
    pub(crate) status: Option<u16>,
    /// `code` or `type`, where it is a word.
    pub(crate) code: String,
    /// `message`, with the upstream provider's own words where they are given.
    pub(crate) message: String,
    /// `n_ctx`, where llama.cpp says what it was started with.
    pub(crate) window: Option<u32>,
}

impl ApiErrorObject {
    /// Reads `{"error": {…}}` or `{"error": "words"}`.
    pub(crate) fn in_field(value: &Value) -> Option<Self> {
        match value.get("error")? {
            Value::Null => None,
            Value::String(words) => Some(Self { message: words.clone(), ..Self::default() }),
            error => Some(Self::from_object(error)),
        }
    }

    /// Reads the same, or `{"detail": …}` or `{"message": …}`.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        Self::in_field(value).or_else(|| {
            let words = value.get("message").or_else(|| value.get("detail"))?;
            let message = words.as_str().map_or_else(|| words.to_string(), str::to_owned);
            Some(Self { message, ..Self::default() })
        })
    }

    fn from_object(error: &Value) -> Self {
        let code = error.get("code");
        let status = match code {
            Some(Value::Number(number)) => number.as_u64().and_then(|n| u16::try_from(n).ok()),
            Some(Value::String(text)) => text.parse().ok(),
            _ => None,
        };
        let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
        let code = if status.is_some() || word("code").is_empty() { word("type") } else { word("code") };
        let mut message = error.get("message").map_or_else(
            || error.to_string(),
            |words| words.as_str().map_or_else(|| words.to_string(), str::to_owned),
        );
        if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str)
            && !message.contains(raw)
        {
            message = format!("{message}: {raw}");
        }
        let window = error.get("n_ctx").and_then(Value::as_u64).and_then(|tokens| u32::try_from(tokens).ok());
        Self { status, code: code.to_owned(), message, window }
    }

    /// The error that a person and the circuit breaker see. `status` is the HTTP one, where it says more than the
    /// body's code.
    pub(crate) fn into_model_error(self, status: Option<u16>, endpoint: &Endpoint) -> ModelError {
        let status = status.filter(|status| *status >= 300).or(self.status);
        let class = match classify_failure(status, &self.code, &self.message) {
            ModelErrorClass::Authentication if !endpoint.has_key() => ModelErrorClass::KeyMissing,
            class => class,
        };
        let words = foreign_line(&endpoint.redact(&self.message));
        let message = match status {
            Some(status) => format!("{} answered {status}: {words}", endpoint.host()),
            None => format!("{}: {words}", endpoint.host()),
        };
        // Nothing else that is refused so is helped by another shape: a key, a limit, a model that is not there.
        let refusal = matches!(class, ModelErrorClass::BadRequest | ModelErrorClass::Server)
            .then(|| SamplingRefusal::read(&self.message))
            .flatten();
        let window = (class == ModelErrorClass::ContextLength)
            .then(|| self.window.or_else(|| named_window(&self.message)))
            .flatten();
        let key_for = matches!(class, ModelErrorClass::Authentication | ModelErrorClass::KeyMissing)
            .then(|| other_host(endpoint.base_url()).map_or(KeyFor::OpenRouter, KeyFor::Other));
        ModelError { status, refusal, window, key_for, ..ModelError::new(class, message) }
    }
}

/// The class of a failure, from its status and its words (mechanisms, last section).
pub(crate) fn classify_failure(status: Option<u16>, code: &str, message: &str) -> ModelErrorClass {
    let words = format!("{code} {message}").to_lowercase();
    let says = |cues: &[&str]| cues.iter().any(|cue| words.contains(cue));
    let too_long = says(&[
        "context_length",
        "context length",
        "maximum context",
        "context window",
        "context size",
        "prompt is too long",
        "too many tokens",
    ]);
    let filtered = says(&["content_filter", "content filter", "moderation", "flagged", "content policy"]);
    let missing = says(&["model_not_found", "not a valid model", "no such model", "no endpoints found"])
        || says(&["model"]) && says(&["does not exist", "not found", "unknown model"]);
    let broke = says(&["insufficient_quota", "insufficient credit", "insufficient balance", "billing"]);
    match status {
        Some(402) => ModelErrorClass::Quota,
        Some(429) if broke => ModelErrorClass::Quota,
        Some(429) => ModelErrorClass::RateLimited,
        Some(401) => ModelErrorClass::Authentication,
        Some(403) if filtered => ModelErrorClass::ContentFilter,
        Some(403) if broke => ModelErrorClass::Quota,
        Some(403) => ModelErrorClass::Authentication,
        Some(404) => ModelErrorClass::ModelMissing,
        Some(408 | 504) => ModelErrorClass::Timeout,
        Some(413) => ModelErrorClass::ContextLength,
        Some(500..) => ModelErrorClass::Server,
        Some(400..) if too_long => ModelErrorClass::ContextLength,
        Some(400..) if missing => ModelErrorClass::ModelMissing,
        Some(400..) if filtered => ModelErrorClass::ContentFilter,
        Some(300..) => ModelErrorClass::BadRequest,
        None if says(&["rate_limit", "rate limit", "too many requests"]) => ModelErrorClass::RateLimited,
        None if too_long => ModelErrorClass::ContextLength,
        None if missing => ModelErrorClass::ModelMissing,
        None if filtered => ModelErrorClass::ContentFilter,
        None if broke => ModelErrorClass::Quota,
        _ => ModelErrorClass::Server,
    }
}

/// The error of a refused request.
pub(crate) fn refused_request(
    status: u16,
    retry_after: Option<Duration>,
    body: &str,
    endpoint: &Endpoint,
) -> ModelError {
    let said = serde_json::from_str::<Value>(body).ok().and_then(|value| ApiErrorObject::read(&value));
    let said = said
        .unwrap_or_else(|| ApiErrorObject { message: words_without_json(body), ..ApiErrorObject::default() });
    let mut error = said.into_model_error(Some(status), endpoint);
    error.status = Some(status);
    error.retry_after = retry_after;
    // Who does not even know what is asked of it; a server behind a proxy may be busy or away, and says so by its status.
    let knows_nothing = matches!(
        error.class,
        ModelErrorClass::ModelMissing
            | ModelErrorClass::Authentication
            | ModelErrorClass::KeyMissing
            | ModelErrorClass::BadRequest
    );
    if is_page(body) && knows_nothing {
        error.class = ModelErrorClass::WebPage;
    }
    if status == 404 && error.message.ends_with("404: ") {
        error.message.push_str("nothing is there; does llm.base_url end in /v1?");
    }
    error
}

/// A payload that is no JSON.
pub(crate) fn unreadable_payload(error: &serde_json::Error, endpoint: &Endpoint) -> ModelError {
    ModelError::new(ModelErrorClass::Malformed, format!("{} sent unreadable JSON: {error}", endpoint.host()))
}

/// An answer that ended before it was done.
pub(crate) fn broke_off(why: &str, endpoint: &Endpoint) -> ModelError {
    ModelError::new(
        ModelErrorClass::BrokeOff,
        format!("the stream from {} broke off: {}", endpoint.host(), foreign_line(why)),
    )
}

/// An answer that went beyond its bounds.
pub(crate) fn too_long<E>(cut: &ReadCut<E>, endpoint: &Endpoint) -> ModelError {
    let (class, words) = match cut {
        ReadCut::TooMuch(bytes) => (ModelErrorClass::Malformed, format!("within {} MiB", bytes >> 20)),
        ReadCut::TooLong(time) => (ModelErrorClass::Timeout, format!("within {time:?}")),
        ReadCut::Broken(_) => (ModelErrorClass::BrokeOff, "in good order".to_owned()),
    };
    ModelError::new(class, format!("the answer from {} did not end {words}", endpoint.host()))
}

/// A success whose body is no chat completion.
pub(crate) fn no_answer(body: &str, endpoint: &Endpoint) -> ModelError {
    let words = foreign_line(&endpoint.redact(&words_without_json(body)));
    ModelError::new(
        if is_page(body) { ModelErrorClass::WebPage } else { ModelErrorClass::Malformed },
        format!(
            "{} does not answer as an OpenAI-compatible server does: {words}; is llm.base_url right, up to /v1?",
            endpoint.host()
        ),
    )
}

/// A request that was not answered.
pub(crate) fn from_reqwest(error: &reqwest::Error, endpoint: &Endpoint) -> ModelError {
    let what = if error.is_connect() { "cannot reach" } else { "lost the connection to" };
    let class = if error.is_timeout() { ModelErrorClass::Timeout } else { ModelErrorClass::Network };
    ModelError::new(class, format!("{what} {}: {}", endpoint.base_url(), foreign_line(&innermost(error))))
}

/// Proxies, and servers of something else, send HTML.
pub(crate) fn is_page(body: &str) -> bool {
    body.trim_start().starts_with('<')
}

/// A body that is no JSON.
fn words_without_json(body: &str) -> String {
    if is_page(body) { "a web page instead of an answer".to_owned() } else { body.trim().to_owned() }
}

/// Foreign words on one line, shortened, with anything that looks like a key taken out.
pub(crate) fn foreign_line(words: &str) -> String {
    let is_key = |word: &str| {
        let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        bare.len() > 12 && (bare.starts_with("sk-") || bare.starts_with("sk_"))
    };
    let words = words.split_whitespace().map(|word| if is_key(word) { "[key]" } else { word });
    shortened(&words.collect::<Vec<_>>().join(" "), WORDS_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn endpoint() -> Endpoint {
        Endpoint::new("http://api.test/v1", None).unwrap()
    }

    #[test]
    fn a_prompt_that_is_too_long_is_told_with_what_would_fit() {
        let said = r#"{"error":{"message":"maximum context length is 4096 tokens","code":"context_length_exceeded"}}"#;
        assert_eq!(refused_request(400, None, said, &endpoint()).window, Some(4_096));
        let llama = r#"{"error":{"code":400,"message":"exceeds the context size","n_prompt_tokens":9000,"n_ctx":2048}}"#;
        assert_eq!(refused_request(400, None, llama, &endpoint()).window, Some(2_048));
    }

    fn class_of(status: u16, body: &str) -> ModelErrorClass {
        let endpoint = Endpoint::new("http://api.test/v1", Some("sk-test".to_owned().into())).unwrap();
        refused_request(status, None, body, &endpoint).class
    }

    #[test]
    fn a_key_that_is_refused_is_told_from_one_that_is_missing() {
        assert_eq!(class_of(401, ""), ModelErrorClass::Authentication);
        assert_eq!(refused_request(401, None, "", &endpoint()).class, ModelErrorClass::KeyMissing);
    }

    #[test]
    fn numeric_codes_keep_their_status() {
        let error = refused_request(
            429,
            Some(Duration::from_secs(3)),
            r#"{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"slow down"}}}"#,
            &endpoint(),
        );
        assert_eq!(error.class, ModelErrorClass::RateLimited);
        assert_eq!(error.status, Some(429));
        assert_eq!(error.retry_after, Some(Duration::from_secs(3)));
        assert_eq!(error.message, "api.test answered 429: Provider returned error: slow down");
    }

    #[test]
    fn statuses_and_words_give_classes() {
        use ModelErrorClass as C;
        let rows = [
            (400, r#"{"error":{"code":400,"message":"x/y is not a valid model ID"}}"#, C::ModelMissing),
            (400, r#"{"error":{"message":"Model m does not exist"}}"#, C::ModelMissing),
            (400, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#, C::ContextLength),
            (400, r#"{"error":{"message":"temperature out of range"}}"#, C::BadRequest),
            (401, r#"{"error":{"message":"No auth credentials found","code":401}}"#, C::Authentication),
            (402, r#"{"error":{"message":"Insufficient credits","code":402}}"#, C::Quota),
            (403, r#"{"error":{"message":"input was flagged","code":403}}"#, C::ContentFilter),
            (403, "{}", C::Authentication),
            (404, r#"{"error":"model 'm' not found, try pulling it first"}"#, C::ModelMissing),
            (408, "", C::Timeout),
            (413, "", C::ContextLength),
            (429, r#"{"error":{"code":"insufficient_quota","message":"quota"}}"#, C::Quota),
            (429, "", C::RateLimited),
            (500, "<html>oops</html>", C::Server),
            (404, "<html>not here</html>", C::WebPage),
            (403, "<html>who are you?</html>", C::WebPage),
            (402, "<html>pay</html>", C::Quota),
            (529, "overloaded", C::Server),
            (301, "", C::BadRequest),
        ];
        for (status, body, class) in rows {
            assert_eq!(class_of(status, body), class, "{status} {body}");
        }
    }

    #[test]
    fn errors_without_a_status_go_by_their_words() {
        let read =
            |value: Value| ApiErrorObject::read(&value).unwrap().into_model_error(None, &endpoint()).class;
        assert_eq!(read(json!({"error": {"message": "Rate limit exceeded"}})), ModelErrorClass::RateLimited);
        assert_eq!(
            read(json!({"error": {"code": "502", "message": "Bad gateway"}})),
            ModelErrorClass::Server
        );
        assert_eq!(read(json!({"error": {"message": "x"}})), ModelErrorClass::Server);
    }

    #[test]
    fn keys_and_pages_do_not_reach_the_operator() {
        let error = refused_request(
            401,
            None,
            r#"{"error":{"message":"Incorrect key: sk-abcdefghijklmnop."}}"#,
            &endpoint(),
        );
        assert!(error.message.contains("[key]") && !error.message.contains("abcdef"), "{}", error.message);
        assert!(refused_request(502, None, "<html><body>x", &endpoint()).message.contains("web page"));
        assert!(foreign_line(&"word ".repeat(500)).chars().count() <= WORDS_CHARS + 1);
    }
}
