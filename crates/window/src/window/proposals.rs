//! What it would note and has not, because somebody is to look at it first: each with a yes and a no.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::door::SentForm;
use super::messages;
use super::names::Names;
use super::note_href::href;
use super::operator;
use super::pages::{PageHead, Refusal, Visitor, html_page, off_the_way};
use super::shared::Shared;
use crate::memory::change::{NoteChange, PageChange, Pending, PendingError};
use crate::memory::store::StoreError;
use crate::text::short::shortened;

/// So many are shown at a time, the oldest.
const SHOWN: usize = 40;

/// So much of one fact, in characters.
const WORDS_CHARS: usize = 600;

#[derive(Debug, Template)]
#[template(path = "proposed.html")]
struct ProposedPage {
    page: PageHead,
    told: Vec<String>,
    more: usize,
    waiting: Vec<WaitingProposal>,
}

#[derive(Debug)]
struct WaitingProposal {
    name: String,
    at: String,
    changes: Vec<ProposedChange>,
    /// Why nothing of it can be carried out.
    problem: Option<String>,
}

#[derive(Debug)]
struct ProposedChange {
    what: &'static str,
    note: String,
    href: String,
    before: Option<String>,
    words: Option<String>,
    audience: String,
}

impl WaitingProposal {
    fn of(pending: &Pending, names: &Names) -> Self {
        let (changes, problem) = match pending.changes() {
            Ok(changes) => {
                (changes.into_iter().map(|change| ProposedChange::of(change, names)).collect(), None)
            }
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        Self { at: messages::proposed_at(&pending.name), name: pending.name.clone(), changes, problem }
    }
}

impl ProposedChange {
    fn of(change: NoteChange, names: &Names) -> Self {
        let what = messages::change_name(&change.what);
        let (before, words) = match change.what {
            PageChange::Add { words, .. } => (None, Some(words)),
            PageChange::Supersede { seen, words, .. } => (Some(seen), Some(words)),
            PageChange::End { seen, .. } => (Some(seen), None),
        };
        let short = |words: String| shortened(&words, WORDS_CHARS);
        Self {
            what,
            href: href(&change.note),
            note: change.note.to_string(),
            before: before.map(short),
            words: words.map(short),
            audience: names.who_hears(&change.audience),
        }
    }
}

pub(super) async fn proposed_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refusal> {
    let head = shared.door.head(messages::PROPOSED, "/memory", &visitor);
    page(&shared, head, Vec::new()).await
}

async fn page(shared: &Shared, page: PageHead, told: Vec<String>) -> Result<Response, Refusal> {
    let memory = Arc::clone(&shared.parts.memory);
    let read = move || operator::all_pending(&memory);
    let all = off_the_way("what waits for a yes could not be read for the window", read).await?;
    let names = if all.is_empty() { Names::default() } else { Names::all(shared).await };
    Ok(html_page(&ProposedPage {
        page,
        told,
        more: all.len().saturating_sub(SHOWN),
        waiting: all.iter().take(SHOWN).map(|one| WaitingProposal::of(one, &names)).collect(),
    }))
}

/// Looks now for what is looked for at night: what stands in the notes twice, contradicts itself or is long over.
pub(super) async fn post_tidy(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    _: SentForm,
) -> Result<Response, Refusal> {
    let parts = &shared.parts;
    let today = shared.heads.today();
    let told = {
        let Ok(_alone) = shared.tidying.try_lock() else {
            return Err(Refusal(StatusCode::SERVICE_UNAVAILABLE));
        };
        let tidied = operator::tidy((&parts.history, &parts.memory), today, parts.clock.now()).await;
        tidied.map_err(|error| {
            tracing::warn!(%error, "the notes could not be looked through from the window");
            Refusal(StatusCode::INTERNAL_SERVER_ERROR)
        })?
    };
    let told = messages::tidied(told.proposed.len(), told.known, told.left);
    let head = shared.door.head(messages::PROPOSED, "/memory", &visitor);
    page(&shared, head, vec![told]).await
}

/// Carries one out, or throws it away.
pub(super) async fn post_proposed(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let name = form.take("name");
    let is_yes = match form.field("answer") {
        "yes" => true,
        "no" => false,
        _ => return Err(Refusal(StatusCode::BAD_REQUEST)),
    };
    let (memory, today) = (Arc::clone(&shared.parts.memory), shared.heads.today());
    let decide = move || {
        let done = match is_yes {
            true => operator::approve(&memory, &name, today),
            false => operator::reject(&memory, &name).map(|()| Vec::new()),
        };
        match done {
            Ok(fates) => Ok(Some(fates)),
            Err(
                PendingError::NoSuch(_)
                | PendingError::Path(_)
                | PendingError::Nothing
                | PendingError::Line { .. }
                | PendingError::Store(StoreError::Changed { .. } | StoreError::NotFound { .. }),
            ) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let told = match off_the_way("what waits for a yes could not be decided in the window", decide).await? {
        None => vec![messages::DECIDED_ALREADY.to_owned()],
        Some(fates) if !is_yes || fates.is_empty() => vec![messages::REJECTED.to_owned()],
        Some(fates) => fates.iter().map(|(note, fate)| messages::fate_of_change(note, fate)).collect(),
    };
    let head = shared.door.head(messages::PROPOSED, "/memory", &visitor);
    page(&shared, head, told).await
}
