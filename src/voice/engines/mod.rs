//! Speech engines: what turns samples into words and words into samples.
//!
//! Owns the two traits that the call sees, the clients of the services behind them, and which of them is used. Must not
//! know calls, turns or Discord. Start reading at [`Transcriber`] and [`Synthesizer`], then [`from_config`].

mod choose;
mod cost;
mod error;
mod first_sounds;
mod http;
mod pcm;
mod read_any;
mod relay;
mod socket;
mod spare;
mod stt;
#[cfg(test)]
mod tests;
mod tts;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use choose::{EngineParts, Engines, OWN_SERVER, WhyNot, from_config};
pub use cost::{SpeechLedger, SpeechUse, Spoken};
pub use error::EngineError;
pub(super) use first_sounds::FirstSounds;
pub use pcm::{WavError, read_wav, to_heard_rate, wav_bytes};
pub use read_any::read_any;

use crate::domain::AccountId;

/// Turns what one person says into text. One [`Transcription`] is open per speaker.
#[async_trait]
pub trait Transcriber: Send + Sync + Debug {
    /// Its name for people, such as "Deepgram".
    fn name(&self) -> &str;

    /// What it can do.
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

/// What a transcriber can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriberAbilities {
    /// It sends [`TranscriptEvent::Partial`] while somebody speaks.
    pub partials: bool,
    /// It says when a turn begins and ends.
    pub ends_turns: bool,
    /// Its finals carry the times of words.
    pub words: bool,
    /// It listens while somebody speaks; else it gets the whole utterance at [`SpeechInput::Finalize`].
    pub streaming: bool,
}

/// What helps to understand a speaker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TranscriptionHints {
    /// The language, as in BCP 47. `None`: the setting's.
    pub language: Option<String>,
    /// Names and words that are likely to be said.
    pub keyterms: Vec<String>,
    /// Who speaks, for the cap per person.
    pub speaker: Option<AccountId>,
}

impl TranscriptionHints {
    /// The language, or else the setting's; `None` where the service is to find it out.
    pub(super) fn language_or<'a>(&'a self, setting: &'a Option<String>) -> Option<&'a str> {
        self.language.as_deref().or(setting.as_deref())
    }
}

/// One open ear. Dropping it ends the work and closes the connection.
#[derive(Debug)]
pub struct Transcription {
    /// What is said. Bounded: send with `try_send` and drop what does not fit, for nothing here may hold up a call.
    pub input: mpsc::Sender<SpeechInput>,
    /// What was understood.
    pub events: mpsc::Receiver<TranscriptEvent>,
}

/// What goes into a transcription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpeechInput {
    /// 16 kHz mono.
    Samples(Box<[i16]>),
    /// The speaker has ended: whatever is still held back is wanted now.
    Finalize,
}

/// What comes out of a transcription.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptEvent {
    /// What is being said, as far as it is not final; replaces the partial before it.
    Partial {
        /// The words so far, since the last final.
        text: String,
    },
    /// A piece of what was said, which will not change any more. What was said between two finalizes is all pieces up to
    /// and including the one with `finalized`.
    Final {
        /// The piece; may be empty.
        text: String,
        /// Its words, where the engine times them; from the beginning of the connection.
        words: Vec<HeardWord>,
        /// Whether it answers a [`SpeechInput::Finalize`]. Every finalize is answered by one such event or by
        /// [`TranscriptEvent::Failed`]; those that wait together are answered together.
        finalized: bool,
    },
    /// The engine hears a turn begin.
    StartOfTurn,
    /// The engine believes that the turn may be over.
    EagerEndOfTurn {
        /// The whole turn so far.
        text: String,
    },
    /// It was not over.
    TurnResumed,
    /// The engine says that the turn is over.
    EndOfTurn {
        /// The whole turn. Stands for all its finals.
        text: String,
    },
    /// What was said since the last final is lost. Listening goes on, unless [`TranscriptEvent::Closed`] follows.
    Failed(EngineError),
    /// Nothing more will come.
    Closed,
}

/// A word that was heard.
#[derive(Debug, Clone, PartialEq)]
pub struct HeardWord {
    /// The word.
    pub text: String,
    /// When it begins.
    pub start: Duration,
    /// When it ends.
    pub end: Duration,
    /// How sure the engine is, 0 to 1; 1 where it does not say.
    pub confidence: f32,
}

/// Turns text into speech.
#[async_trait]
pub trait Synthesizer: Send + Sync + Debug {
    /// Its name for people, such as "espeak-ng".
    fn name(&self) -> &str;

    /// What it can do.
    fn abilities(&self) -> SynthesizerAbilities;

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

/// What a synthesizer can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SynthesizerAbilities {
    /// It sends [`SpeechEvent::Words`].
    pub word_times: bool,
    /// Its first samples come before the last ones are made.
    pub streaming: bool,
    /// Whether it can take a [`Phrase::direction`].
    pub directions: bool,
}

/// One phrase to speak.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrase {
    /// Which reply it belongs to.
    pub reply: u64,
    /// Plain text, as it is to be spoken.
    pub text: String,
    /// How to say it, in a few words, such as "whispering".
    pub direction: Option<String>,
    /// Whether it is the reply's last.
    pub is_last: bool,
    /// Whom it answers, for the cap per person.
    pub listener: Option<AccountId>,
}

/// One phrase being spoken. Dropping it stops the engine.
#[derive(Debug)]
pub struct Speech {
    /// Samples per second.
    pub rate: u32,
    /// Mono samples and what goes with them. Ends after [`SpeechEvent::Done`] or [`SpeechEvent::Failed`].
    pub events: mpsc::Receiver<SpeechEvent>,
    /// Whose voice it is, where that may not be the one that was asked.
    pub by: Option<String>,
    stop: Option<DropGuard>,
}

impl Speech {
    /// Speech that nobody has to stop.
    #[must_use]
    pub fn new(rate: u32, events: mpsc::Receiver<SpeechEvent>) -> Self {
        Self { rate, events, by: None, stop: None }
    }

    /// Speech whose maker is told by a token when nobody listens any more.
    #[must_use]
    pub fn stopped_by(mut self, token: CancellationToken) -> Self {
        self.stop = Some(token.drop_guard());
        self
    }
}

/// What comes while a phrase is spoken.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeechEvent {
    /// The next samples.
    Samples(Vec<i16>),
    /// When words are spoken.
    Words(Vec<SpokenWord>),
    /// That was all of it.
    Done,
    /// It broke off.
    Failed(EngineError),
}

/// A word that is spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenWord {
    /// The word, with the marks that cling to it.
    pub text: String,
    /// When it begins, from the phrase's first sample.
    pub start: Duration,
    /// When it ends.
    pub end: Duration,
}
