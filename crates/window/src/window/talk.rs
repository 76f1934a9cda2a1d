//! Talking: the operator's own place in the window, by the same session as everywhere.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::beginnings::{BegunAnew, RESET_TALK};
use super::confirm::QuestionView;
use super::door::{SentFile, SentForm, sent_words};
use super::events::Topic;
use super::message_view::{LiveView, MessageView, rendered};
use super::messages::{self, command_is_here};
use super::operator::records;
use super::pages::{PageHead, Refusal, Visitor, html_page};
use super::personas::now_playing;
use super::shared::Shared;
use super::why::why_view;
use crate::documents::{FILES_OF_ONE, PictureKind, SHOWN_BYTES};
use crate::domain::{
    Attachment, FileAt, InboundEvent, InboundMessage, MessageId, StoredTurn, TokenEncoding, TurnTrace,
};
use crate::familiar::names_of;
use crate::history::{Beginning, HistoryError, RecentQuery, Visible};
use crate::session::{
    Alternatives, GoBack, GreetError, MESSAGE_CHARS_MAX, SpokeUp, SubmitError, WentBack, own_message_id,
};
use crate::text::forgetting::asks_to_forget;
use crate::text::short::{one_line, shortened};
use crate::text::unicode::visible;

/// Messages on one page of the talk.
const SHOWN: u32 = 60;

/// So much of a picture's name, in characters.
const PICTURE_NAME_CHARS: usize = 80;

/// A reply once more, with why it is what it is; `None` where the turn is none of this talk, or said nothing.
pub(super) fn explained(shared: &Shared, trace: &TurnTrace) -> Option<serde_json::Value> {
    let said = trace.reply.as_ref().filter(|_| trace.place.channel == shared.talk.place().channel)?;
    let message = MessageView { why: Some(why_view(trace)), ..shared.heads.familiar_now(said, trace.id) };
    Some(json!({ "turn": trace.id.to_string(), "html": rendered(message) }))
}

async fn said_here(shared: &Shared, until: Option<Timestamp>) -> Result<Vec<StoredTurn>, HistoryError> {
    let place = shared.talk.place();
    let query = RecentQuery { mode: None, max_turns: SHOWN, until, encoding: TokenEncoding::Estimate };
    shared.parts.history.seen_by(&Visible::at(place)).recent(&place.channel, query).await
}

/// The last ordinal that is no part of the talk any more.
async fn begins_behind(shared: &Shared) -> u64 {
    match shared.parts.history.beginning(&shared.talk.place().channel).await {
        Ok(Beginning(behind)) => behind,
        Err(error) => {
            tracing::warn!(%error, "where the talk in the window begins could not be read");
            0
        }
    }
}

/// When it last spoke here before the talk began anew, in milliseconds since 1970.
async fn said_before(shared: &Shared) -> Option<i64> {
    let place = shared.talk.place();
    let here = Visible::at(place);
    let seen = shared.parts.history.seen_by(&here);
    let last = seen.last_assistant(&place.channel, TokenEncoding::Estimate).await;
    Some(last.ok()??.at.as_millisecond())
}

/// One message of the talk, however long ago it was said.
pub(super) async fn message_here(
    shared: &Shared,
    message: &MessageId,
) -> Result<Option<StoredTurn>, Refusal> {
    let place = shared.talk.place();
    let here = Visible::at(place);
    let seen = shared.parts.history.seen_by(&here);
    let found = seen.said_in(&place.channel, message, TokenEncoding::Estimate).await.map_err(|error| {
        tracing::warn!(%error, "the talk in the window could not be read");
        Refusal(StatusCode::INTERNAL_SERVER_ERROR)
    })?;
    Ok(found.map(|(turn, _)| turn))
}

