//! One reply on its way from words to sound.
//!
//! Owns its phrases and the lines on which an engine speaks them; and of a reply that nobody may ever want, what is made of
//! it before it is handed over, and when that is as much as can be made. Must not decide when it ends. Start reading at
//! [`Reply`].

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::session::{Delivery, Settled};
use crate::voice::engines::{EngineError, Phrase, Speech, SpeechEvent, Synthesizer};
use crate::voice::turn::{SpeculationId, TurnEvent};
use familiar_voice::speech::{Chunker, Ledger, Shaper};

#[derive(Debug)]
pub(super) struct Reply {
    pub to: Delivery,
    pub chunker: Chunker,
    pub ledger: Ledger,
    /// Its first phrase, where an engine had it before the reply was wanted.
    pub first: Option<FirstPhrase>,
    /// Phrases that no engine has yet.
    pub waiting: VecDeque<WaitingPhrase>,
    /// The phrase that is being spoken, and the one that is made meanwhile.
    pub lines: VecDeque<PhraseLine>,
    /// What cannot be spoken, as it was written.
    pub written: String,
    /// From here on everything is written.
    pub writes: bool,
    pub audible: bool,
    pub is_whole: bool,
    /// Who waits for its end.
    pub settled: Option<oneshot::Sender<Settled>>,
    /// It is over, but nobody has asked yet.
    pub over: Option<Settled>,
}

impl Reply {
    pub(super) fn new(to: Delivery, writes: bool) -> Self {
        Self {
            to,
            chunker: Chunker::default(),
            first: None,
            ledger: Ledger::default(),
            waiting: VecDeque::new(),
            lines: VecDeque::new(),
            written: String::new(),
            writes,
            audible: false,
            is_whole: false,
            settled: None,
            over: None,
        }
    }

    pub(super) fn id(&self) -> u64 {
        self.to.turn.0
    }

    /// Whether all its sound was made.
    pub(super) fn is_made(&self) -> bool {
        self.is_whole && self.waiting.is_empty() && self.lines.is_empty()
    }

    /// Whether the sound of all words so far was made, and more may come.
    pub(super) fn waits_for_words(&self) -> bool {
        !self.is_whole && self.waiting.is_empty() && self.lines.is_empty()
    }

    /// Whether the engine has had its first phrase for less than `usually`.
    pub(super) fn begins_no_sooner_than(&self, usually: Duration) -> bool {
        let clock = self.lines.front().and_then(|line| line.clock.as_ref());
        clock.is_some_and(|clock| clock.asked.elapsed() < usually)
    }

    /// Puts something in front of everything else; nothing of the reply can be heard yet.
    pub(super) fn put_first(
        &mut self,
        text: &str,
        opening: impl Future<Output = Result<Speech, EngineError>> + Send + 'static,
    ) {
        self.ledger.put_first(text);
        self.lines.iter_mut().for_each(|line| line.piece += 1);
        self.waiting.iter_mut().for_each(|waiting| waiting.piece += 1);
        let state = LineState::Opening(AbortOnDropHandle::new(tokio::spawn(opening)));
        self.lines.push_front(PhraseLine { piece: 0, state, since: Instant::now(), clock: None });
    }

    /// What comes next on the line in front; never, where there is none. Can be dropped and asked again.
    pub(super) async fn progress(&mut self) -> PhraseProgress {
        let Some(line) = self.lines.front_mut() else { return std::future::pending().await };
        match &mut line.state {
            LineState::Opening(opening) => PhraseProgress::Opened(match opening.await {
                Ok(opened) => opened,
                Err(error) => {
                    Err(EngineError::Unreachable { engine: "the speech engine", said: error.to_string() })
                }
            }),
            LineState::Speaking { speech, .. } => PhraseProgress::Event(speech.events.recv().await),
        }
    }
}

/// One phrase before an engine has it.
#[derive(Debug)]
pub(super) struct WaitingPhrase {
    /// Its number in the ledger.
    pub piece: usize,
    pub text: String,
    /// Words that are said again and again.
    pub is_clip: bool,
}

/// One phrase at an engine.
#[derive(Debug)]
pub(super) struct PhraseLine {
    pub piece: usize,
    pub state: LineState,
    /// When something last came.
    pub since: Instant,
    /// Until its first sound comes, where that says how fast the engine is.
    pub clock: Option<FirstSoundClock>,
}

