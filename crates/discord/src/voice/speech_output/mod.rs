//! The speech output: the way out of a call's words.
//!
//! Owns how a streamed reply becomes sound: cut into phrases, one spoken while the next is made, its first silence cut
//! away, and the account of what was really heard. What cannot be spoken is written. Must not know whose turn it is; it
//! is told. Start reading at [`SpeechOutput`], which is the session's [`Outbox`] for a call, then [`player::Player`].

mod clips;
mod health;
mod player;
mod reply;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use self::clips::Clips;
pub(super) use self::health::Asked;
use self::health::{Beginnings, Moments};
use self::player::Player;
use super::call::CallNotice;
use super::engines::Synthesizer;
use super::turn::TurnEvent;
use crate::domain::{StageTiming, TurnId};
use crate::session::{
    Delivered, Delivery, DeliveryError, DeliveryStyle, Notice, Outbox, Settled, Speculated, TypingGuard,
};
use familiar_voice::Playout;

/// Orders that may wait. A reply is some dozen pieces; beyond this the session waits.
const ORDERS: usize = 512;

/// What the speech output is told.
#[derive(Debug)]
pub(super) enum OutputCommand {
    Open(Box<Delivery>),
    Words {
        to: Box<Delivery>,
        text: String,
    },
    Finish {
        turn: TurnId,
        settled: oneshot::Sender<Settled>,
    },
    /// Falls silent for good. What was heard is told by [`Outbox::finish`].
    BreakOff(TurnId),
    /// Speaks more quietly, or as usual again.
    Duck(bool),
    /// Does not begin to speak, or falls silent in the middle; or begins, or goes on where it fell silent.
    Hold(bool),
    /// Says a little something, if nothing of the reply is there yet, or nothing more of it.
    Filler(String),
    /// Lets hear that it listens, if no reply is on its way. Nothing is stored of it.
    Murmur(String),
    /// These words will be said as a filler or a murmur: their sound is made when there is nothing else to make.
    Prepare(Vec<String>),
    /// What it says from now on it says in this mood, where its voice takes direction.
    Feels(Option<&'static str>),
    Speculate {
        speculation: u64,
        what: Speculated,
    },
    /// An answer that was begun early is not wanted.
    Forget {
        speculation: u64,
    },
}

/// What a speech output works with.
#[derive(Debug)]
pub struct SpeechOutputParts {
    /// What speaks; without one everything is written.
    pub synthesizer: Option<Arc<dyn Synthesizer>>,
    pub playout: Arc<Playout>,
    pub notices: mpsc::Sender<CallNotice>,
    /// Who is told what becomes of replies.
    pub events: mpsc::Sender<TurnEvent>,
    /// How much quieter it gets when somebody speaks, in decibels.
    pub duck: f32,
    /// What is known of what speaks.
    pub known: KnownVoice,
}

/// What is known of a voice, over all calls in which it speaks: how fast it is, and the sounds it made of words that are
/// said again and again. A clone is the same.
#[derive(Debug, Clone, Default)]
pub struct KnownVoice {
    clips: Clips,
    beginnings: Beginnings,
}

/// A call's way out.
#[derive(Debug)]
pub struct SpeechOutput {
    orders: mpsc::Sender<OutputCommand>,
    notices: mpsc::Sender<CallNotice>,
    events: mpsc::Sender<TurnEvent>,
    /// The turn that can be heard, plus one; 0 for none.
    audible: Arc<AtomicU64>,
    moments: Arc<Moments>,
    speaks_ahead: Arc<AtomicBool>,
}

impl SpeechOutput {
    /// A speech output and the task that moves it. It ends when the last handle is gone.
    pub fn open(parts: SpeechOutputParts) -> (Arc<Self>, JoinHandle<()>) {
        let (orders, told) = mpsc::channel(ORDERS);
        let audible = Arc::new(AtomicU64::new(0));
        let (notices, events) = (parts.notices.clone(), parts.events.clone());
        let moments = Arc::new(Moments::default());
        let speaks_ahead = Arc::new(AtomicBool::new(false));
        let player =
            Player::new(parts, Arc::clone(&audible), Arc::clone(&moments), Arc::clone(&speaks_ahead));
        let task = tokio::spawn(player.run(told));
        (Arc::new(Self { orders, notices, events, audible, moments, speaks_ahead }), task)
    }

    /// Somebody's turn is over, and will be answered: for the record of the answer.
    pub fn asked(&self, asked: Asked) {
        self.moments.asked(asked);
    }

    /// Whether the first phrase of an answer that was begun early is spoken early too, unheard. It is not, at first.
    pub fn may_speak_ahead(&self, may: bool) {
        self.speaks_ahead.store(may, Ordering::Relaxed);
    }

    pub(super) fn tell(&self, order: OutputCommand) {
        if let Err(error) = self.orders.try_send(order) {
            tracing::error!(%error, "the speech output does not follow");
        }
    }
}

#[async_trait]
impl Outbox for SpeechOutput {
    fn style(&self) -> DeliveryStyle {
        DeliveryStyle::Spoken
    }

    fn typing(&self, to: &Delivery) -> TypingGuard {
        self.tell(OutputCommand::Open(Box::new(to.clone())));
        TypingGuard::none()
    }

    fn speculate(&self, speculation: u64, what: Speculated) {
        self.tell(OutputCommand::Speculate { speculation, what });
    }

    async fn deliver(&self, to: &Delivery, text: &str, _first: bool) -> Result<Delivered, DeliveryError> {
        let words = OutputCommand::Words { to: Box::new(to.clone()), text: text.to_owned() };
        match self.orders.send(words).await {
            Ok(()) => Ok(Delivered::default()),
            Err(_) => Err(DeliveryError::Forbidden("the call is over".to_owned())),
        }
    }

    async fn finish(&self, to: &Delivery, _spoke: bool) -> Settled {
        let nothing = Settled::Instead { text: String::new(), unsaid: None, messages: Vec::new() };
        let (settled, answered) = oneshot::channel();
        if self.orders.send(OutputCommand::Finish { turn: to.turn, settled }).await.is_err() {
            return nothing;
        }
        let settled = answered.await.unwrap_or(nothing);
        // What was written stands in the chat already.
        if let Settled::Instead { text, messages, .. } = &settled
            && messages.is_empty()
            && !text.trim().is_empty()
        {
            self.notices.try_send(CallNotice::Said { text: text.clone() }).ok();
        }
        settled
    }

    fn break_off(&self, to: &Delivery) {
        self.tell(OutputCommand::BreakOff(to.turn));
    }

    fn works(&self, to: &Delivery, on: bool) {
        if let Err(error) = self.events.try_send(TurnEvent::Works { reply: to.turn.0, on }) {
            tracing::debug!(%error, "the call does not follow");
        }
    }

    fn has_arrived(&self, turn: TurnId) -> bool {
        self.audible.load(Ordering::Acquire) == turn.0.wrapping_add(1)
    }

    fn moments(&self, turn: TurnId) -> Vec<StageTiming> {
        self.moments.of(turn)
    }

    async fn notice(&self, to: &Delivery, notice: Notice) -> Result<(), DeliveryError> {
        let notice = CallNotice::Session { to: to.clone(), notice };
        self.notices.send(notice).await.map_err(|_| DeliveryError::Forbidden("the call is over".to_owned()))
    }
}