async fn submit(shared: &Shared, text: &str, attachments: Vec<Attachment>) -> Result<(), SubmitError> {
    let (now, who) = (shared.parts.clock.now(), &shared.parts.user_name);
    shared.talk.begin_anew();
    let id = own_message_id();
    let place = shared.talk.place().clone();
    let message = InboundMessage::of_operator(place, who, id.clone(), text.to_owned(), now);
    let message = InboundMessage { attachments, ..message };
    let view = shared.heads.message("person", who, &message.content(), now, None);
    let html = rendered(MessageView { message: Some(id.to_string()), ..view });
    shared.events.tell(Topic::Talk, "message", &json!({ "turn": null, "html": html }));
    shared.parts.session.submit(InboundEvent::Message(Box::new(message))).await
}

#[derive(Debug, Template)]
#[template(path = "talk.html")]
struct TalkPage {
    page: PageHead,
    /// The newest event whose words are on the page.
    seen: u64,
    notice: Option<String>,
    /// What became of beginning it anew, where that is not where it begins.
    begun: Option<BegunAnew>,
    is_empty: bool,
    /// Whether what was said is no part of the talk any more.
    begins_anew: bool,
    can_greet: bool,
    older: Option<String>,
    /// What was said before the talk began anew, and where it did.
    earlier: Vec<MessageView>,
    begins_here: Option<BegunAnew>,
    messages: Vec<MessageView>,
    /// What is being answered, as far as it goes.
    live: Option<LiveView>,
    questions: Vec<QuestionView>,
    /// What was not sent, and stands in the field again.
    written: String,
    is_busy: bool,
    can_go_back: bool,
    rehearses: bool,
    is_remembered: bool,
    /// Whether pictures are looked at; the largest, in bytes.
    takes_pictures: bool,
    most_bytes: usize,
    nobody_sees: &'static str,
    /// Whom the operator plays.
    persona: Option<String>,
    /// Which of how many answers stands.
    alternatives: Option<Alternatives>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Until {
    /// In milliseconds since 1970.
    until: Option<String>,
    /// What became of beginning it anew.
    began: Option<String>,
}

/// What was said, and where one says more.
pub(super) async fn talk_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(until): Query<Until>,
) -> Result<Response, Refusal> {
    talk_shown(&shared, &visitor, until, String::new()).await
}

async fn talk_shown(
    shared: &Shared,
    visitor: &Visitor,
    Until { until, began }: Until,
    written: String,
) -> Result<Response, Refusal> {
    let until = until.map(|until| until.parse().ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()));
    let until = until.map(|until| until.ok_or(Refusal(StatusCode::BAD_REQUEST))).transpose()?;
    let talk = &shared.talk;
    let seen = shared.events.newest(Topic::Talk);
    let (said, problem) = match said_here(shared, until).await {
        Ok(said) => (said, None),
        Err(error) => {
            tracing::warn!(%error, "the talk in the window could not be read");
            (Vec::new(), Some(messages::UNREADABLE.to_owned()))
        }
    };
    let older = (said.len() == SHOWN as usize).then(|| said.first()).flatten();
    let older = older.map(|first| first.at.as_millisecond() - 1);
    let before = if said.is_empty() && until.is_none() { said_before(shared).await } else { None };
    let mut earlier = Vec::with_capacity(said.len());
    for turn in &said {
        earlier.push(view_of_message(shared, turn).await);
    }
    let begins_behind = begins_behind(shared).await;
    let begins = said.partition_point(|turn| turn.ordinal <= begins_behind);
    let (messages, (_, since)) = (earlier.split_off(begins), said.split_at(begins));
    let begun = began.and_then(|began| BegunAnew::told(shared, RESET_TALK, &began));
    // A page of the past ends somewhere before that place.
    let is_marked = !earlier.is_empty() && (until.is_none() || !messages.is_empty());
    let (begins_here, begun) = match begun {
        Some(now) if is_marked && now.undo.is_some() => (Some(now), None),
        begun => (is_marked.then(|| BegunAnew::mark(shared)), begun),
    };
    let character = shared.parts.character.current();
    let (is_newest, is_busy) = (until.is_none(), talk.outbox.underway().is_some());
    let can_go_back = is_newest && messages_can_go_back(since);
    let alternatives = match is_busy || !can_go_back {
        true => None,
        false => shared.parts.session.alternatives(talk.place()).await.ok().flatten(),
    };
    Ok(html_page(&TalkPage {
        page: shared.door.head("Talk", "/talk", visitor),
        seen,
        notice: problem.or_else(|| talk.outbox.notice()),
        begun,
        is_empty: said.is_empty(),
        begins_anew: before.is_some(),
        can_greet: is_newest && since.is_empty() && !is_busy && !character.greetings.is_empty(),
        older: older.or(before).map(|until| format!("/talk?until={until}")),
        earlier,
        begins_here,
        messages,
        live: if is_newest { talk.outbox.live() } else { None },
        questions: visitor
            .session
            .as_ref()
            .map_or_else(Vec::new, |session| talk.actions().open(&session.csrf)),
        written,
        is_busy,
        can_go_back,
        rehearses: shared.parts.health.rehearses(),
        is_remembered: talk.is_remembered(),
        takes_pictures: shared.parts.session.sees_pictures(talk.place()),
        most_bytes: SHOWN_BYTES,
        nobody_sees: messages::NOBODY_SEES,
        persona: now_playing(shared).map(|persona| persona.name),
        alternatives: alternatives.filter(|alternatives| alternatives.all > 1),
    }))
}

