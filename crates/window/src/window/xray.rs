//! What every turn did: the list, and one turn with all that went into it.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::events::Topic;
use super::message_view::{Heads, MessageView};
use super::messages;
use super::names::Names;
use super::operator::records;
use super::pages::{PageHead, Refusal, Visitor, html_page};
use super::shared::Shared;
use super::turn_view::{Beside, TurnRow, turn_page};
use crate::domain::{ChannelId, TokenEncoding, TurnId, TurnTrace};
use crate::history::Visible;
use crate::trace::Silences;

/// Turns on one page.
const PAGE: usize = 40;

#[derive(Debug, Template)]
#[template(path = "turn_row.html")]
struct RowFragment {
    row: TurnRow,
}

/// Turns of one day, by the familiar's clock.
#[derive(Debug)]
struct Day {
    name: String,
    rows: Vec<TurnRow>,
}

#[derive(Debug, Template)]
#[template(path = "xray.html")]
struct ListPage {
    page: PageHead,
    /// The newest event whose turn is on the page.
    seen: u64,
    place: Option<String>,
    /// The only channel whose turns are shown.
    only_of: Option<ChannelId>,
    /// The same list of every place.
    everywhere: String,
    /// Whether turns that stayed silent are left out, and the list in which that is otherwise.
    is_spoken: bool,
    otherwise: String,
    is_empty: bool,
    is_first_page: bool,
    days: Vec<Day>,
    previous: Option<String>,
    next: Option<String>,
}

fn by_day(traces: &[Arc<TurnTrace>], heads: &Heads, names: &Names) -> Vec<Day> {
    let today = heads.today();
    let mut days: Vec<Day> = Vec::new();
    for trace in traces {
        let name = messages::day_heading(heads.local(trace.opened_at).date(), today);
        let row = TurnRow::of(trace, heads, names);
        match days.last_mut() {
            Some(day) if day.name == name => day.rows.push(row),
            _ => days.push(Day { name, rows: vec![row] }),
        }
    }
    days
}

/// A turn that has just ended, for lists that are open.
pub(super) async fn row_event(shared: &Shared, trace: &TurnTrace) -> Value {
    let (heads, names) = (&shared.heads, Names::of(shared, [&trace.place]).await);
    let row = RowFragment { row: TurnRow::of(trace, heads, &names) };
    let html = row.render().unwrap_or_default();
    let day = messages::day_heading(heads.local(trace.opened_at).date(), heads.today());
    let kind = row.row.kind;
    json!({ "turn": trace.id.to_string(), "html": html, "day": day, "place": trace.place.channel, "kind": kind })
}

#[derive(Debug, Deserialize)]
pub(super) struct TurnsQuery {
    /// Only turns with smaller numbers.
    before: Option<String>,
    /// Only those of this channel.
    place: Option<String>,
    /// `answers` leaves silences out: where people talk much, there are many for each answer.
    only: Option<String>,
}

const ANSWERS: &str = "answers";

/// Where turns are listed: of one place or of all, with or without silences, and from where on.
fn turns_href(channel: Option<&ChannelId>, silences: Silences, before: Option<TurnId>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    if let Some(before) = before {
        query.append_pair("before", &before.0.to_string());
    }
    if let Some(channel) = channel {
        query.append_pair("place", channel.as_str());
    }
    if silences == Silences::LeftOut {
        query.append_pair("only", ANSWERS);
    }
    let query = query.finish();
    if query.is_empty() { "/xray".to_owned() } else { format!("/xray?{query}") }
}

