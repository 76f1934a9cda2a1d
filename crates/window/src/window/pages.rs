//! What every page is made with: its head, whom it is for, and why there may be none.

use std::convert::Infallible;
use std::fmt::Display;
use std::io;

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use super::setup::steps;
use super::sign_in::Session;
use crate::config::{ConfigError, Unwritable};
use crate::trace::TraceError;

/// Whoever asks, as the door knows them.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    /// `None` where nobody is signed in.
    pub session: Option<Session>,
    /// The colours that their browser wants.
    pub theme: &'static str,
}

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

/// Why a request gets no page; the words come at the door.
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

pub(super) async fn nothing_here() -> Refusal {
    Refusal(StatusCode::NOT_FOUND)
}

pub(super) async fn not_that_way() -> Refusal {
    Refusal(StatusCode::METHOD_NOT_ALLOWED)
}
