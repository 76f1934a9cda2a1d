//! A scripted recogniser behind Deepgram's wire format: it knows what is being said, and by whom it hears.
//!
//! Whoever speaks carries a quiet tone of their own in their voice. So it is known from the sound alone who is heard on
//! a connection, when words are over, and when somebody has stopped.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::delays::Delays;
use crate::support::voice::amplitude;

/// Samples a second of what it gets.
const RATE: u32 = 16_000;

/// Samples that are judged together: 20 ms.
const BLOCK: usize = 320;

/// A voice's own tone is at least this loud.
const PRESENT: f32 = 0.004;

/// The tones that tell voices apart, in Hz: above the voice, within what a recogniser gets.
pub const MARKS: [f32; 5] = [5_000.0, 5_400.0, 5_800.0, 6_200.0, 6_600.0];

/// The recogniser. Ends with its value.
pub struct Ears {
    port: u16,
    shared: Arc<Shared>,
    serving: tokio::task::JoinHandle<()>,
}

struct Shared {
    delays: Arc<Delays>,
    script: Mutex<HashMap<usize, VecDeque<Line>>>,
    understood: Mutex<Vec<Understood>>,
    /// The last word of every so manieth line is misheard at first; 0 for none. And how many lines there were.
    mishears: Mutex<(usize, usize)>,
    /// When each connection came, and how many blocks of each voice were heard on it.
    connections: Mutex<Vec<(Instant, HashMap<usize, usize>)>>,
}

/// What somebody will say, and for how long they sound.
struct Line {
    words: Vec<String>,
    lasts: Duration,
    /// Until it is asked for everything it takes the last word for another one.
    is_misheard: bool,
}

/// What is heard at first where the last word is misheard.
pub const MISHEARD: &str = "nowhere?";

/// What it told of an utterance.
#[derive(Debug, Clone)]
pub struct Understood {
    pub text: String,
    /// When the last sound of it came, everything was asked for, and the answer was given.
    pub heard: Instant,
    pub asked: Instant,
    pub told: Instant,
    /// How long after the last sound it was to be answered.
    pub delay: Duration,
}

