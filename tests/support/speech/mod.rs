//! Speech services on loopback: sockets that a test plays by hand, and HTTP answers that are set up beforehand.
//!
//! A world with wire translations, not a mock: whatever dials in is a real client over real TCP.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// Longest wait for something that must happen.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What a client asked over HTTP.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Path and query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// What it is answered.
#[derive(Debug, Clone)]
pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<Vec<u8>>,
    ending: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Whole,
    Breaks,
    Hangs,
    Never,
}

impl Answer {
    pub fn ok(pieces: Vec<Vec<u8>>) -> Self {
        Self { status: 200, headers: Vec::new(), pieces, ending: Ending::Whole }
    }

    pub fn json(body: &str) -> Self {
        Self::ok(vec![body.as_bytes().to_vec()])
    }

    pub fn refusal(status: u16, body: &str) -> Self {
        Self { status, ..Self::json(body) }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The connection breaks after the last piece.
    pub fn breaks(mut self) -> Self {
        self.ending = Ending::Breaks;
        self
    }

    /// The pieces come again and again, for as long as somebody takes them.
    pub fn never_ends(mut self) -> Self {
        self.ending = Ending::Never;
        self
    }

    /// Nothing more comes after the last piece.
    pub fn hangs(mut self) -> Self {
        self.ending = Ending::Hangs;
        self
    }
}

#[derive(Debug, Default)]
struct Http {
    asked: Mutex<Vec<Asked>>,
    answers: Mutex<VecDeque<Answer>>,
}

/// A handshake that is to be refused.
type Refusal = (u16, Vec<(&'static str, &'static str)>, String);

/// All services at two addresses.
#[derive(Debug)]
pub struct SpeechWorld {
    http: Arc<Http>,
    http_port: u16,
    socket_port: u16,
    sockets: mpsc::UnboundedReceiver<Peer>,
    refusals: Arc<Mutex<VecDeque<Refusal>>>,
}

impl SpeechWorld {
    pub async fn start() -> Self {
        let http = Arc::new(Http::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let http_port = listener.local_addr().unwrap().port();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&http));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket_port = listener.local_addr().unwrap().port();
        let refusals = Arc::new(Mutex::new(VecDeque::new()));
        let (to, sockets) = mpsc::unbounded_channel();
        tokio::spawn(accept(listener, Arc::clone(&refusals), to));
        Self { http, http_port, socket_port, sockets, refusals }
    }

    /// Where HTTP is answered.
    pub fn http(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.http_port)
    }

    /// Where sockets are answered.
    pub fn sockets(&self) -> String {
        format!("http://127.0.0.1:{}", self.socket_port)
    }

    /// The next HTTP question gets this.
    pub fn answers(&self, answer: Answer) {
        self.http.answers.lock().unwrap().push_back(answer);
    }

    /// Every HTTP question so far, without those that only warm up.
    pub fn asked(&self) -> Vec<Asked> {
        self.http.asked.lock().unwrap().clone()
    }

    /// The next handshake is refused.
    pub fn refuses(&self, status: u16, headers: &[(&'static str, &'static str)], body: &str) {
        self.refusals.lock().unwrap().push_back((status, headers.to_vec(), body.to_owned()));
    }

    /// The next one who dials in.
    pub async fn dialled(&mut self) -> Peer {
        tokio::time::timeout(PATIENCE, self.sockets.recv()).await.expect("somebody dials").unwrap()
    }
}

