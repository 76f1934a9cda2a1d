//! The questions that stand somewhere with their buttons, and who may answer them.
//!
//! Must not know what is asked, nor how it is posted. After a restart nobody waits any more, and a press says
//! so. Start reading at [`Questions`].

use std::collections::HashMap;

use parking_lot::Mutex;
use serenity::all::UserId;
use tokio::sync::oneshot;

/// What the ids of these buttons begin with.
const PREFIX: &str = "confirm|";

/// Questions that may be open at once; beyond that nothing is done.
const MOST_OPEN: usize = 256;

/// A button under a question that was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Press {
    pub question: u64,
    pub agrees: bool,
}

impl Press {
    /// The id of the button that is this press.
    pub(super) fn button(self) -> String {
        let answer = if self.agrees { "yes" } else { "no" };
        format!("{PREFIX}{answer}|{:016x}", self.question)
    }
}

/// The press that a button of this id is.
pub(super) fn press_of(button: &str) -> Option<Press> {
    let (answer, question) = button.strip_prefix(PREFIX)?.split_once('|')?;
    let agrees = match answer {
        "yes" => true,
        "no" => false,
        _ => return None,
    };
    Some(Press { question: u64::from_str_radix(question, 16).ok()?, agrees })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PressOutcome {
    Counts,
    /// Somebody else is asked.
    NotTheirs,
    /// It was answered a moment ago.
    Decided,
    /// Nobody waits for it any more.
    TooLate,
}

#[derive(Debug)]
struct OpenQuestion {
    who: UserId,
    /// Gone once it is answered.
    answer: Option<oneshot::Sender<bool>>,
}

/// The questions that stand somewhere with their buttons.
#[derive(Debug, Default)]
pub(super) struct Questions(Mutex<HashMap<u64, OpenQuestion>>);

impl Questions {
    /// `None` where there are too many.
    pub(super) fn open(&self, who: UserId) -> Option<(u64, oneshot::Receiver<bool>)> {
        let mut open = self.0.lock();
        if open.len() >= MOST_OPEN {
            tracing::warn!("too many questions wait for an answer: nothing is done");
            return None;
        }
        // A number from before a restart must not be that of another question.
        let id = rand::random::<u64>();
        let (answer, answered) = oneshot::channel();
        open.insert(id, OpenQuestion { who, answer: Some(answer) });
        Some((id, answered))
    }

    pub(super) fn close(&self, id: u64) {
        self.0.lock().remove(&id);
    }

    pub(super) fn press(&self, press: Press, by: UserId) -> PressOutcome {
        let mut open = self.0.lock();
        let Some(question) = open.get_mut(&press.question) else { return PressOutcome::TooLate };
        if question.who != by {
            return PressOutcome::NotTheirs;
        }
        let told = question.answer.take().map(|answer| answer.send(press.agrees));
        if told == Some(Ok(())) { PressOutcome::Counts } else { PressOutcome::Decided }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: UserId = UserId::new(2);
    const BEN: UserId = UserId::new(3);

    #[test]
    fn only_whoever_is_asked_answers_and_only_once() {
        let questions = Questions::default();
        let (id, mut answered) = questions.open(ALICE).unwrap();
        let press = |answer: &str| press_of(&format!("confirm|{answer}|{id:016x}")).unwrap();
        assert_eq!(questions.press(press("yes"), BEN), PressOutcome::NotTheirs);
        assert!(answered.try_recv().is_err());
        assert_eq!(questions.press(press("yes"), ALICE), PressOutcome::Counts);
        assert_eq!(answered.try_recv(), Ok(true));
        assert_eq!(questions.press(press("no"), ALICE), PressOutcome::Decided);
        questions.close(id);
        assert_eq!(questions.press(press("yes"), ALICE), PressOutcome::TooLate);
    }

    #[test]
    fn a_question_that_nobody_waits_for_any_more_takes_no_answer() {
        let questions = Questions::default();
        let (id, answered) = questions.open(ALICE).unwrap();
        drop(answered);
        let press = press_of(&format!("confirm|yes|{id:x}")).unwrap();
        assert_eq!(questions.press(press, ALICE), PressOutcome::Decided);
    }

    #[test]
    fn other_buttons_are_no_answers() {
        for id in
            ["confirm|", "confirm|yes", "confirm|maybe|1", "confirm|yes|x", "forget|ask", "confirm|yes|-1"]
        {
            assert_eq!(press_of(id), None, "{id}");
        }
    }

    #[test]
    fn not_endlessly_many_are_open() {
        let questions = Questions::default();
        let open: Vec<_> = (0..MOST_OPEN).map(|_| questions.open(ALICE).unwrap()).collect();
        assert!(questions.open(ALICE).is_none());
        questions.close(open[0].0);
        assert!(questions.open(ALICE).is_some());
    }
}
