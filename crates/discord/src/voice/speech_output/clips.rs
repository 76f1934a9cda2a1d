//! Sounds of words that are said again and again: fillers and backchannels.
//!
//! Owns that each is made once by each voice and heard at once from then on, with the times of its words, and that they are made before
//! they are needed while nothing else is said (voice 2.3: "filler clips pre-rendered"). Must not know when one is
//! said. Start reading at [`Clips::speak`], then [`Preparing`].

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use quick_cache::unsync::Cache;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::health::Beginnings;
use crate::voice::engines::{EngineError, Phrase, Speech, SpeechEvent, Synthesizer};
use familiar_voice::speech::Shaper;

/// So many are kept; a list of settings is short, and what was not said for long makes room.
const KEPT: usize = 64;

/// What may wait of a sound that is being made.
const EVENTS: usize = 64;

/// A little something is made in less, or not at all.
const MADE_WITHIN: Duration = Duration::from_secs(20);

/// Before the first is made, and after something was said: the engine has nothing to do for so long.
const IDLE_FOR: Duration = Duration::from_millis(500);

/// A sound as it came: samples a second, and what came.
type Clip = (u32, Vec<SpeechEvent>);

/// Whose voice it is, and the words.
type Key = (String, String);

/// The sounds that were made. One in the voice of a stand-in is not heard from the voice it stood in for.
#[derive(Debug, Clone)]
pub(super) struct Clips(Arc<Mutex<Cache<Key, Clip>>>);

impl Default for Clips {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Cache::new(KEPT))))
    }
}

impl Clips {
    /// The sound of a phrase: as it was made before, or made now and kept once it is whole.
    ///
    /// # Errors
    /// When it is to be made and the engine does not take it.
    pub(super) async fn speak(
        &self,
        phrase: &Phrase,
        synthesizer: Arc<dyn Synthesizer>,
    ) -> Result<Speech, EngineError> {
        let asked = (synthesizer.name().to_owned(), phrase.text.clone());
        if let Some((rate, events)) = self.kept(&asked) {
            let (tell, told) = mpsc::channel(events.len().max(1));
            for event in events {
                // There is room for all of them.
                tell.try_send(event).ok();
            }
            return Ok(Speech::new(rate, told));
        }
        let speech = synthesizer.speak(phrase).await?;
        let key = (speech.by.clone().unwrap_or(asked.0), asked.1);
        let (rate, clips) = (speech.rate, self.clone());
        let mut events = Vec::new();
        // Where nobody listens any more, half a sound is not kept.
        Ok(speech.seen_by(EVENTS, move |event| {
            events.push(event.clone());
            if matches!(event, SpeechEvent::Done) {
                clips.keep(key.clone(), (rate, std::mem::take(&mut events)));
            }
        }))
    }

    /// Whether a sound is there already, in the voice that would speak now.
    pub(super) fn has(&self, text: &str, synthesizer: &dyn Synthesizer) -> bool {
        let key = (synthesizer.name().to_owned(), text.to_owned());
        self.0.lock().contains_key(&key)
    }

    fn kept(&self, key: &Key) -> Option<Clip> {
        self.0.lock().get(key).cloned()
    }

    fn keep(&self, key: Key, clip: Clip) {
        self.0.lock().insert(key, clip);
    }

