//! HTTP under async-openai: one client, no hidden retries, status and error body kept.
//!
//! async-openai reads an error's `code` as text; OpenRouter sends a number, and the HTTP status is lost with it
//! (specs stack 1.4). Its middleware seam lets this module look at every response first: an answer that is not a
//! stream leaves as [`Unstreamed`], whole, before async-openai would try to read it.

use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Body, Client, Response};

use super::endpoint::Endpoint;

/// How long a TCP and TLS connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest wait for the rest of an error's body once its status is known.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// Error bodies and unstreamed answers are read up to this many bytes.
const BODY_LIMIT: usize = 1024 * 1024;

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

/// An answer that is not an event stream.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unstreamed {
    /// A refusal.
    #[error("HTTP {status}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// From the header of that name.
        retry_after: Option<Duration>,
        /// As sent, up to a limit.
        body: String,
    },
    /// A success in one piece: the server ignores `stream`, or is no model's server at all.
    #[error("an answer in one piece")]
    Whole(String),
}

/// The tower service that async-openai sends its requests through.
#[derive(Debug, Clone)]
pub(crate) struct Wire(pub(crate) Client);

impl tower_service::Service<HttpRequestFactory> for Wire {
    type Response = Response;
    type Error = OpenAIError;
    type Future = BoxFuture<'static, Result<Response, OpenAIError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequestFactory) -> Self::Future {
        let client = self.0.clone();
        Box::pin(async move {
            let request = request.build().await?;
            let response = client.execute(request).await.map_err(OpenAIError::Reqwest)?;
            only_streams(response).await
        })
    }
}

/// Lets event streams through and turns everything else into [`Unstreamed`].
pub(crate) async fn only_streams(response: Response) -> Result<Response, OpenAIError> {
    let status = response.status();
    let is_whole = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kind| kind.starts_with("application/json") || kind.starts_with("text/html"));
    if status.is_success() && !is_whole {
        return Ok(broken_unless_done(response));
    }
    let retry_after = retry_after(response.headers(), SystemTime::now());
    let body = read_limited(response, BODY_LIMIT, BODY_TIMEOUT).await;
    let answer = if status.is_success() {
        Unstreamed::Whole(body)
    } else {
        Unstreamed::Refused { status: status.as_u16(), retry_after, body }
    };
    Err(OpenAIError::Boxed(Box::new(answer)))
}

/// A stream whose end is a failure. Nobody reads as far who has read `[DONE]`: a server that dies or a proxy that gives up
/// in the middle of an answer may close the connection in good order.
fn broken_unless_done(response: Response) -> Response {
    let mut same = http::Response::new(());
    *same.status_mut() = response.status();
    response.headers().clone_into(same.headers_mut());
    let cut = std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "it ended before it was done");
    let body = response.bytes_stream().map_err(std::io::Error::other).chain(stream::once(async { Err(cut) }));
    same.map(|()| Body::wrap_stream(body)).into()
}

/// The body as text, up to a limit and a deadline; what came until then counts.
pub(crate) async fn read_limited(mut response: Response, limit: usize, deadline: Duration) -> String {
    let mut bytes = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            let room = limit.saturating_sub(bytes.len());
            bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if bytes.len() == limit {
                break;
            }
        }
    };
    // Whatever arrived before the deadline is more use than nothing.
    let _ = tokio::time::timeout(deadline, read).await;
    String::from_utf8_lossy(&bytes).into_owned()
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