/// The turns, newest first.
pub(super) async fn list_turns(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(TurnsQuery { before, place, only }): Query<TurnsQuery>,
) -> Result<Response, Refusal> {
    let before = before.map(|before| before.parse().map(TurnId)).transpose();
    let before = before.map_err(|_| Refusal(StatusCode::BAD_REQUEST))?;
    let channel = place.filter(|place| !place.is_empty()).map(ChannelId::new).transpose();
    let channel = channel.map_err(|_| Refusal(StatusCode::BAD_REQUEST))?;
    let (silences, otherwise) = match only.as_deref().unwrap_or_default() {
        "" => (Silences::Told, Silences::LeftOut),
        ANSWERS => (Silences::LeftOut, Silences::Told),
        _ => return Err(Refusal(StatusCode::BAD_REQUEST)),
    };
    let seen = shared.events.newest(Topic::Turns);
    let found = records(&shared.parts.traces).page(channel.as_ref(), silences, before, PAGE + 1).await?;
    let shown = &found[..found.len().min(PAGE)];
    let names = Names::of(&shared, shown.iter().map(|trace| &trace.place)).await;
    let days = by_day(shown, &shared.heads, &names);
    let href = |from: Option<TurnId>| turns_href(channel.as_ref(), silences, from);
    let next = shown.last().filter(|_| found.len() > PAGE).map(|last| href(Some(last.id)));
    let previous = match shown.first().filter(|_| before.is_some()) {
        Some(first) => {
            let newer = shared.parts.traces.following(channel.as_ref(), silences, first.id, PAGE + 1).await;
            Some(href(newer?.get(PAGE).copied()))
        }
        None => None,
    };
    Ok(html_page(&ListPage {
        page: shared.door.head("X-ray", "/xray", &visitor),
        seen,
        place: channel.as_ref().map(|channel| match shown.first() {
            Some(trace) => names.place(&trace.place),
            None => channel.to_string(),
        }),
        is_empty: shown.is_empty() && before.is_none(),
        is_first_page: before.is_none(),
        everywhere: turns_href(None, silences, None),
        is_spoken: silences == Silences::LeftOut,
        otherwise: turns_href(channel.as_ref(), otherwise, None),
        only_of: channel,
        days,
        previous,
        next,
    }))
}

pub(super) async fn turn(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(turn): Path<String>,
) -> Result<Response, Refusal> {
    let trace = recorded(&shared, &turn).await?;
    let turn = trace.id;
    let (previous, following) = shared.parts.traces.beside(turn).await?;
    let title = messages::turn_title(&turn.to_string());
    let head = shared.door.head(&title, "/xray", &visitor);
    let said = said_in_turn(&shared, &trace).await;
    let href = |turn: TurnId| format!("/xray/{turn}");
    let compare = previous.map(|before| format!("/xray/compare?one={before}&other={turn}"));
    let beside = Beside { previous: previous.map(href), following: following.map(href), compare };
    let names = Names::of(&shared, [&trace.place]).await;
    Ok(html_page(&turn_page(head, beside, &trace, (&shared.heads, &names), said)))
}

/// The record of a turn that somebody names.
pub(super) async fn recorded(shared: &Shared, turn: &str) -> Result<Arc<TurnTrace>, Refusal> {
    let turn: TurnId = turn.trim().parse().map_err(|_| Refusal(StatusCode::NOT_FOUND))?;
    let trace = records(&shared.parts.traces).get(turn).await?;
    trace.ok_or(Refusal(StatusCode::NOT_FOUND))
}

/// What the turn answers, as it still stands where it was said.
async fn said_in_turn(shared: &Shared, trace: &TurnTrace) -> Vec<MessageView> {
    let here = Visible::at(&trace.place);
    let turns = shared.parts.history.seen_by(&here).turns(&trace.pending, TokenEncoding::Estimate).await;
    let turns = turns.unwrap_or_else(|error| {
        tracing::warn!(%error, turn = %trace.id, "what the turn answers could not be read");
        Vec::new()
    });
    let name =
        |turn: &crate::domain::StoredTurn| turn.author.as_ref().map(|author| author.label().to_owned());
    let heads = &shared.heads;
    turns
        .iter()
        .map(|turn| heads.message("person", &name(turn).unwrap_or_default(), &turn.content, turn.at, None))
        .collect()
}
