//! A familiar whose window is open, over a history, recorded turns and notes, and a browser that is signed in there.

use std::sync::Arc;

use async_trait::async_trait;
use familiar_connect::doctor::DoctorCheck;
use familiar_connect::domain::{TurnId, TurnTrace};
use familiar_connect::llm::{ModelFacts, Prices};
use familiar_connect::net::install_tls;
use familiar_connect::trace::ToldWords;
use familiar_connect::window::{HealthNow, HealthSource, ModelNow, Window};
use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use rusqlite::{Connection, params};

use crate::chat::{Chat, MESSAGES, message};
use crate::{corpus, notes, window};

/// Of the newest turns so many can be read, and as many in the middle of all. All others are such that whoever reads one
/// gets no page.
const READABLE: u64 = 200;

/// Nobody looks at how this program does.
#[derive(Debug)]
struct Unexamined;

#[async_trait]
impl HealthSource for Unexamined {
    fn look(&self) -> HealthNow {
        HealthNow::default()
    }

    fn rehearses(&self) -> bool {
        false
    }

    fn asked(&self) -> Vec<ModelNow> {
        self.look().models
    }

    fn prices(&self, _model: &str) -> Option<Prices> {
        None
    }

    fn offered(&self) -> Vec<(String, ModelFacts)> {
        Vec::new()
    }

    async fn examine(&self) -> Vec<DoctorCheck> {
        Vec::new()
    }
}

pub struct Windowed {
    pub chat: Chat,
    pub browser: Browser,
    /// A turn in the middle of all that are recorded.
    middle: u64,
    _window: Window,
}

impl Windowed {
    /// Over so many turns of one channel, so many records of turns and so many notes.
    pub async fn new(turns: u64, recorded: u64, notes: u64) -> Self {
        install_tls();
        let mut chat = Chat::new(turns, 0).await;
        let trace = chat.says(&message(MESSAGES[1].1, 0)).await.trace;
        record(&chat, &trace, recorded);
        notes::put(notes, chat.stage.config.home());
        let parts = window::parts(&chat.stage, None, Arc::new(Unexamined));
        let window = Window::open(parts, None).await.unwrap();
        let browser = Browser::comes_in(&window.opening_address()).await;
        Self { chat, browser, middle: trace.id.0 + 1 + recorded / 2, _window: window }
    }

    /// The pages that list something, by name.
    pub fn lists(&self) -> [(&'static str, String); 6] {
        [
            ("turns", "/xray".to_owned()),
            ("turns, half of all back", format!("/xray?before={}", self.middle)),
            ("rooms", "/rooms".to_owned()),
            ("one room", format!("/rooms/{}", corpus::place().channel)),
            ("notes", "/memory".to_owned()),
            ("notes with a word", "/memory?q=likes".to_owned()),
        ]
    }
}

/// Puts records of later turns beside this one's.
fn record(chat: &Chat, trace: &TurnTrace, recorded: u64) {
    let mut file = Connection::open(chat.stage.config.home().traces_db()).unwrap();
    let told = serde_json::to_string(&ToldWords::of(trace)).unwrap();
    let tx = file.transaction().unwrap();
    for number in 0..recorded {
        let id = trace.id.0 + 1 + number;
        let middle = recorded / 2;
        let is_readable = number + READABLE >= recorded || (number < middle && number + READABLE >= middle);
        let body = if is_readable {
            serde_json::to_string(&TurnTrace { id: TurnId(id), ..trace.clone() }).unwrap()
        } else {
            "not to be read".to_owned()
        };
        tx.execute(
            "INSERT INTO traces (id, at_ms, channel, audience, outcome, total_us, body, told) \
             VALUES (?1, ?2, ?3, 'guild:7', 'replied', 1000, ?4, ?5)",
            params![
                i64::try_from(id).unwrap(),
                trace.opened_at.as_millisecond(),
                corpus::place().channel.as_str(),
                body,
                told
            ],
        )
        .unwrap();
    }
    tx.commit().unwrap();
}

/// A browser that is signed in.
#[derive(Clone)]
pub struct Browser {
    client: Client,
    origin: String,
    cookie: String,
}

impl Browser {
    async fn comes_in(address: &str) -> Self {
        let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        let entered = client.get(address).send().await.unwrap();
        let cookie = entered.headers()[SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
        Self { client, origin: address.split('/').take(3).collect::<Vec<_>>().join("/"), cookie }
    }

    /// How long a page is, in bytes.
    pub async fn loads(&self, page: &str) -> usize {
        let answer = self.opens(page).await;
        assert!(answer.status().is_success(), "{page}: {}", answer.status());
        answer.bytes().await.unwrap().len()
    }

    /// What begins to come from there, whatever it is.
    pub async fn opens(&self, page: &str) -> Response {
        let request = self.client.get(format!("{}{page}", self.origin)).header(COOKIE, &self.cookie);
        request.send().await.unwrap()
    }
}
