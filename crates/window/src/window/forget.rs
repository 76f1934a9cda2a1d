//! Forgetting for good, by whoever runs the program: first what it reaches, then doing it, for seven days taking it back.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::door::SentForm;
use super::messages;
use super::names::Names;
use super::note_href::{href, note_path};
use super::pages::{PageHead, Refusal, Visitor, html_page, off_the_way};
use super::shared::Shared;
use crate::domain::{AccountId, ChannelId};
use crate::erase::{Asker, EraseError, ForgetRequest, ForgetWhat, KeepCopy, Plan, Preview};
use crate::memory::facts::FactId;
use crate::memory::store::{NOTE_FOLDERS, NotePath};

/// The longest name of what is to be forgotten, in bytes.
const NAME_BYTES: usize = 512;

#[derive(Debug, Template)]
#[template(path = "forget.html")]
struct ForgetPage {
    page: PageHead,
    lead: &'static str,
    /// What somebody sends who agrees.
    action: &'static str,
    kind: &'static str,
    name: String,
    reaches: Vec<(String, &'static str)>,
    /// Some of it, by kind.
    firsts: Vec<(&'static str, Vec<String>)>,
    /// Why nothing is there to agree to.
    nothing: Option<&'static str>,
    button: &'static str,
    /// Whether it may be done without a copy.
    has_choice: bool,
    back: String,
}

/// What a link of the window names.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    name: String,
    /// The note that the link stands in.
    #[serde(default)]
    from: String,
}

impl Named {
    /// What is meant; the operator may name anything that can be forgotten.
    fn what(self) -> Result<(&'static str, ForgetWhat), Refusal> {
        let unknown = Refusal(StatusCode::NOT_FOUND);
        let name = Some(self.name).filter(|name| !name.is_empty() && name.len() <= NAME_BYTES);
        let name = name.ok_or(unknown)?;
        Ok(match self.kind.as_str() {
            PERSON => (PERSON, ForgetWhat::Person(name.parse().map_err(|_| unknown)?)),
            CHANNEL => (CHANNEL, ForgetWhat::Channel(ChannelId::new(name).map_err(|_| unknown)?)),
            TOPIC => {
                NotePath::new(topic_path(&name)).map_err(|_| unknown)?;
                (TOPIC, ForgetWhat::Topic(name))
            }
            NOTE => (NOTE, ForgetWhat::Note(forgettable(&name).ok_or(unknown)?)),
            FACT => {
                let fact: FactId = name.parse().map_err(|_| unknown)?;
                (FACT, ForgetWhat::Fact(fact.to_string()))
            }
            _ => return Err(unknown),
        })
    }
}

const PERSON: &str = "person";
const CHANNEL: &str = "channel";
const TOPIC: &str = "topic";
const FACT: &str = "fact";
const NOTE: &str = "note";

fn topic_path(name: &str) -> String {
    format!("topics/{name}.md")
}

/// Where a note, or what it is about, can be forgotten; `None` where somebody wrote it by hand.
pub(super) fn forget_note_href(path: &NotePath) -> Option<String> {
    if let Some(account) = AccountId::of_slug(path.stem()).filter(|_| path.is_in("people")) {
        return Some(forget_href(PERSON, &account.to_string(), Some(path)));
    }
    if path.as_str() == topic_path(path.stem()) {
        return Some(forget_href(TOPIC, path.stem(), Some(path)));
    }
    path.is_note_in(&NOTE_FOLDERS).then(|| forget_href(NOTE, path.as_str(), Some(path)))
}

/// A note that can be forgotten as such: what somebody wrote by hand in other folders is edited.
fn forgettable(path: &str) -> Option<NotePath> {
    NotePath::new(path).ok().filter(|path| path.is_note_in(&NOTE_FOLDERS))
}

/// Where a fact of a note can be forgotten.
pub(super) fn forget_fact_href(fact: &FactId, note: &NotePath) -> String {
    forget_href(FACT, fact.as_str(), Some(note))
}

/// Where a room can be forgotten.
pub(super) fn forget_room_href(channel: &ChannelId) -> String {
    forget_href(CHANNEL, channel.as_str(), None)
}

fn forget_href(kind: &str, name: &str, from: Option<&NotePath>) -> String {
    let mut pairs = form_urlencoded::Serializer::new(String::new());
    pairs.append_pair("kind", kind).append_pair("name", name);
    pairs.extend_pairs(from.map(|note| ("from", note.as_str())));
    format!("/forget?{}", pairs.finish())
}

fn request(what: ForgetWhat, keep: KeepCopy) -> ForgetRequest {
    ForgetRequest { what, by: Asker::Operator, keep }
}

/// What forgetting somebody, a topic or a room would reach. Changes nothing.
pub(super) async fn preview(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(named): Query<Named>,
) -> Result<Response, Refusal> {
    let from = note_path(named.from.clone());
    let (kind, what) = named.what()?;
    let looked = shared.parts.eraser.preview(&request(what.clone(), KeepCopy::SevenDays)).await;
    let (plan, first) = looked.map_err(not_done)?;
    let names = Names::all(&shared).await;
    // Back to the note that led here; else to the one that is meant.
    let to_note =
        |meant: Option<NotePath>| from.clone().or(meant).as_ref().map_or_else(|| "/memory".to_owned(), href);
    let (called, name, back) = match &what {
        ForgetWhat::Person(account) => {
            let note = NotePath::new(format!("people/{}.md", account.slug())).ok();
            (names.person(account), account.to_string(), to_note(note))
        }
        ForgetWhat::Channel(channel) => {
            let called = messages::room_to_forget(&names.channel(channel));
            (called, channel.to_string(), format!("/rooms/{channel}"))
        }
        ForgetWhat::Topic(topic) => {
            (topic.clone(), topic.clone(), to_note(NotePath::new(topic_path(topic)).ok()))
        }
        ForgetWhat::Note(path) => (path.to_string(), path.to_string(), to_note(Some(path.clone()))),
        ForgetWhat::Fact(fact) => (messages::THIS_FACT.to_owned(), fact.clone(), to_note(None)),
        ForgetWhat::Words { .. } => return Err(Refusal(StatusCode::NOT_FOUND)),
    };
    Ok(html_page(&ForgetPage {
        page: shared.door.head(&messages::forget_title(&called), list_of(&what), &visitor),
        lead: messages::what_forgetting_is(&what),
        action: "/forget",
        kind,
        name,
        nothing: plan.is_empty().then_some(messages::NOTHING_TO_FORGET),
        reaches: reaches(plan),
        firsts: firsts(first),
        button: messages::FORGET,
        has_choice: true,
        back,
    }))
}

/// Forgets what was looked at.
pub(super) async fn forget(
    State(shared): State<Arc<Shared>>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let (_, what) = Named { kind: form.take("kind"), name: form.take("name"), from: String::new() }.what()?;
    let list = list_of(&what);
    let keep = if form.field("keep") == "nothing" { KeepCopy::Nothing } else { KeepCopy::SevenDays };
    shared.parts.eraser.forget(request(what, keep)).await.map_err(not_done)?;
    Ok(Redirect::to(if keep == KeepCopy::Nothing { list } else { "/forget/undo" }).into_response())
}

/// Where what is to be forgotten is listed.
fn list_of(what: &ForgetWhat) -> &'static str {
    if matches!(what, ForgetWhat::Channel(_)) { "/rooms" } else { "/memory" }
}

