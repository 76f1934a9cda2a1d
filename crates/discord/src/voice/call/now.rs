//! What goes on in calls at this moment, for whoever looks on.
//!
//! Owns how much of it is remembered, and that nobody's words are: what was said is the history's to keep. Must not know
//! who looks. Start reading at [`CallsNow`].

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::domain::{AccountId, ChannelId};
use crate::voice::engines::SURE_PERCENT;
use crate::voice::turn::{DropReason, Effect, FinishedUtterance, TurnEvent, Verdict};

/// Moments of one call that are remembered, the newest.
const MOMENTS: usize = 24;

/// Whose turn it is, as far as the familiar is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallTurn {
    /// The others'.
    #[default]
    Listens,
    /// An answer is being prepared.
    Prepares,
    /// Something is looked up or done before more is said.
    Works,
    Speaks,
    /// It fell silent and keeps the rest of what it was saying.
    Waits,
}

/// Something that happened in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallMoment {
    pub at: Timestamp,
    pub what: CallDid,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallDid {
    /// Somebody said something, for whom, and whether it is sure that they were finished and meant the familiar. How sure
    /// the recogniser is of their words, in percent, where it says so.
    Heard {
        who: AccountId,
        whom: Verdict,
        is_sure: bool,
        words_percent: Option<u8>,
    },
    /// The recogniser is hardly sure of what somebody said: how sure, in percent.
    HardlyUnderstands {
        who: AccountId,
        percent: u8,
    },
    /// Something that was no turn.
    Passed {
        who: AccountId,
        why: DropReason,
    },
    /// An answer to somebody was begun before they had finished.
    Begins {
        who: AccountId,
    },
    /// Such an answer is not wanted.
    DropsEarly,
    /// It speaks more quietly, as somebody speaks over it.
    Ducks,
    /// It is as loud as before.
    Rises,
    FallsSilent,
    GoesOn,
    /// It gave up the rest of what it was saying.
    BreaksOff,
    Fills,
    Backchannels,
    JoinsIn,
}

#[derive(Debug, Clone, Default)]
pub struct CallNow {
    pub turn: CallTurn,
    /// Where it goes on when what is done is done.
    before: CallTurn,
    /// How sure the recogniser is of what people said since they were last heard: a sum of percents, and of how many. Of those
    /// who are there: whoever leaves takes it along.
    sure: HashMap<AccountId, (u32, u32)>,
    /// Of those who are there, whoever speaks at this moment.
    pub speaking: HashSet<AccountId>,
    /// The oldest first.
    pub moments: VecDeque<CallMoment>,
}

/// The calls that go on. Share it in an `Arc`.
#[derive(Debug, Default)]
pub struct CallsNow(Mutex<HashMap<ChannelId, CallNow>>);

impl CallsNow {
    /// The call in a channel; `None` where there is none.
    pub fn of(&self, channel: &ChannelId) -> Option<CallNow> {
        self.0.lock().get(channel).cloned()
    }

    /// A call is held there.
    pub fn begins(&self, channel: &ChannelId) {
        self.0.lock().insert(channel.clone(), CallNow::default());
    }

    /// It is over, and nothing of it is remembered.
    pub fn ends(&self, channel: &ChannelId) {
        self.0.lock().remove(channel);
    }

    /// Nothing of what somebody did is remembered any more.
    pub(super) fn forget(&self, channel: &ChannelId, who: &AccountId) {
        if let Some(call) = self.0.lock().get_mut(channel) {
            call.moments.retain(|moment| moment.what.by() != Some(who));
            call.sure.remove(who);
            call.speaking.remove(who);
        }
    }

    /// The turn machine is told this.
    pub fn told(&self, channel: &ChannelId, event: &TurnEvent) {
        if let Some(call) = self.0.lock().get_mut(channel) {
            call.told(event);
        }
    }

    /// How sure the recogniser is of what somebody says next there, in percent.
    pub fn is_sure_of(&self, channel: &ChannelId, at: Timestamp, who: &AccountId, percent: u8) {
        if let Some(call) = self.0.lock().get_mut(channel) {
            let (sum, count) = call.sure.entry(who.clone()).or_default();
            (*sum, *count) = (*sum + u32::from(percent), *count + 1);
            if percent < SURE_PERCENT {
                call.note(at, CallDid::HardlyUnderstands { who: who.clone(), percent });
            }
        }
    }

