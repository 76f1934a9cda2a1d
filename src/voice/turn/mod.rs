//! Whose turn it is: a machine of events in and effects out.
//!
//! Owns every decision about turns: when somebody is finished, whether that was for the familiar, when to begin an answer
//! early, when to fall silent and when to go on. Knows no clock, no sound and no model; time is a number that is passed
//! in, so that every order of events can be tried. Every utterance gets exactly one outcome: [`Effect::Submit`] or
//! [`Effect::Dropped`]. Start reading at [`TurnMachine::handle`].

mod addressing;
mod company;
mod echo;
mod floor;
mod guessing;
mod lull;
mod machine;
mod nodding;
mod overlap;
mod speaker;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::domain::AccountId;

pub use self::addressing::{Company, Verdict, verdict};
pub use self::machine::TurnMachine;
pub(in crate::voice) use self::machine::WHOLE_WITHIN;

/// Time since the call began.
pub type Moment = Duration;

/// One thing that somebody said, from their first sound to its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtteranceId(pub u64);

/// An answer that was begun before they were finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuessId(pub u64);

/// How to behave.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnSettings {
    /// What the familiar is called.
    pub names: Vec<String>,
    /// How likely it goes on talking when somebody briefly makes a sound over it of which no word is known, 0 to 1
    /// (`interrupt_tolerance`).
    pub tolerance: f64,
    /// Speech over it that is shorter may be talked through, or forgiven once it proves to be nothing.
    pub min_interruption: Duration,
    /// Somebody who talks for longer than this while an answer is being prepared gets another one.
    pub short_long_boundary: Duration,
    /// Quiet in the call after which it may join in; `None` where quiet is no reason.
    pub lull: Option<Duration>,
    /// Messages not meant for it until it considers joining in (`interjection`); `None` where it never does.
    pub interjection: Option<u32>,
    /// Whether answers are begun early.
    pub guesses: bool,
    /// Whether it says a little something while a slow model thinks.
    pub fillers: bool,
    /// Whether it lets hear that it listens while somebody tells it something long.
    pub nods: bool,
    /// Whether there is a recogniser at all.
    pub hears_words: bool,
    /// Whether who pushes a button to talk is waited for less.
    pub notices_buttons: bool,
    /// Only who says its name is answered, and whoever goes on within this time; `None` for whoever it may be meant by.
    pub wake_window: Option<Duration>,
    /// Whether the recogniser tells by itself when a turn is over.
    pub ends_turns: bool,
    /// Whether the recogniser tells words while they are spoken; one that does not takes its time after the end.
    pub hears_partials: bool,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    /// Somebody is in the call.
    Joined {
        /// Who.
        who: AccountId,
        /// What they are called.
        name: String,
        /// Bots are company, but nobody waits for them.
        is_bot: bool,
        /// Whether their talking alone may stop the familiar.
        can_stop: bool,
    },
    /// Somebody left.
    Left {
        /// Who.
        who: AccountId,
    },
    /// Somebody no longer wants to be heard.
    Withdrew {
        /// Who.
        who: AccountId,
    },
    /// Somebody began to speak, or paused, at `at`.
    Voice {
        /// Who.
        who: AccountId,
        /// Began.
        on: bool,
        /// When.
        at: Moment,
    },
    /// Somebody's client began to send, or stopped.
    Gate {
        /// Who.
        who: AccountId,
        /// Began.
        open: bool,
        /// Whether they seem to push a button to talk.
        pushes_to_talk: bool,
    },
    /// Words that may still change: all since the last [`TurnEvent::Final`].
    Partial {
        /// Whose.
        who: AccountId,
        /// The words.
        text: String,
    },
    /// Words that stay.
    Final {
        /// Whose.
        who: AccountId,
        /// The words; may be none.
        text: String,
        /// Whether these are all words up to [`Effect::Finalize`].
        answers: bool,
    },
    /// They pause, and by their sound alone they are finished, or will go on.
    Sounds {
        /// Who.
        who: AccountId,
        /// Whether they sound finished.
        finished: bool,
    },
    /// The recogniser thinks that they may be finished.
    Eager {
        /// Who.
        who: AccountId,
        /// Everything they said since the last [`TurnEvent::Final`].
        text: String,
    },
    /// They were not.
    Resumed {
        /// Who.
        who: AccountId,
    },
    /// The recogniser is sure that they are finished.
    Ended {
        /// Who.
        who: AccountId,
        /// Everything they said since the last [`TurnEvent::Final`].
        text: String,
    },
    /// Nothing will be recognised of them any more, for now.
    Deafened {
        /// Who.
        who: AccountId,
    },
    /// Somebody typed in the call's chat; that is on its way already.
    Typed {
        /// Who.
        who: AccountId,
        /// The words.
        text: String,
    },
    /// The answer that was begun early can be heard at once, or nothing more can be done for it before it is wanted.
    Ready {
        /// Which.
        guess: GuessId,
    },
    /// An answer is being prepared.
    Opened {
        /// Which.
        reply: u64,
        /// Whom it answers.
        whom: Option<AccountId>,
        /// Nobody asked for it.
        unasked: bool,
    },
    /// These words of it are about to be spoken.
    Saying {
        /// Which.
        reply: u64,
        /// The words.
        text: String,
    },
    /// It can be heard from now on.
    Audible {
        /// Which.
        reply: u64,
    },
    /// It is over, said or broken off.
    Closed {
        /// Which.
        reply: u64,
    },
    /// It is to speak only when spoken to, or may join in again.
    Quiet(bool),
    /// How it feels, -1 to 1: a good mood is more patient.
    Mood(f64),
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Give what they say to the recogniser, the half second before included.
    Listen {
        /// Whom.
        who: AccountId,
    },
    /// They speak: what an answer to them needs can be looked up.
    Expect {
        /// Whom.
        who: AccountId,
    },
    /// Ask the recogniser for everything up to now.
    Finalize {
        /// Of whom.
        who: AccountId,
    },
    /// No longer give what they say to the recogniser.
    StopListening {
        /// Whom.
        who: AccountId,
    },
    /// Begin an answer to this; it must have no effect before [`Effect::Submit`] names it.
    Guess {
        /// Its name.
        guess: GuessId,
        /// Who speaks.
        who: AccountId,
        /// What they said so far.
        text: String,
        /// As [`Said::is_unsure`].
        is_unsure: bool,
    },
    /// That answer is not wanted.
    DropGuess {
        /// Which.
        guess: GuessId,
    },
    /// This was said; it is stored, and answered where it should be.
    Submit {
        /// In the order in which they began.
        said: Vec<Said>,
    },
    /// This will get no answer and is not stored.
    Dropped {
        /// Which.
        utterance: UtteranceId,
        /// Whose.
        who: AccountId,
        /// Why.
        why: DropReason,
    },
    /// Speak more quietly, or as usual again.
    Duck(bool),
    /// Do not begin to speak yet, or do.
    Hold(bool),
    /// Fall silent, but keep the rest.
    Pause,
    /// Go on where it fell silent.
    Resume,
    /// Fall silent for good: what was heard is what was said.
    Abandon {
        /// Which answer.
        reply: u64,
    },
    /// Say a little something: the answer takes its time.
    Filler,
    /// Let hear that it listens; nothing is answered yet.
    Nod,
    /// It is quiet: say something about what was overheard.
    JoinIn,
}

/// Something that was said, ready to be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Which.
    pub utterance: UtteranceId,
    /// Who.
    pub who: AccountId,
    /// The words.
    pub text: String,
    /// When they began.
    pub began: Moment,
    /// When they stopped.
    pub ended: Moment,
    /// When the recogniser had told the last of the words.
    pub settled: Moment,
    /// When they were taken to be finished, by what they said; an answer that was not ready yet may have been waited for
    /// since.
    pub over: Moment,
    /// For whom it was.
    pub verdict: Verdict,
    /// Whether it is not sure that they were finished, or meant the familiar: the model may look at it and not answer.
    pub is_unsure: bool,
    /// The answer that was begun for exactly these words.
    pub guess: Option<GuessId>,
}

/// Why something was left without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// A cough, a laugh, music: no words in it.
    NoWords,
    /// There is no recogniser, or it failed.
    NoRecogniser,
    /// "Mm-hm" while the familiar spoke.
    Backchannel,
    /// Its own voice.
    Echo,
    /// They left without a word of it, or no longer want to be heard.
    Gone,
    /// The call is over.
    CallEnded,
}
