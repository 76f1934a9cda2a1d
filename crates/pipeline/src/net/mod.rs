//! Asking others over a network: what they send is read within bounds, and who failed is left alone for a while.
//!
//! Owns the two bounds that every answer has, one of bytes and one of time: neither a server that never stops nor one
//! that drips a byte at a time holds anybody up; the one circuit breaker of the house, for models, voices, recognisers and
//! jobs; what all clients have in common; and the way to addresses that somebody else chose. Must not know what is read, or
//! from whom. Start reading at [`Bounds`], [`CircuitBreaker`] and [`Outside`].

mod addresses;
mod outside;

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::ops::Add;
use std::sync::LazyLock;
use std::time::Duration;

use futures::stream::{BoxStream, Stream, StreamExt as _, unfold};
use jiff::Timestamp;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, ClientBuilder, Url};
use rustls::ClientConfig;
use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio::time::{Instant, timeout_at};

pub use outside::{FetchRequest, FetchedPage, HostNames, Outside, OutsideError, USER_AGENT};

/// How much of one answer is read, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub bytes: u64,
    /// The longest time from the first look at the answer to its end.
    pub time: Duration,
}

/// Why reading stopped before the answer did.
#[derive(Debug, thiserror::Error)]
pub enum ReadCut<E> {
    #[error("it did not end within {} KiB", .0 / 1024)]
    TooMuch(u64),
    #[error("it did not end within {} s", .0.as_secs_f64())]
    TooLong(Duration),
    #[error(transparent)]
    Broken(E),
}

/// What a connection that failed says. The outer messages repeat the address; the innermost cause says what happened.
pub fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// The pieces of an answer as they come. The last one is a [`ReadCut`] where it broke a bound or broke off; the piece that
/// goes beyond the bound is not handed out, and nothing is read after it.
pub fn bounded<S, T, E>(pieces: S, bounds: Bounds) -> BoxStream<'static, Result<T, ReadCut<E>>>
where
    S: Stream<Item = Result<T, E>> + Send + 'static,
    T: AsRef<[u8]> + Send + 'static,
    E: Send + 'static,
{
    let due = Instant::now() + bounds.time;
    let begun = Some((pieces.boxed(), 0_u64));
    unfold(begun, move |state| async move {
        let (mut pieces, read) = state?;
        match timeout_at(due, pieces.next()).await {
            Err(_) => Some((Err(ReadCut::TooLong(bounds.time)), None)),
            Ok(None) => None,
            Ok(Some(Err(error))) => Some((Err(ReadCut::Broken(error)), None)),
            Ok(Some(Ok(piece))) => {
                let read = read + piece.as_ref().len() as u64;
                // One who always has the next piece ready never lets the clock of the wait run out.
                if read > bounds.bytes {
                    Some((Err(ReadCut::TooMuch(bounds.bytes)), None))
                } else if Instant::now() > due {
                    Some((Err(ReadCut::TooLong(bounds.time)), None))
                } else {
                    Some((Ok(piece), Some((pieces, read))))
                }
            }
        }
    })
    .boxed()
}

/// A whole body: what came, and whether that is all of it.
///
/// # Errors
/// In the second part, when it broke a bound or broke off.
pub async fn whole_body<S, T, E>(pieces: S, bounds: Bounds) -> (Vec<u8>, Result<(), ReadCut<E>>)
where
    S: Stream<Item = Result<T, E>> + Send + 'static,
    T: AsRef<[u8]> + Send + 'static,
    E: Send + 'static,
{
    let mut body = Vec::new();
    let mut pieces = bounded(pieces, bounds);
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(piece) => body.extend_from_slice(piece.as_ref()),
            Err(cut) => return (body, Err(cut)),
        }
    }
    (body, Ok(()))
}

/// What is left alone, and until when. Time is passed in, on whatever clock.
#[derive(Debug, Clone)]
pub struct CircuitBreaker<K, T, E> {
    circuits: HashMap<K, Circuit<T, E>>,
}

/// How one of them does that has failed and not worked since.
#[derive(Debug, Clone, PartialEq)]
pub struct Circuit<T, E> {
    /// How often it has failed in a row.
    pub failures: u32,
    /// Until when it is left alone, as long as another one is there.
    pub until: T,
    /// From when it is asked all the same where no other one is.
    pub trial_from: T,
    pub why: E,
}

impl<K, T, E> Default for CircuitBreaker<K, T, E> {
    fn default() -> Self {
        Self { circuits: HashMap::new() }
    }
}

impl<K: Eq + Hash, T: Copy + Ord + Add<Duration, Output = T>, E> CircuitBreaker<K, T, E> {
    /// It failed. `pause` gives how long it is left alone while another one is there and while none is, by how often it has
    /// failed in a row.
    pub fn failed(&mut self, key: K, now: T, why: E, pause: impl FnOnce(u32) -> (Duration, Duration)) {
        let failures = self.failures(&key).saturating_add(1);
        let (rest, rest_alone) = pause(failures);
        let circuit = Circuit { failures, until: now + rest, trial_from: now + rest_alone, why };
        self.circuits.insert(key, circuit);
    }

