//! When what happened to an answer in a call.
//!
//! Owns the moments between the last sound of whoever asked and the first one of the answer, by turn (specs
//! familiar-connect 2.5). Must not know what is said. Start reading at [`Moments::of`].

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::{StageTiming, TurnId};

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
pub(super) struct Moments(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    asked: Option<Asked>,
    answers: VecDeque<Answer>,
}

#[derive(Debug)]
struct Answer {
    turn: u64,
    /// What everything is counted from.
    from: Instant,
    marks: Vec<(&'static str, Instant)>,
}

impl Moments {
    /// Somebody's turn is over, and will be answered.
    pub fn asked(&self, asked: Asked) {
        self.state().asked = Some(asked);
    }

    /// An answer is begun.
    pub fn opened(&self, turn: u64) {
        let now = Instant::now();
        let mut state = self.state();
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
        state.answers.push_back(Answer { turn, from, marks });
        if state.answers.len() > KEPT {
            state.answers.pop_front();
        }
    }

    /// This happened to it; the first time counts.
    pub fn mark(&self, turn: u64, what: &'static str) {
        let mut state = self.state();
        let Some(answer) = state.answers.iter_mut().find(|answer| answer.turn == turn) else { return };
        if answer.marks.iter().all(|(known, _)| *known != what) {
            answer.marks.push((what, Instant::now()));
        }
    }

    /// What is known of an answer, in the order in which it happened.
    pub fn of(&self, turn: TurnId) -> Vec<StageTiming> {
        let state = self.state();
        let Some(answer) = state.answers.iter().find(|answer| answer.turn == turn.0) else {
            return Vec::new();
        };
        let timing = |(what, at): &(&'static str, Instant)| {
            let after = at.saturating_duration_since(answer.from).as_micros();
            StageTiming { stage: (*what).to_owned(), us: u64::try_from(after).unwrap_or(u64::MAX) }
        };
        answer.marks.iter().map(timing).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
