//! Sounds of words that are said again and again: fillers and nods.
//!
//! Owns that each is made once and heard at once from then on, with the times of its words, and that they are made before
//! they are needed while nothing else is said (specs voice 2.3: "filler clips pre-rendered"). Must not know when one is
//! said. Start reading at [`Clips::speak`], then [`Preparing`].

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::health::Beginnings;
use super::relay::relay;
use crate::voice::engines::{EngineError, Phrase, Speech, SpeechEvent, Synthesizer};

/// So many are kept; a list of settings is short.
const KEPT: usize = 64;

/// What may wait of a sound that is being made.
const EVENTS: usize = 64;

/// A little something is made in less, or not at all.
const MADE_WITHIN: Duration = Duration::from_secs(20);

/// Before the first is made, and after something was said: the engine has nothing to do for so long.
const IDLE_FOR: Duration = Duration::from_millis(500);

/// A sound as it came: samples a second, and what came.
type Clip = (u32, Vec<SpeechEvent>);

/// The sounds that were made, by their words.
#[derive(Debug, Clone, Default)]
pub(super) struct Clips(Arc<Mutex<HashMap<String, Clip>>>);

impl Clips {
    /// The sound of a phrase: as it was made before, or made now and kept once it is whole.
    ///
    /// # Errors
    /// When it is to be made and the engine does not take it.
    pub async fn speak(
        &self,
        phrase: &Phrase,
        synthesizer: Arc<dyn Synthesizer>,
    ) -> Result<Speech, EngineError> {
        if let Some((rate, events)) = self.kept(&phrase.text) {
            let (tell, told) = mpsc::channel(events.len().max(1));
            for event in events {
                // There is room for all of them.
                tell.try_send(event).ok();
            }
            return Ok(Speech::new(rate, told));
        }
        let speech = synthesizer.speak(phrase).await?;
        let (rate, text, clips) = (speech.rate, phrase.text.clone(), self.clone());
        let mut events = Vec::new();
        // Where nobody listens any more, half a sound is not kept.
        Ok(relay(speech, EVENTS, move |event| {
            events.push(event.clone());
            if matches!(event, SpeechEvent::Done) {
                clips.keep(text.clone(), (rate, std::mem::take(&mut events)));
            }
        }))
    }

    /// Whether a sound is there already.
    pub fn has(&self, text: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(text)
    }

    fn kept(&self, text: &str) -> Option<Clip> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
    }

    fn keep(&self, text: String, clip: Clip) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT {
            kept.insert(text, clip);
        }
    }

    /// Makes one, unheard; how long its first sound took.
    async fn make(self, text: String, synthesizer: Arc<dyn Synthesizer>) -> Option<Duration> {
        let asked = Instant::now();
        let phrase = Phrase { reply: u64::MAX, text, is_last: true, ..Phrase::default() };
        let mut first = None;
        let all = async {
            let mut speech = self.speak(&phrase, synthesizer).await.ok()?;
            while let Some(event) = speech.events.recv().await {
                match event {
                    SpeechEvent::Samples(_) => {
                        first.get_or_insert_with(|| asked.elapsed());
                    }
                    SpeechEvent::Words(_) => {}
                    SpeechEvent::Done => return Some(()),
                    SpeechEvent::Failed(_) => return None,
                }
            }
            None
        };
        timeout(MADE_WITHIN, all).await.ok().flatten()?;
        first
    }
}

/// Sounds that are to be made before they are needed, one after the other.
#[derive(Debug)]
pub(super) struct Preparing {
    clips: Clips,
    beginnings: Beginnings,
    wanted: VecDeque<String>,
    making: Option<AbortOnDropHandle<Option<Duration>>>,
    next: Instant,
}

impl Preparing {
    pub fn new(clips: Clips, beginnings: Beginnings) -> Self {
        let (wanted, making) = (VecDeque::new(), None);
        Self { clips, beginnings, wanted, making, next: Instant::now() }
    }

    /// These will be said.
    pub fn want(&mut self, words: Vec<String>) {
        self.wanted.extend(words);
        self.wait();
    }

    /// Something is said: the engine has better things to do.
    pub fn wait(&mut self) {
        self.making = None;
        self.next = Instant::now() + IDLE_FOR;
    }

    /// Until one can be begun, or is made; never, where none is wanted. Can be dropped and asked again.
    pub async fn progress(&mut self) {
        if self.wanted.is_empty() {
            return std::future::pending().await;
        }
        let Some(making) = self.making.as_mut() else { return sleep_until(self.next).await };
        let took = making.await.ok().flatten();
        self.making = None;
        match took {
            Some(took) => {
                self.beginnings.learn(took);
                self.wanted.pop_front();
            }
            // What speaks does not do it now; then each is made when it is first said.
            None => self.wanted.clear(),
        }
    }

    /// Begins the next one, with a voice that has nothing else to do.
    pub fn begin(&mut self, synthesizer: Arc<dyn Synthesizer>) {
        while self.wanted.front().is_some_and(|text| self.clips.has(text)) {
            self.wanted.pop_front();
        }
        if let Some(text) = self.wanted.front().filter(|_| self.making.is_none()) {
            let made = self.clips.clone().make(text.clone(), synthesizer);
            self.making = Some(AbortOnDropHandle::new(tokio::spawn(made)));
        }
    }

    /// Nothing is made that is not being said.
    pub fn give_up(&mut self) {
        self.wanted.clear();
        self.making = None;
    }
}
