//! The way in and out again, and the colours somebody wants.

use axum::extract::{Extension, Query, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::door::{Door, SentForm, THEME, THEMES, form_fields, sign_in_form};
use super::messages;
use super::pages::{Refusal, Visitor};
use super::sign_in::{Entered, write_down};

#[derive(Debug, Deserialize)]
pub(super) struct Token {
    token: Option<String>,
}

/// The way in: an address that signs in, else on to the first page.
pub(super) async fn front(
    State(door): State<Door>,
    Extension(visitor): Extension<Visitor>,
    Query(Token { token }): Query<Token>,
    method: Method,
) -> Response {
    match (token, visitor.session) {
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
    Extension(visitor): Extension<Visitor>,
    _: SentForm,
) -> Result<Response, Refusal> {
    if let Some(session) = &visitor.session {
        door.sign_ins.leave(session);
    }
    let gone = format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", door.cookie);
    Ok(([(header::SET_COOKIE, gone)], Redirect::to("/sign-in")).into_response())
}

pub(super) async fn theme(form: SentForm) -> Result<Response, Refusal> {
    let wanted = THEMES.into_iter().find(|theme| *theme == form.field("theme"));
    let theme = wanted.ok_or(Refusal(StatusCode::BAD_REQUEST))?;
    // To a page of ours and to nobody else's: `//` and `/\` begin the name of another host.
    let back = form.field("back");
    let is_ours = back.starts_with('/') && !back.starts_with("//") && !back.contains(['\\', '\r', '\n']);
    let held = format!("{THEME}={theme}; Path=/; SameSite=Strict; Max-Age=31536000");
    Ok(([(header::SET_COOKIE, held)], Redirect::to(if is_ours { back } else { "/" })).into_response())
}
