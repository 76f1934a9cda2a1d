//! Whose turn it is: a machine of events in and effects out.
//!
//! Owns every decision about turns: when somebody is finished, whether that was for the familiar, when to begin an answer
//! early, when to fall silent and when to go on. Knows no clock, no sound and no model; time is a number that is passed
//! in, so that every order of events can be tried. Every utterance gets exactly one outcome: [`Effect::Submit`] or
//! [`Effect::Dropped`]. Start reading at [`TurnMachine::handle`].

mod addressing;
mod barge_in;
mod dice;
mod floor;
mod judge;
mod machine;
mod overheard;
mod proactive;
mod reply;
mod speaker;
mod speculation;
#[cfg(test)]
mod tests;

use std::time::Duration;

use familiar_chat::domain::AccountId;

pub use self::addressing::{Company, Verdict, verdict};
pub use self::machine::TurnMachine;
pub use self::machine::WHOLE_WITHIN;

/// Time since the call began.
pub type Moment = Duration;

/// One thing that somebody said, from their first sound to its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UtteranceId(pub u64);

/// An answer that was begun before they were finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpeculationId(pub u64);

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
    pub joins_in_after: Option<Duration>,
    /// Messages not meant for it until it considers joining in (`interjection`); `None` where it never does.
    pub interjection: Option<u32>,
    /// Whether answers are begun early.
    pub speculations: bool,
    /// Whether it says a little something while a slow model thinks.
    pub fillers: bool,
    /// Whether it lets hear that it listens while somebody tells it something long.
    pub backchannels: bool,
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

#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    /// Bots are company, but nobody waits for them. `can_stop`: whether their talking alone may stop the familiar.
    Joined {
        who: AccountId,
        name: String,
        is_bot: bool,
        can_stop: bool,
    },
    Left {
        who: AccountId,
    },
    /// Somebody no longer wants to be heard.
    Withdrew {
        who: AccountId,
    },
    /// Somebody began to speak, or paused, at `at`.
    Voice {
        who: AccountId,
        on: bool,
        at: Moment,
    },
    /// Somebody's client began to send, or stopped.
    Gate {
        who: AccountId,
        open: bool,
        pushes_to_talk: bool,
    },
    /// Words that may still change: all since the last [`TurnEvent::Final`].
    Partial {
        who: AccountId,
        text: String,
    },
    /// Words that stay; may be none. `answers`: whether these are all words up to [`Effect::Finalize`].
    Final {
        who: AccountId,
        text: String,
        answers: bool,
    },
    /// They pause, and by their sound alone they are finished, or will go on.
    Sounds {
        who: AccountId,
        finished: bool,
    },
    /// The recogniser thinks that they may be finished; everything they said since the last [`TurnEvent::Final`].
    Eager {
        who: AccountId,
        text: String,
    },
    Resumed {
        who: AccountId,
    },
    /// The recogniser is sure that they are finished; everything they said since the last [`TurnEvent::Final`].
    Ended {
        who: AccountId,
        text: String,
    },
    /// Nothing will be recognised of them any more, for now.
    Deafened {
        who: AccountId,
    },
    /// Somebody typed in the call's chat; that is on its way already.
    Typed {
        who: AccountId,
        text: String,
    },
    /// The answer that was begun early can be heard at once, or nothing more can be done for it before it is wanted.
    Ready {
        speculation: SpeculationId,
    },
    /// An answer is being prepared. `unasked`: nobody asked for it.
    Opened {
        reply: u64,
        whom: Option<AccountId>,
        unasked: bool,
    },
    /// These words of it are about to be spoken.
    Saying {
        reply: u64,
        text: String,
    },
    /// It can be heard from now on.
    Audible {
        reply: u64,
    },
    /// Something is looked up or done before more of it is said, or that is done.
    Works {
        reply: u64,
        on: bool,
    },
    /// It is over, said or broken off.
    Closed {
        reply: u64,
    },
    /// It is to speak only when spoken to, or may join in again.
    Quiet(bool),
    /// How it feels, -1 to 1: a good mood is more patient.
    Mood(f64),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Give what they say to the recogniser, the half second before included.
    Listen { who: AccountId },
    /// They speak: what an answer to them needs can be looked up.
    Expect { who: AccountId },
    /// Ask the recogniser for everything up to now.
    Finalize { who: AccountId },
    /// No longer give what they say to the recogniser.
    StopListening { who: AccountId },
    /// Begin an answer to this; it must have no effect before [`Effect::Submit`] names it.
    Speculate { speculation: SpeculationId, who: AccountId, text: String, is_unsure: bool },
    /// That answer is not wanted.
    DropSpeculation { speculation: SpeculationId },
    /// This was said; it is stored, and answered where it should be. In the order in which they began.
    Submit { said: Vec<FinishedUtterance> },
    /// This will get no answer and is not stored.
    Dropped { utterance: UtteranceId, who: AccountId, why: DropReason },
    /// Speak more quietly, or as usual again.
    Duck(bool),
    /// Do not begin to speak yet, or do.
    Hold(bool),
    /// Fall silent, but keep the rest.
    Pause,
    /// Go on where it fell silent.
    Resume,
    /// Fall silent for good: what was heard is what was said.
    Abandon { reply: u64 },
    /// Say a little something: the answer takes its time.
    Filler,
    /// Let hear that it listens; nothing is answered yet.
    Backchannel,
    /// It is quiet: say something about what was overheard.
    JoinIn,
}

/// Something that was said, ready to be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedUtterance {
    pub utterance: UtteranceId,
    pub who: AccountId,
    pub text: String,
    pub began: Moment,
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
    pub speculation: Option<SpeculationId>,
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
    Echo,
    /// They left without a word of it, or no longer want to be heard.
    Gone,
    CallEnded,
}