/// Whether what was said last of these can be taken back: by a person, or in answer to one.
fn messages_can_go_back(said: &[StoredTurn]) -> bool {
    said.iter().any(|turn| turn.author.is_some()) && said.last().is_some_and(|turn| turn.message.is_some())
}

/// What was said, with the fold that says why where the turn's record is still kept.
async fn view_of_message(shared: &Shared, turn: &StoredTurn) -> MessageView {
    let character = shared.parts.character.current();
    let (role, name) = match &turn.author {
        Some(author) => ("person", author.label()),
        None => ("familiar", character.spoken_name()),
    };
    let message = shared.heads.message(role, name, &turn.content, turn.at, turn.turn);
    let message = MessageView { message: turn.message.as_ref().map(|id| id.to_string()), ..message };
    let Some(id) = turn.turn else { return message };
    let trace = records(&shared.parts.traces).get(id).await.ok().flatten();
    MessageView { why: trace.map(|trace| why_view(&trace)), ..message }
}

/// From now on what is said here is remembered, or not.
pub(super) async fn post_record(
    State(shared): State<Arc<Shared>>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let is_remembered = match form.field("remember") {
        "yes" => true,
        "no" => false,
        _ => return Err(Refusal(StatusCode::BAD_REQUEST)),
    };
    shared.talk.remember(is_remembered);
    shared.talk.begin_anew();
    shared.events.talk_changed();
    Ok(Redirect::to("/talk").into_response())
}

/// Goes back in the talk, or takes one message back.
pub(super) async fn act(State(shared): State<Arc<Shared>>, form: SentForm) -> Result<Response, Refusal> {
    let wanted = form.field("do");
    let (talk, closed) = (&shared.talk, |_| Refusal(StatusCode::SERVICE_UNAVAILABLE));
    let how = match wanted {
        "again" => GoBack::Again,
        "earlier" => GoBack::Earlier,
        "later" => GoBack::Later,
        "undo" => GoBack::Undo,
        "continue" => {
            talk.begin_anew();
            if shared.parts.session.speak_up(talk.place()).await.map_err(closed)? == SpokeUp::Nothing {
                talk.say_apart(crate::terminal::NOTHING_TO_GO_ON_WITH.to_owned());
            }
            return Ok(Redirect::to("/talk").into_response());
        }
        other => {
            let message = other.strip_prefix("delete ").and_then(|id| MessageId::new(id).ok());
            let message = message.ok_or(Refusal(StatusCode::BAD_REQUEST))?;
            let (place, at) = (talk.place().clone(), shared.parts.clock.now());
            let gone = InboundEvent::Deleted { place, messages: vec![message.clone()], at };
            shared.parts.session.submit(gone).await.map_err(closed)?;
            tell_gone(&shared, &[message]);
            return Ok(Redirect::to("/talk").into_response());
        }
    };
    talk.begin_anew();
    match shared.parts.session.go_back(talk.place(), how).await.map_err(closed)? {
        WentBack::Gone(messages) => tell_gone(&shared, &messages),
        WentBack::Changed(message) => tell_changed(&shared, &message).await?,
        WentBack::Nothing => talk.say_apart(crate::terminal::nothing_to_go_back_to(how).to_owned()),
    }
    Ok(Redirect::to("/talk").into_response())
}

