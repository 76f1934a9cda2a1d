//! Beginning a note: what or whom it is about and who may see it. Then it is edited like any other, and is there once it
//! is saved.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;

use super::memory::read_from_disk;
use super::messages;
use super::names::Names;
use super::note_edit::new_note;
use super::note_href::href;
use super::one_person::accounts_to_choose;
use super::operator::{label_or_account, read_note};
use super::pages::{PageHead, Refusal, Visitor, html_page};
use super::shared::Shared;
use crate::domain::{AccountId, Audience};
use crate::memory::facts::new_page;
use crate::memory::store::NotePath;
use crate::workers::topic_note;

pub(super) const BEGIN: &str = "/memory/new";

#[derive(Debug, Template)]
#[template(path = "note_begin.html")]
struct BeginPage {
    page: PageHead,
    action: &'static str,
    problem: Option<String>,
    /// The note that is there already.
    there: Option<String>,
    begun: Begun,
    audiences: Vec<Choice>,
    people: Vec<(AccountId, String)>,
}

/// Who may see it.
#[derive(Debug)]
struct Choice {
    /// As the head of a note says it.
    to: String,
    who: String,
    is_chosen: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Begun {
    #[serde(default)]
    topic: String,
    /// An account.
    #[serde(default)]
    person: String,
    /// Who may see it; whoever says nothing keeps it to themselves.
    #[serde(default)]
    to: String,
}

impl Begun {
    fn audience(&self) -> Result<Audience, Refusal> {
        if self.to.is_empty() {
            return Ok(Audience::Dm(AccountId::operator()));
        }
        // What is off the record is noted nowhere.
        let read = self.to.parse::<Audience>().ok().filter(|audience| !audience.is_off_the_record());
        read.ok_or(Refusal(StatusCode::BAD_REQUEST))
    }

    /// The note that is meant, and what stands on top of it; `None` where nothing was written yet.
    async fn note(&self, shared: &Shared) -> Option<Result<(NotePath, String), String>> {
        if !self.topic.trim().is_empty() {
            return Some(topic_note(&self.topic).map_err(messages::no_note_of_that_name));
        }
        let written = Some(self.person.trim()).filter(|written| !written.is_empty())?;
        let Ok(account) = written.parse::<AccountId>() else {
            return Some(Err(messages::NO_ACCOUNT.to_owned()));
        };
        let name = label_or_account(&shared.parts.history, &account).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "what somebody is called could not be read for the window");
            account.to_string()
        });
        if shared.parts.pairing.has_opted_out(&account) {
            return Some(Err(messages::has_opted_out(&name)));
        }
        let whose = shared.parts.memory.person_of(&account).await;
        let path = NotePath::new(format!("people/{whose}.md")).map_err(|_| messages::NO_ACCOUNT.to_owned());
        Some(path.map(|path| (path, name)))
    }
}

/// Asks what a note is to be about; where that is said, the field in which it is written.
pub(super) async fn begin_note(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(begun): Query<Begun>,
) -> Result<Response, Refusal> {
    let audience = begun.audience()?;
    let head = |title: &str| shared.door.head(title, "/memory", &visitor);
    let (mut problem, mut there) = (None, None);
    match begun.note(&shared).await {
        None => {}
        Some(Err(why)) => problem = Some(why),
        Some(Ok((path, title))) => {
            let (memory, wanted) = (Arc::clone(&shared.parts.memory), path.clone());
            if read_from_disk(move || read_note(&memory, &wanted)).await?.is_none() {
                let text = new_page(&audience, &title);
                return Ok(html_page(&new_note(&shared, head(messages::NEW_NOTE), &path, text).await));
            }
            problem = Some(messages::note_is_there(&title));
            there = Some(href(&path));
        }
    }
    let names = Names::all(&shared).await;
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let page = BeginPage {
        page: head(messages::NEW_NOTE),
        action: BEGIN,
        problem,
        there,
        begun,
        audiences: audience_choices(&names, &audience),
        people: accounts_to_choose(names.people(), &[]),
    };
    Ok((status, html_page(&page)).into_response())
}

/// Who may be chosen to see a note: nobody else, a server, everybody, and whoever is chosen already.
fn audience_choices(names: &Names, chosen: &Audience) -> Vec<Choice> {
    let mut all = vec![Audience::Dm(AccountId::operator())];
    all.extend(names.servers());
    all.push(Audience::Canon);
    if !all.contains(chosen) {
        all.push(chosen.clone());
    }
    let choice =
        |one: Audience| Choice { to: one.to_string(), who: names.who_hears(&one), is_chosen: one == *chosen };
    all.into_iter().map(choice).collect()
}
