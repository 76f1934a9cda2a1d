//! The window, as a browser of this machine has it: real sockets, a session on a stage behind them.

mod browser;
mod door;
mod forget;
mod health;
#[cfg(unix)]
mod hear;
mod hostile;
mod memory;
mod one_person;
mod pictures;
mod rooms;
mod running;
mod settings;
mod setup;
mod talk;
mod xray;

use std::collections::BTreeMap;
use std::sync::Arc;

use familiar_connect::net::install_tls;
use familiar_connect::session::DeliveryStyle;
use familiar_connect::window::{Window, WindowError, WindowParts};
use reqwest::header::{CONTENT_TYPE, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;

use crate::support::provider::PATIENCE;
use crate::support::stage::{Asked, CARD, Stage};

/// A port that nothing else of the tests has.
const ANY_PORT: &str = "[window]\nport = 0\n";

/// A familiar whose window is open.
struct Open {
    stage: Stage,
    window: Window,
    doing: Arc<health::Doing>,
}

impl Open {
    async fn begins() -> Self {
        Self::with("", CARD).await
    }

    /// With a browser in front of it.
    async fn with_ada() -> (Self, Browser) {
        let open = Self::begins().await;
        let ada = open.browser().await;
        (open, ada)
    }

    /// With one that follows the talk.
    async fn followed() -> (Self, Browser, Live) {
        let (open, ada) = Self::with_ada().await;
        let live = ada.follows("talk").await;
        (open, ada, live)
    }

    async fn with(settings: &str, card: &str) -> Self {
        let dir = Stage::installed(&format!("{ANY_PORT}{settings}"), card);
        Self::on(Stage::of(dir, DeliveryStyle::Live).await).await
    }

    async fn on(stage: Stage) -> Self {
        let doing = Arc::new(health::Doing::default());
        let parts = WindowParts { health: Arc::<health::Doing>::clone(&doing), ..parts(&stage, None) };
        let window = Window::open(parts, None).await.unwrap();
        Self { stage, window, doing }
    }

    /// Something is said in the window, and the model is asked.
    async fn asked(&self, ada: &Browser, words: &str) -> Asked {
        ada.sends("/talk", &[("text", words)]).await;
        self.stage.next_request().await
    }

    /// Something is said in the window and answered so.
    async fn hears(&self, ada: &Browser, live: &mut Live, words: &str, answer: &str) {
        let asked = self.asked(ada, words).await;
        live.hears(asked, answer).await;
    }

    /// A browser that came in by the address that is printed.
    async fn browser(&self) -> Browser {
        Browser::comes_in(&self.window.opening_address()).await
    }
}

fn parts(stage: &Stage, token: Option<&str>) -> WindowParts {
    crate::support::window::parts(stage, token, Arc::new(health::Doing::default()))
}

async fn open(stage: &Stage, token: Option<&str>) -> Result<Window, WindowError> {
    Window::open(parts(stage, token), None).await
}

/// A browser with one cookie, that goes nowhere by itself.
#[derive(Clone)]
struct Browser {
    client: Client,
    /// `http://127.0.0.1:40000`
    origin: String,
    cookie: String,
}

/// The fields of a form, as a browser sends them.
fn with_form(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body)
}

/// What came of going somewhere.
struct Shown {
    status: StatusCode,
    headers: BTreeMap<String, String>,
    body: String,
}

/// What stands in a hidden field of a page.
fn field(page: &Shown, name: &str) -> String {
    let found = page.body.split(&format!("name=\"{name}\" value=\"")).nth(1);
    found.unwrap().split('"').next().unwrap().to_owned()
}

impl Browser {
    fn outside(address: &str) -> Self {
        install_tls();
        let origin = address.split('/').take(3).collect::<Vec<_>>().join("/");
        let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        Self { client, origin, cookie: String::new() }
    }

    /// Opens an address that signs in.
    async fn comes_in(address: &str) -> Self {
        Self::comes_in_to(address, "/talk").await
    }