impl Ears {
    pub async fn start(delays: Arc<Delays>) -> Self {
        let shared = Arc::new(Shared {
            delays,
            script: Mutex::default(),
            understood: Mutex::default(),
            mishears: Mutex::default(),
            connections: Mutex::default(),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let app = Router::new().route("/v1/listen", get(answer)).with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { port, shared, serving }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// From now on the last word of every so manieth line is another one until the final words come.
    pub fn mishears(&self, every: usize) {
        *self.shared.mishears.lock().unwrap() = (every, 0);
    }

    /// Whoever has this mark will say this.
    pub fn will_hear(&self, mark: usize, text: &str, lasts: Duration) {
        let words = text.split_whitespace().map(str::to_owned).collect();
        let is_misheard = {
            let (every, lines) = &mut *self.shared.mishears.lock().unwrap();
            *lines += 1;
            *every > 0 && lines.is_multiple_of(*every)
        };
        self.shared.script.lock().unwrap().entry(mark).or_default().push_back(Line {
            words,
            lasts,
            is_misheard,
        });
    }

    /// What it told so far, oldest first.
    pub fn understood(&self) -> Vec<Understood> {
        self.shared.understood.lock().unwrap().clone()
    }

    /// When each connection came, and how many blocks of 20 ms of each voice were heard on it.
    pub fn connections(&self) -> Vec<(Instant, HashMap<usize, usize>)> {
        self.shared.connections.lock().unwrap().clone()
    }
}

impl Drop for Ears {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(move |socket| listen(socket, shared))
}

async fn listen(mut socket: WebSocket, shared: Arc<Shared>) {
    let number = {
        let mut connections = shared.connections.lock().unwrap();
        connections.push((Instant::now(), HashMap::new()));
        connections.len() - 1
    };
    let mut ear = Ear { number, ..Ear::default() };
    loop {
        let due = ear.due();
        let far = Instant::now() + Duration::from_secs(3600);
        tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Binary(sound))) => ear.hears(&sound, &shared),
                Some(Ok(Message::Text(text))) => {
                    let order: Value = serde_json::from_str(&text).unwrap();
                    match order["type"].as_str() {
                        Some("Finalize") => ear.finalize(&shared),
                        Some("CloseStream") => return,
                        _ => {}
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            () = sleep_until(due.unwrap_or(far)) => {
                for told in ear.tells(&shared) {
                    if socket.send(Message::text(told.to_string())).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

/// A word is known to be over so long before its end.
const NEARLY: Duration = Duration::from_millis(60);

/// One connection.
#[derive(Default)]
struct Ear {
    number: usize,
    rest: Vec<f32>,
    line: Option<Line>,
    voiced: Duration,
    /// Words of the line whose sound is over, and those that were given for good.
    over: usize,
    given: usize,
    heard: Option<Instant>,
    partials: VecDeque<(Instant, usize)>,
    /// When everything was asked for, when it is to be told, and by which delay.
    asked: Option<(Instant, Instant, Duration)>,
}

impl Ear {
    fn due(&self) -> Option<Instant> {
        let partial = self.partials.front().map(|(due, _)| *due);
        partial.into_iter().chain(self.asked.map(|(_, due, _)| due)).min()
    }

    fn hears(&mut self, sound: &[u8], shared: &Shared) {
        let samples = sound.chunks_exact(2).map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])));
        self.rest.extend(samples.map(|sample| sample / 32_768.0));
        while self.rest.len() >= BLOCK {
            let block: Vec<f32> = self.rest.drain(..BLOCK).collect();
            if let Some(mark) = mark(&block) {
                let mut connections = shared.connections.lock().unwrap();
                *connections[self.number].1.entry(mark).or_default() += 1;
                drop(connections);
                self.voice(mark, shared);
            }
        }
    }

    fn voice(&mut self, mark: usize, shared: &Shared) {
        let now = Instant::now();
        self.heard = Some(now);
        if self.line.is_none() {
            self.line = shared.script.lock().unwrap().get_mut(&mark).and_then(VecDeque::pop_front);
            (self.voiced, self.over, self.given) = (Duration::ZERO, 0, 0);
        }
        let Some(line) = &self.line else { return };
        self.voiced += Duration::from_millis(20);
        let count = line.words.len();
        // What is nearly over will be: the first and the last frame may be lost on the way.
        let share = (self.voiced + NEARLY).as_secs_f64() / line.lasts.as_secs_f64();
        let over = ((share * count as f64) as usize).min(count);
        if over > self.over {
            self.over = over;
            self.partials.push_back((now + NEARLY + shared.delays.profile.partial, over));
        }
    }

    fn finalize(&mut self, shared: &Shared) {
        let now = Instant::now();
        let delay = shared.delays.draw(shared.delays.profile.settled);
        let due = self.heard.filter(|_| self.line.is_some()).map_or(now, |heard| heard + delay);
        self.asked = Some((now, due.max(now), delay));
    }

    fn tells(&mut self, shared: &Shared) -> Vec<Value> {
        let now = Instant::now();
        let mut told = Vec::new();
        while let Some((_, over)) = self.partials.pop_front_if(|(due, _)| *due <= now) {
            if over > self.given {
                let mut words = self.words(over);
                if self.line.as_ref().is_some_and(|line| line.is_misheard && over == line.words.len()) {
                    words = misheard(&words);
                }
                told.push(results(&words, false));
            }
        }
        if let Some((asked, _, delay)) = self.asked.take_if(|(_, due, _)| *due <= now) {
            let text = self.words(self.over);
            told.push(results(&text, true));
            self.partials.clear();
            self.given = self.over;
            let heard = self.heard.unwrap_or(now);
            if !text.is_empty() {
                let understood = Understood { text, heard, asked, told: now, delay };
                shared.understood.lock().unwrap().push(understood);
            }
            if self.line.as_ref().is_some_and(|line| self.given >= line.words.len()) {
                self.line = None;
            }
        }
        told
    }

    fn words(&self, over: usize) -> String {
        let Some(line) = &self.line else { return String::new() };
        line.words[self.given.min(over)..over].join(" ")
    }
}

/// The same with another last word.
pub fn misheard(text: &str) -> String {
    let before = text.rsplit_once(' ').map_or("", |(before, _)| before);
    format!("{before} {MISHEARD}")
}

fn mark(block: &[f32]) -> Option<usize> {
    let loud = MARKS.map(|hz| amplitude(block, hz, RATE));
    let best = (0..MARKS.len()).max_by(|a, b| loud[*a].total_cmp(&loud[*b]))?;
    (loud[best] > PRESENT).then_some(best)
}

fn results(text: &str, is_final: bool) -> Value {
    json!({
        "type": "Results", "channel_index": [0, 1], "start": 0.0, "duration": 0.0, "is_final": is_final,
        "speech_final": is_final, "from_finalize": is_final, "metadata": {"request_id": "r"},
        "channel": {"alternatives": [{"transcript": text, "confidence": 0.99, "words": []}]},
    })
}