async fn answer(State(http): State<Arc<Http>>, request: Request) -> Response {
    if request.method() == "HEAD" {
        return Response::new(Body::empty());
    }
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 << 20).await.unwrap().to_vec();
    let asked = Asked { path: parts.uri.to_string(), headers: parts.headers, body };
    http.asked.lock().unwrap().push(asked);
    let answer = http.answers.lock().unwrap().pop_front();
    let answer = answer.unwrap_or_else(|| Answer::refusal(404, r#"{"error":"nothing is set up"}"#));
    let mut response = Response::builder().status(StatusCode::from_u16(answer.status).unwrap());
    for (name, value) in &answer.headers {
        response = response.header(*name, value);
    }
    let ending = answer.ending;
    let pieces: Vec<_> = answer.pieces.into_iter().map(Bytes::from).collect();
    if ending == Ending::Never {
        // The server sends what it has once the next piece lets it wait.
        let again = futures::stream::iter(pieces.into_iter().cycle()).then(|piece| async {
            tokio::task::yield_now().await;
            Ok::<_, std::io::Error>(piece)
        });
        return response.body(Body::from_stream(again)).unwrap();
    }
    let pieces = pieces.into_iter().map(Ok::<_, std::io::Error>);
    let rest = futures::stream::once(async move {
        match ending {
            Ending::Hangs => std::future::pending().await,
            Ending::Whole | Ending::Never | Ending::Breaks => {
                // The server sends what it has once the rest lets it wait.
                tokio::task::yield_now().await;
                Err(std::io::Error::other("broken off"))
            }
        }
    });
    let stream = futures::stream::iter(pieces);
    let body = match ending {
        Ending::Whole => Body::from_stream(stream),
        _ => Body::from_stream(stream.chain(rest)),
    };
    response.body(body).unwrap()
}

#[expect(clippy::result_large_err, reason = "the handshake wants its refusals so")]
async fn accept(
    listener: TcpListener,
    refusals: Arc<Mutex<VecDeque<Refusal>>>,
    to: mpsc::UnboundedSender<Peer>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        let mut seen = (String::new(), HeaderMap::new());
        let refusal = refusals.lock().unwrap().pop_front();
        let look = |request: &server::Request, response: server::Response| {
            seen = (request.uri().to_string(), request.headers().clone());
            match refusal {
                None => Ok(response),
                Some((status, headers, body)) => {
                    let mut refused = server::ErrorResponse::new(Some(body));
                    *refused.status_mut() = StatusCode::from_u16(status).unwrap();
                    for (name, value) in headers {
                        refused.headers_mut().insert(name, value.parse().unwrap());
                    }
                    Err(refused)
                }
            }
        };
        if let Ok(socket) = tokio_tungstenite::accept_hdr_async(stream, look).await {
            let (path, headers) = seen;
            // The world may have gone with its test.
            let _ = to.send(Peer { path, headers, socket });
        }
    }
}

/// The service's end of one socket.
#[derive(Debug)]
pub struct Peer {
    /// Path and query.
    pub path: String,
    pub headers: HeaderMap,
    socket: WebSocketStream<TcpStream>,
}

impl Peer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    async fn next(&mut self) -> Option<Message> {
        let next = tokio::time::timeout(PATIENCE, self.socket.next()).await;
        next.expect("the client says something").and_then(Result::ok)
    }

    /// Bytes of sound until a text comes, and that text; `None` when the client hangs up.
    pub async fn hears(&mut self) -> (usize, Option<Value>) {
        let mut bytes = 0;
        loop {
            match self.next().await {
                Some(Message::Binary(sound)) => bytes += sound.len(),
                Some(Message::Text(text)) => return (bytes, Some(serde_json::from_str(&text).unwrap())),
                Some(Message::Close(_)) | None => return (bytes, None),
                Some(_) => {}
            }
        }
    }

    /// The next text; sound before it is passed over.
    pub async fn text(&mut self) -> Value {
        self.hears().await.1.expect("a text, not a goodbye")
    }

    pub async fn says(&mut self, message: Value) {
        self.raw(&message.to_string()).await;
    }

    pub async fn raw(&mut self, message: &str) {
        self.socket.send(Message::text(message.to_owned())).await.unwrap();
    }

    /// Closes with a code, as services refuse in the middle.
    pub async fn closes(mut self, code: u16, reason: &'static str) {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        // The client may be faster.
        let _ = self.socket.close(Some(frame)).await;
        while let Some(Ok(_)) = self.socket.next().await {}
    }

    /// The connection breaks without a word.
    pub fn breaks(self) {
        drop(self.socket);
    }
}

/// So many milliseconds of a tone at a rate.
pub fn tone(rate: u32, millis: u32) -> Vec<i16> {
    (0..rate / 1000 * millis).map(|n| (f64::from(n % 100) * 80.0) as i16).collect()
}

/// A voice message of so many seconds, as Discord's apps record them.
pub fn voice_message(seconds: u32) -> Vec<u8> {
    use ogg::PacketWriteEndInfo::{EndPage, EndStream, NormalPacket};
    let mut file = ogg::PacketWriter::new(Vec::new());
    // One channel, of which 312 samples at 48 kHz only help the decoder to begin (RFC 7845).
    let head = [&b"OpusHead\x01\x01\x38\x01"[..], &48_000_u32.to_le_bytes(), &[0; 3]].concat();
    file.write_packet(head, 1, EndPage, 0).unwrap();
    file.write_packet(b"OpusTags\0\0\0\0\0\0\0\0".to_vec(), 1, EndPage, 0).unwrap();
    let (mono, voice) = (opus2::Channels::Mono, opus2::Application::Voip);
    let mut encoder = opus2::Encoder::new(16_000, mono, voice).unwrap();
    let (mut packet, sound, frames) = ([0; 1_500], tone(16_000, 20), seconds * 50);
    for number in 1..=frames {
        let length = encoder.encode(&sound, &mut packet).unwrap();
        let end = if number == frames { EndStream } else { NormalPacket };
        file.write_packet(packet[..length].to_vec(), 1, end, u64::from(number) * 960).unwrap();
    }
    file.into_inner()
}

/// Samples as bytes.
pub fn bytes(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}
