//! Several engines for one work, in the order in which they are wanted.
//!
//! Owns that one that fails rests for a while and that the next one does its work meanwhile (voice 3.3: degrade, never
//! fail). Must not know which engines those are. Start reading at [`FailoverVoice`] and [`FailoverTranscriber`].

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::{
    EngineError, Phrase, Speech, Synthesizer, Transcriber, TranscriberAbilities, TranscriptEvent,
    Transcription, TranscriptionHints,
};
use crate::net::CircuitBreaker;

/// One that failed is not asked for so long: the first time, the second time in a row, and then or where it will not pass
/// soon.
const RESTS: Duration = Duration::from_secs(60);
const RESTS_AGAIN: Duration = Duration::from_secs(300);
const RESTS_LONG: Duration = Duration::from_secs(600);

/// A voice that another one can stand in for has so long for its first sound, as long as it is not known to be slower: what
/// is left until a reply is written instead (`speech_output/health.rs`) is for the other one.
const FIRST_SOUND: Duration = Duration::from_millis(1_500);

/// A recogniser that did not understand so many utterances in a row has failed.
const IN_VAIN: u32 = 2;

/// What may wait of a phrase, or of what was understood.
const EVENTS: usize = 64;

/// So many first sounds are remembered: a voice that was slow once, while its model was loaded, is quick again soon.
const KEPT: usize = 4;

/// How long the last first sounds of a voice took.
#[derive(Debug, Clone, Default)]
pub(crate) struct FirstSounds(VecDeque<Duration>);

impl FirstSounds {
    pub(crate) fn learn(&mut self, took: Duration) {
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0.push_back(took);
    }

    pub(crate) fn last(&self) -> Option<Duration> {
        self.0.back().copied()
    }

    /// Nothing where there was none.
    pub(crate) fn slowest(&self) -> Duration {
        self.0.iter().max().copied().unwrap_or_default()
    }
}

/// Engines in their order, and how they do.
#[derive(Debug)]
struct Roster<E: ?Sized> {
    engines: Vec<Arc<E>>,
    standing: Arc<Mutex<RosterHealth>>,
}

/// How they do, by their place in the order.
#[derive(Debug, Default)]
struct RosterHealth {
    breaker: CircuitBreaker<usize, Instant, ()>,
    first_sounds: Vec<FirstSounds>,
    /// Utterances in a row that they did not understand.
    in_vain: Vec<u32>,
}

impl RosterHealth {
    fn works(&mut self, at: usize, name: &str) {
        if self.breaker.worked(&at) {
            tracing::info!(engine = name, "it works again");
        }
        self.in_vain[at] = 0;
    }

    fn failed(&mut self, at: usize, name: &str, error: &EngineError) {
        let now = Instant::now();
        self.in_vain[at] = 0;
        // Two phrases at once are one failure.
        if self.breaker.open(&at, now).is_some() {
            return;
        }
        tracing::warn!(engine = name, %error, "it is not used for a while; the next one is");
        self.breaker.failed(at, now, (), |failures| {
            let mostly = match failures {
                1 => RESTS,
                2 => RESTS_AGAIN,
                _ => RESTS_LONG,
            };
            (error.pause(mostly, RESTS_LONG), Duration::ZERO)
        });
    }

    /// An utterance was not understood; whether it is time to ask another one.
    fn missed(&mut self, at: usize, name: &str, error: &EngineError) -> bool {
        self.in_vain[at] += 1;
        let has_failed = !error.may_pass() || self.in_vain[at] >= IN_VAIN;
        if has_failed {
            self.failed(at, name, error);
        }
        has_failed
    }
}

impl<E: ?Sized> Roster<E> {
    fn of(first: Arc<E>, others: Vec<Arc<E>>) -> Self {
        let engines: Vec<_> = std::iter::once(first).chain(others).collect();
        let count = engines.len();
        let (first_sounds, in_vain) = (vec![FirstSounds::default(); count], vec![0; count]);
        let standing = RosterHealth { first_sounds, in_vain, ..RosterHealth::default() };
        Self { engines, standing: Arc::new(Mutex::new(standing)) }
    }

    /// Those that may be asked, in their order; all of them, where all of them rest.
    fn ready(&self) -> Vec<(usize, &Arc<E>)> {
        let (now, standing) = (Instant::now(), self.standing.lock());
        let all = || self.engines.iter().enumerate();
        let ready: Vec<_> = all().filter(|(at, _)| standing.breaker.open(at, now).is_none()).collect();
        if ready.is_empty() { all().collect() } else { ready }
    }

