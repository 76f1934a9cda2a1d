//! Whether a voice can be used, for whom, and how long it may take to begin.
//!
//! Owns what is known of its failures and what people are told of them: once when it fails, once when it speaks again
//! (voice 6, "Provider outage mid-turn"); and the moments between the last sound of whoever asked and the first one of
//! the answer (familiar-connect 2.5). Must not know what is being said. Start reading at [`Health`].

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::reply::{LineState, PhraseLine};
use crate::clock::whole_micros;
use crate::domain::{AccountId, StageTiming, TurnId};
use crate::net::CircuitBreaker;
use crate::voice::call::CallNotice;
use crate::voice::engines::{EngineError, FirstSounds, Speech, SpeechEvent};

/// A voice that gives nothing for so long has failed, as long as it is not known to be slower: within three seconds
/// something is heard or written (voice 6).
const STALLED: Duration = Duration::from_millis(2_400);

/// After a failure replies are written for so long: one that may pass, one that will not.
const DOWN: Duration = Duration::from_secs(20);
const DOWN_FOR_LONG: Duration = Duration::from_secs(600);

/// It speaks again once so long nothing failed: a voice that fails every other time is one outage, not twenty.
const STEADY: Duration = Duration::from_secs(10);

/// How long the voice took for its last first sounds, for everybody who makes some.
#[derive(Debug, Clone, Default)]
pub(super) struct Beginnings(Arc<Mutex<FirstSounds>>);

impl Beginnings {
    /// It took so long.
    pub(super) fn learn(&self, took: Duration) {
        self.0.lock().learn(took);
    }

    /// How long it took the last time.
    pub(super) fn last(&self) -> Option<Duration> {
        self.0.lock().last()
    }

    /// How long it is waited for: half as long again as the slowest of the last took, at most `most`.
    pub(super) fn patience(&self, most: Duration) -> Duration {
        (self.0.lock().slowest() * 3 / 2).clamp(STALLED, most.max(STALLED))
    }
}

/// What is known of the voice in this call.
#[derive(Debug)]
pub(super) struct Health {
    notices: mpsc::Sender<CallNotice>,
    /// Nobody, for the voice itself; those who may hear no more of it for now.
    breaker: CircuitBreaker<Option<AccountId>, Instant, ()>,
    /// People were told that it does not speak; and when it last failed.
    told: Option<Instant>,
    /// A phrase that was too slow to be waited for.
    slow: Option<AbortOnDropHandle<Option<Duration>>>,
}

impl Health {
    pub(super) fn new(notices: mpsc::Sender<CallNotice>) -> Self {
        Self { notices, breaker: CircuitBreaker::default(), told: None, slow: None }
    }

    /// Whether it may be tried for somebody.
    pub(super) fn speaks_to(&self, whom: Option<&AccountId>) -> bool {
        let now = Instant::now();
        let is_over = whom.is_some() && self.breaker.open(&whom.cloned(), now).is_some();
        !is_over && self.breaker.open(&None, now).is_none()
    }

    /// It did not speak a phrase for somebody.
    pub(super) fn failed(&mut self, whom: Option<&AccountId>, error: &EngineError) {
        let now = Instant::now();
        let why = error.for_people();
        if let (EngineError::OverHour { left, .. }, Some(whom)) = (error, whom) {
            let key = Some(whom.clone());
            let is_known = self.breaker.open(&key, now).is_some();
            self.breaker.failed(key, now, (), |_| (*left, *left));
            if !is_known {
                self.tell(CallNotice::NotSpokenTo { account: whom.clone(), why });
            }
            return;
        }
        let pause = error.pause(DOWN, DOWN_FOR_LONG);
        self.breaker.failed(None, now, (), |_| (pause, pause));
        // Where there is no room for it, the next failure is told of.
        if self.told.is_some() || self.tell(CallNotice::HasNoVoice { why }) {
            self.told = Some(now);
        }
    }

    /// It spoke a reply to its end.
    pub(super) fn spoke(&mut self) {
        let is_over = self.told.is_some_and(|last| last.elapsed() >= STEADY);
        if is_over && self.tell(CallNotice::SpeaksAgain) {
            self.told = None;
        }
    }

    /// Waits on for the first sound of a phrase that is written by now, only to learn how long it takes.
    pub(super) fn wait_on(&mut self, line: PhraseLine, most: Duration) {
        let Some(asked) = line.clock.as_ref().map(|clock| clock.asked) else { return };
        let left = most.saturating_sub(asked.elapsed());
        let heard = async move {
            timeout(left, first_sound(line.state)).await.ok().flatten().map(|()| asked.elapsed())
        };
        self.slow = Some(AbortOnDropHandle::new(tokio::spawn(heard)));
    }

    /// How long that phrase took; never, where none is waited for. Can be dropped and asked again.
    pub(super) async fn was_slow(&mut self) -> Option<Duration> {
        let Some(slow) = self.slow.as_mut() else { return std::future::pending().await };
        let took = slow.await.ok().flatten();
        self.slow = None;
        if took.is_some() {
            // It works, and is waited for from now on.
            self.breaker.worked(&None);
        }
        took
    }

    fn tell(&self, notice: CallNotice) -> bool {
        let is_told = self.notices.try_send(notice).is_ok();
        if !is_told {
            tracing::debug!("nobody is there to be told");
        }
        is_told
    }
}