impl PhraseLine {
    /// Whether its first sound is there and only waits to be taken: it came before it was wanted.
    pub(super) fn has_begun(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| clock.came.get().is_some())
    }
}

/// How long a first sound takes.
#[derive(Debug, Clone)]
pub(super) struct FirstSoundClock {
    /// When the engine was asked.
    pub asked: Instant,
    /// Set by who sees it come before it is wanted.
    pub came: Arc<OnceLock<Duration>>,
}

impl FirstSoundClock {
    pub(super) fn begin() -> Self {
        Self { asked: Instant::now(), came: Arc::default() }
    }

    pub(super) fn took(&self) -> Duration {
        *self.came.get_or_init(|| self.asked.elapsed())
    }
}

#[derive(Debug)]
pub(super) enum LineState {
    Opening(Opening),
    Speaking { speech: Speech, shaper: Box<Shaper> },
}

#[derive(Debug)]
pub(super) enum PhraseProgress {
    Opened(Result<Speech, EngineError>),
    /// None: nothing more will come.
    Event(Option<SpeechEvent>),
}

/// What may wait of a first phrase: at twenty milliseconds a piece more than it ever has.
const EVENTS: usize = 1_024;

/// A phrase on its way to an engine.
pub(super) type Opening = AbortOnDropHandle<Result<Speech, EngineError>>;

/// A phrase that an engine was given before it was wanted.
#[derive(Debug)]
pub(super) struct FirstPhrase {
    pub text: String,
    pub opening: Opening,
    /// How long its first sound takes.
    pub clock: FirstSoundClock,
}

/// An answer that was begun early.
#[derive(Debug)]
pub(super) struct SpeculativeReply {
    pub speculation: u64,
    pub to: Delivery,
    chunker: Chunker,
    /// The first phrase, once an engine has it.
    first: Option<FirstPhrase>,
    is_ready: bool,
}

impl SpeculativeReply {
    pub(super) fn begun(speculation: u64, to: Delivery) -> Self {
        Self { speculation, to, chunker: Chunker::default(), first: None, is_ready: false }
    }

    /// Whether its first phrase is not complete, and may be by the mere passing of time.
    pub(super) fn is_open(&self) -> bool {
        self.first.is_none() && !self.is_ready
    }

    /// Takes its next words; gives the first phrase once it is complete.
    pub(super) fn push(&mut self, words: &str, now: Duration) -> Option<String> {
        self.first_of(|chunker| chunker.push(words, now))
    }

    pub(super) fn tick(&mut self, now: Duration) -> Option<String> {
        self.first_of(|chunker| chunker.tick(now))
    }

    /// There are no more words.
    pub(super) fn finish(&mut self) -> Option<String> {
        self.first_of(Chunker::finish)
    }

    fn first_of(&mut self, cut: impl FnOnce(&mut Chunker) -> Vec<String>) -> Option<String> {
        if self.is_open() { cut(&mut self.chunker).into_iter().next() } else { None }
    }

    /// Has its first phrase spoken; whoever decides about turns is told once its first sound is there.
    pub(super) fn speak(
        &mut self,
        phrase: Phrase,
        synthesizer: Arc<dyn Synthesizer>,
        events: mpsc::Sender<TurnEvent>,
    ) {
        let text = phrase.text.clone();
        let ready = TurnEvent::Ready { speculation: SpeculationId(self.speculation) };
        let clock = FirstSoundClock::begin();
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
        self.first = Some(FirstPhrase { text, opening: AbortOnDropHandle::new(opening), clock });
    }

    /// Whether this is the first time that nothing more can be done.
    pub(super) fn becomes_ready(&mut self) -> bool {
        self.first.is_none() && !std::mem::replace(&mut self.is_ready, true)
    }

    /// What the answer begins with, now that it is wanted.
    pub(super) fn wanted(self) -> (Chunker, Option<FirstPhrase>) {
        let chunker = if self.first.is_some() {
            Chunker::expecting(self.chunker.first().to_owned())
        } else {
            Chunker::default()
        };
        (chunker, self.first)
    }
}
