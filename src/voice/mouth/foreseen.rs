//! The first phrase of an answer that nobody may ever want.
//!
//! Owns what is made of it before the answer is handed over, and when that is as much as can be made. Nothing of it is
//! heard. Must not know whose turn it is. Start reading at [`Foreseen`].

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::chunk::Chunker;
use super::reply::Clock;
use crate::session::Delivery;
use crate::voice::engines::{EngineError, Phrase, Speech, SpeechEvent, Synthesizer};
use crate::voice::turn::{GuessId, TurnEvent};

/// What may wait of a first phrase: at twenty milliseconds a piece more than it ever has.
const EVENTS: usize = 1_024;

/// A phrase on its way to an engine.
pub(super) type Opening = AbortOnDropHandle<Result<Speech, EngineError>>;

/// A phrase that an engine was given before it was wanted.
#[derive(Debug)]
pub(super) struct First {
    pub text: String,
    pub opening: Opening,
    /// How long its first sound takes.
    pub clock: Clock,
}

/// An answer that was begun early.
#[derive(Debug)]
pub(super) struct Foreseen {
    pub guess: u64,
    pub to: Delivery,
    chunker: Chunker,
    /// The first phrase, once an engine has it.
    first: Option<First>,
    is_ready: bool,
}

impl Foreseen {
    pub fn begun(guess: u64, to: Delivery) -> Self {
        Self { guess, to, chunker: Chunker::default(), first: None, is_ready: false }
    }

    /// Whether its first phrase is not complete, and may be by the mere passing of time.
    pub fn is_open(&self) -> bool {
        self.first.is_none() && !self.is_ready
    }

    /// Takes its next words; gives the first phrase once it is complete.
    pub fn push(&mut self, words: &str, now: Duration) -> Option<String> {
        self.first_of(|chunker| chunker.push(words, now))
    }

    /// Time passed.
    pub fn tick(&mut self, now: Duration) -> Option<String> {
        self.first_of(|chunker| chunker.tick(now))
    }

    /// There are no more words.
    pub fn finish(&mut self) -> Option<String> {
        self.first_of(Chunker::finish)
    }

    fn first_of(&mut self, cut: impl FnOnce(&mut Chunker) -> Vec<String>) -> Option<String> {
        if self.is_open() { cut(&mut self.chunker).into_iter().next() } else { None }
    }

    /// Has its first phrase spoken; whoever decides about turns is told once its first sound is there.
    pub fn speak(
        &mut self,
        text: String,
        synthesizer: Arc<dyn Synthesizer>,
        events: mpsc::Sender<TurnEvent>,
    ) {
        // It may never be heard, so it is of nobody's hour; the next phrase is.
        let phrase = Phrase::of(text.as_str());
        let ready = TurnEvent::Ready { guess: GuessId(self.guess) };
        let clock = Clock::begin();
        let stopped = clock.clone();
        let opening = tokio::spawn(async move {
            let spoken = synthesizer.speak(&phrase).await;
            let mut ready = Some(ready);
            let mut tell = move || {
                if let Some(ready) = ready.take()
                    && events.try_send(ready).is_err()
                {
                    tracing::debug!("the call does not follow");
                }
            };
            match spoken {
                // The first thing that comes is a sound, or says that there will be none.
                Ok(speech) => Ok(speech.seen_by(EVENTS, move |event: &SpeechEvent| {
                    if !matches!(event, SpeechEvent::Words(_)) {
                        stopped.took();
                        tell();
                    }
                })),
                Err(error) => {
                    tell();
                    Err(error)
                }
            }
        });
        self.first = Some(First { text, opening: AbortOnDropHandle::new(opening), clock });
    }

    /// Whether this is the first time that nothing more can be done.
    pub fn becomes_ready(&mut self) -> bool {
        self.first.is_none() && !std::mem::replace(&mut self.is_ready, true)
    }

    /// What the answer begins with, now that it is wanted.
    pub fn wanted(self) -> (Chunker, Option<First>) {
        let chunker = if self.first.is_some() {
            Chunker::expecting(self.chunker.first().to_owned())
        } else {
            Chunker::default()
        };
        (chunker, self.first)
    }
}
