//! What the tasks of all speakers of a call share.
//!
//! Owns the seats: a few people's sound goes to recognisers at a time, and it is theirs who speak. Owns how long a recogniser
//! of whole utterances is waited for: the one deadline by which people are told that what they said is lost, and from which
//! on nothing comes of it any more. And owns that an outage of the recogniser is told once, at once, however many people it leaves unheard, once more when it
//! turns out to last, and when it is over (voice 6, "Provider outage mid-turn"); and that one person's cap is told to
//! them alone. Must not know how a recogniser works. Start reading at
//! [`Hearing`].

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::CallNotice;
use super::now::CallsNow;
use crate::clock::SharedClock;
use crate::domain::{AccountId, ChannelId};
use crate::net::CircuitBreaker;
use crate::voice::end_of_turn::EndOfTurn;
use crate::voice::engines::EngineError;
use crate::voice::engines::Transcriber;
use crate::voice::turn::TurnEvent;
use crate::voice::turn::WHOLE_WITHIN;

#[derive(Debug, Clone)]
pub(super) struct Hearing {
    pub transcriber: Option<Arc<dyn Transcriber>>,
    /// Hears whether somebody sounds finished.
    pub end_of_turn: EndOfTurn,
    /// Names, as they stand: people come and go.
    pub keyterms: Arc<Mutex<Vec<String>>>,
    pub events: mpsc::Sender<TurnEvent>,
    pub notices: mpsc::Sender<CallNotice>,
    /// What people were told when nothing was understood.
    pub outage: Arc<Outage>,
    /// Who is transcribed, of all who speak at once.
    pub seats: Arc<Seats>,
    /// How long a recogniser of whole utterances is waited for.
    pub patience: Arc<Patience>,
    /// When the call began.
    pub began: Instant,
    pub dropped: Arc<AtomicU64>,
    /// Where it is, and who is told what goes on there.
    pub channel: ChannelId,
    pub now: Arc<CallsNow>,
    pub clock: SharedClock,
}

impl Hearing {
    /// How sure the recogniser is of what somebody says next, in percent.
    pub(super) fn is_sure_of(&self, who: &AccountId, percent: u8) {
        self.now.is_sure_of(&self.channel, self.clock.now(), who, percent);
    }
}

/// Understood for so long without a failure in between, it is over: a recogniser that fails every other time is one
/// outage, not twenty.
const STEADY: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Outage {
    notices: mpsc::Sender<CallNotice>,
    told: Mutex<Option<ToldOutage>>,
    /// Those who have been heard enough for now, and until when.
    over: Mutex<CircuitBreaker<AccountId, Instant, ()>>,
}

/// What people were told, and when something of it last failed.
#[derive(Debug, Clone, Copy)]
struct ToldOutage {
    lasts: Lasts,
    last: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lasts {
    Passing,
    UntilMended,
}

impl Outage {
    pub(super) fn new(notices: mpsc::Sender<CallNotice>) -> Self {
        Self { notices, told: Mutex::default(), over: Mutex::default() }
    }

    /// What somebody says is not understood, or will not be.
    pub(super) fn lost(&self, who: &AccountId, error: &EngineError) {
        let why = error.for_people();
        if let EngineError::OverHour { left, .. } = error {
            self.heard_enough(who, why, *left);
            return;
        }
        let (lasts, notice) = if error.may_pass() {
            (Lasts::Passing, CallNotice::MissesWords { why })
        } else {
            (Lasts::UntilMended, CallNotice::HearsNothing { why })
        };
        let mut told = self.told.lock();
        let known = told.map(|told| told.lasts);
        // Where there is no room for it, the next words that are lost are told of.
        let now_known = if known >= Some(lasts) || self.notices.try_send(notice).is_ok() {
            known.max(Some(lasts))
        } else {
            known
        };
        *told = now_known.map(|lasts| ToldOutage { lasts, last: Instant::now() });
    }

    fn heard_enough(&self, who: &AccountId, why: String, left: Duration) {
        let now = Instant::now();
        let mut over = self.over.lock();
        if over.open(who, now).is_none()
            && self.notices.try_send(CallNotice::NotHeard { account: who.clone(), why }).is_ok()
        {
            over.failed(who.clone(), now, (), |_| (left, left));
        }
    }

    pub(super) fn understood(&self) {
        let mut told = self.told.lock();
        let is_over = told.is_some_and(|told| told.last.elapsed() >= STEADY);
        if is_over && self.notices.try_send(CallNotice::HearsAgain).is_ok() {
            *told = None;
        }
    }
}

/// At first: people are told within three seconds (voice 6).
const AT_FIRST: Duration = Duration::from_millis(2_900);

/// Of one call. A recogniser that is slow is waited for longer from then on, up to [`WHOLE_WITHIN`].
#[derive(Debug)]
pub(super) struct Patience(Mutex<Duration>);

impl Default for Patience {
    fn default() -> Self {
        Self(Mutex::new(AT_FIRST))
    }
}

impl Patience {
    /// How long the next answer is waited for.
    pub(super) fn now(&self) -> Duration {
        *self.0.lock()
    }

    /// An answer took so long: the next may take half as long again.
    pub(super) fn was_answered_after(&self, took: Duration) {
        self.set(took * 3 / 2);
    }

    /// No answer came in time. Whether it is slow or gone shows when it is waited for longer.
    pub(super) fn was_too_short(&self) {
        self.set(self.now() * 2);
    }