    fn current(&self) -> &E {
        self.ready()[0].1
    }
}

/// Whether an error is one person's alone, whose hour is used up: another engine is no answer to it.
fn is_theirs(error: &EngineError) -> bool {
    matches!(error, EngineError::OverHour { .. })
}

fn there_is_none(engine: &'static str) -> EngineError {
    EngineError::Unsupported { engine, said: "there is none".to_owned() }
}

/// Voices. A phrase that one does not begin to speak is spoken by the next.
#[derive(Debug)]
pub(super) struct FailoverVoice(Roster<dyn Synthesizer>);

impl FailoverVoice {
    pub(super) fn new(first: Arc<dyn Synthesizer>, others: Vec<Arc<dyn Synthesizer>>) -> Self {
        Self(Roster::of(first, others))
    }

    /// Has one of them begin a phrase; where `is_last`, nobody is left to do it in its stead.
    async fn begin(
        &self,
        at: usize,
        voice: &Arc<dyn Synthesizer>,
        phrase: &Phrase,
        is_last: bool,
    ) -> Result<Speech, EngineError> {
        let (one, phrase, asked) = (Arc::clone(voice), phrase.clone(), Instant::now());
        let begun = async move { one.speak(&phrase).await?.once_it_sounds(EVENTS).await };
        if is_last {
            return begun.await;
        }
        let most = voice.patience();
        // A quarter longer than the slowest of the last took. Whoever plays it waits half as long again, so there is time for
        // another one.
        let patience = (self.0.standing.lock().first_sounds[at].slowest() * 5 / 4).max(FIRST_SOUND).min(most);
        let mut begun = AbortOnDropHandle::new(tokio::spawn(begun));
        if let Ok(begun) = timeout(patience, &mut begun).await {
            let gone = |error: tokio::task::JoinError| EngineError::Unreachable {
                engine: "the speech engine",
                said: error.to_string(),
            };
            let speech = begun.map_err(gone)??;
            self.0.standing.lock().first_sounds[at].learn(asked.elapsed());
            return Ok(speech);
        }
        let waited = asked.elapsed();
        // It may be slow and work: then it is waited for from now on.
        let (standing, name) = (Arc::clone(&self.0.standing), voice.name().to_owned());
        tokio::spawn(async move {
            if let Ok(Ok(Ok(_slow))) = timeout(most.saturating_sub(waited), begun).await {
                let mut standing = standing.lock();
                standing.first_sounds[at].learn(asked.elapsed());
                standing.works(at, &name);
            }
        });
        Err(EngineError::Stalled { engine: "the speech engine", waited })
    }
}

#[async_trait]
impl Synthesizer for FailoverVoice {
    fn name(&self) -> &str {
        self.0.current().name()
    }

    fn costs(&self) -> bool {
        self.0.current().costs()
    }

    fn patience(&self) -> Duration {
        self.0.engines.iter().map(|voice| voice.patience()).sum()
    }

    async fn warm_up(&self) {
        self.0.current().warm_up().await;
    }

    async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
        let mut first_error = None;
        let ready = self.0.ready();
        for (nth, (at, voice)) in ready.iter().enumerate() {
            match self.begin(*at, voice, phrase, nth + 1 == ready.len()).await {
                Ok(mut speech) => {
                    self.0.standing.lock().works(*at, voice.name());
                    speech.by.get_or_insert_with(|| voice.name().to_owned());
                    return Ok(speech);
                }
                Err(error) if is_theirs(&error) || phrase.text.trim().is_empty() => return Err(error),
                Err(error) => {
                    self.0.standing.lock().failed(*at, voice.name(), &error);
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.unwrap_or_else(|| there_is_none("the speech engine")))
    }
}

/// Recognisers. A speaker whom one cannot be opened for is heard by the next.
#[derive(Debug)]
pub(super) struct FailoverTranscriber(Roster<dyn Transcriber>);

impl FailoverTranscriber {
    pub(super) fn new(first: Arc<dyn Transcriber>, others: Vec<Arc<dyn Transcriber>>) -> Self {
        Self(Roster::of(first, others))
    }
}

#[async_trait]
impl Transcriber for FailoverTranscriber {
    fn name(&self) -> &str {
        self.0.current().name()
    }

    fn abilities(&self) -> TranscriberAbilities {
        self.0.current().abilities()
    }

    fn is_here(&self) -> bool {
        // What stands in for it may be elsewhere.
        self.0.engines.iter().all(|engine| engine.is_here())
    }

