//! Who is let in, request by request, and what every answer says to the browser.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{Form, FromRequest, Multipart, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio_util::sync::CancellationToken;

use super::messages;
use super::pages::{PageHead, Refusal, Visitor, html_page, nav};
use super::setup::steps;
use super::sign_in::{Session, SignIns};
use crate::familiar::LiveCharacter;

/// The largest form, in bytes. The longest message is this long where each letter is escaped.
pub(super) const FORM_BYTES: usize = 256 * 1024;

/// The largest form with a card in it, in bytes: the largest card, and what stands around it.
pub(super) const CARD_FORM_BYTES: usize = 65 * 1024 * 1024;

/// Where the operator's own assistants ask.
pub(super) const ASSISTANTS: &str = "/mcp";

/// Where what is said comes with pictures.
pub(super) const WITH_PICTURES: &str = "/talk/pictures";

/// The largest form with pictures in it, in bytes: as many as are looked at, and what is said with them.
pub(super) const PICTURES_FORM_BYTES: usize = 17 * 1024 * 1024;

/// So long a browser may take for a form.
const FORM_WITHIN: Duration = Duration::from_secs(15);

/// So long it may take for a card, or for pictures.
const FILES_WITHIN: Duration = Duration::from_secs(120);

/// The colours of pages, and the cookie that holds them: nothing that anybody else may not know.
pub(super) const THEMES: [&str; 3] = ["system", "light", "dark"];
pub(super) const THEME: &str = "theme";

/// So much of a cookie header is looked at, in parts.
const COOKIES_MAX: usize = 64;

/// What a page may do, and where it may go: nowhere but here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// On every answer. A form's page is named to nobody else, but has to be named here: without it browsers send no origin.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// What is compiled in may be kept, and is asked for anew: it changes with the program.
const KEPT: &str = "private, no-cache";

/// Which names the window may be called by. A page elsewhere can have its own name point here (DNS rebinding): names are
/// somebody else's to give, numbers are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// This machine's own addresses.
    Loopback,
    /// Any address.
    Numbers,
}

impl Host {
    pub(super) fn of(bound: IpAddr) -> Self {
        if bound.is_loopback() { Self::Loopback } else { Self::Numbers }
    }

    fn allows(self, authority: &Authority) -> bool {
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is_plain = !authority.as_str().contains('@');
        let is_ours = match name.parse::<IpAddr>() {
            Ok(ip) => self == Self::Numbers || ip.is_loopback(),
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        };
        is_plain && is_ours
    }
}

/// What is asked of whoever comes in, whatever is behind it. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub sign_ins: Arc<SignIns>,
    /// Which names it may be called by.
    pub host: Host,
    pub cookie: Arc<str>,
    pub stop: CancellationToken,
    /// Who lives here; `None` where somebody is still to be chosen.
    pub character: Option<Arc<LiveCharacter>>,
}

impl Door {
    /// Where whoever came in goes first.
    pub(super) fn first_page(&self) -> &'static str {
        if self.character.is_some() { "/talk" } else { steps::WHO }
    }

    /// The head of the page at `href`, for whoever asks for it.
    pub(super) fn head(&self, title: &str, href: &str, visitor: &Visitor) -> PageHead {
        let character = self.character.as_ref().map(|character| character.current());
        PageHead {
            title: title.to_owned(),
            familiar: character
                .map_or_else(|| messages::PROGRAM.to_owned(), |character| character.spoken_name().to_owned()),
            nav: nav(self.character.is_some(), href),
            has_accent: self.character.is_some(),
            csrf: visitor.session.as_ref().map(|session| session.csrf.clone()).unwrap_or_default(),
            version: env!("CARGO_PKG_VERSION"),
            theme: visitor.theme,
        }
    }
}

/// Lets a request in or not, and dresses the answer.
pub(super) async fn guard(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    let is_asset = request.uri().path().starts_with("/assets/");
    let is_assistants = request.uri().path() == ASSISTANTS;
    let theme = theme_of(request.headers());
    let (answer, visitor) = match admit(&door, &request) {
        Ok(session) => {
            let visitor = Visitor { session, theme };
            request.extensions_mut().insert(visitor.clone());
            (next.run(request).await, visitor)
        }
        Err(refusal) => (refusal.into_response(), Visitor { session: None, theme }),
    };
    let status = answer.status();
    let is_refused = status.is_client_error() || status.is_server_error();
    let mut answer = if !is_refused || answer.headers().contains_key(header::CONTENT_TYPE) {
        answer
    } else if is_assistants {
        plain_refusal(status)
    } else {
        refusal_page(&door, status, &visitor)
    };
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let kept = if is_asset && !answer.status().is_client_error() { KEPT } else { "no-store" };
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    answer
}

#[derive(Debug, Template)]
#[template(path = "error.html")]
struct ErrorPage {
    page: PageHead,
    heading: &'static str,
    text: &'static str,
}

#[derive(Debug, Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    title: &'static str,
    problem: Option<&'static str>,
    has_token_form: bool,
}

