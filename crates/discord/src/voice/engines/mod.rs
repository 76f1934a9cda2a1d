//! Speech engines: what turns samples into words and words into samples.
//!
//! Owns the two traits that the call sees, the clients of the services behind them, and which of them is used. Must not
//! know calls, turns or Discord. Start reading at [`Transcriber`] and [`Synthesizer`], then [`from_config`].

mod choose;
mod cost;
mod error;
mod failover;
mod pcm;
mod read_any;
mod service;
mod socket;
mod stt;
#[cfg(test)]
mod tests;
mod tts;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc;

pub use choose::{EngineParts, Engines, OWN_SERVER, WhyNot, from_config};
pub use cost::Spoken;
pub use error::EngineError;
pub(super) use failover::FirstSounds;
pub use pcm::{WavError, read_wav, to_heard_rate, wav_bytes};
pub use read_any::read_any;

pub use familiar_voice::speech::SpokenWord;

use crate::domain::AccountId;

/// Turns what one person says into text. One [`Transcription`] is open per speaker.
#[async_trait]
pub trait Transcriber: Send + Sync + Debug {
    /// Its name for people, such as "Deepgram".
    fn name(&self) -> &str;

    fn abilities(&self) -> TranscriberAbilities;

    /// Whether it runs on this machine, so that what is said does not leave it.
    fn is_here(&self) -> bool {
        false
    }

    /// The language that it takes everything for, where it cannot tell languages apart and people are not known to speak
    /// this one.
    fn takes_all_for(&self) -> Option<&'static str> {
        None
    }

    /// Begins to listen to one speaker. A broken connection is mended behind the scenes, and one over which nothing was
    /// said for a while is closed and opened again with the next samples; both are not seen from here.
    ///
    /// # Errors
    /// When the engine cannot be reached or refuses; engines that answer whole utterances find out later.
    async fn open(&self, hints: &TranscriptionHints) -> Result<Transcription, EngineError>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriberAbilities {
    /// It sends [`TranscriptEvent::Partial`] while somebody speaks.
    pub partials: bool,
    /// It says when a turn ends.
    pub ends_turns: bool,
    /// It listens while somebody speaks; else it gets the whole utterance at [`SpeechInput::Finalize`].
    pub streaming: bool,
}

/// What helps to understand a speaker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TranscriptionHints {
    /// Names and words that are likely to be said.
    pub keyterms: Vec<String>,
    /// Who speaks, for the cap per person.
    pub speaker: Option<AccountId>,
}

/// Listening to one speaker. Dropping it ends the work and closes the connection.
#[derive(Debug)]
pub struct Transcription {
    /// What is said. Bounded: send with `try_send` and drop what does not fit, for nothing here may hold up a call.
    pub input: mpsc::Sender<SpeechInput>,
    pub events: mpsc::Receiver<TranscriptEvent>,
}

/// What goes into a transcription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpeechInput {
    Samples(Box<[i16]>),
    /// The speaker has ended: whatever is still held back is wanted now.
    Finalize,
}

/// From here on a recogniser counts as sure of its words.
pub const SURE_PERCENT: u8 = 60;

impl TranscriptEvent {
    /// Told before words where an engine says how sure it is of them; it says so from 0 to 1.
    fn before_words(confidence: Option<f64>) -> Option<Self> {
        let sure = confidence.filter(|sure| (0.0..=1.0).contains(sure))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 100")]
        let percent = (sure * 100.0) as u8;
        Some(Self::Sure { percent })
    }
}

/// What comes out of a transcription.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptEvent {
    /// What is being said since the last final, as far as it is not final; replaces the partial before it.
    Partial { text: String },
    /// A piece of what was said, which will not change any more; may be empty. What was said between two finalizes is all
    /// pieces up to and including the one with `finalized`. Every [`SpeechInput::Finalize`] is answered by one such event
    /// or by [`TranscriptEvent::Failed`]; those that wait together are answered together.
    Final { text: String, finalized: bool },
    /// How sure it is of the final words that come next, in percent; below [`SURE_PERCENT`] hardly.
    Sure { percent: u8 },
    /// The engine believes that the turn, which is this so far, may be over.
    EagerEndOfTurn { text: String },
    /// It was not over.
    TurnResumed,
    /// The engine says that the turn is over. The text is the whole turn and stands for all its finals.
    EndOfTurn { text: String },
    /// What was said since the last final is lost. Listening goes on, unless [`TranscriptEvent::Closed`] follows.
    Failed(EngineError),
    /// Nothing more will come.
    Closed,
}