    async fn comes_in_to(address: &str, page: &str) -> Self {
        let mut browser = Self::outside(address);
        let way = address.strip_prefix(&browser.origin).unwrap().to_owned();
        let entered = browser.goes_to(&way).await;
        assert_eq!((entered.status, entered.header(LOCATION.as_str())), (StatusCode::SEE_OTHER, page));
        browser.cookie = entered.header(SET_COOKIE.as_str()).split(';').next().unwrap().to_owned();
        browser
    }

    fn request(&self, method: Method, way: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{way}", self.origin));
        if self.cookie.is_empty() { request } else { request.header(COOKIE, &self.cookie) }
    }

    async fn goes_to(&self, way: &str) -> Shown {
        Shown::of(self.request(Method::GET, way).send().await.unwrap()).await
    }

    /// Goes there, and all of this stands there.
    async fn finds(&self, way: &str, all: &[&str]) {
        let page = self.goes_to(way).await.body;
        assert!(all.iter().all(|words| page.contains(words)), "not all of {all:?} at {way}: {page}");
    }

    /// Sends a form as its own pages do.
    async fn sends(&self, way: &str, fields: &[(&str, &str)]) -> Shown {
        let csrf = self.csrf().await;
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", csrf.as_str())]).collect();
        let request = self.request(Method::POST, way).header(ORIGIN, &self.origin);
        Shown::of(with_form(request, &fields).send().await.unwrap()).await
    }

    async fn csrf(&self) -> String {
        self.csrf_on("/talk").await
    }

    async fn csrf_on(&self, page: &str) -> String {
        let page = self.goes_to(page).await.body;
        page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    /// The newest event that a page knows of as it is made.
    async fn seen_on(&self, page: &str) -> String {
        let page = self.goes_to(page).await.body;
        page.split("data-seen=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    /// What moves on a page. It is there when this returns.
    async fn follows(&self, topic: &str) -> Live {
        let request = self.request(Method::GET, &format!("/events?topic={topic}"));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let mut live = Live::of(response);
        assert_eq!(live.next().await.0, "here");
        live
    }
}

impl Shown {
    async fn of(response: Response) -> Self {
        let status = response.status();
        let headers = response.headers().iter();
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        Self { status, headers: headers.collect(), body: response.text().await.unwrap() }
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(String::as_str).unwrap_or_default()
    }
}

/// Events as they come.
struct Live {
    response: Response,
    read: Vec<u8>,
    /// Of the newest event.
    number: String,
}

impl Live {
    fn of(response: Response) -> Self {
        Self { response, read: Vec::new(), number: String::new() }
    }

    /// The next event's name and what it says.
    async fn next(&mut self) -> (String, Value) {
        loop {
            if let Some(end) = self.read.windows(2).position(|two| two == b"\n\n") {
                let rest = self.read.split_off(end + 2);
                let event = String::from_utf8(std::mem::replace(&mut self.read, rest)).unwrap();
                let field = |name: &str| {
                    let line = event.lines().find_map(|line| line.strip_prefix(name));
                    line.unwrap_or_default().trim_start_matches(':').trim().to_owned()
                };
                let (name, data) = (field("event"), field("data"));
                self.number = field("id");
                if !name.is_empty() {
                    return (name, serde_json::from_str(&data).unwrap());
                }
                continue;
            }
            let piece = tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("nothing moves");
            self.read.extend_from_slice(&piece.unwrap().expect("it ended"));
        }
    }

    /// The next event of this name; others are passed over.
    async fn next_named(&mut self, wanted: &str) -> Value {
        loop {
            let (name, data) = self.next().await;
            if name == wanted {
                return data;
            }
        }
    }

    /// The request is answered so, to the end.
    async fn hears(&mut self, asked: Asked, answer: &str) {
        asked.reply(answer);
        self.next_named("done").await;
    }

    /// Waits until nothing more comes.
    async fn ends(mut self) {
        while tokio::time::timeout(PATIENCE, self.response.chunk())
            .await
            .unwrap()
            .is_ok_and(|more| more.is_some())
        {}
    }
}
