//! The hours it keeps: shown beside what else there is of the character, and written by a model where there are none yet, as
//! `familiar schedule make` has it do.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::door::SentForm;
use super::messages;
use super::pages::{Refusal, off_the_way};
use super::shared::Shared;
use crate::home::if_there;
use crate::session::NoHours;
use crate::text::short::shortened;

/// Where a model is asked for them.
pub(super) const MAKE: &str = "/memory/schedule";

/// So much of the file is shown, in characters.
const SHOWN_CHARS: usize = 4_000;

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
        let read = off_the_way("the schedule could not be read for the window", move || beginning_of(&file));
        let kept = read.await?.map(|text| shortened(&text, SHOWN_CHARS));
        Ok(Self { told: told.and_then(messages::hours_told), kept, action: MAKE })
    }
}

/// As much of a file as is shown of it and a little more; `None` where there is none.
fn beginning_of(file: &Path) -> std::io::Result<Option<String>> {
    let Some(file) = if_there(File::open(file))? else { return Ok(None) };
    let mut bytes = Vec::new();
    // No character takes more than four bytes; where it is cut is not shown.
    file.take(4 * (SHOWN_CHARS as u64 + 1)).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Has a model write them down, once at a time.
pub(super) async fn post_make(State(shared): State<Arc<Shared>>, _: SentForm) -> Result<Response, Refusal> {
    let told = match shared.asking.try_lock() {
        Ok(_alone) => made(&shared).await,
        Err(_) => "busy",
    };
    Ok(Redirect::to(&format!("/memory?of=self&hours={told}")).into_response())
}

/// What came of having them written.
async fn made(shared: &Shared) -> &'static str {
    let Err(error) = shared.parts.session.make_hours().await else { return "made" };
    // What the model wrote is many lines, and none of the log's.
    let why = match &error {
        NoHours::Unreadable { why, .. } => why.clone(),
        other => other.to_string(),
    };
    tracing::warn!(%why, "no hours were written from the window");
    match error {
        NoHours::AreThere(_) => "there",
        NoHours::Unreadable { .. } => "unreadable",
        NoHours::NoModel(_) => "rehearses",
        NoHours::Model(_) => "unanswered",
        NoHours::Unwritten(_) | NoHours::Stopped(_) => "unwritten",
    }
}
