//! HTTP: one client, no hidden retries, status and error body kept, and nothing read beyond its bounds.
//!
//! The events of an answer are read as they are asked for, so whoever is slow to take them slows the server down instead
//! of filling the memory.

use std::time::{Duration, SystemTime};

use eventsource_stream::{EventStreamError, Eventsource as _};
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response};
use serde_json::Value;

use super::ModelError;
use super::endpoint::Endpoint;
use super::failure::{broke_off, from_reqwest, no_answer, refused, too_long, unreadable};
use crate::net::{Bounds, Cut, bounded, whole};

/// How long a TCP and TLS connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Bodies of refusals, and how long they may take once their status is known.
const REFUSAL: Bounds = Bounds { bytes: 1024 * 1024, time: Duration::from_secs(5) };

/// The most bytes of an answer on the wire. A token takes 300 to 600 of them with all that providers wrap around it.
pub(crate) const ANSWER_BYTES: u64 = 32 * 1024 * 1024;

/// A line of an event stream longer than this is none.
const LINE_BYTES: usize = 1024 * 1024;

/// The payloads of an answer; the last item is an error unless the server said that it is done.
pub(crate) type Payloads = BoxStream<'static, Result<Value, ModelError>>;

/// Makes ring the TLS provider of this process. Must have run before any HTTP or gateway client is built, because
/// two providers are compiled in and rustls refuses to guess (specs stack, trap 1). May be called repeatedly.
pub fn install_tls() {
    // An error says that a provider is installed already, which is all that is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// The HTTP client for one server.
///
/// # Errors
/// When the machine's certificate store cannot be read.
pub(crate) fn http_client(endpoint: &Endpoint) -> reqwest::Result<Client> {
    install_tls();
    let builder = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("familiar-connect/", env!("CARGO_PKG_VERSION")))
        // A redirect would carry the key elsewhere or turn the POST into a GET.
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    if endpoint.is_loopback() && endpoint.base_url().starts_with("http://") {
        builder.no_proxy().tls_certs_only([]).build()
    } else {
        builder.build()
    }
}

/// Sends a chat request and returns its payloads, which come in within `time` or end in an error. Dropping the future or
/// the stream closes the connection.
///
/// # Errors
/// When nobody answers, or not with an answer.
pub(crate) async fn ask(
    http: &Client,
    endpoint: &Endpoint,
    body: &Value,
    time: Duration,
) -> Result<Payloads, ModelError> {
    let request = http.post(endpoint.url("/chat/completions")).headers(endpoint.headers()).json(body);
    let response = request.send().await.map_err(|error| from_reqwest(&error, endpoint))?;
    payloads(response, endpoint, time).await
}

/// The payloads of what a server answered: those of an event stream, or one where it ignored `stream`.
pub(crate) async fn payloads(
    response: Response,
    endpoint: &Endpoint,
    time: Duration,
) -> Result<Payloads, ModelError> {
    let status = response.status();
    if !status.is_success() {
        let retry_after = retry_after(response.headers(), SystemTime::now());
        let (body, _) = whole(response.bytes_stream(), REFUSAL).await;
        // Whatever arrived is more use than nothing.
        let body = String::from_utf8_lossy(&body);
        return Err(refused(status.as_u16(), retry_after, &body, endpoint));
    }
    let bounds = Bounds { bytes: ANSWER_BYTES, time };
    let is_whole = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kind| kind.starts_with("application/json") || kind.starts_with("text/html"));
    if is_whole {
        let (body, end) = whole(response.bytes_stream(), bounds).await;
        end.map_err(|cut| cut_off(cut, endpoint))?;
        return match serde_json::from_slice(&body) {
            Ok(answer) => Ok(stream::iter([Ok(answer)]).boxed()),
            Err(_) => Err(no_answer(&String::from_utf8_lossy(&body), endpoint)),
        };
    }
    Ok(events(response, endpoint.clone(), bounds))
}

/// The payloads of an event stream. A server that dies or a proxy that gives up in the middle of an answer may close the
/// connection in good order, so an end without `[DONE]` is a failure.
fn events(response: Response, endpoint: Endpoint, bounds: Bounds) -> Payloads {
    let mut unended = 0;
    // A line is read from its beginning with every piece of it.
    let pieces = bounded(response.bytes_stream(), bounds).map(move |piece| {
        let piece = piece?;
        unended = match piece.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => piece.len() - end,
            None => unended + piece.len(),
        };
        if unended > LINE_BYTES { Err(Cut::TooMuch(LINE_BYTES as u64)) } else { Ok(piece) }
    });
    let begun = Some(pieces.eventsource());
    stream::unfold(begun, move |events| {
        let endpoint = endpoint.clone();
        async move {
            let mut events = events?;
            let error = match events.next().await {
                Some(Ok(event)) if event.data == "[DONE]" => return None,
                Some(Ok(event)) => match serde_json::from_str(&event.data) {
                    Ok(payload) => return Some((Ok(payload), Some(events))),
                    Err(error) => unreadable(&error, &endpoint),
                },
                Some(Err(EventStreamError::Transport(cut))) => cut_off(cut, &endpoint),
                Some(Err(error)) => broke_off(&error.to_string(), &endpoint),
                None => broke_off("it ended before it was done", &endpoint),
            };
            Some((Err(error), None))
        }
    })
    .boxed()
}

fn cut_off(cut: Cut<reqwest::Error>, endpoint: &Endpoint) -> ModelError {
    match cut {
        Cut::Broken(error) => broke_off(&super::failure::innermost(&error), endpoint),
        cut => too_long(&cut, endpoint),
    }
}

/// Seconds or an HTTP date (RFC 9110, 10.2.3).
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?;
    let now = jiff::Timestamp::try_from(now).ok()?;
    Some(Duration::try_from(date.timestamp().duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn retry_after_reads_seconds_and_dates() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600); // 2026-01-01T00:00:00Z
        let read = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
            retry_after(&headers, now)
        };
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(read("Thu, 01 Jan 2026 00:00:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(read("Thu, 01 Jan 2015 00:00:30 GMT"), Some(Duration::ZERO));
        for nonsense in ["-3", "soon", "NaN", "1e300"] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }
}
