//! The familiar's words on their way to the open pages.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::watch;

use super::confirm::WindowActions;
use super::events::{Events, PIECE, Topic};
use super::message_view::{Heads, LiveView, rendered};
use crate::domain::{LAYER_MARKER, TurnId};
use crate::session::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, PlaceActions, Settled, TypingGuard,
};

/// Speaks on every page of the talk that is open.
#[derive(Debug)]
pub(super) struct WindowOutbox {
    events: Arc<Events>,
    heads: Heads,
    actions: Arc<WindowActions>,
    /// The turn that is being answered.
    underway: watch::Sender<Option<TurnId>>,
    /// What it has said so far.
    said: Mutex<String>,
    /// What the program said last, for a page that is loaded behind it.
    notice: Mutex<Option<String>>,
}

impl WindowOutbox {
    pub(super) fn new(events: Arc<Events>, heads: Heads, actions: Arc<WindowActions>) -> Self {
        Self {
            events,
            heads,
            actions,
            underway: watch::Sender::new(None),
            said: Mutex::default(),
            notice: Mutex::default(),
        }
    }

    /// What it asks.
    pub(super) fn actions(&self) -> &Arc<WindowActions> {
        &self.actions
    }

    /// The turn that is being answered.
    pub(super) fn underway(&self) -> Option<TurnId> {
        *self.underway.borrow()
    }

    /// The program's own words, on every page.
    pub(super) fn say_apart(&self, words: String, turn: Option<TurnId>) {
        let html = rendered(self.heads.program(&words, turn));
        self.events.tell(Topic::Talk, "notice", &json!({ "html": html }));
        *self.notice.lock() = Some(words);
    }

    /// What the program said last, if nothing was said since.
    pub(super) fn notice(&self) -> Option<String> {
        self.notice.lock().clone()
    }

    /// Something new is said: what the program had to say before is over, on every page.
    pub(super) fn begin_anew(&self) {
        if self.notice.lock().take().is_some() {
            self.events.tell(Topic::Talk, "over", &json!({}));
        }
    }

    /// What it has said so far of what is being answered.
    pub(super) fn live(&self) -> Option<LiveView> {
        self.underway().map(|turn| self.heads.so_far(&self.said.lock(), turn))
    }

    /// The same, on every page; without words it thinks.
    fn tell_live(&self, name: &'static str, turn: TurnId) {
        let html = self.heads.so_far(&self.said.lock(), turn).rendered();
        self.events.tell(Topic::Talk, name, &json!({ "turn": turn.to_string(), "html": html }));
    }
}

#[async_trait]
impl Outbox for WindowOutbox {
    fn style(&self) -> DeliveryStyle {
        DeliveryStyle::Live
    }

    fn typing(&self, to: &Delivery) -> TypingGuard {
        self.underway.send_replace(Some(to.turn));
        self.said.lock().clear();
        self.tell_live("typing", to.turn);
        TypingGuard::none()
    }

    async fn deliver(&self, to: &Delivery, text: &str, first: bool) -> Result<Delivered, DeliveryError> {
        if text.contains(LAYER_MARKER) {
            return Err(DeliveryError::Refused("it repeats a heading of the prompt".to_owned()));
        }
        {
            let mut said = self.said.lock();
            if first {
                said.clear();
            }
            said.push_str(text);
        }
        self.tell_live(PIECE, to.turn);
        Ok(if first { Delivered::of_turn(to.turn) } else { Delivered::default() })
    }

    async fn finish(&self, to: &Delivery, spoke: bool) -> Settled {
        let (turn, said) = (to.turn.to_string(), std::mem::take(&mut *self.said.lock()));
        if spoke {
            let html = rendered(self.heads.familiar_now(&said, to.turn));
            self.events.tell(Topic::Talk, "message", &json!({ "turn": turn, "html": html }));
        }
        self.events.tell(Topic::Talk, "done", &json!({ "turn": turn }));
        self.underway.send_replace(None);
        Settled::AsDelivered
    }

    fn actions(&self) -> Option<Arc<dyn PlaceActions>> {
        Some(Arc::<WindowActions>::clone(&self.actions))
    }

    async fn notice(&self, _to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        let (words, turn) = crate::terminal::notice_words(&notice);
        self.say_apart(words, turn);
        Ok(())
    }
}