    /// Makes one, unheard; how long its first sound took.
    async fn make(self, text: String, synthesizer: Arc<dyn Synthesizer>) -> Option<Duration> {
        let asked = Instant::now();
        let phrase = Phrase::of(text);
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
    pub(super) fn new(clips: Clips, beginnings: Beginnings) -> Self {
        let (wanted, making) = (VecDeque::new(), None);
        Self { clips, beginnings, wanted, making, next: Instant::now() }
    }

    /// These will be said.
    pub(super) fn want(&mut self, words: Vec<String>) {
        self.wanted.extend(words);
        self.wait();
    }

    /// Something is said: the engine has better things to do.
    pub(super) fn wait(&mut self) {
        self.making = None;
        self.next = Instant::now() + IDLE_FOR;
    }

    /// Until one can be begun, or is made; never, where none is wanted. Can be dropped and asked again.
    pub(super) async fn progress(&mut self) {
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
    pub(super) fn begin(&mut self, synthesizer: Arc<dyn Synthesizer>) {
        while self.wanted.front().is_some_and(|text| self.clips.has(text, &*synthesizer)) {
            self.wanted.pop_front();
        }
        if let Some(text) = self.wanted.front().filter(|_| self.making.is_none()) {
            let made = self.clips.clone().make(text.clone(), synthesizer);
            self.making = Some(AbortOnDropHandle::new(tokio::spawn(made)));
        }
    }

    /// Nothing is made that is not being said.
    pub(super) fn give_up(&mut self) {
        self.wanted.clear();
        self.making = None;
    }
}

/// They are worth nothing later than this: whoever paused has gone on.
const WORTH_HEARING_FOR: Duration = Duration::from_millis(1_000);

/// The one that is being made.
#[derive(Debug, Default)]
pub(super) struct Murmurs {
    making: Option<AbortOnDropHandle<Option<Vec<f32>>>>,
}

impl Murmurs {
    /// Makes the sound of these words, unless one is being made.
    pub(super) fn begin(&mut self, words: String, clips: Clips, synthesizer: Arc<dyn Synthesizer>) {
        if self.making.is_none() {
            let made = async move {
                timeout(WORTH_HEARING_FOR, synthesize_clip(words, clips, synthesizer)).await.ok().flatten()
            };
            self.making = Some(AbortOnDropHandle::new(tokio::spawn(made)));
        }
    }

    /// Whatever is being made is not wanted any more.
    pub(super) fn stop(&mut self) {
        self.making = None;
    }

    /// The sound, 48 kHz, once it is made; never, where none is. Can be dropped and asked again.
    pub(super) async fn made(&mut self) -> Vec<f32> {
        let Some(making) = self.making.as_mut() else { return std::future::pending().await };
        let samples = making.await.ok().flatten().unwrap_or_default();
        self.making = None;
        samples
    }
}

/// All of it at once: it is half a second long. What fails is not heard, and nobody misses it.
async fn synthesize_clip(text: String, clips: Clips, synthesizer: Arc<dyn Synthesizer>) -> Option<Vec<f32>> {
    let mut speech = clips.speak(&Phrase::of(text), synthesizer).await.ok()?;
    let mut shaper = Shaper::new(speech.rate);
    let mut samples = Vec::new();
    while let Some(event) = speech.events.recv().await {
        match event {
            SpeechEvent::Samples(more) => samples.extend(shaper.push(&more)),
            SpeechEvent::Words(_) => {}
            SpeechEvent::Done => break,
            SpeechEvent::Failed(_) => return None,
        }
    }
    samples.extend(shaper.finish());
    Some(samples)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use async_trait::async_trait;

    use super::*;

    /// Somebody else speaks in its stead while it is ill; it is known to be ill only afterwards.
    #[derive(Debug, Default)]
    struct Replaced {
        is_ill: AtomicBool,
        is_known: AtomicBool,
    }

    #[async_trait]
    impl Synthesizer for Replaced {
        fn name(&self) -> &str {
            if self.is_known.load(Ordering::Relaxed) { "stand-in" } else { "own" }
        }

        async fn warm_up(&self) {}

        async fn speak(&self, _phrase: &Phrase) -> Result<Speech, EngineError> {
            let is_ill = self.is_ill.load(Ordering::Relaxed);
            self.is_known.store(is_ill, Ordering::Relaxed);
            let (tell, events) = mpsc::channel(2);
            tell.try_send(SpeechEvent::Samples(vec![1])).unwrap();
            tell.try_send(SpeechEvent::Done).unwrap();
            let mut speech = Speech::new(if is_ill { 22_050 } else { 24_000 }, events);
            speech.by = Some(self.name().to_owned());
            Ok(speech)
        }
    }

    #[test]
    fn a_new_sound_is_kept_however_many_there_were() {
        let clips = Clips::default();
        let key = |number: usize| ("own".to_owned(), number.to_string());
        for number in 0..=KEPT {
            clips.keep(key(number), (24_000, Vec::new()));
            assert!(clips.kept(&key(number)).is_some(), "{number}");
        }
        assert_eq!(clips.0.lock().len(), KEPT);
    }

    #[tokio::test]
    async fn what_a_stand_in_said_is_not_kept_as_the_voices_own() {
        let (clips, voice) = (Clips::default(), Arc::new(Replaced::default()));
        let phrase = Phrase { text: "Hmm.".to_owned(), ..Phrase::default() };
        let said = async || {
            let mut speech = clips.speak(&phrase, Arc::<Replaced>::clone(&voice)).await.unwrap();
            while speech.events.recv().await.is_some() {}
            speech.rate
        };
        voice.is_ill.store(true, Ordering::Relaxed);
        assert_eq!(said().await, 22_050);
        assert!(clips.has("Hmm.", &*voice), "as long as it stands in");
        voice.is_ill.store(false, Ordering::Relaxed);
        voice.is_known.store(false, Ordering::Relaxed);
        assert!(!clips.has("Hmm.", &*voice));
        assert_eq!((said().await, clips.has("Hmm.", &*voice)), (24_000, true));
        voice.is_ill.store(true, Ordering::Relaxed);
        assert_eq!(said().await, 24_000, "it is kept");
    }
}
