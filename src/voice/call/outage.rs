//! What people in a call are told when nothing of what they say is understood.
//!
//! Owns that an outage of the recogniser is told once, at once, however many people it leaves unheard, once more when it
//! turns out to last, and when it is over (specs voice 6, "Provider outage mid-turn"); and that one person's cap is told to
//! them alone. Must not know how a recogniser works. Start reading at [`Outage::lost`].

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::CallNotice;
use crate::domain::AccountId;
use crate::voice::engines::EngineError;

/// Understood for so long without a failure in between, it is over: a recogniser that fails every other time is one
/// outage, not twenty.
const STEADY: Duration = Duration::from_secs(10);

/// One per call.
#[derive(Debug)]
pub(super) struct Outage {
    notices: mpsc::Sender<CallNotice>,
    told: Mutex<Option<Told>>,
    /// Those who have been heard enough for now, and until when.
    over: Mutex<HashMap<AccountId, Instant>>,
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
        Self { notices, told: Mutex::default(), over: Mutex::default() }
    }

    /// What somebody says is not understood, or will not be.
    pub fn lost(&self, who: &AccountId, error: &EngineError) {
        let why = error.for_people();
        if let EngineError::OverHour { left, .. } = error {
            self.heard_enough(who, why, *left);
            return;
        }
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

    fn heard_enough(&self, who: &AccountId, why: String, left: Duration) {
        let now = Instant::now();
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        over.retain(|_, until| *until > now);
        if !over.contains_key(who)
            && self.notices.try_send(CallNotice::NotHeard { account: who.clone(), why }).is_ok()
        {
            over.insert(who.clone(), now + left);
        }
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

    fn ana() -> AccountId {
        AccountId::discord(1)
    }

    fn told(notices: &mut mpsc::Receiver<CallNotice>) -> Vec<&'static str> {
        let mut all = Vec::new();
        while let Ok(notice) = notices.try_recv() {
            all.push(match notice {
                CallNotice::HearsNothing { .. } => "nothing",
                CallNotice::MissesWords { .. } => "misses",
                CallNotice::HearsAgain => "again",
                CallNotice::NotHeard { .. } => "not them",
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
            outage.lost(&ana(), &gone);
            tokio::time::advance(Duration::from_secs(4)).await;
            outage.understood();
        }
        assert_eq!(told(&mut came), ["misses"], "a few words in between are no end of it");
        tokio::time::advance(STEADY).await;
        outage.understood();
        outage.understood();
        assert_eq!(told(&mut came), ["again"]);
        outage.lost(&ana(), &EngineError::Refused { engine: "it", said: "no".to_owned() });
        outage.lost(&ana(), &gone);
        assert_eq!(told(&mut came), ["nothing"]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_cap_of_one_is_told_once_an_hour_and_is_no_outage() {
        let (notices, mut came) = mpsc::channel(8);
        let outage = Outage::new(notices);
        let left = Duration::from_secs(600);
        let over = EngineError::OverHour { said: "enough".to_owned(), left };
        for _ in 0..3 {
            outage.lost(&ana(), &over);
            tokio::time::advance(STEADY).await;
            outage.understood();
        }
        assert_eq!(told(&mut came), ["not them"]);
        outage.lost(&AccountId::discord(2), &over);
        assert_eq!(told(&mut came), ["not them"]);
        tokio::time::advance(left).await;
        outage.lost(&ana(), &over);
        assert_eq!(told(&mut came), ["not them"], "another hour");
    }

    #[tokio::test(start_paused = true)]
    async fn a_passing_outage_that_turns_out_to_last_is_told_once_more() {
        let (notices, mut came) = mpsc::channel(1);
        let outage = Outage::new(notices);
        let gone = EngineError::Unreachable { engine: "it", said: "gone".to_owned() };
        let refused = EngineError::Refused { engine: "it", said: "no".to_owned() };
        outage.lost(&ana(), &gone);
        outage.lost(&ana(), &refused);
        assert_eq!(told(&mut came), ["misses"], "there is no room yet");
        outage.lost(&ana(), &gone);
        outage.lost(&ana(), &refused);
        outage.lost(&ana(), &gone);
        outage.lost(&ana(), &refused);
        assert_eq!(told(&mut came), ["nothing"]);
        tokio::time::advance(STEADY).await;
        outage.understood();
        outage.lost(&ana(), &gone);
        assert_eq!(told(&mut came), ["again"]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_finds_no_room_is_told_with_the_next_failure() {
        let (notices, mut came) = mpsc::channel(1);
        let outage = Outage::new(notices.clone());
        notices.try_send(CallNotice::HearsAgain).unwrap();
        let gone = EngineError::Unreachable { engine: "it", said: "gone".to_owned() };
        outage.lost(&ana(), &gone);
        assert_eq!(told(&mut came), ["again"]);
        outage.lost(&ana(), &gone);
        assert_eq!(told(&mut came), ["misses"]);
    }
}