    async fn open(&self, hints: &TranscriptionHints) -> Result<Transcription, EngineError> {
        let mut first_error = None;
        for (at, engine) in self.0.ready() {
            match engine.open(hints).await {
                // Whether it understands anything shows later.
                Ok(open) => {
                    return Ok(watched_transcription(
                        open,
                        Arc::clone(&self.0.standing),
                        at,
                        engine.name().to_owned(),
                    ));
                }
                Err(error) if is_theirs(&error) => return Err(error),
                Err(error) => {
                    self.0.standing.lock().failed(at, engine.name(), &error);
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.unwrap_or_else(|| there_is_none("the recogniser")))
    }
}

/// The same transcription, which ends when its engine has failed: what is said next is for another one.
fn watched_transcription(
    open: Transcription,
    standing: Arc<Mutex<RosterHealth>>,
    at: usize,
    name: String,
) -> Transcription {
    let Transcription { input, mut events } = open;
    let (tell, told) = mpsc::channel(EVENTS);
    tokio::spawn(async move {
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                () = tell.closed() => return,
            };
            let Some(event) = event else { return };
            let has_failed = match &event {
                TranscriptEvent::Failed(error) if !is_theirs(error) => {
                    standing.lock().missed(at, &name, error)
                }
                TranscriptEvent::Final { text, .. } | TranscriptEvent::EndOfTurn { text }
                    if !text.trim().is_empty() =>
                {
                    standing.lock().works(at, &name);
                    false
                }
                _ => false,
            };
            if tell.send(event).await.is_err() {
                return;
            }
            if has_failed {
                // Nobody may be left to be told.
                let _ = tell.send(TranscriptEvent::Closed).await;
                return;
            }
        }
    });
    Transcription { input, events: told }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::AccountId;
    use crate::voice::engines::{SpeechEvent, SpeechInput};

    /// Does what it is told, and counts how often it was asked.
    #[derive(Debug)]
    struct Engine {
        name: &'static str,
        error: Mutex<Option<EngineError>>,
        /// The error comes as an event.
        is_late: bool,
        asked: Mutex<u32>,
    }

    impl Engine {
        fn new(name: &'static str, error: Option<EngineError>) -> Arc<Self> {
            Arc::new(Self { name, error: Mutex::new(error), is_late: false, asked: Mutex::default() })
        }

        fn late(name: &'static str, error: EngineError) -> Arc<Self> {
            let error = Mutex::new(Some(error));
            Arc::new(Self { name, error, is_late: true, asked: Mutex::default() })
        }

        fn begins(&self) -> Result<Option<EngineError>, EngineError> {
            *self.asked.lock() += 1;
            match self.error.lock().clone() {
                Some(error) if !self.is_late => Err(error),
                error => Ok(error),
            }
        }

        fn asked(&self) -> u32 {
            std::mem::take(&mut *self.asked.lock())
        }
    }

    #[async_trait]
    impl Synthesizer for Engine {
        fn name(&self) -> &str {
            self.name
        }

        async fn warm_up(&self) {}

        async fn speak(&self, _phrase: &Phrase) -> Result<Speech, EngineError> {
            let error = self.begins()?;
            let (tell, events) = mpsc::channel(4);
            tell.try_send(SpeechEvent::Words(Vec::new())).unwrap();
            if let Some(error) = error {
                tell.try_send(SpeechEvent::Failed(error)).unwrap();
            } else {
                tell.try_send(SpeechEvent::Samples(vec![1, 2])).unwrap();
                tell.try_send(SpeechEvent::Done).unwrap();
            }
            Ok(Speech::new(u32::try_from(self.name.len()).unwrap(), events))
        }
    }

    #[async_trait]
    impl Transcriber for Engine {
        fn name(&self) -> &str {
            self.name
        }

        fn abilities(&self) -> TranscriberAbilities {
            TranscriberAbilities { partials: self.is_late, ends_turns: false, streaming: true }
        }

        async fn open(&self, _hints: &TranscriptionHints) -> Result<Transcription, EngineError> {
            let error = self.begins()?;
            let (input, mut inputs) = mpsc::channel(4);
            let (tell, events) = mpsc::channel(4);
            let heard = TranscriptEvent::Final { text: self.name.to_owned(), finalized: true };
            tokio::spawn(async move {
                while inputs.recv().await.is_some() {
                    let event = error.clone().map_or(heard.clone(), TranscriptEvent::Failed);
                    tell.send(event).await.unwrap();
                }
            });
            Ok(Transcription { input, events })
        }
    }