    /// It worked; gives whether it had failed before.
    pub fn worked(&mut self, key: &K) -> bool {
        self.circuits.remove(key).is_some()
    }

    /// How often it has failed in a row.
    pub fn failures(&self, key: &K) -> u32 {
        self.circuits.get(key).map_or(0, |circuit| circuit.failures)
    }

    /// How many have failed and not worked since.
    pub fn count(&self) -> usize {
        self.circuits.len()
    }

    /// Everything is tried anew.
    pub fn reset(&mut self) {
        self.circuits.clear();
    }

    /// Why it is left alone now, if it is.
    pub fn open(&self, key: &K, now: T) -> Option<&Circuit<T, E>> {
        self.circuits.get(key).filter(|circuit| circuit.until > now)
    }

    /// Everything that is left alone now.
    pub fn all_open(&self, now: T) -> impl Iterator<Item = (&K, &Circuit<T, E>)> {
        self.circuits.iter().filter(move |(_, circuit)| circuit.until > now)
    }
}

/// How long a server wants to be left alone, as it says itself: seconds or an HTTP date (RFC 9110, 10.2.3).
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

/// What every client begins with; its connections come up within `connect`. A redirect would carry a key elsewhere or turn a
/// POST into a GET, and whether to ask again is decided by whoever asked.
pub fn client_builder(connect: Duration) -> ClientBuilder {
    let builder = bare_builder(connect);
    match &*TLS {
        Some(tls) => builder.tls_backend_preconfigured(tls.clone()),
        // It looks for certificates itself, and says what is wrong.
        None => builder,
    }
}

/// The same before it is said whom it trusts.
fn bare_builder(connect: Duration) -> ClientBuilder {
    install_tls();
    Client::builder()
        .connect_timeout(connect)
        .user_agent(concat!("familiar-connect/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
}

/// How these clients speak TLS. Reading the certificates that this machine trusts takes several milliseconds: once is enough,
/// and what is installed later is known after a restart.
static TLS: LazyLock<Option<ClientConfig>> = LazyLock::new(|| {
    let mut tls = ClientConfig::with_platform_verifier().ok()?;
    tls.alpn_protocols = vec!["http/1.1".into()];
    Some(tls)
});

/// The client for one server, by its address. On this machine proxies and certificate stores must not stand in the way.
///
/// # Errors
/// When HTTPS is wanted and cannot be had, usually for want of certificates.
pub fn server_client(address: &str, connect: Duration) -> reqwest::Result<Client> {
    match Url::parse(address) {
        Ok(url) if url.scheme() == "http" && is_on_this_machine(&url) => {
            bare_builder(connect).no_proxy().tls_certs_only([]).build()
        }
        _ => client_builder(connect).build(),
    }
}

/// Whether an address is on this machine.
pub fn is_on_this_machine(address: &Url) -> bool {
    let host = address.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Makes ring the TLS provider of this process. Must have run before any HTTP or gateway client is built, because
/// two providers are compiled in and rustls refuses to guess (stack, trap 1). May be called repeatedly.
pub fn install_tls() {
    // An error says that a provider is installed already, which is all that is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::stream;
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn retry_after_reads_seconds_and_dates() {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
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

    const BOUNDS: Bounds = Bounds { bytes: 10, time: Duration::from_secs(10) };

    fn ok(piece: &'static str) -> Result<&'static str, Infallible> {
        Ok(piece)
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_within_both_bounds_is_read_whole() {
        let (body, end) = whole_body(stream::iter([ok("12345"), ok("67890")]), BOUNDS).await;
        assert_eq!(body, b"1234567890");
        assert!(end.is_ok(), "{end:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_never_stops_is_left_at_the_bound_of_bytes() {
        let (body, end) = whole_body(stream::repeat_with(|| ok("1234")), BOUNDS).await;
        assert_eq!(body, b"12341234");
        assert!(matches!(end, Err(ReadCut::TooMuch(10))), "{end:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_drips_is_left_at_the_bound_of_time() {
        let drip = stream::repeat(()).then(|()| async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            ok("1")
        });
        let (body, end) = whole_body(drip, BOUNDS).await;
        assert_eq!(body, b"111");
        assert!(matches!(end, Err(ReadCut::TooLong(_))), "{end:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn empty_pieces_without_end_do_not_outlast_the_clock() {
        let empty = stream::repeat(()).then(|()| async {
            tokio::time::advance(Duration::from_secs(1)).await;
            ok("")
        });
        assert!(matches!(whole_body(empty, BOUNDS).await.1, Err(ReadCut::TooLong(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn what_came_before_a_break_is_kept() {
        let pieces = stream::iter([Ok("12"), Err("gone")]);
        let (body, end) = whole_body(pieces, BOUNDS).await;
        assert_eq!(body, b"12");
        assert!(matches!(end, Err(ReadCut::Broken("gone"))), "{end:?}");
    }
}
