//! What speaks for a turn being the one that is meant, and how much each of it counts: one table.
//!
//! Each signal is between 0 and 1 within one question; a turn's score is their weighted sum (memory 2.3). The
//! weights come from three long conversations (conv-26, conv-30 and conv-41 of memory 2.3), by the signals as this
//! program computes them (`familiar recall --stdio`, `"why": true`): those that make the evidence of the questions likeliest
//! among all that was called up, a softmax over it. Each conversation left out in turn, they move by a tenth or so.

/// What speaks for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// The question's words, and words that may stand for them, in the turn, in who said it and when, and in fractions in
    /// the turns around it (BM25).
    Window,
    /// The share of what the question tells that is there at all.
    Cover,
    /// The question's words in the whole session (BM25).
    Session,
    /// Runs of letters in common.
    Letters,
    /// Said by somebody the question names.
    Speaker,
    /// Said near the time the question means.
    Date,
    /// Tells a time where the question asks for one.
    TimeWord,
    /// Follows a question in the same words.
    AfterQuestion,
    /// Says something at length, up to thirty words.
    Length,
    /// Ends as a question.
    IsQuestion,
    /// Somebody the question names speaks of themselves.
    FirstPerson,
    /// Comes behind a question, whatever its words.
    Reply,
    /// Means the same, with the turns around it; nothing without an embedding model, like the next two.
    Meaning,
    /// Belongs to a session in which somebody says what means the same.
    MeaningOfSession,
    /// Says in its own words each word of the question (memory 0.5, MaxSim).
    Matches,
}

/// How many there are.
const COUNT: usize = 15;

impl Signal {
    /// Each with its name for people and its weight.
    pub(super) const TABLE: [(Self, &'static str, f32); COUNT] = [
        (Self::Window, "words around", 3.2),
        (Self::Cover, "share of the words", 2.4),
        (Self::Session, "words of the session", 1.9),
        (Self::Letters, "letters", 1.2),
        (Self::Speaker, "speaker", 2.1),
        (Self::Date, "date", 3.0),
        (Self::TimeWord, "tells a time", 2.0),
        (Self::AfterQuestion, "after the question", 1.6),
        (Self::Length, "length", 0.2),
        (Self::IsQuestion, "is a question", -0.4),
        (Self::FirstPerson, "of themselves", 1.0),
        (Self::Reply, "after a question", 0.15),
        (Self::Meaning, "meaning around", 1.6),
        (Self::MeaningOfSession, "meaning of the session", 1.2),
        (Self::Matches, "meaning word by word", 2.8),
    ];

    /// How much it counts.
    pub(super) fn weight(self) -> f32 {
        Self::TABLE[self as usize].2
    }
}

/// The signals of one turn, each 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Signals([f32; COUNT]);

impl Signals {
    pub(super) fn set(&mut self, signal: Signal, value: f32) {
        self.0[signal as usize] = value;
    }

    /// The value of one.
    pub(super) fn get(&self, signal: Signal) -> f32 {
        self.0[signal as usize]
    }

    /// All of them, weighed.
    pub(super) fn score(&self) -> f32 {
        Signal::TABLE.iter().map(|(signal, _, weight)| weight * self.get(*signal)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_its_place_in_the_table() {
        for (at, (signal, ..)) in Signal::TABLE.iter().enumerate() {
            assert_eq!(*signal as usize, at);
        }
        let mut signals = Signals::default();
        assert_eq!(signals.score(), 0.0);
        signals.set(Signal::IsQuestion, 1.0);
        assert!(signals.score() < 0.0);
    }
}