/// The page at which somebody signs in.
pub(super) fn sign_in_form(door: &Door, status: StatusCode, problem: Option<&'static str>) -> Response {
    let has_token_form = door.sign_ins.has_operator_token();
    (status, html_page(&SignInPage { title: messages::SIGN_IN, problem, has_token_form })).into_response()
}

/// A refusal without words gets a page that says what to do, with the way to the others for whoever is signed in.
fn refusal_page(door: &Door, status: StatusCode, visitor: &Visitor) -> Response {
    if status == StatusCode::UNAUTHORIZED {
        return sign_in_form(door, status, None);
    }
    let (heading, text) = messages::refusal_words(status);
    let mut head = door.head(heading, "", visitor);
    if visitor.session.is_none() {
        head.nav.clear();
    }
    (status, html_page(&ErrorPage { page: head, heading, text })).into_response()
}

/// The same for a program: it gets the words alone, and is told where it would have to send its token.
fn plain_refusal(status: StatusCode) -> Response {
    if status == StatusCode::UNAUTHORIZED {
        let wanted = [(header::WWW_AUTHENTICATE, "Bearer realm=\"familiar\"")];
        return (status, wanted, messages::ASSISTANT_TOKEN_WANTED).into_response();
    }
    let (heading, text) = messages::refusal_words(status);
    (status, format!("{heading}. {text}\n")).into_response()
}

/// The session of a request that may come in; `None` where it needs none.
fn admit(door: &Door, request: &Request) -> Result<Option<Session>, Refusal> {
    let headers = request.headers();
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let host = named.filter(|host| door.host.allows(host));
    let host = host.ok_or(Refusal(StatusCode::MISDIRECTED_REQUEST))?;
    if request.uri().authority().is_some_and(|asked| *asked != host) {
        return Err(Refusal(StatusCode::MISDIRECTED_REQUEST));
    }
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let most = match request.uri().path() {
        steps::CARD => CARD_FORM_BYTES,
        WITH_PICTURES => PICTURES_FORM_BYTES,
        _ => FORM_BYTES,
    };
    if length.is_some_and(|length| length > most) {
        return Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE));
    }
    // Programs name no origin; a page elsewhere that asks for them does, and is refused.
    let is_assistants = request.uri().path() == ASSISTANTS;
    let is_reading = is_assistants || matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_from_here(headers, &host, is_reading) {
        return Err(Refusal(StatusCode::FORBIDDEN));
    }
    let session = cookie(headers, &door.cookie).and_then(|id| door.sign_ins.session(id));
    let path = request.uri().path();
    // What programs ask for decides by itself whom it answers.
    let is_open = matches!(path, "/" | "/sign-in" | "/healthz" | "/metrics" | ASSISTANTS)
        || path.starts_with("/assets/");
    if session.is_none() && !is_open {
        return Err(Refusal(StatusCode::UNAUTHORIZED));
    }
    Ok(session)
}

/// Whether no other page asks. Every browser names the origin of what changes something; what only reads and is no page
/// that somebody goes to may not be asked for by another page either.
fn is_from_here(headers: &HeaderMap, host: &Authority, is_reading: bool) -> bool {
    let is_own = |origin: &HeaderValue| *origin == format!("http://{host}");
    let is_own = match headers.get(header::ORIGIN) {
        Some(origin) => is_own(origin),
        None => is_reading,
    };
    let says = |name: &str, value: &str| headers.get(name).is_some_and(|said| said == value);
    let is_elsewhere = says("sec-fetch-site", "cross-site") || says("sec-fetch-site", "same-site");
    is_own && (!is_elsewhere || (is_reading && says("sec-fetch-mode", "navigate")))
}

/// The colours a browser wants.
fn theme_of(headers: &HeaderMap) -> &'static str {
    let wanted = cookie(headers, THEME).unwrap_or_default();
    THEMES.into_iter().find(|theme| *theme == wanted).unwrap_or(THEMES[0])
}

fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
    let mut pairs = all.flat_map(|cookies| cookies.split(';')).take(COOKIES_MAX);
    pairs.find_map(|pair| {
        pair.trim().split_once('=').filter(|(known, _)| *known == name).map(|(_, value)| value)
    })
}

/// The fields of a form, whoever sent it.
pub(super) async fn form_fields(request: Request) -> Result<BTreeMap<String, String>, Refusal> {
    let read =
        tokio::time::timeout(FORM_WITHIN, Form::<BTreeMap<String, String>>::from_request(request, &()));
    match read.await {
        Ok(Ok(Form(fields))) => Ok(fields),
        Ok(Err(refused)) => Err(Refusal(match refused.status() {
            StatusCode::PAYLOAD_TOO_LARGE => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::BAD_REQUEST,
        })),
        Err(_) => Err(Refusal(StatusCode::REQUEST_TIMEOUT)),
    }
}

/// The fields of a form that a page of this browser sent.
pub(super) struct SentForm(pub BTreeMap<String, String>);

