//! Where it is: the places it hears, what was said there last, and why it spoke or stayed silent.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use jiff::Timestamp;

use super::forget::forget_room_href;
use super::markdown::html_of_markdown;
use super::pages::{PageHead, Refusal, SignedIn, html_page, theme_of};
use super::server::Shared;
use super::talk::Heads;
use super::{messages, operator};
use crate::domain::{ChannelId, Outcome, StoredTurn, TurnId, TurnTrace};
use crate::history::{HistoryError, KeptChannel};
use crate::text::short::{one_line, shortened};

/// So many places are shown, those in which something was said last.
const PLACES: usize = 200;

/// So many lines of one place.
const LINES: u32 = 60;

/// So many of its turns are looked through for why it spoke or stayed silent.
const TURNS: usize = 120;

/// So much of a place's last line, in characters.
const LAST_CHARS: usize = 120;

#[derive(Debug, Template)]
#[template(path = "rooms.html")]
struct RoomsPage {
    page: PageHead,
    is_empty: bool,
    groups: Vec<Group>,
    room: Option<Room>,
}

/// The places of one server, or those that are in none.
#[derive(Debug)]
struct Group {
    name: String,
    places: Vec<PlaceRow>,
}

#[derive(Debug)]
struct PlaceRow {
    href: String,
    is_current: bool,
    name: String,
    datetime: String,
    when: String,
    last: String,
}

#[derive(Debug)]
struct Room {
    id: String,
    name: String,
    tags: Vec<String>,
    xray: String,
    forget: String,
    is_empty: bool,
    lines: Vec<Line>,
}

/// What was said, or that it stayed silent.
#[derive(Debug)]
struct Line {
    kind: &'static str,
    name: String,
    time: String,
    datetime: String,
    html: String,
    words: String,
    reason: Option<String>,
    href: Option<String>,
}

pub(super) async fn list_rooms(
    State(shared): State<Arc<Shared>>,
    Extension(session): SignedIn,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let head = shared.door.head("Rooms", "/rooms", session.as_ref(), theme_of(&headers));
    let groups = grouped_rooms(&shared, None).await.map_err(unreadable_history)?;
    Ok(html_page(&RoomsPage { page: head, is_empty: groups.is_empty(), groups, room: None }))
}

pub(super) async fn room(
    State(shared): State<Arc<Shared>>,
    Extension(session): SignedIn,
    Path(channel): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let channel = ChannelId::new(channel).map_err(|_| Refusal(StatusCode::NOT_FOUND))?;
    let places = operator::places(&shared.parts.history).await.map_err(unreadable_history)?;
    let place = places.into_iter().find(|place| place.channel == channel.as_str());
    let place = place.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let lines = last_lines(&shared, &channel).await.map_err(unreadable_history)?;
    let groups = grouped_rooms(&shared, Some(&channel)).await.map_err(unreadable_history)?;
    let name = room_name(&place);
    let room = Room {
        xray: format!("/xray?place={channel}"),
        forget: forget_room_href(&channel),
        id: channel.to_string(),
        tags: place
            .guild_name
            .iter()
            .cloned()
            .chain([messages::kind_of_place(&place.kind).to_owned()])
            .collect(),
        is_empty: lines.is_empty(),
        lines,
        name: name.clone(),
    };
    let head = shared.door.head(&name, "/rooms", session.as_ref(), theme_of(&headers));
    Ok(html_page(&RoomsPage { page: head, is_empty: false, groups, room: Some(room) }))
}

