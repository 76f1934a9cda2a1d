//! What people in a call are told when nothing of what they say is understood.
//!
//! Owns that an outage of the recogniser is told once, at once, however many people it leaves unheard, once more when it
//! turns out to last, and when it is over (specs voice 6, "Provider outage mid-turn"). Must not know how a recogniser works. Start reading at
//! [`Outage::lost`].

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::CallNotice;
use crate::voice::engines::EngineError;

/// Understood for so long without a failure in between, it is over: a recogniser that fails every other time is one
/// outage, not twenty.
const STEADY: Duration = Duration::from_secs(10);

/// One per call.
#[derive(Debug)]
pub(super) struct Outage {
    notices: mpsc::Sender<CallNotice>,
    told: Mutex<Option<Told>>,
}

/// What people were told, and when something of it last failed.
#[derive(Debug, Clone, Copy)]
struct Told {
    lasts: Lasts,
    last: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lasts {
    Passing,
    UntilMended,
}

impl Outage {
    pub fn new(notices: mpsc::Sender<CallNotice>) -> Self {
        Self { notices, told: Mutex::default() }
    }

    /// What somebody says is not understood, or will not be.
    pub fn lost(&self, error: &EngineError) {
        let why = error.for_people();
        let (lasts, notice) = if error.is_permanent() {
            (Lasts::UntilMended, CallNotice::HearsNothing { why })
        } else {
            (Lasts::Passing, CallNotice::MissesWords { why })
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let known = told.map(|told| told.lasts);
        // Where there is no room for it, the next words that are lost are told of.
        let now_known = if known >= Some(lasts) || self.notices.try_send(notice).is_ok() {
            known.max(Some(lasts))
        } else {
            known
        };
        *told = now_known.map(|lasts| Told { lasts, last: Instant::now() });
    }

    /// Words were understood.
    pub fn understood(&self) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = told.is_some_and(|told| told.last.elapsed() >= STEADY);
        if is_over && self.notices.try_send(CallNotice::HearsAgain).is_ok() {
            *told = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(notices: &mut mpsc::Receiver<CallNotice>) -> Vec<&'static str> {
        let mut all = Vec::new();
        while let Ok(notice) = notices.try_recv() {
            all.push(match notice {
                CallNotice::HearsNothing { .. } => "nothing",
                CallNotice::MissesWords { .. } => "misses",
                CallNotice::HearsAgain => "again",
                _ => "other",
            });
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_is_told_once_and_its_end_once() {
        let (notices, mut came) = mpsc::channel(8);
        let outage = Outage::new(notices);
        let gone = EngineError::Unreachable { engine: "it", said: "gone".to_owned() };
        outage.understood();
        assert!(told(&mut came).is_empty(), "nothing was wrong");
        for _ in 0..5 {
            outage.lost(&gone);
            tokio::time::advance(Duration::from_secs(4)).await;
            outage.understood();
        }
        assert_eq!(told(&mut came), ["misses"], "a few words in between are no end of it");
        tokio::time::advance(STEADY).await;
        outage.understood();
        outage.understood();
        assert_eq!(told(&mut came), ["again"]);
        outage.lost(&EngineError::Refused { engine: "it", said: "no".to_owned() });
        outage.lost(&gone);
        assert_eq!(told(&mut came), ["nothing"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_passing_outage_that_turns_out_to_last_is_told_once_more() {
        let (notices, mut came) = mpsc::channel(1);
        let outage = Outage::new(notices);
        let gone = EngineError::Unreachable { engine: "it", said: "gone".to_owned() };
        let refused = EngineError::Refused { engine: "it", said: "no".to_owned() };
        outage.lost(&gone);
        outage.lost(&refused);
        assert_eq!(told(&mut came), ["misses"], "there is no room yet");
        outage.lost(&gone);
        outage.lost(&refused);
        outage.lost(&gone);
        outage.lost(&refused);
        assert_eq!(told(&mut came), ["nothing"]);
        tokio::time::advance(STEADY).await;
        outage.understood();
        outage.lost(&gone);
        assert_eq!(told(&mut came), ["again"]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_finds_no_room_is_told_with_the_next_failure() {
        let (notices, mut came) = mpsc::channel(1);
        let outage = Outage::new(notices.clone());
        notices.try_send(CallNotice::HearsAgain).unwrap();
        let gone = EngineError::Unreachable { engine: "it", said: "gone".to_owned() };
        outage.lost(&gone);
        assert_eq!(told(&mut came), ["again"]);
        outage.lost(&gone);
        assert_eq!(told(&mut came), ["misses"]);
    }
}
