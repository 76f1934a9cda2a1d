//! One message as it stands on pages, and what stands over it: who, and when.

use std::sync::Arc;

use askama::Template;
use jiff::Timestamp;

use super::markdown::{html_of_markdown, html_so_far};
use super::messages;
use super::why::WhyView;
use crate::clock::SharedClock;
use crate::config::LiveConfig;
use crate::domain::TurnId;
use crate::familiar::LiveCharacter;
use crate::session::Delivered;
use crate::voice::SpeechEngines;

/// What stands over messages: who, and when by the familiar's own clock.
#[derive(Debug, Clone)]
pub(super) struct Heads {
    pub character: Arc<LiveCharacter>,
    pub config: Arc<LiveConfig>,
    pub clock: SharedClock,
    pub engines: Arc<SpeechEngines>,
}

impl Heads {
    /// By the familiar's clock.
    pub(super) fn local(&self, at: Timestamp) -> jiff::Zoned {
        at.to_zoned(self.config.current().display_tz.clone())
    }

    /// The time of day; of another day than today, the day before it.
    pub(super) fn clock_time(&self, at: Timestamp) -> String {
        let local = self.local(at);
        let format = if local.date() == self.today() { "%H:%M" } else { "%-d %b, %H:%M" };
        local.strftime(format).to_string()
    }

    pub(super) fn today(&self) -> jiff::civil::Date {
        self.local(self.clock.now()).date()
    }

    pub(super) fn familiar_now(&self, text: &str, turn: TurnId) -> MessageView {
        let name = self.character.current().spoken_name().to_owned();
        let message = Delivered::of_turn(turn).message.map(|id| id.to_string());
        MessageView { message, ..self.message("familiar", &name, text, self.clock.now(), Some(turn)) }
    }

    /// What the familiar has said of an answer that it is still giving.
    pub(super) fn so_far(&self, text: &str, turn: TurnId) -> LiveView {
        let name = self.character.current().spoken_name().to_owned();
        LiveView { name, turn: turn.to_string(), html: html_so_far(text) }
    }

    pub(super) fn program(&self, words: &str, turn: Option<TurnId>) -> MessageView {
        let more = turn.map(|turn| format!("\n\n{}", messages::more_in_xray(&turn.to_string())));
        let text = format!("{words}{}", more.unwrap_or_default());
        self.message("program", messages::PROGRAM, &text, self.clock.now(), None)
    }

    pub(super) fn message(
        &self,
        role: &'static str,
        name: &str,
        text: &str,
        at: Timestamp,
        turn: Option<TurnId>,
    ) -> MessageView {
        MessageView {
            role,
            name: name.to_owned(),
            time: self.clock_time(at),
            datetime: at.to_string(),
            html: html_of_markdown(text),
            turn: turn.map(|turn| turn.to_string()),
            message: None,
            can_be_heard: role == "familiar" && self.engines.chosen().engines.tts.is_some(),
            why: None,
        }
    }
}

/// One message, as it stands in the talk.
#[derive(Debug)]
pub(super) struct MessageView {
    /// `person`, `familiar` or `program`
    pub role: &'static str,
    pub name: String,
    pub time: String,
    pub datetime: String,
    /// What [`html_of_markdown`] made.
    pub html: String,
    pub turn: Option<String>,
    /// By which it can be changed or taken back, where it can.
    pub message: Option<String>,
    /// Whether there is a voice that says it.
    pub can_be_heard: bool,
    pub why: Option<WhyView>,
}

#[derive(Debug, Template)]
#[template(path = "message.html")]
struct MessageFragment {
    message: MessageView,
}

/// An answer that is still being given.
#[derive(Debug, Template)]
#[template(path = "live.html")]
pub(super) struct LiveView {
    name: String,
    turn: String,
    /// What [`html_so_far`] made; empty while it thinks.
    html: String,
}

impl LiveView {
    /// As it is put on pages that are open.
    pub(super) fn rendered(&self) -> String {
        shown(self)
    }
}

/// A message as it is put on pages that are open.
pub(super) fn rendered(message: MessageView) -> String {
    shown(&MessageFragment { message })
}

fn shown(fragment: &impl Template) -> String {
    fragment.render().unwrap_or_else(|error| {
        tracing::error!(%error, "a message could not be shown in the window");
        String::new()
    })
}
