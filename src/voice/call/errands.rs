//! What a call asks of the session, one after the other.
//!
//! Owns the order: what was heard of a reply is stored before what interrupted it is handed in. The call itself never
//! waits for a store. Start reading at [`Errands::open`].

use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::{InboundEvent, InboundMessage, Modality, Place, TurnId};
use crate::session::SessionHandle;
use crate::voice::turn::TurnEvent;

/// Errands that may wait; more than a minute of talk.
const ERRANDS: usize = 64;

/// One thing to do.
#[derive(Debug)]
pub(super) enum Errand {
    Submit { events: Vec<InboundEvent>, guess: Option<u64> },
    Guess { guess: u64, message: Box<InboundMessage> },
    DropGuess(u64),
    Interrupt(TurnId),
    JoinIn,
    Say(String),
}

/// Does them.
#[derive(Debug)]
pub(super) struct Errands {
    orders: mpsc::Sender<Errand>,
    task: AbortOnDropHandle<()>,
}

impl Errands {
    pub fn open(session: SessionHandle, place: Place, events: mpsc::Sender<TurnEvent>) -> Self {
        let (orders, told) = mpsc::channel(ERRANDS);
        let task = AbortOnDropHandle::new(tokio::spawn(run(session, place, events, told)));
        Self { orders, task }
    }

    pub fn send(&self, errand: Errand) {
        if let Err(error) = self.orders.try_send(errand) {
            tracing::error!(%error, "the session does not follow the call");
        }
    }

    /// Waits until everything is done.
    pub async fn finish(self) {
        let Self { orders, task } = self;
        drop(orders);
        if let Err(error) = task.await {
            tracing::error!(%error, "the call's last words may not be stored");
        }
    }
}

async fn run(
    session: SessionHandle,
    place: Place,
    events: mpsc::Sender<TurnEvent>,
    mut told: mpsc::Receiver<Errand>,
) {
    while let Some(errand) = told.recv().await {
        match errand {
            Errand::Submit { events: said, guess } => {
                warn(session.submit_together(&place, said, guess).await);
                if events.try_send(TurnEvent::Mood(session.mood().await)).is_err() {
                    tracing::debug!("its mood is not told");
                }
            }
            Errand::Guess { guess, message } => warn(session.guess(guess, *message).await),
            Errand::DropGuess(guess) => warn(session.drop_guess(&place, guess).await),
            Errand::Interrupt(turn) => warn(session.interrupt(&place, turn).await),
            Errand::JoinIn => warn(session.join_in(&place).await),
            Errand::Say(words) => {
                // It takes as long as it is spoken; what is said meanwhile does not wait for it.
                let (session, place) = (session.clone(), place.clone());
                tokio::spawn(async move { warn(session.say(place, words, Modality::Voice).await) });
            }
        }
    }
}

fn warn(done: Result<(), impl std::fmt::Display>) {
    if let Err(error) = done {
        tracing::warn!(%error, "the session did not take it");
    }
}
