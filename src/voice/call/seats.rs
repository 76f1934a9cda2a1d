//! Who is understood when more people speak at once than can be.
//!
//! Owns the seats: a few people's sound goes to recognisers at a time, and it is theirs who speak. Must not know what a
//! recogniser is. Start reading at [`Seats::sit`].

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::domain::AccountId;

/// So many are understood at once (specs voice 2.6).
pub(super) const SEATS: usize = 4;

/// The seats of one call.
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
    pub fn sit(&self, who: &AccountId, speaks: bool) -> bool {
        let mut taken = self.lock();
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
    pub fn falls_silent(&self, who: &AccountId) {
        if let Some(seat) = self.lock().iter_mut().find(|seat| seat.who == *who) {
            seat.silent = Some(Instant::now());
        }
        self.freed.send_replace(());
    }

    /// What they said is over.
    pub fn leave(&self, who: &AccountId) {
        self.lock().retain(|seat| seat.who != *who);
        self.freed.send_replace(());
    }

    /// Whether they have one.
    pub fn has(&self, who: &AccountId) -> bool {
        self.lock().iter().any(|seat| seat.who == *who)
    }

    /// Tells whenever there may be a seat for somebody who has none.
    pub fn freed(&self) -> watch::Receiver<()> {
        self.freed.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(seats.lock().len(), SEATS);
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