    #[test]
    fn what_was_slow_once_is_forgotten_after_a_few() {
        let ms = Duration::from_millis;
        let mut known = FirstSounds::default();
        assert_eq!((known.last(), known.slowest()), (None, Duration::ZERO));
        for took in [3_000, 300, 300, 300] {
            known.learn(ms(took));
        }
        assert_eq!((known.last(), known.slowest()), (Some(ms(300)), ms(3_000)));
        known.learn(ms(400));
        assert_eq!((known.last(), known.slowest()), (Some(ms(400)), ms(400)));
    }

    fn gone() -> EngineError {
        EngineError::Unreachable { engine: "it", said: "gone".to_owned() }
    }

    fn refused() -> EngineError {
        EngineError::Refused { engine: "it", said: "no".to_owned() }
    }

    async fn speaks(voices: &FailoverVoice) -> Result<u32, EngineError> {
        let phrase = Phrase::of("Come in.");
        let mut speech = voices.speak(&phrase).await?;
        let mut came = Vec::new();
        while let Some(event) = speech.events.recv().await {
            came.push(event);
        }
        let all = [SpeechEvent::Words(Vec::new()), SpeechEvent::Samples(vec![1, 2]), SpeechEvent::Done];
        assert_eq!(came, all);
        Ok(speech.rate)
    }

    #[tokio::test(start_paused = true)]
    async fn a_phrase_is_spoken_by_the_next_voice_and_the_first_one_rests() {
        for first in [Engine::new("first", Some(gone())), Engine::late("first", gone())] {
            let second = Engine::new("the second", None);
            let failovers: Vec<Arc<dyn Synthesizer>> = vec![Arc::<Engine>::clone(&second)];
            let voices = FailoverVoice::new(Arc::<Engine>::clone(&first), failovers);
            assert_eq!(voices.name(), "first");
            for _ in 0..3 {
                assert_eq!(speaks(&voices).await, Ok(10));
            }
            assert_eq!((first.asked(), second.asked(), voices.name()), (1, 3, "the second"));
            *first.error.lock() = None;
            tokio::time::advance(RESTS).await;
            assert_eq!(speaks(&voices).await, Ok(5));
            assert_eq!((first.asked(), second.asked()), (1, 0));
            *first.error.lock() = Some(refused());
            assert_eq!(speaks(&voices).await, Ok(10));
            tokio::time::advance(RESTS).await;
            assert_eq!(speaks(&voices).await, Ok(10));
            assert_eq!(first.asked(), 1, "a key that is refused is not tried again so soon");
        }
    }

    /// Speaks after so long.
    #[derive(Debug)]
    struct Late {
        engine: Arc<Engine>,
        after: Mutex<Duration>,
    }

    impl Late {
        fn by(after: Duration) -> Arc<Self> {
            Arc::new(Self { engine: Engine::new("first", None), after: Mutex::new(after) })
        }

        fn takes(&self, after: Duration) {
            *self.after.lock() = after;
        }
    }

    #[async_trait]
    impl Synthesizer for Late {
        fn name(&self) -> &str {
            self.engine.name
        }

        async fn warm_up(&self) {}

        async fn speak(&self, phrase: &Phrase) -> Result<Speech, EngineError> {
            let speech = self.engine.speak(phrase).await?;
            let after = *self.after.lock();
            tokio::time::sleep(after).await;
            Ok(speech)
        }
    }

    const NEVER: Duration = Duration::from_secs(3_600);

