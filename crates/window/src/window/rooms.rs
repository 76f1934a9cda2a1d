//! Where it is: the places it hears, what was said there last, and why it spoke or stayed silent.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use jiff::Timestamp;
use serde::Deserialize;

use super::beginnings::{BegunAnew, begins};
use super::door::SentForm;
use super::events::Topic;
use super::forget::forget_room_href;
use super::markdown::html_of_markdown;
use super::message_view::Heads;
use super::names::Names;
use super::pages::{PageHead, Refusal, Visitor, html_page, off_the_way, on_disk, status_of_settings};
use super::room_now::{NowIn, newest_turns};
use super::shared::Shared;
use super::{messages, operator};
use crate::config::{ChannelSetting, ConfigError, SettingFrom, quiet_until};
use crate::domain::{
    ChannelId, DAY_PARTS, Learned, LikedLength, Place, PlaceKind, StoredId, StoredTurn, TurnId,
};
use crate::history::{HistoryError, Room, RoomPage};
use crate::session::{GreetError, SpokeUp};
use crate::text::short::{one_line, shortened};
use crate::text::speech::plain_line;
use crate::trace::TurnTold;

/// So many places are shown on a page, those in which something was said last first.
const PLACES: usize = 200;

/// So many lines of one place.
const LINES: u32 = 60;

/// So much of a place's last line, in characters.
const LAST_CHARS: usize = 120;

/// So much of a greeting, and of what a setting says.
const GREETING_CHARS: usize = 60;
const SETTING_CHARS: usize = 160;

#[derive(Debug, Template)]
#[template(path = "rooms.html")]
struct RoomsPage {
    page: PageHead,
    is_empty: bool,
    groups: Vec<PlaceGroup>,
    /// Where more of them stand.
    next: Option<String>,
    room: Option<RoomView>,
}

