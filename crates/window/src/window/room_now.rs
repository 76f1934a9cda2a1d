//! Who is in a room at this moment: who types; in a call, who is in it, who speaks, and how long its newest answer took.

use std::sync::Arc;

use askama::Template;

use super::messages;
use super::operator::records;
use super::shared::Shared;
use super::turn_view::{Bar, call_bars};
use crate::domain::{AccountId, ChannelId, Place, TurnTrace};
use crate::trace::TurnTold;
use crate::voice::CallNow;
use crate::world::{CallMicrophone, CallVoice, Headphones, InCall};

/// So many of its turns are looked through for why it spoke or stayed silent.
const TURNS: usize = 120;

/// Names of those who type that are told; the others are a number.
const TYPING_NAMED: usize = 3;

/// Moments of a call that are shown.
const MOMENTS_SHOWN: usize = 12;

#[derive(Debug, Template)]
#[template(path = "room_now.html")]
struct RoomNow {
    typing: Option<String>,
    people: Vec<Caller>,
    /// Whose turn it is there.
    turn: Option<&'static str>,
    /// What happened there last, the newest first.
    moments: Vec<Moment>,
    /// How the newest answer in the call came about.
    latest: Option<Latest>,
}

/// Somebody in the call.
#[derive(Debug)]
struct Caller {
    name: String,
    speaks: bool,
    state: Option<&'static str>,
}

/// Something that happened in the call.
#[derive(Debug)]
struct Moment {
    time: String,
    words: String,
    /// Whether somebody's words were hardly understood.
    is_hardly: bool,
}

/// The newest answer in the call.
#[derive(Debug)]
struct Latest {
    href: String,
    bars: Vec<Bar>,
}

/// What of a room changes from moment to moment.
#[derive(Debug, Clone)]
pub(super) struct NowIn {
    shared: Arc<Shared>,
    place: Place,
    /// The newest turn there that was spoken.
    spoken: Option<Arc<TurnTrace>>,
}

impl NowIn {
    /// Looks at this room; `turns` are its newest, the newest first.
    pub(super) async fn of(shared: &Arc<Shared>, place: &Place, turns: &[TurnTold]) -> Self {
        let mut now = Self { shared: Arc::clone(shared), place: place.clone(), spoken: None };
        now.learn(turns).await;
        now
    }

    /// Looks again at what it knows of turns: there is a new one. Where nobody is in a call it was not spoken.
    pub(super) async fn renew(&mut self) {
        if !self.is_call() {
            return;
        }
        let turns = newest_turns(&self.shared, &self.place.channel).await;
        self.learn(&turns).await;
    }

    /// Whether anybody is in a call there.
    fn is_call(&self) -> bool {
        let world = self.shared.parts.world.snapshot();
        let calls = world.for_place(&self.place).calls();
        calls.iter().flat_map(|call| &call.people).any(|one| one.channel == self.place.channel)
    }

    async fn learn(&mut self, turns: &[TurnTold]) {
        self.spoken = match turns.iter().find(|told| told.words.is_timed_call) {
            Some(told) => records(&self.shared.parts.traces).get(told.turn).await.ok().flatten(),
            None => None,
        };
    }

    /// As it is on the page.
    pub(super) fn html(&self) -> String {
        let world = self.shared.parts.world.snapshot();
        let view = world.for_place(&self.place);
        let typing =
            view.typing(self.shared.parts.clock.now()).map(|one| one.name.as_str()).collect::<Vec<_>>();
        let calls = view.calls();
        let is_here = |one: &&&InCall| one.channel == self.place.channel;
        let call = self.shared.parts.calls.of(&self.place.channel);
        let here = calls.iter().flat_map(|call| &call.people).filter(is_here);
        let people: Vec<Caller> = here.map(|one| Caller::of(one, call.as_ref())).collect();
        let latest = self
            .spoken
            .as_ref()
            .filter(|_| !people.is_empty())
            .map(|trace| Latest { href: format!("/xray/{}", trace.id), bars: call_bars(trace) });
        let call = call.filter(|_| !people.is_empty());
        let moments = call.iter().flat_map(|call| call.moments.iter().rev()).take(MOMENTS_SHOWN);
        let name_of = |account: &AccountId| {
            let known = calls.iter().flat_map(|call| &call.people).find(|one| one.account == *account);
            known.map_or(messages::SOMEBODY_IN_CALL, |one| one.name.as_str())
        };
        let heads = &self.shared.heads;
        let moments = moments.map(|moment| Moment {
            time: heads.local(moment.at).strftime("%H:%M:%S").to_string(),
            words: messages::call_moment(&moment.what, name_of),
            is_hardly: moment.what.is_hardly_understood(),
        });
        let (moments, turn) = (moments.collect(), call.as_ref().map(|call| messages::call_turn(call.turn)));
        let typing = (!typing.is_empty()).then(|| messages::typing(&typing, TYPING_NAMED));
        RoomNow { typing, people, turn, moments, latest }.render().unwrap_or_else(|error| {
            tracing::error!(%error, "who is in a room could not be shown in the window");
            String::new()
        })
    }
}

impl Caller {
    /// Who speaks is known where it listens: in the call that it is in itself.
    fn of(one: &InCall, call: Option<&CallNow>) -> Self {
        let speaks =
            one.voice == CallVoice::Speaking || call.is_some_and(|call| call.speaking.contains(&one.account));
        Self {
            name: one.name.clone(),
            speaks,
            state: match (one.headphones, one.microphone) {
                (Headphones::Off, _) => Some(messages::HEARS_NOTHING),
                (_, CallMicrophone::Muted) => Some(messages::MUTED),
                _ => speaks.then_some(messages::SPEAKS),
            },
        }
    }
}

/// The newest turns of a room, the newest first.
pub(super) async fn newest_turns(shared: &Shared, channel: &ChannelId) -> Vec<TurnTold> {
    shared.parts.traces.told(channel, TURNS).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the turns of a room could not be read");
        Vec::new()
    })
}
