//! Where the words of a scene go: they are written down.
//!
//! Start reading at [`SceneOutbox`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use super::cast::Cast;
use super::scene::{NOTICES, ScenePress};
use crate::clock::SharedClock;
use crate::domain::{AccountId, Author, ChannelId, MessageId, Place};
use crate::session::{
    CONFIRM_WITHIN, Confirmation, Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox,
    PlaceAction, PlaceActions, Replaced, ToolError, TypingGuard,
};

/// What Discord takes in one message, in characters.
const MESSAGE_CHARS: usize = 2_000;

/// Something that was to be seen somewhere.
#[derive(Debug, Clone)]
pub(super) struct ShownInScene {
    pub at: Timestamp,
    pub channel: ChannelId,
    pub what: ShownWhat,
    pub whom: Option<AccountId>,
}

#[derive(Debug, Clone)]
pub(super) enum ShownWhat {
    /// The familiar said it, as this message.
    Said { message: MessageId, text: String },
    /// The program said so, by its name in [`NOTICES`].
    Notice(&'static str),
    /// A tool did it.
    Did(String),
    /// Somebody is asked whether it may be done.
    Asked(String),
}

/// All that was to be seen, what tools did too, and the questions whose buttons can be pressed.
#[derive(Debug)]
pub(super) struct SceneActions {
    clock: SharedClock,
    shown: Mutex<Vec<ShownInScene>>,
    open: Mutex<Vec<(Confirmation, oneshot::Sender<bool>)>>,
    asked: Notify,
}

impl SceneActions {
    /// Where it stands among what was shown.
    fn show(&self, place: &Place, what: ShownWhat, whom: Option<AccountId>) -> usize {
        let mut shown = self.shown.lock();
        shown.push(ShownInScene { at: self.clock.now(), channel: place.channel.clone(), what, whom });
        shown.len().saturating_sub(1)
    }

    /// Waits until something is asked that nobody has answered yet.
    pub(super) async fn asked(&self) {
        while self.open.lock().iter().all(|(_, answers)| answers.is_closed()) {
            self.asked.notified().await;
        }
    }

    /// Somebody presses a button of the newest question of a place. Whether that counts: as on Discord, only from whoever it
    /// was put to, and as long as it is waited for.
    pub(super) fn press(&self, place: &Place, who: &AccountId, press: ScenePress) -> bool {
        let mut open = self.open.lock();
        open.retain(|(_, answers)| !answers.is_closed());
        let asked = open.iter().rposition(|(ask, _)| ask.place.channel == place.channel);
        let Some(at) = asked.filter(|at| open[*at].0.who.account == *who) else { return false };
        let (_, answers) = open.remove(at);
        answers.send(press == ScenePress::Yes).is_ok()
    }
}

#[derive(Debug)]
pub(super) struct SceneOutbox {
    cast: Arc<Cast>,
    /// The number of the next message.
    numbers: AtomicU64,
    pub actions: Arc<SceneActions>,
}

impl SceneOutbox {
    pub(super) fn new(clock: SharedClock, cast: Arc<Cast>) -> Self {
        let (shown, open, asked) = (Mutex::default(), Mutex::default(), Notify::new());
        let actions = Arc::new(SceneActions { clock, shown, open, asked });
        Self { cast, numbers: AtomicU64::new(5_000), actions }
    }

    /// A number for a message of anybody's.
    pub(super) fn next_message(&self) -> MessageId {
        MessageId::from(self.numbers.fetch_add(1, Ordering::Relaxed))
    }

    /// All that was shown so far.
    pub(super) fn shown(&self) -> Vec<ShownInScene> {
        self.actions.shown.lock().clone()
    }

    /// It begins to say something aloud; where that stands among what was shown.
    pub(super) fn begins_to_say(&self, to: &Delivery) -> usize {
        self.show(to, ShownWhat::Said { message: self.next_message(), text: String::new() })
    }

    /// So much of it was heard by now.
    pub(super) fn was_heard(&self, at: usize, heard: &str) {
        let mut shown = self.actions.shown.lock();
        if let Some(ShownInScene { what: ShownWhat::Said { text, .. }, .. }) = shown.get_mut(at) {
            heard.clone_into(text);
        }
    }