/// The places, by server; where something was said last comes first.
async fn grouped_rooms(shared: &Shared, current: Option<&ChannelId>) -> Result<Vec<Group>, HistoryError> {
    let history = &shared.parts.history;
    let everybody = operator::everybody(history).await?;
    let mut places = Vec::new();
    for place in operator::places(history).await? {
        let Ok(channel) = ChannelId::new(place.channel.clone()) else { continue };
        let last = operator::last_said(history, &everybody, &channel, 1).await?.pop();
        places.extend(last.map(|last| (place, channel, last)));
    }
    places.sort_by_key(|(_, _, last)| Reverse(last.at));
    places.truncate(PLACES);
    let heads = shared.talk.heads();
    let mut groups: Vec<Group> = Vec::new();
    for (place, channel, last) in places {
        let of = place.guild_name.clone().unwrap_or_else(|| messages::NO_SERVER.to_owned());
        let row = PlaceRow {
            href: format!("/rooms/{channel}"),
            is_current: current == Some(&channel),
            name: room_name(&place),
            datetime: last.at.to_string(),
            when: when(heads, last.at),
            last: shortened(&one_line(&last.content), LAST_CHARS),
        };
        match groups.iter_mut().find(|group| group.name == of) {
            Some(group) => group.places.push(row),
            None => groups.push(Group { name: of, places: vec![row] }),
        }
    }
    Ok(groups)
}

/// The time today, the day before.
fn when(heads: &Heads, at: Timestamp) -> String {
    let local = heads.local(at);
    let format = if local.date() == heads.today() { "%H:%M" } else { "%-d %b" };
    local.strftime(format).to_string()
}

fn room_name(place: &KeptChannel) -> String {
    place.name.clone().unwrap_or_else(|| messages::place_without_name(&place.kind, &place.channel))
}

/// What was said, with the silences between, oldest first.
async fn last_lines(shared: &Shared, channel: &ChannelId) -> Result<Vec<Line>, HistoryError> {
    let (history, heads) = (&shared.parts.history, shared.talk.heads());
    let everybody = operator::everybody(history).await?;
    let said = operator::last_said(history, &everybody, channel, LINES).await?;
    let turns = shared.parts.traces.page(Some(channel), None, TURNS).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the turns of a room could not be read");
        Vec::new()
    });
    let by_turn: HashMap<TurnId, &TurnTrace> = turns.iter().map(|trace| (trace.id, &**trace)).collect();
    let since = said.first().map_or(Timestamp::MAX, |first| first.at);
    let name = shared.parts.character.current().spoken_name().to_owned();
    let spoken = said.iter().map(|turn| {
        let trace = turn.turn.and_then(|turn| by_turn.get(&turn).copied());
        (turn.at, spoken_line(heads, turn, trace, &name))
    });
    let silent = turns.iter().filter(|trace| trace.opened_at >= since);
    let silent = silent.filter_map(|trace| Some((trace.opened_at, silence(heads, trace)?)));
    let mut lines: Vec<(Timestamp, Line)> = spoken.chain(silent).collect();
    lines.sort_by_key(|(at, _)| *at);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

fn spoken_line(heads: &Heads, turn: &StoredTurn, trace: Option<&TurnTrace>, own_name: &str) -> Line {
    Line {
        kind: if turn.author.is_some() { "person" } else { "familiar" },
        name: turn.author.as_ref().map_or(own_name, |author| author.label()).to_owned(),
        time: heads.clock_time(turn.at),
        datetime: turn.at.to_string(),
        html: html_of_markdown(&turn.content),
        words: String::new(),
        reason: trace.map(|trace| messages::spoke_because(&trace.trigger)),
        href: trace.map(|trace| format!("/xray/{}", trace.id)),
    }
}

/// `None` where it did not choose silence.
fn silence(heads: &Heads, trace: &TurnTrace) -> Option<Line> {
    let Outcome::Silent { reason } = &trace.outcome else { return None };
    Some(Line {
        kind: "silence",
        name: String::new(),
        time: heads.clock_time(trace.opened_at),
        datetime: trace.opened_at.to_string(),
        html: String::new(),
        words: messages::silent_because(&reason.words()),
        reason: None,
        href: Some(format!("/xray/{}", trace.id)),
    })
}

fn unreadable_history(error: HistoryError) -> Refusal {
    tracing::warn!(%error, "rooms could not be read for the window");
    Refusal(StatusCode::INTERNAL_SERVER_ERROR)
}