impl<S: Send + Sync> FromRequest<S> for SentForm {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        let visitor = request.extensions().get::<Visitor>();
        let session = visitor.and_then(|visitor| visitor.session.clone());
        let session = session.ok_or(Refusal(StatusCode::UNAUTHORIZED))?;
        let fields = form_fields(request).await?;
        let is_ours = fields.get("csrf").is_some_and(|csrf| session.sent(csrf));
        if is_ours { Ok(Self(fields)) } else { Err(Refusal(StatusCode::FORBIDDEN)) }
    }
}

impl SentForm {
    /// What stands in a field; nothing where there is none.
    pub(super) fn field(&self, name: &str) -> &str {
        self.0.get(name).map(String::as_str).unwrap_or_default()
    }

    /// The same, taken out.
    pub(super) fn take(&mut self, name: &str) -> String {
        self.0.remove(name).unwrap_or_default()
    }
}

pub(super) struct SentFile {
    /// As the browser names it: anything.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A form with files that a page of this browser sent, behind the field that proves it. Nothing of it is read before.
async fn sent_multipart(visitor: &Visitor, request: Request) -> Result<Multipart, Refusal> {
    let session = visitor.session.as_ref().ok_or(Refusal(StatusCode::UNAUTHORIZED))?;
    let bad = Refusal(StatusCode::BAD_REQUEST);
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| bad)?;
    let csrf = form.next_field().await.map_err(|_| bad)?.filter(|field| field.name() == Some("csrf"));
    let csrf = csrf.ok_or(Refusal(StatusCode::FORBIDDEN))?.text().await.map_err(|_| bad)?;
    if session.sent(&csrf) { Ok(form) } else { Err(Refusal(StatusCode::FORBIDDEN)) }
}

async fn file_in(field: Field<'_>) -> Result<SentFile, Refusal> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let bytes = field.bytes().await.map_err(|error| unreadable_field(&error))?;
    Ok(SentFile { name, bytes: bytes.into() })
}

fn unreadable_field(error: &MultipartError) -> Refusal {
    Refusal(match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => StatusCode::PAYLOAD_TOO_LARGE,
        _ => StatusCode::BAD_REQUEST,
    })
}

/// The file of a form that a page of this browser sent.
pub(super) async fn read_sent_file(visitor: &Visitor, request: Request) -> Result<SentFile, Refusal> {
    let read = tokio::time::timeout(FILES_WITHIN, async {
        let mut form = sent_multipart(visitor, request).await?;
        let field = form.next_field().await.map_err(|error| unreadable_field(&error))?;
        file_in(field.ok_or(Refusal(StatusCode::BAD_REQUEST))?).await
    });
    read.await.map_err(|_| Refusal(StatusCode::REQUEST_TIMEOUT))?
}

/// What somebody says, and the files that come with it.
pub(super) async fn sent_words(
    visitor: &Visitor,
    request: Request,
) -> Result<(String, Vec<SentFile>), Refusal> {
    let read = tokio::time::timeout(FILES_WITHIN, async {
        let mut form = sent_multipart(visitor, request).await?;
        let (mut text, mut files) = (String::new(), Vec::new());
        while let Some(field) = form.next_field().await.map_err(|error| unreadable_field(&error))? {
            match field.name() {
                Some("text") => text = field.text().await.map_err(|error| unreadable_field(&error))?,
                Some("picture") => files.push(file_in(field).await?),
                _ => {}
            }
        }
        // Where none was chosen, browsers send one without a name.
        files.retain(|file: &SentFile| !file.bytes.is_empty());
        Ok((text, files))
    });
    read.await.map_err(|_| Refusal(StatusCode::REQUEST_TIMEOUT))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(host: Host, name: &str) -> bool {
        name.parse::<Authority>().is_ok_and(|name| host.allows(&name))
    }

    #[test]
    fn only_numbers_and_localhost_are_its_names() {
        for own in ["127.0.0.1:8737", "localhost:9000", "LOCALHOST", "[::1]:8737", "127.0.0.2"] {
            assert!(allowed(Host::Loopback, own), "{own}");
        }
        for other in [
            "evil.example:8737",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "192.168.1.5:8737",
            "user@127.0.0.1",
            "0x7f.1",
            "",
        ] {
            assert!(!allowed(Host::Loopback, other), "{other}");
        }
        assert!(allowed(Host::Numbers, "192.168.1.5:8737") && !allowed(Host::Numbers, "nas.example"));
    }

    #[test]
    fn what_changes_something_names_its_own_page() {
        let host: Authority = "127.0.0.1:8737".parse().unwrap();
        let with = |said: &[(&'static str, &'static str)], is_reading| {
            let said = said
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            is_from_here(&said.collect(), &host, is_reading)
        };
        assert!(with(&[("origin", "http://127.0.0.1:8737")], false));
        assert!(with(&[], true));
        assert!(with(&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], true));
        for refused in [
            &[][..],
            &[("origin", "null")],
            &[("origin", "http://127.0.0.1:9999")],
            &[("origin", "https://127.0.0.1:8737")],
            &[("origin", "http://evil.example")],
            &[
                ("origin", "http://127.0.0.1:8737"),
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
            ],
        ] {
            assert!(!with(refused, false), "{refused:?}");
        }
        assert!(!with(&[("origin", "http://evil.example")], true));
        assert!(!with(&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")], true));
    }
}