/// What could be taken back.
pub(super) async fn preview_undo(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refusal> {
    let plan = undoable(&shared).await?;
    Ok(html_page(&ForgetPage {
        page: shared.door.head(messages::FORGOTTEN, "/memory", &visitor),
        lead: messages::WHAT_UNDOING_IS,
        action: "/forget/undo",
        kind: "",
        name: String::new(),
        nothing: plan.is_none().then_some(messages::NOTHING_TO_TAKE_BACK),
        reaches: reaches(plan.map(|plan| Plan { transcripts: 0, ..plan }).unwrap_or_default()),
        firsts: Vec::new(),
        button: messages::TAKE_BACK,
        has_choice: false,
        back: "/memory".to_owned(),
    }))
}

/// Takes back what was forgotten last.
pub(super) async fn undo(State(shared): State<Arc<Shared>>, _: SentForm) -> Result<Response, Refusal> {
    shared.parts.eraser.undo(&Asker::Operator).await.map_err(not_done)?;
    Ok(Redirect::to("/memory").into_response())
}

/// What was forgotten last and can still come back.
pub(super) async fn undoable(shared: &Shared) -> Result<Option<Plan>, Refusal> {
    let eraser = Arc::clone(&shared.parts.eraser);
    off_the_way("what can be taken back could not be read", move || eraser.undoable(&Asker::Operator)).await
}

fn reaches(plan: Plan) -> Vec<(String, &'static str)> {
    let Plan { messages, replies, facts, notes, unread, traces, transcripts, copies } = plan;
    let counts = [messages, replies, facts, notes, unread, traces, transcripts, copies];
    let told = counts.into_iter().zip(messages::REACHED).filter(|(count, _)| *count > 0);
    let named = |count: usize, (one, several): (&'static str, &'static str)| {
        if count == 1 { one } else { several }
    };
    told.map(|(count, what)| (crate::text::short::thousands(count as u64), named(count, what))).collect()
}

fn firsts(first: Preview) -> Vec<(&'static str, Vec<String>)> {
    let Preview { messages, replies, facts, fact_ids: _, notes, files } = first;
    let kinds = messages::FIRST_OF.into_iter().zip([messages, replies, facts, notes, files]);
    kinds.filter(|(_, words)| !words.is_empty()).collect()
}

fn not_done(error: EraseError) -> Refusal {
    tracing::warn!(%error, "what the window asked to forget or to take back was not done");
    Refusal(StatusCode::INTERNAL_SERVER_ERROR)
}
