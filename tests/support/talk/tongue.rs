//! A scripted voice behind the wire formats of Cartesia (which times its words) and of OpenAI (which does not): every
//! word is a chord that can be read back.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::code::{Codebook, VOICE_RATE, WORD};
use super::delays::Delays;

/// How much sound one piece holds.
const PIECE: Duration = Duration::from_millis(80);

/// The voice. Ends with its value.
pub struct Tongue {
    port: u16,
    shared: Arc<Shared>,
    serving: tokio::task::JoinHandle<()>,
}

struct Shared {
    delays: Arc<Delays>,
    book: Arc<Codebook>,
    spoken: Mutex<Vec<SpokenPhrase>>,
    is_down: watch::Sender<bool>,
}

/// A phrase that it was given.
#[derive(Debug, Clone)]
pub struct SpokenPhrase {
    pub text: String,
    pub asked: Instant,
    /// How long its first sound took.
    pub delay: Duration,
}

impl Tongue {
    pub async fn start(delays: Arc<Delays>, book: Arc<Codebook>) -> Self {
        let is_down = watch::Sender::new(false);
        let shared = Arc::new(Shared { delays, book, spoken: Mutex::default(), is_down });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let app = Router::new()
            .route("/tts/websocket", get(socket))
            .route("/v1/audio/speech", post(speech))
            .with_state(Arc::clone(&shared));
        let mut down = shared.is_down.subscribe();
        let serving = tokio::spawn(async move {
            tokio::select! {
                served = axum::serve(listener, app).into_future() => served.unwrap(),
                _ = down.wait_for(|down| *down) => {}
            }
        });
        Self { port, shared, serving }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it was given to speak so far.
    pub fn spoken(&self) -> Vec<SpokenPhrase> {
        self.shared.spoken.lock().unwrap().clone()
    }

    /// It is gone from now on: connections break, and nobody answers at its address.
    pub fn goes_down(&self) {
        self.shared.is_down.send_replace(true);
    }
}

impl Drop for Tongue {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Shared {
    /// Takes a phrase: its sound, and how long the first of it takes.
    fn takes(&self, text: &str) -> (Vec<i16>, Duration) {
        let delay = self.delays.draw(self.delays.profile.first_sound);
        let phrase = SpokenPhrase { text: text.to_owned(), asked: Instant::now(), delay };
        self.spoken.lock().unwrap().push(phrase);
        (self.book.spoken(text), delay)
    }

    /// Pieces of sound, each with the moment at which it is made.
    fn pieces(&self, sound: &[i16], first: Instant) -> Vec<(Instant, Vec<u8>)> {
        let speed = self.delays.profile.speed;
        let length = (PIECE.as_millis() as usize) * (VOICE_RATE as usize / 1000);
        let each = if speed > 0.0 { PIECE.div_f64(speed) } else { Duration::ZERO };
        let pieces = sound.chunks(length).map(|piece| piece.iter().flat_map(|s| s.to_le_bytes()).collect());
        (0_u32..).zip(pieces).map(|(at, bytes)| (first + each * at, bytes)).collect()
    }
}

async fn socket(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(move |socket| converse(socket, shared))
}

async fn converse(mut socket: WebSocket, shared: Arc<Shared>) {
    let mut down = shared.is_down.subscribe();
    let mut waiting: Vec<(Instant, String, Value)> = Vec::new();
    loop {
        let next = (0..waiting.len()).min_by_key(|at| waiting[*at].0);
        let far = Instant::now() + Duration::from_secs(3600);
        let due = next.map_or(far, |at| waiting[at].0);
        tokio::select! {
            biased;
            _ = down.changed() => return,
            message = socket.recv() => {
                let text = match message {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => continue,
                };
                let order: Value = serde_json::from_str(&text).unwrap();
                let context = order["context_id"].as_str().unwrap().to_owned();
                if order["cancel"] == true {
                    waiting.retain(|(_, of, _)| *of != context);
                } else {
                    waiting.extend(phrase(&shared, &context, order["transcript"].as_str().unwrap()));
                }
            }
            () = sleep_until(due) => {
                let Some(at) = next else { continue };
                let (_, _, told) = waiting.remove(at);
                if socket.send(Message::text(told.to_string())).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// What is told of a phrase, and when, in order.
fn phrase(shared: &Shared, context: &str, text: &str) -> Vec<(Instant, String, Value)> {
    let (sound, delay) = shared.takes(text);
    let first = Instant::now() + delay;
    let words: Vec<&str> = text.split_whitespace().collect();
    let start = |at: usize| WORD.as_secs_f64() * at as f64;
    let times = json!({
        "words": words,
        "start": (0..words.len()).map(start).collect::<Vec<_>>(),
        "end": (1..=words.len()).map(start).collect::<Vec<_>>(),
    });
    let tell = |at: Instant, told: Value| (at, context.to_owned(), told);
    let mut told = vec![tell(
        first,
        json!({"type": "timestamps", "done": false, "status_code": 206, "context_id": context,
            "word_timestamps": times}),
    )];
    for (at, bytes) in shared.pieces(&sound, first) {
        let data = STANDARD.encode(bytes);
        told.push(tell(
            at,
            json!({"type": "chunk", "done": false, "status_code": 206, "context_id": context, "data": data}),
        ));
    }
    let last = told.last().map_or(first, |(at, ..)| *at);
    told.push(tell(last, json!({"type": "done", "done": true, "status_code": 200, "context_id": context})));
    told
}

async fn speech(State(shared): State<Arc<Shared>>, Json(order): Json<Value>) -> Response {
    let (sound, delay) = shared.takes(order["input"].as_str().unwrap());
    let first = Instant::now() + delay;
    sleep_until(first).await;
    let pieces = shared.pieces(&sound, first).into_iter();
    let stream = futures::stream::unfold(pieces, |mut pieces| async move {
        let (at, bytes) = pieces.next()?;
        sleep_until(at).await;
        Some((Ok::<_, std::io::Error>(Bytes::from(bytes)), pieces))
    });
    Response::builder().header("content-type", "audio/pcm").body(Body::from_stream(stream)).unwrap()
}