    fn set(&self, time: Duration) {
        *self.0.lock() = time.clamp(AT_FIRST, WHOLE_WITHIN);
    }
}

/// So many are understood at once (voice 2.6).
pub(super) const SEATS: usize = 4;

#[derive(Debug)]
pub(super) struct Seats {
    taken: Mutex<Vec<Seat>>,
    /// That there may be one.
    freed: watch::Sender<()>,
}

#[derive(Debug)]
struct Seat {
    who: AccountId,
    /// Since when they have said nothing, unless they speak.
    silent: Option<Instant>,
}

impl Default for Seats {
    fn default() -> Self {
        Self { taken: Mutex::default(), freed: watch::Sender::new(()) }
    }
}

impl Seats {
    /// Somebody has something to be understood; whether they have a seat now. Where all are taken, whoever has been silent
    /// for longest gives theirs up: they have a new one as soon as they speak again. So does whoever does not speak right now
    /// (`speaks`) and only had something left from when they did.
    pub(super) fn sit(&self, who: &AccountId, speaks: bool) -> bool {
        let mut taken = self.taken.lock();
        let silent = (!speaks).then(Instant::now);
        if let Some(seat) = taken.iter_mut().find(|seat| seat.who == *who) {
            seat.silent = silent.map(|now| seat.silent.unwrap_or(now));
            return true;
        }
        if taken.len() >= SEATS {
            let free = taken.iter().enumerate().filter(|(_, seat)| seat.silent.is_some());
            let Some((at, _)) = free.min_by_key(|(_, seat)| seat.silent) else { return false };
            let of = taken.swap_remove(at).who;
            tracing::info!(%who, %of, "of many who speak at once, one who speaks takes the place of one who is silent");
        }
        taken.push(Seat { who: who.clone(), silent });
        true
    }

    /// They speak no more, for now: they keep their seat until somebody else needs it.
    pub(super) fn falls_silent(&self, who: &AccountId) {
        if let Some(seat) = self.taken.lock().iter_mut().find(|seat| seat.who == *who) {
            seat.silent = Some(Instant::now());
        }
        self.freed.send_replace(());
    }

    /// What they said is over.
    pub(super) fn leave(&self, who: &AccountId) {
        self.taken.lock().retain(|seat| seat.who != *who);
        self.freed.send_replace(());
    }

    /// Whether they have one.
    pub(super) fn has(&self, who: &AccountId) -> bool {
        self.taken.lock().iter().any(|seat| seat.who == *who)
    }

    /// Tells whenever there may be a seat for somebody who has none.
    pub(super) fn freed(&self) -> watch::Receiver<()> {
        self.freed.subscribe()
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

#[cfg(test)]
mod patience_tests {
    use super::*;

    #[test]
    fn it_grows_with_what_is_slow_and_has_both_ends() {
        let patience = Patience::default();
        let ms = Duration::from_millis;
        patience.was_answered_after(ms(500));
        assert_eq!(patience.now(), AT_FIRST);
        patience.was_too_short();
        assert_eq!(patience.now(), ms(5_800));
        patience.was_answered_after(ms(3_000));
        assert_eq!(patience.now(), ms(4_500));
        patience.was_too_short();
        assert_eq!(patience.now(), WHOLE_WITHIN);
    }
}

#[cfg(test)]
mod seats_tests {
    use std::time::Duration;

    use super::*;

    fn of(number: u64) -> AccountId {
        AccountId::discord(number)
    }

    #[tokio::test(start_paused = true)]
    async fn who_speaks_takes_the_seat_of_whoever_has_been_silent_for_longest() {
        let seats = Seats::default();
        for number in 1..=4 {
            assert!(seats.sit(&of(number), true));
        }
        assert!(!seats.sit(&of(5), true), "all of them speak");
        for number in [3, 2] {
            seats.falls_silent(&of(number));
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert!(seats.sit(&of(5), true));
        assert!(!seats.has(&of(3)) && seats.has(&of(2)));
        // Who goes on speaks again, and keeps the seat.
        assert!(seats.sit(&of(2), true));
        assert!(!seats.sit(&of(3), true));
        seats.leave(&of(1));
        assert!(seats.sit(&of(3), true));
        assert_eq!(seats.taken.lock().len(), SEATS);
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_speak_right_now_gives_the_seat_to_who_does() {
        let seats = Seats::default();
        for number in 1..=3 {
            assert!(seats.sit(&of(number), true));
        }
        assert!(seats.sit(&of(4), false));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(seats.sit(&of(4), false) && seats.sit(&of(3), false), "they are silent, and have theirs");
        assert!(seats.sit(&of(5), true));
        assert!(!seats.has(&of(4)) && seats.has(&of(3)), "whoever has been silent for longest");
        assert!(seats.sit(&of(3), true));
        assert!(!seats.sit(&of(4), true), "all of them speak");
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_is_told_of_every_seat_that_may_be_free() {
        let seats = Seats::default();
        assert!(seats.sit(&of(1), true));
        let mut freed = seats.freed();
        assert!(!freed.has_changed().unwrap());
        seats.falls_silent(&of(1));
        assert!(freed.has_changed().unwrap());
        freed.mark_unchanged();
        seats.leave(&of(1));
        assert!(freed.has_changed().unwrap());
    }
}