async fn first_sound(state: LineState) -> Option<()> {
    let mut speech: Speech = match state {
        LineState::Opening(opening) => opening.await.ok()?.ok()?,
        LineState::Speaking { speech, .. } => speech,
    };
    loop {
        match speech.events.recv().await? {
            SpeechEvent::Samples(_) => return Some(()),
            SpeechEvent::Words(_) => {}
            SpeechEvent::Done | SpeechEvent::Failed(_) => return None,
        }
    }
}

/// Answers that are remembered; a trace is written when one ends.
const KEPT: usize = 8;

/// What was asked longer ago was asked of another answer.
const LATELY: Duration = Duration::from_secs(60);

/// A turn of somebody who is about to be answered.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// When they fell silent.
    pub silent: Instant,
    /// When the recogniser had told their last words.
    pub words: Instant,
    /// When their turn was taken to be over.
    pub over: Instant,
}

/// The moments of the newest answers.
#[derive(Debug, Default)]
pub(super) struct Moments(Mutex<AnswerTimes>);

#[derive(Debug, Default)]
struct AnswerTimes {
    asked: Option<Asked>,
    answers: VecDeque<AnswerMoments>,
}

#[derive(Debug)]
struct AnswerMoments {
    turn: u64,
    /// What everything is counted from.
    from: Instant,
    marks: Vec<(&'static str, Instant)>,
}

impl Moments {
    /// Somebody's turn is over, and will be answered.
    pub(super) fn asked(&self, asked: Asked) {
        self.0.lock().asked = Some(asked);
    }

    /// An answer is begun.
    pub(super) fn opened(&self, turn: u64) {
        let now = Instant::now();
        let mut state = self.0.lock();
        if state.answers.iter().any(|answer| answer.turn == turn) {
            return;
        }
        let asked = state.asked.take().filter(|asked| now.saturating_duration_since(asked.over) < LATELY);
        let mut marks = Vec::new();
        if let Some(Asked { words, over, .. }) = asked {
            marks.extend([("stt_final", words), ("turn_over", over)]);
        }
        marks.push(("turn_begun", now));
        let from = asked.map_or(now, |asked| asked.silent);
        state.answers.push_back(AnswerMoments { turn, from, marks });
        if state.answers.len() > KEPT {
            state.answers.pop_front();
        }
    }

    /// This happened to it; the first time counts.
    pub(super) fn mark(&self, turn: u64, what: &'static str) {
        let mut state = self.0.lock();
        let Some(answer) = state.answers.iter_mut().find(|answer| answer.turn == turn) else { return };
        if answer.marks.iter().all(|(known, _)| *known != what) {
            answer.marks.push((what, Instant::now()));
        }
    }

    /// What is known of an answer, in the order in which it happened.
    pub(super) fn of(&self, turn: TurnId) -> Vec<StageTiming> {
        let state = self.0.lock();
        let Some(answer) = state.answers.iter().find(|answer| answer.turn == turn.0) else {
            return Vec::new();
        };
        let timing = |(what, at): &(&'static str, Instant)| {
            let us = whole_micros(at.saturating_duration_since(answer.from));
            StageTiming { stage: (*what).to_owned(), us }
        };
        answer.marks.iter().map(timing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voice_is_waited_for_as_long_as_its_last_beginnings_say_and_no_longer_than_is_set() {
        let (ms, most) = (Duration::from_millis, Duration::from_secs(6));
        let known = Beginnings::default();
        assert_eq!(known.patience(most), STALLED);
        known.learn(ms(3_000));
        assert_eq!(known.patience(most), ms(4_500));
        assert_eq!(known.patience(Duration::from_secs(3)), ms(3_000));
        assert_eq!(known.patience(Duration::from_secs(1)), STALLED, "it says itself when it gives up sooner");
    }

    fn told(notices: &mut mpsc::Receiver<CallNotice>) -> Vec<&'static str> {
        let mut all = Vec::new();
        while let Ok(notice) = notices.try_recv() {
            all.push(match notice {
                CallNotice::HasNoVoice { .. } => "none",
                CallNotice::SpeaksAgain => "again",
                CallNotice::NotSpokenTo { .. } => "not to them",
                _ => "other",
            });
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_is_told_once_and_its_end_once() {
        let (notices, mut came) = mpsc::channel(8);
        let mut health = Health::new(notices);
        let gone = EngineError::Unreachable { engine: "it", said: "gone".to_owned() };
        health.spoke();
        for _ in 0..3 {
            health.failed(None, &gone);
            assert!(!health.speaks_to(None));
            health.spoke();
            tokio::time::advance(DOWN).await;
            assert!(health.speaks_to(None));
        }
        assert_eq!(told(&mut came), ["none"]);
        health.spoke();
        health.spoke();
        assert_eq!(told(&mut came), ["again"]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_cap_of_one_is_nobody_elses() {
        let (notices, mut came) = mpsc::channel(8);
        let mut health = Health::new(notices);
        let (ana, bob) = (AccountId::discord(1), AccountId::discord(2));
        let left = Duration::from_secs(600);
        let over = EngineError::OverHour { said: "enough".to_owned(), left };
        health.failed(Some(&ana), &over);
        health.failed(Some(&ana), &over);
        assert!(!health.speaks_to(Some(&ana)) && health.speaks_to(Some(&bob)) && health.speaks_to(None));
        assert_eq!(told(&mut came), ["not to them"]);
        tokio::time::advance(left).await;
        assert!(health.speaks_to(Some(&ana)));
        health.failed(Some(&ana), &over);
        assert_eq!(told(&mut came), ["not to them"], "another hour");
    }
}