    #[tokio::test(start_paused = true)]
    async fn a_voice_that_hangs_is_stood_in_for_in_time_and_rests_longer_each_time() {
        let (first, second) = (Late::by(NEVER), Engine::new("the second", None));
        let failovers: Vec<Arc<dyn Synthesizer>> = vec![Arc::<Engine>::clone(&second)];
        let voices = FailoverVoice::new(Arc::<Late>::clone(&first), failovers);
        for rests in [RESTS, RESTS_AGAIN, RESTS_LONG, RESTS_LONG] {
            let asked = Instant::now();
            // Two at once are one failure.
            assert_eq!(tokio::join!(speaks(&voices), speaks(&voices)), (Ok(10), Ok(10)));
            assert_eq!(asked.elapsed(), FIRST_SOUND);
            assert_eq!(first.engine.asked(), 2);
            tokio::time::advance(rests.saturating_sub(Duration::from_millis(1))).await;
            assert_eq!((speaks(&voices).await, first.engine.asked()), (Ok(10), 0));
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        first.takes(Duration::ZERO);
        assert_eq!(speaks(&voices).await, Ok(5));
        first.takes(NEVER);
        assert_eq!(speaks(&voices).await, Ok(10));
        tokio::time::advance(RESTS).await;
        first.takes(Duration::ZERO);
        assert_eq!(speaks(&voices).await, Ok(5), "it had worked in between");
    }

    #[tokio::test(start_paused = true)]
    async fn a_voice_that_is_slow_and_works_is_waited_for_from_then_on() {
        let slow = Duration::from_secs(2);
        let (first, second) = (Late::by(slow), Engine::new("the second", None));
        let failovers: Vec<Arc<dyn Synthesizer>> = vec![Arc::<Engine>::clone(&second)];
        let voices = FailoverVoice::new(Arc::<Late>::clone(&first), failovers);
        assert_eq!(speaks(&voices).await, Ok(10));
        tokio::time::sleep(slow).await;
        for _ in 0..3 {
            assert_eq!(speaks(&voices).await, Ok(5));
        }
        first.takes(NEVER);
        let asked = Instant::now();
        assert_eq!(speaks(&voices).await, Ok(10));
        assert_eq!(asked.elapsed(), slow * 5 / 4);
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_nobody_to_stand_in_takes_their_time_and_who_spoke_is_told() {
        let (first, last) = (Engine::new("the first", Some(gone())), Late::by(Duration::from_secs(5)));
        let failovers: Vec<Arc<dyn Synthesizer>> = vec![Arc::<Late>::clone(&last)];
        let voices = FailoverVoice::new(Arc::<Engine>::clone(&first), failovers);
        let phrase = Phrase::of("Come in.");
        assert_eq!(voices.name(), "the first");
        assert_eq!(voices.speak(&phrase).await.unwrap().by.as_deref(), Some("first"));
        assert_eq!(voices.name(), "first");
    }

    #[tokio::test(start_paused = true)]
    async fn where_none_speaks_the_first_ones_reason_is_told_and_all_are_tried_again() {
        let (first, second) = (Engine::new("first", Some(refused())), Engine::new("second", Some(gone())));
        let failovers: Vec<Arc<dyn Synthesizer>> = vec![Arc::<Engine>::clone(&second)];
        let voices = FailoverVoice::new(Arc::<Engine>::clone(&first), failovers);
        assert_eq!(speaks(&voices).await, Err(refused()));
        assert_eq!(speaks(&voices).await, Err(refused()));
        assert_eq!((first.asked(), second.asked()), (2, 2));
        let left = Duration::from_secs(9);
        let over = EngineError::OverHour { said: "enough".to_owned(), left };
        *first.error.lock() = Some(over.clone());
        assert_eq!(speaks(&voices).await, Err(over), "one person's cap is nobody else's matter");
        assert_eq!(second.asked(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_recogniser_that_cannot_be_opened_or_understands_nothing_is_replaced() {
        let hints = TranscriptionHints { speaker: Some(AccountId::discord(1)), ..Default::default() };
        let heard = async |open: &mut Transcription| {
            open.input.send(SpeechInput::Finalize).await.unwrap();
            open.events.recv().await
        };
        let second = Engine::new("second", None);
        let failovers = || -> Vec<Arc<dyn Transcriber>> { vec![Arc::<Engine>::clone(&second)] };
        let is_second = |event: Option<TranscriptEvent>| matches!(event, Some(TranscriptEvent::Final { text, .. }) if text == "second");

        let first = Engine::new("first", Some(gone()));
        let ears = FailoverTranscriber::new(Arc::<Engine>::clone(&first), failovers());
        let mut open = ears.open(&hints).await.unwrap();
        assert!(is_second(heard(&mut open).await));

        for (error, times) in [(gone(), 2), (refused(), 1)] {
            let first = Engine::late("first", error.clone());
            let ears = FailoverTranscriber::new(Arc::<Engine>::clone(&first), failovers());
            assert!(ears.abilities().partials);
            let mut open = ears.open(&hints).await.unwrap();
            for _ in 0..times {
                assert_eq!(heard(&mut open).await, Some(TranscriptEvent::Failed(error.clone())));
            }
            assert_eq!(open.events.recv().await, Some(TranscriptEvent::Closed));
            let mut open = ears.open(&hints).await.unwrap();
            assert!(is_second(heard(&mut open).await));
            assert!(!ears.abilities().partials, "what it can do is what the one can that is used");
            tokio::time::advance(RESTS_LONG).await;
            first.asked();
            ears.open(&hints).await.unwrap();
            assert_eq!(first.asked(), 1, "it is tried again later");
        }
    }
}
