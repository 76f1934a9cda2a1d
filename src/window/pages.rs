//! What stands around every page: its head, signing in and out, colours, and what is shown where something is refused.

use std::convert::Infallible;
use std::fmt::Display;
use std::io;

use askama::Template;
use axum::extract::{Extension, Query, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::door::{Door, cookie, form_fields, sent_form};
use super::messages;
use super::setup::steps;
use super::sign_in::{Entered, Session, write_down};
use crate::config::{ConfigError, Unwritable};
use crate::trace::TraceError;

/// The colours of pages, and the cookie that holds them: nothing that anybody else may not know.
const THEMES: [&str; 3] = ["system", "light", "dark"];
const THEME: &str = "theme";

/// Who is signed in, where anybody is.
pub(super) type SignedIn = Extension<Option<Session>>;

/// What stands around a page.
#[derive(Debug, Default)]
pub(super) struct PageHead {
    pub title: String,
    pub familiar: String,
    pub nav: Vec<NavItem>,
    pub csrf: String,
    /// Whether somebody lives here whose picture may have a colour.
    pub has_accent: bool,
    pub version: &'static str,
    pub theme: &'static str,
}

/// Words, and where they lead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LinkedWords {
    pub words: String,
    pub href: Option<String>,
}

#[derive(Debug)]
pub(super) struct NavItem {
    pub href: &'static str,
    pub label: &'static str,
    pub icon: &'static str,
    pub is_current: bool,
}

/// The pages that can be gone to.
const PAGES: [(&str, &str, &str); 6] = [
    ("/talk", "Talk", "talk"),
    ("/rooms", "Rooms", "rooms"),
    ("/xray", "X-ray", "xray"),
    ("/memory", "Memory", "memory"),
    ("/settings", "Settings", "settings"),
    ("/health", "Health", "health"),
];

/// What there is to do before somebody lives here.
const STEPS: [(&str, &str, &str); 3] = [
    (steps::WHO, "Who it is", "who"),
    (steps::MODEL, "Its model", "model"),
    (steps::DISCORD, "Discord", "rooms"),
];

/// The way to other pages.
pub(super) fn nav(is_inhabited: bool, current: &str) -> Vec<NavItem> {
    let pages: &[_] = if is_inhabited { &PAGES } else { &STEPS };
    let item = |&(href, label, icon): &(_, _, _)| NavItem { href, label, icon, is_current: href == current };
    pages.iter().map(item).collect()
}

/// Work that blocks is done where it holds up nobody. Where it fails, the log says what.
pub(super) async fn off_the_way<T: Send + 'static, E: Display + Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string());
    done.and_then(|done| done.map_err(|error| error.to_string())).map_err(|error| {
        tracing::warn!(error, "{what}");
        Refusal(StatusCode::INTERNAL_SERVER_ERROR)
    })
}