/// The places of one server, or those that are in none.
#[derive(Debug)]
struct PlaceGroup {
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
struct RoomView {
    /// The newest event of rooms whose words are on the page.
    seen: u64,
    id: String,
    name: String,
    tags: Vec<String>,
    xray: String,
    forget: String,
    /// Where what it is to do there is sent.
    act: String,
    notice: Option<&'static str>,
    begun: Option<BegunAnew>,
    /// Where it is begun anew.
    reset: String,
    /// What a thread is called by default, where one can be opened.
    thread: Option<String>,
    /// That it is quiet there, and until when.
    quiet: Option<String>,
    learned: Option<LearnedView>,
    /// Alone with somebody it answers.
    can_be_quiet: bool,
    greetings: Vec<String>,
    settings: Vec<RoomSetting>,
    is_empty: bool,
    lines: Vec<Line>,
    /// What [`NowIn`] made.
    now: String,
}

/// What it learnt there from what people did with its replies.
#[derive(Debug)]
struct LearnedView {
    counted: usize,
    /// From which hour to which it waits for so many percent of the usual number of messages before it joins in.
    waits: Vec<(usize, usize, u32)>,
    is_shorter: bool,
    is_longer: bool,
    /// In percent, what becomes of how well tools fit.
    tools: Vec<(String, u32)>,
    /// The turns behind it.
    turns: Vec<TurnId>,
}

impl LearnedView {
    fn of(learned: &Learned) -> Option<Self> {
        let hours = 24 / DAY_PARTS;
        let part = |part: usize| (part * hours, (part + 1) * hours, learned.join_in_percent(part));
        let from = [&learned.joining_in_from, &learned.length_from, &learned.tools_from];
        let turns: BTreeSet<TurnId> = from.into_iter().flatten().copied().collect();
        (learned.counted > 0).then(|| Self {
            counted: learned.counted,
            waits: (0..DAY_PARTS).map(part).filter(|(.., percent)| *percent != 100).collect(),
            is_shorter: learned.length == LikedLength::Shorter,
            is_longer: learned.length == LikedLength::Longer,
            tools: learned.tools.iter().map(|(name, percent)| (name.clone(), *percent)).collect(),
            turns: turns.into_iter().rev().collect(),
        })
    }
}

/// A setting as it holds there.
#[derive(Debug)]
struct RoomSetting {
    key: String,
    value: String,
    from: &'static str,
    is_own: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Before {
    /// Only places whose newest message is older than this one.
    before: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Done {
    done: Option<String>,
    /// What became of beginning it anew.
    began: Option<String>,
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
    Extension(visitor): Extension<Visitor>,
    Query(Before { before }): Query<Before>,
) -> Result<Response, Refusal> {
    let head = shared.door.head("Rooms", "/rooms", &visitor);
    let before = before.map(|before| before.parse().map(StoredId)).transpose();
    let before = before.map_err(|_| Refusal(StatusCode::BAD_REQUEST))?;
    let listed = grouped_rooms(&shared, None, before).await;
    let (groups, next) = listed.map_err(unreadable_history)?;
    let is_empty = groups.is_empty() && before.is_none();
    Ok(html_page(&RoomsPage { page: head, is_empty, groups, next, room: None }))
}

pub(super) async fn room(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(channel): Path<String>,
    Query(Done { done, began }): Query<Done>,
) -> Result<Response, Refusal> {
    let place = place_spoken_in(&shared, channel).await?;
    let channel = &place.channel;
    let seen = shared.events.newest(Topic::Room);
    let turns = newest_turns(&shared, channel).await;
    let lines = last_lines(&shared, channel, &turns).await.map_err(unreadable_history)?;
    let listed = grouped_rooms(&shared, Some(channel), None).await;
    let (groups, next) = listed.map_err(unreadable_history)?;
    let name = Names::of(&shared, [&place]).await.place(&place);
    let kind: &str = place.kind.into();
    let reset = format!("/rooms/{channel}/reset");
    let holds = shared.parts.config.channel_in(&place);
    let room = RoomView {
        seen,
        xray: format!("/xray?place={channel}"),
        forget: forget_room_href(channel),
        act: format!("/rooms/{channel}/act"),
        id: channel.to_string(),
        tags: place
            .guild_name
            .iter()
            .cloned()
            .chain([
                messages::kind_of_place(kind).to_owned(),
                messages::how_it_talks(holds.mode).to_owned(),
                messages::budget_here(holds.figures.budget_tokens),
            ])
            .collect(),
        notice: done.and_then(|done| messages::room_done(&done)),
        begun: began.and_then(|began| BegunAnew::told(&shared, &reset, &began)),
        thread: (place.kind == PlaceKind::GuildText)
            .then(|| shared.parts.character.current().spoken_name().to_owned()),
        reset,
        quiet: quiet_of(&shared, &place),
        learned: LearnedView::of(&shared.parts.session.learned(&place).await),
        can_be_quiet: !place.is_one_to_one(),
        greetings: greetings(&shared, &place),
        settings: room_settings(&shared, &place).await?,
        is_empty: lines.is_empty(),
        lines,
        now: NowIn::of(&shared, &place, &turns).await.html(),
        name: name.clone(),
    };
    let head = shared.door.head(&name, "/rooms", &visitor);
    Ok(html_page(&RoomsPage { page: head, is_empty: false, groups, next, room: Some(room) }))
}

/// The place of a channel in which something was said, as it is now as far as that is known.
async fn place_spoken_in(shared: &Shared, channel: String) -> Result<Place, Refusal> {
    let channel = ChannelId::new(channel).map_err(|_| Refusal(StatusCode::NOT_FOUND))?;
    known_place(shared, channel).await
}

async fn known_place(shared: &Shared, channel: ChannelId) -> Result<Place, Refusal> {
    let nothing = Refusal(StatusCode::NOT_FOUND);
    let stored = operator::place_of(&shared.parts.history, &channel).await.map_err(unreadable_history)?;
    let stored = stored.ok_or(nothing)?;
    Ok(shared.parts.discord.known_place(&channel).unwrap_or(stored))
}

/// What changes there from moment to moment, for pages that are open.
pub(super) async fn now_in(shared: &Arc<Shared>, channel: ChannelId) -> Result<NowIn, Refusal> {
    let place = known_place(shared, channel).await?;
    let turns = newest_turns(shared, &place.channel).await;
    Ok(NowIn::of(shared, &place, &turns).await)
}

/// What it may be told to do here.
pub(super) async fn act(
    State(shared): State<Arc<Shared>>,
    Path(channel): Path<String>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let place = place_spoken_in(&shared, channel).await?;
    let bad = Refusal(StatusCode::BAD_REQUEST);
    let mut back = format!("/rooms/{}", place.channel);
    let session = &shared.parts.session;
    let done = match form.field("do") {
        "quiet" | "wake" if place.is_one_to_one() => return Err(bad),
        "quiet" => {
            let until = quiet_until(form.field("minutes"), shared.parts.clock.now()).ok_or(bad)?;
            set_quiet(&shared, place, Some(until)).await?;
            "quiet"
        }
        "wake" => {
            set_quiet(&shared, place, None).await?;
            "wake"
        }
        "unlearn" => {
            session.unlearn(&place).await.map_err(unreadable_history)?;
            "unlearned"
        }
        "greet" => {
            let which = form.field("which").parse().map_err(|_| bad)?;
            let whom = place.is_window().then(|| shared.parts.user_name.clone());
            match session.greet(place, Some(which), whom).await {
                Ok(_) => "greet",
                Err(GreetError::NoSuchGreeting { .. }) => return Err(bad),
                Err(error) => not_said(&error),
            }
        }
        "branch" => match shared.parts.discord.open_thread(&place, form.field("name")).await {
            Ok(_) => "branched",
            Err(why) => {
                tracing::warn!(why, channel = %place.channel, "no thread could be opened from the window");
                "unbranched"
            }
        },
        "speak" => {
            let mut talk = session.talk_of(&place).await;
            if talk.channel != place.channel {
                back = format!("/rooms/{}", talk.channel);
                talk.channel_name = known_place(&shared, talk.channel.clone()).await?.channel_name;
            }
            match session.speak_up(&talk).await {
                Ok(SpokeUp::Answers) => "answers",
                Ok(SpokeUp::GoesOn) => "goes-on",
                Ok(SpokeUp::Nothing) => "nothing",
                Err(error) => not_said(&error),
            }
        }
        _ => return Err(bad),
    };
    Ok(Redirect::to(&format!("{back}?done={done}")).into_response())
}

/// Its conversation begins anew, or where it began before.
pub(super) async fn post_reset(
    State(shared): State<Arc<Shared>>,
    Path(channel): Path<String>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let place = place_spoken_in(&shared, channel).await?;
    begins(&shared, &place, &format!("/rooms/{}", place.channel), &form).await
}

fn not_said(error: &impl Display) -> &'static str {
    tracing::warn!(%error, "it could not be had speak from the window");
    "unsaid"
}

async fn set_quiet(shared: &Shared, place: Place, until: Option<Timestamp>) -> Result<(), Refusal> {
    let (config, now) = (Arc::clone(&shared.parts.config), shared.parts.clock.now());
    on_disk("what a channel says was not changed from the window", status_of_settings, move || {
        config.set_quiet(&place, now, until)
    })
    .await
}

/// That it is quiet there now, and until when.
fn quiet_of(shared: &Shared, place: &Place) -> Option<String> {
    let until = shared.parts.config.channel_in(place).quiet_until?;
    let is_over = until <= shared.parts.clock.now();
    let at = (until < Timestamp::MAX).then(|| shared.heads.clock_time(until));
    (!is_over).then(|| messages::keeps_quiet(at.as_deref()))
}

/// The beginnings of what it can be had say there.
fn greetings(shared: &Shared, place: &Place) -> Vec<String> {
    let said = shared.parts.session.greetings(place);
    said.iter().map(|greeting| shortened(&one_line(greeting), GREETING_CHARS)).collect()
}

/// What holds there, each with the file that says so.
async fn room_settings(shared: &Shared, place: &Place) -> Result<Vec<RoomSetting>, Refusal> {
    let (config, place) = (Arc::clone(&shared.parts.config), place.clone());
    let listed = off_the_way("the settings of a room could not be read", move || {
        Ok::<_, ConfigError>(config.list_channel(&place))
    });
    let view = |one: ChannelSetting| RoomSetting {
        is_own: !matches!(one.from, SettingFrom::Default),
        from: messages::setting_from(one.from),
        value: one.value.map_or_else(|| messages::UNSET.to_owned(), |value| shortened(&value, SETTING_CHARS)),
        key: one.key,
    };
    Ok(listed.await?.into_iter().map(view).collect())
}

/// A page of the places, by server, where something was said last first; and where more of them stand.
async fn grouped_rooms(
    shared: &Shared,
    current: Option<&ChannelId>,
    before: Option<StoredId>,
) -> Result<(Vec<PlaceGroup>, Option<String>), HistoryError> {
    let RoomPage { rooms, more } = operator::rooms(&shared.parts.history, before, PLACES, LAST_CHARS).await?;
    let next = more.map(|before| format!("/rooms?before={}", before.0));
    let heads = &shared.heads;
    let names = Names::of(shared, rooms.iter().map(|room| &room.place)).await;
    let known: HashSet<ChannelId> = rooms.iter().map(|room| room.place.channel.clone()).collect();
    // Where not all places stand on this page, nobody can say in which of the others something was said.
    let left = if before.is_none() && more.is_none() { PLACES - rooms.len() } else { 0 };
    let mut groups: Vec<PlaceGroup> = Vec::new();
    for Room { place, last, at, .. } in rooms {
        let row = PlaceRow {
            href: format!("/rooms/{}", place.channel),
            is_current: current == Some(&place.channel),
            name: names.place(&place),
            datetime: at.to_string(),
            when: when(heads, at),
            last: shortened(&plain_line(&last), LAST_CHARS),
        };
        put(&mut groups, place.guild_name.unwrap_or_else(|| messages::NO_SERVER.to_owned()), row);
    }
    let servers = if left == 0 { Vec::new() } else { shared.parts.discord.servers() };
    let read = servers.into_iter().flat_map(|server| {
        let name = server.name;
        server.channels.into_iter().filter(|one| one.is_read).map(move |one| (name.clone(), one))
    });
    for (server, channel) in read.filter(|(_, channel)| !known.contains(&channel.id)).take(left) {
        put(&mut groups, server, PlaceRow::of_silence(&channel.name));
    }
    Ok((groups, next))
}

fn put(groups: &mut Vec<PlaceGroup>, of: String, row: PlaceRow) {
    match groups.iter_mut().find(|group| group.name == of) {
        Some(group) => group.places.push(row),
        None => groups.push(PlaceGroup { name: of, places: vec![row] }),
    }
}

impl PlaceRow {
    /// A channel that it reads, and of which nothing is kept. It has no page; where it listens can be changed.
    fn of_silence(name: &str) -> Self {
        Self {
            href: "/listening".to_owned(),
            is_current: false,
            name: format!("#{name}"),
            datetime: String::new(),
            when: String::new(),
            last: messages::NOTHING_KEPT.to_owned(),
        }
    }
}

/// The time today, the day before.
fn when(heads: &Heads, at: Timestamp) -> String {
    let local = heads.local(at);
    let format = if local.date() == heads.today() { "%H:%M" } else { "%-d %b" };
    local.strftime(format).to_string()
}

/// What was said, with the silences between, oldest first.
async fn last_lines(
    shared: &Shared,
    channel: &ChannelId,
    turns: &[TurnTold],
) -> Result<Vec<Line>, HistoryError> {
    let (history, heads) = (&shared.parts.history, &shared.heads);
    let everybody = operator::everybody(history).await?;
    let said = operator::last_said(history, &everybody, channel, LINES).await?;
    let by_turn: HashMap<TurnId, &TurnTold> = turns.iter().map(|told| (told.turn, told)).collect();
    let since = said.first().map_or(Timestamp::MAX, |first| first.at);
    let name = shared.parts.character.current().spoken_name().to_owned();
    let spoken = said.iter().map(|turn| {
        let told = turn.turn.and_then(|turn| by_turn.get(&turn).copied());
        (turn.at, line_in_room(heads, turn, told, &name))
    });
    let silent = turns.iter().filter(|told| told.at >= since);
    let silent = silent.filter_map(|told| Some((told.at, silence(heads, told)?)));
    let mut lines: Vec<(Timestamp, Line)> = spoken.chain(silent).collect();
    lines.sort_by_key(|(at, _)| *at);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

fn line_in_room(heads: &Heads, turn: &StoredTurn, told: Option<&TurnTold>, own_name: &str) -> Line {
    Line {
        kind: if turn.author.is_some() { "person" } else { "familiar" },
        name: turn.author.as_ref().map_or(own_name, |author| author.label()).to_owned(),
        time: heads.clock_time(turn.at),
        datetime: turn.at.to_string(),
        html: html_of_markdown(&turn.content),
        words: String::new(),
        reason: told.map(|told| messages::spoke_because(&told.words.trigger)),
        href: told.map(|told| format!("/xray/{}", told.turn)),
    }
}

/// `None` where it did not choose silence.
fn silence(heads: &Heads, told: &TurnTold) -> Option<Line> {
    let reason = told.words.silence.as_ref()?;
    Some(Line {
        kind: "silence",
        name: String::new(),
        time: heads.clock_time(told.at),
        datetime: told.at.to_string(),
        html: String::new(),
        words: messages::silent_because(&reason.words()),
        reason: None,
        href: Some(format!("/xray/{}", told.turn)),
    })
}

fn unreadable_history(error: HistoryError) -> Refusal {
    tracing::warn!(%error, "rooms could not be read for the window");
    Refusal(StatusCode::INTERNAL_SERVER_ERROR)
}