    /// The turn machine has this done.
    pub fn did(&self, channel: &ChannelId, at: Timestamp, effect: &Effect) {
        if let Some(call) = self.0.lock().get_mut(channel) {
            call.did(at, effect);
        }
    }
}

impl CallDid {
    /// Whether somebody spoke, and their words were hardly understood.
    pub fn is_hardly_understood(&self) -> bool {
        match self {
            Self::HardlyUnderstands { .. } => true,
            Self::Heard { words_percent, .. } => words_percent.is_some_and(|percent| percent < SURE_PERCENT),
            _ => false,
        }
    }

    fn by(&self) -> Option<&AccountId> {
        match self {
            Self::Heard { who, .. }
            | Self::HardlyUnderstands { who, .. }
            | Self::Passed { who, .. }
            | Self::Begins { who } => Some(who),
            _ => None,
        }
    }
}

/// Who begins to speak by this, or ends.
pub(super) fn voice_in(event: &TurnEvent) -> Option<(&AccountId, bool)> {
    match event {
        TurnEvent::Voice { who, on, .. } => Some((who, *on)),
        TurnEvent::Left { who } | TurnEvent::Withdrew { who } | TurnEvent::Gate { who, open: false, .. } => {
            Some((who, false))
        }
        _ => None,
    }
}

impl CallNow {
    fn told(&mut self, event: &TurnEvent) {
        match voice_in(event) {
            Some((who, true)) => {
                self.speaking.insert(who.clone());
            }
            Some((who, false)) => {
                self.speaking.remove(who);
            }
            None => {}
        }
        match event {
            TurnEvent::Opened { .. } => self.turn = CallTurn::Prepares,
            TurnEvent::Works { on: true, .. } => {
                self.before = self.turn;
                self.turn = CallTurn::Works;
            }
            TurnEvent::Works { on: false, .. } if self.turn == CallTurn::Works => self.turn = self.before,
            TurnEvent::Audible { .. } => self.turn = CallTurn::Speaks,
            TurnEvent::Closed { .. } => self.turn = CallTurn::Listens,
            _ => {}
        }
    }

    fn did(&mut self, at: Timestamp, effect: &Effect) {
        let what = match effect {
            Effect::Submit { said } => {
                for FinishedUtterance { who, verdict, is_unsure, .. } in said {
                    let words_percent = self
                        .sure
                        .remove(who)
                        .and_then(|(sum, count)| u8::try_from(sum.checked_div(count)?).ok());
                    let (who, whom, is_sure) = (who.clone(), *verdict, !is_unsure);
                    self.note(at, CallDid::Heard { who, whom, is_sure, words_percent });
                }
                return;
            }
            Effect::Dropped { who, why, .. } => {
                self.sure.remove(who);
                CallDid::Passed { who: who.clone(), why: *why }
            }
            Effect::Speculate { who, .. } => CallDid::Begins { who: who.clone() },
            Effect::DropSpeculation { .. } => CallDid::DropsEarly,
            Effect::Duck(true) => CallDid::Ducks,
            Effect::Duck(false) => CallDid::Rises,
            Effect::Pause => {
                self.turn = CallTurn::Waits;
                CallDid::FallsSilent
            }
            Effect::Resume => {
                self.turn = CallTurn::Speaks;
                CallDid::GoesOn
            }
            Effect::Abandon { .. } => {
                self.turn = CallTurn::Listens;
                CallDid::BreaksOff
            }
            Effect::Filler => CallDid::Fills,
            Effect::Backchannel => CallDid::Backchannels,
            Effect::JoinIn => CallDid::JoinsIn,
            Effect::Listen { .. }
            | Effect::Expect { .. }
            | Effect::Finalize { .. }
            | Effect::StopListening { .. }
            | Effect::Hold(_) => return,
        };
        self.note(at, what);
    }

    fn note(&mut self, at: Timestamp, what: CallDid) {
        while self.moments.len() >= MOMENTS {
            self.moments.pop_front();
        }
        self.moments.push_back(CallMoment { at, what });
    }
}