fn tell_gone(shared: &Shared, messages: &[MessageId]) {
    let messages: Vec<String> = messages.iter().map(ToString::to_string).collect();
    shared.events.tell(Topic::Talk, "gone", &json!({ "messages": messages }));
}

async fn tell_changed(shared: &Shared, message: &MessageId) -> Result<(), Refusal> {
    if let Some(turn) = message_here(shared, message).await? {
        let html = rendered(view_of_message(shared, &turn).await);
        let told = json!({ "message": message.to_string(), "html": html });
        shared.events.tell(Topic::Talk, "changed", &told);
    }
    Ok(())
}

#[derive(Debug, Template)]
#[template(path = "talk_edit.html")]
struct TalkEditPage {
    page: PageHead,
    notice: Option<String>,
    message: String,
    text: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct WhichMessage {
    #[serde(default)]
    message: String,
}

/// The field in which a message is edited.
pub(super) async fn message_edit_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(WhichMessage { message }): Query<WhichMessage>,
) -> Result<Response, Refusal> {
    let nothing = Refusal(StatusCode::NOT_FOUND);
    let id = MessageId::new(message).map_err(|_| nothing)?;
    let turn = message_here(&shared, &id).await?.ok_or(nothing)?;
    let page = shared.door.head(messages::EDIT_MESSAGE, "/talk", &visitor);
    Ok(html_page(&TalkEditPage { page, notice: None, message: id.to_string(), text: turn.content }))
}