#[async_trait]
pub trait Synthesizer: Send + Sync + Debug {
    /// Its name for people, such as "espeak-ng".
    fn name(&self) -> &str;

    /// Whether speaking is paid for, as far as is known.
    fn costs(&self) -> bool {
        false
    }

    /// How long its first sound may take before it has failed, by the settings (`tts.timeout`).
    fn patience(&self) -> Duration {
        Duration::from_secs(3)
    }

    /// Gets ready to speak: opens the connection before it is needed. Whether that worked shows when it speaks.
    async fn warm_up(&self);

    /// Speaks one phrase. Phrases may be spoken at once; each is a [`Speech`] of its own.
    ///
    /// # Errors
    /// When the engine cannot be reached or refuses; a failure in the middle comes as [`SpeechEvent::Failed`].
    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrase {
    /// Plain text, as it is to be spoken.
    pub text: String,
    /// Whom it answers, for the cap per person.
    pub listener: Option<AccountId>,
    /// The mood it is spoken in, in a word, for an engine that takes direction.
    pub mood: Option<&'static str>,
}

impl Phrase {
    /// A phrase that is of nobody's hour.
    pub fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), listener: None, mood: None }
    }
}

/// One phrase being spoken. Dropping it stops the engine.
#[derive(Debug)]
pub struct Speech {
    pub rate: u32,
    /// Mono samples and what goes with them. Over after [`SpeechEvent::Done`] or [`SpeechEvent::Failed`].
    pub events: mpsc::Receiver<SpeechEvent>,
    /// Whose voice it is, where that may not be the one that was asked.
    pub by: Option<String>,
}

impl Speech {
    pub fn new(rate: u32, events: mpsc::Receiver<SpeechEvent>) -> Self {
        Self { rate, events, by: None }
    }
}

/// What comes while a phrase is spoken.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeechEvent {
    Samples(Vec<i16>),
    Words(Vec<SpokenWord>),
    /// That was all of it.
    Done,
    Failed(EngineError),
}

impl Speech {
    /// The same speech, with somebody who sees what comes. Up to `room` events wait for whoever listens; once nobody does,
    /// the engine is stopped.
    pub(in crate::voice) fn seen_by(
        self,
        room: usize,
        see: impl FnMut(&SpeechEvent) + Send + 'static,
    ) -> Self {
        relay(Vec::new(), self, room, see)
    }

    /// The same speech, once its first sound is there or it is over without one.
    ///
    /// # Errors
    /// When the engine fails before that.
    pub(super) async fn once_it_sounds(mut self, room: usize) -> Result<Self, EngineError> {
        let mut first = Vec::new();
        while let Some(event) = self.events.recv().await {
            match event {
                SpeechEvent::Failed(error) => return Err(error),
                event @ SpeechEvent::Words(_) => first.push(event),
                event => {
                    first.push(event);
                    break;
                }
            }
        }
        Ok(relay(first, self, room, |_| ()))
    }
}

/// What came already, and then the rest.
fn relay(
    first: Vec<SpeechEvent>,
    mut speech: Speech,
    room: usize,
    mut see: impl FnMut(&SpeechEvent) + Send + 'static,
) -> Speech {
    let (tell, told) = mpsc::channel(room);
    let rate = speech.rate;
    tokio::spawn(async move {
        for event in first {
            if tell.send(event).await.is_err() {
                return;
            }
        }
        loop {
            tokio::select! {
                event = speech.events.recv() => {
                    let Some(event) = event else { return };
                    see(&event);
                    if tell.send(event).await.is_err() {
                        return;
                    }
                }
                () = tell.closed() => return,
            }
        }
    });
    Speech::new(rate, told)
}