/// The same where it says of an error what there is to mend: a file, or the disk.
pub(super) async fn on_disk<T: Send + 'static, E: Display + Send + 'static>(
    what: &'static str,
    status: fn(&E) -> StatusCode,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Refusal> {
    off_the_way(what, move || Ok::<_, Infallible>(work())).await?.map_err(|error| {
        tracing::warn!(%error, "{what}");
        Refusal(status(&error))
    })
}

/// Of a file that could not be read or written.
pub(super) fn status_of_file(error: &io::Error) -> StatusCode {
    Unwritable::of(error).map_or(StatusCode::INTERNAL_SERVER_ERROR, |_| StatusCode::INSUFFICIENT_STORAGE)
}

/// Of settings, or keys, that could not be read or written.
pub(super) fn status_of_settings(error: &ConfigError) -> StatusCode {
    match error {
        // What somebody wrote.
        ConfigError::Invalid(_) | ConfigError::Refused { .. } => StatusCode::CONFLICT,
        ConfigError::Io { error, .. } => status_of_file(error),
    }
}

/// A page, or why there is none.
pub(super) fn html_page(template: &impl Template) -> Response {
    match template.render() {
        Ok(html) => Html(html).into_response(),
        Err(error) => {
            tracing::error!(%error, "a page of the window could not be made");
            Refusal(StatusCode::INTERNAL_SERVER_ERROR).into_response()
        }
    }
}

/// Why a request gets no page; the words come with [`readable_answer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal(pub StatusCode);

impl From<TraceError> for Refusal {
    fn from(error: TraceError) -> Self {
        tracing::warn!(%error, "the record of turns could not be read for the window");
        Self(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
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

fn sign_in_form(door: &Door, status: StatusCode, problem: Option<&'static str>) -> Response {
    let has_token_form = door.sign_ins.has_operator_token();
    (status, html_page(&SignInPage { title: messages::SIGN_IN, problem, has_token_form })).into_response()
}

/// A refusal without words gets a page that says what to do, with the way to the others for whoever is signed in.
pub(super) fn readable_answer(
    door: &Door,
    answer: Response,
    session: Option<&Session>,
    theme: &'static str,
) -> Response {
    let status = answer.status();
    let has_words = answer.headers().contains_key(header::CONTENT_TYPE);
    if has_words || !(status.is_client_error() || status.is_server_error()) {
        return answer;
    }
    if status == StatusCode::UNAUTHORIZED {
        return sign_in_form(door, status, None);
    }
    let (heading, text) = messages::refusal_words(status);
    let mut head = door.head(heading, "", session, theme);
    if session.is_none() {
        head.nav.clear();
    }
    (status, html_page(&ErrorPage { page: head, heading, text })).into_response()
}

/// The same for a program: it gets the words alone, and is told where it would have to send its token.
pub(super) fn plain_answer(answer: Response) -> Response {
    let status = answer.status();
    let has_words = answer.headers().contains_key(header::CONTENT_TYPE);
    if has_words || !(status.is_client_error() || status.is_server_error()) {
        return answer;
    }
    if status == StatusCode::UNAUTHORIZED {
        let wanted = [(header::WWW_AUTHENTICATE, "Bearer realm=\"familiar\"")];
        return (status, wanted, messages::ASSISTANT_TOKEN_WANTED).into_response();
    }
    let (heading, text) = messages::refusal_words(status);
    (status, format!("{heading}. {text}\n")).into_response()
}

pub(super) async fn nothing_here() -> Refusal {
    Refusal(StatusCode::NOT_FOUND)
}

pub(super) async fn not_that_way() -> Refusal {
    Refusal(StatusCode::METHOD_NOT_ALLOWED)
}

#[derive(Debug, Deserialize)]
pub(super) struct Token {
    token: Option<String>,
}

/// The way in: an address that signs in, else on to the first page.
pub(super) async fn front(
    State(door): State<Door>,
    Extension(session): SignedIn,
    Query(Token { token }): Query<Token>,
    method: Method,
) -> Response {
    match (token, session) {
        // Whoever only asks what is here uses no address up.
        (Some(token), _) if method == Method::GET => enter(&door, &token, messages::TOKEN_UNKNOWN).await,
        (_, Some(_)) => Redirect::to(door.first_page()).into_response(),
        (_, None) => sign_in_form(&door, StatusCode::UNAUTHORIZED, None),
    }
}

/// On to the first page, from one that is only there before somebody lives here.
pub(super) async fn lives_here(State(door): State<Door>) -> Redirect {
    Redirect::to(door.first_page())
}

pub(super) async fn sign_in_page(State(door): State<Door>) -> Response {
    sign_in_form(&door, StatusCode::OK, None)
}

pub(super) async fn sign_in(State(door): State<Door>, request: Request) -> Response {
    match form_fields(request).await {
        Ok(mut fields) => {
            let token = fields.remove("token").unwrap_or_default();
            enter(&door, token.trim(), messages::TOKEN_WRONG).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

async fn enter(door: &Door, token: &str, wrong: &'static str) -> Response {
    match door.sign_ins.enter(token) {
        Entered::In(id) => {
            if let Err(error) = write_down(&door.sign_ins).await {
                tracing::warn!(%error, "the next address of the window could not be written down");
            }
            let held = format!("{}={id}; Path=/; HttpOnly; SameSite=Strict", door.cookie);
            ([(header::SET_COOKIE, held)], Redirect::to(door.first_page())).into_response()
        }
        Entered::Wrong => sign_in_form(door, StatusCode::FORBIDDEN, Some(wrong)),
        Entered::NotNow => sign_in_form(door, StatusCode::TOO_MANY_REQUESTS, Some(messages::TOO_MANY_TOKENS)),
    }
}

pub(super) async fn sign_out(
    State(door): State<Door>,
    Extension(session): SignedIn,
    request: Request,
) -> Result<Response, Refusal> {
    sent_form(session.as_ref(), request).await?;
    if let Some(session) = &session {
        door.sign_ins.leave(session);
    }
    let gone = format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", door.cookie);
    Ok(([(header::SET_COOKIE, gone)], Redirect::to("/sign-in")).into_response())
}

/// The colours a browser wants.
pub(super) fn theme_of(headers: &HeaderMap) -> &'static str {
    let wanted = cookie(headers, THEME).unwrap_or_default();
    THEMES.into_iter().find(|theme| *theme == wanted).unwrap_or(THEMES[0])
}

pub(super) async fn theme(Extension(session): SignedIn, request: Request) -> Result<Response, Refusal> {
    let fields = sent_form(session.as_ref(), request).await?;
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let wanted = THEMES.into_iter().find(|theme| *theme == field("theme"));
    let theme = wanted.ok_or(Refusal(StatusCode::BAD_REQUEST))?;
    // To a page of ours and to nobody else's: `//` and `/\` begin the name of another host.
    let back = field("back");
    let is_ours = back.starts_with('/') && !back.starts_with("//") && !back.contains(['\\', '\r', '\n']);
    let held = format!("{THEME}={theme}; Path=/; SameSite=Strict; Max-Age=31536000");
    Ok(([(header::SET_COOKIE, held)], Redirect::to(if is_ours { back } else { "/" })).into_response())
}