/// Puts other words in a message's place.
pub(super) async fn post_message_edit(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let message = MessageId::new(form.take("message")).map_err(|_| Refusal(StatusCode::BAD_REQUEST))?;
    let text = form.take("text").replace("\r\n", "\n").trim().to_owned();
    if text.is_empty() {
        return Err(Refusal(StatusCode::BAD_REQUEST));
    }
    let chars = text.chars().count();
    if chars > MESSAGE_CHARS_MAX {
        let page = shared.door.head(messages::EDIT_MESSAGE, "/talk", &visitor);
        let notice = Some(messages::edit_too_long(chars, MESSAGE_CHARS_MAX));
        let page = html_page(&TalkEditPage { page, notice, message: message.to_string(), text });
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let (place, at) = (shared.talk.place().clone(), shared.parts.clock.now());
    let edited = InboundEvent::Edited { place, message: message.clone(), text, at };
    let (session, place) = (&shared.parts.session, shared.talk.place());
    session.submit(edited).await.map_err(|_| Refusal(StatusCode::SERVICE_UNAVAILABLE))?;
    // It is stored when the place takes the next thing that it is asked.
    let stored = session.alternatives(place).await;
    stored.map_err(|_| Refusal(StatusCode::SERVICE_UNAVAILABLE))?;
    tell_changed(&shared, &message).await?;
    Ok(Redirect::to("/talk").into_response())
}

/// Takes what somebody says; the answer comes by itself.
pub(super) async fn post_message(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let sent = (form.take("text"), Vec::new());
    take_message(&shared, &visitor, sent).await
}

/// Takes what somebody says, and pictures with it.
pub(super) async fn post_pictures(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Result<Response, Refusal> {
    let sent = sent_words(&visitor, request).await?;
    take_message(&shared, &visitor, sent).await
}

async fn take_message(
    shared: &Shared,
    visitor: &Visitor,
    (text, files): (String, Vec<SentFile>),
) -> Result<Response, Refusal> {
    // Browsers end lines as letters do.
    let text = text.replace("\r\n", "\n");
    let (text, talk) = (text.trim(), &shared.talk);
    let chars = text.chars().count();
    let too_long = || messages::message_too_long(chars, MESSAGE_CHARS_MAX);
    let of_command = command_is_here(text);
    let is_command_alone = of_command.is_some() && !text.contains(char::is_whitespace) && files.is_empty();
    if let Some(why) = of_command.or_else(|| (chars > MESSAGE_CHARS_MAX).then(too_long)) {
        talk.begin_anew();
        talk.say_apart(why);
        if is_command_alone {
            return Ok(Redirect::to("/talk").into_response());
        }
        // Nothing that was typed is lost: a page with a script puts it back by itself.
        let page = talk_shown(shared, visitor, Until::default(), text.to_owned()).await?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let (pictures, problem) = pictures_of(shared, files);
    if !text.is_empty() || !pictures.is_empty() {
        let submitted = submit(shared, text, pictures).await;
        submitted.map_err(|_| Refusal(StatusCode::SERVICE_UNAVAILABLE))?;
        let names = names_of(&shared.parts.character.current(), &shared.parts.config.current().aliases);
        if asks_to_forget(text, &names) {
            talk.say_apart(messages::HOW_TO_FORGET.to_owned());
        }
    }
    if let Some(problem) = problem {
        talk.say_apart(problem);
    }
    Ok(Redirect::to("/talk").into_response())
}

/// Those of the files that are pictures and are looked at, and why others are not sent.
fn pictures_of(shared: &Shared, files: Vec<SentFile>) -> (Vec<Attachment>, Option<String>) {
    if files.is_empty() {
        return (Vec::new(), None);
    }
    if !shared.parts.session.sees_pictures(shared.talk.place()) {
        return (Vec::new(), Some(messages::NOBODY_SEES.to_owned()));
    }
    let (mut pictures, mut problem) = (Vec::new(), None);
    for SentFile { name, bytes } in files {
        let name = shortened(&one_line(&visible(&name)), PICTURE_NAME_CHARS);
        if pictures.len() == FILES_OF_ONE {
            problem = Some(messages::too_many_pictures(FILES_OF_ONE));
        } else if PictureKind::of(&bytes).is_none() || bytes.len() > SHOWN_BYTES {
            problem = Some(messages::no_picture(&name, SHOWN_BYTES));
        } else {
            pictures.push(Attachment {
                bytes: Some(bytes.len() as u64),
                address: Some(FileAt::Here(bytes.into())),
                ..Attachment::named("image", name)
            });
        }
    }
    (pictures, problem)
}

/// Ends the answer that is being given.
pub(super) async fn stop(State(shared): State<Arc<Shared>>, _: SentForm) -> Result<Response, Refusal> {
    if let Some(turn) = shared.talk.outbox.underway() {
        let stopped = shared.parts.session.interrupt(shared.talk.place(), turn).await;
        stopped.map_err(|_| Refusal(StatusCode::SERVICE_UNAVAILABLE))?;
        shared.talk.say_apart(messages::STOPPED.to_owned());
    }
    Ok(Redirect::to("/talk").into_response())
}

/// Takes the press that answers a question.
pub(super) async fn answer(State(shared): State<Arc<Shared>>, form: SentForm) -> Result<Response, Refusal> {
    let number = form.field("question").parse().ok();
    let number = number.ok_or(Refusal(StatusCode::BAD_REQUEST))?;
    let is_yes = form.field("answer") == "yes";
    shared.talk.actions().answered(number, is_yes);
    Ok(Redirect::to("/talk").into_response())
}

pub(super) async fn post_greeting(
    State(shared): State<Arc<Shared>>,
    _: SentForm,
) -> Result<Response, Refusal> {
    shared.talk.begin_anew();
    let whom = Some(shared.parts.user_name.clone());
    match shared.parts.session.greet(shared.talk.place().clone(), None, whom).await {
        Ok(_) => {}
        Err(GreetError::Submit(_)) => return Err(Refusal(StatusCode::SERVICE_UNAVAILABLE)),
        Err(GreetError::NoSuchGreeting { .. }) => {
            shared.talk.say_apart(messages::NO_GREETING.to_owned());
        }
        Err(error) => shared.talk.say_apart(error.to_string()),
    }
    Ok(Redirect::to("/talk").into_response())
}