    /// Where it stands among what was shown.
    fn show(&self, to: &Delivery, what: ShownWhat) -> usize {
        let whom = to.whom.clone().or_else(|| to.awaited.as_ref().and_then(|awaited| awaited.whom.clone()));
        self.actions.show(&to.place, what, whom)
    }
}

#[async_trait]
impl Outbox for SceneOutbox {
    fn style(&self) -> DeliveryStyle {
        DeliveryStyle::Messages { max_chars: MESSAGE_CHARS }
    }

    async fn alone_with(&self, who: &AccountId) -> Option<Place> {
        self.cast.alone_with(who)
    }

    fn typing(&self, _to: &Delivery) -> TypingGuard {
        TypingGuard::none()
    }

    async fn deliver(&self, to: &Delivery, text: &str, _first: bool) -> Result<Delivered, DeliveryError> {
        let message = self.next_message();
        self.show(to, ShownWhat::Said { message: message.clone(), text: text.to_owned() });
        Ok(Delivered { message: Some(message) })
    }

    fn actions(&self) -> Option<Arc<dyn PlaceActions>> {
        Some(Arc::<SceneActions>::clone(&self.actions))
    }

    async fn replace(
        &self,
        place: &Place,
        messages: &[MessageId],
        pieces: &[String],
        _once: &str,
    ) -> Result<Replaced, DeliveryError> {
        let mut standing = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            let message = messages.get(at).cloned().unwrap_or_else(|| self.next_message());
            let what = ShownWhat::Said { message: message.clone(), text: piece.clone() };
            self.actions.show(place, what, None);
            standing.push((message, piece.clone()));
        }
        Ok(Replaced { standing, refused: None })
    }

    async fn notice(&self, to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        self.show(to, ShownWhat::Notice(notice_kind(&notice)));
        Ok(())
    }
}

fn notice_kind(notice: &Notice) -> &'static str {
    let [model_failed, not_stored, too_much, cut_short, quiet, joins_in, too_large, too_long, kept_back] =
        NOTICES;
    match notice {
        Notice::ModelFailed { .. } => model_failed,
        Notice::NotStored { .. } => not_stored,
        Notice::TooMuchAtOnce => too_much,
        Notice::CutShort { .. } => cut_short,
        Notice::KeepsQuiet => quiet,
        Notice::JoinsInAgain => joins_in,
        Notice::PromptTooLarge { .. } => too_large,
        Notice::MessageTooLong { .. } => too_long,
        Notice::KeptBack { .. } => kept_back,
    }
}

#[async_trait]
impl PlaceActions for SceneActions {
    async fn act(&self, place: &Place, _who: &Author, action: PlaceAction) -> Result<String, ToolError> {
        let did = match action {
            PlaceAction::React { emoji, .. } => format!("reacts {emoji}"),
            PlaceAction::Poll { question, answers, .. } => {
                format!("polls {question} {}", answers.join(" / "))
            }
            PlaceAction::Pin { .. } => "pins".to_owned(),
            PlaceAction::Thread { name, .. } => format!("opens the thread {name}"),
            PlaceAction::Post { text, file } => {
                let file = file.map(|file| format!(" [{}]", file.name)).unwrap_or_default();
                format!("posts {text}{file}")
            }
            PlaceAction::OfferToForget => "offers to forget".to_owned(),
            PlaceAction::PlaySound { name } => format!("plays {name}"),
            PlaceAction::JoinCall | PlaceAction::LeaveCall => {
                return Err(ToolError::Broken("in a scene people let it into a call".to_owned()));
            }
        };
        self.show(place, ShownWhat::Did(did), None);
        Ok("done".to_owned())
    }

    async fn confirms(&self, ask: Confirmation) -> bool {
        self.show(&ask.place, ShownWhat::Asked(ask.what.to_string()), None);
        let (answers, answered) = oneshot::channel();
        self.open.lock().push((ask, answers));
        self.asked.notify_one();
        matches!(timeout(CONFIRM_WITHIN, answered).await, Ok(Ok(true)))
    }
}
