//! The hours it keeps: shown beside what else there is of the character, and written by a model where there are none yet, as
//! `familiar schedule make` has it do.

use std::sync::Arc;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::door::sent_form;
use super::messages;
use super::pages::{Refusal, SignedIn, off_the_way};
use super::shared::Shared;
use crate::session::NoHours;
use crate::text::short::shortened;

/// Where a model is asked for them.
pub(super) const MAKE: &str = "/memory/schedule";

/// So much of the file is shown, in characters.
const SHOWN_CHARS: usize = 4_000;

/// What is shown of them.
#[derive(Debug)]
pub(super) struct Hours {
    /// What became of asking for them.
    pub told: Option<&'static str>,
    /// The file, where there is one.
    pub kept: Option<String>,
    pub action: &'static str,
}

impl Hours {
    pub(super) async fn of(shared: &Shared, told: Option<&str>) -> Result<Self, Refusal> {
        let file = shared.parts.config.home().schedule_md();
        let read =
            off_the_way(
                "the schedule could not be read for the window",
                move || match std::fs::read_to_string(&file) {
                    Ok(text) => Ok(Some(text)),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                    Err(error) => Err(error),
                },
            );
        let kept = read.await?.map(|text| shortened(&text, SHOWN_CHARS));
        Ok(Self { told: told.and_then(messages::hours_told), kept, action: MAKE })
    }
}

/// Has a model write them down, once at a time.
pub(super) async fn post_make(
    State(shared): State<Arc<Shared>>,
    Extension(session): SignedIn,
    request: Request,
) -> Result<Response, Refusal> {
    sent_form(session.as_ref(), request).await?;
    let Ok(_alone) = shared.asking.try_lock() else { return Err(Refusal(StatusCode::SERVICE_UNAVAILABLE)) };
    let told = match shared.parts.session.make_hours().await {
        Ok(_) => "made",
        Err(error) => {
            // What the model wrote is many lines, and none of the log's.
            let why = match &error {
                NoHours::Unreadable { why, .. } => why.clone(),
                other => other.to_string(),
            };
            tracing::warn!(%why, "no hours were written from the window");
            match error {
                NoHours::AreThere(_) => "there",
                NoHours::Unreadable { .. } => "unreadable",
                NoHours::Model(_) => "unanswered",
                NoHours::Unwritten(_) | NoHours::Stopped(_) => "unwritten",
            }
        }
    };
    Ok(Redirect::to(&format!("/memory?of=self&hours={told}")).into_response())
}
