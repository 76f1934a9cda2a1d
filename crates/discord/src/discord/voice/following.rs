//! Where to be: with whom it was asked to, and not alone.
//!
//! Owns the rules of staying, following and leaving. Pure: what is seen and the time come in, a step comes out. Must not
//! know how a call is joined. Start reading at [`Following::see`].

use std::time::Duration;

use serenity::all::{ChannelId, UserId};
use tokio::time::Instant;

use crate::config::CallConfig;

/// How long things take in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTimes {
    /// How long joining may take until it is given up.
    pub join: Duration,
    /// How long it stays after whom it follows has left.
    pub grace: Duration,
    /// How long it stays without any person.
    pub alone: Duration,
    /// How long it stays where nobody says anything.
    pub quiet: Duration,
    /// How long speech may arrive unreadable, or from nobody knows whom, until something is done.
    pub deaf: Duration,
    /// The first pause before joining again; it doubles with each failure.
    pub again: Duration,
    /// How long before what of a transcript could not be written is tried again.
    pub rewrite: Duration,
    /// How often old transcripts are looked for.
    pub tidy: Duration,
}

impl Default for CallTimes {
    /// Joining takes about a second (stack 3.1), a person waits eight; within ten seconds of speech that is not heard
    /// it is told (voice 6), so something is done after five; the rest is voice 2.5, 2.6.
    fn default() -> Self {
        Self {
            join: Duration::from_secs(8),
            grace: Duration::from_secs(20),
            alone: Duration::from_secs(300),
            quiet: Duration::from_secs(1800),
            deaf: Duration::from_secs(5),
            again: Duration::from_secs(1),
            rewrite: Duration::from_secs(10),
            tidy: Duration::from_secs(24 * 60 * 60),
        }
    }
}

impl CallTimes {
    /// As the settings have it.
    pub fn of(config: &CallConfig) -> Self {
        Self {
            grace: config.follow_grace,
            alone: config.alone_timeout,
            quiet: config.quiet_timeout,
            ..Self::default()
        }
    }
}

/// What is seen of a guild's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallsSeen {
    /// The call that whom it follows is in.
    pub followed: Option<ChannelId>,
    /// People in its own call, bots and itself left out.
    pub people: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Stay,
    GoTo(ChannelId),
    Leave(Why),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum Why {
    /// Whom it followed is gone.
    LeftBehind,
    Alone,
    Quiet,
}

/// Whom it stays with.
#[derive(Debug)]
pub(super) struct Following {
    times: CallTimes,
    /// Nobody after a moderator has moved it: it stays where it was put.
    who: Option<UserId>,
    missed_since: Option<Instant>,
    alone_since: Option<Instant>,
    /// When something was last said; when it came, before that.
    heard: Option<Instant>,
}

impl Following {
    pub(super) fn new(times: CallTimes, who: Option<UserId>) -> Self {
        Self { times, who, missed_since: None, alone_since: None, heard: None }
    }

    /// Something was said or written at this time.
    pub(super) fn hears(&mut self, at: Instant) {
        self.heard = self.heard.max(Some(at));
    }

    pub(super) fn who(&self) -> Option<UserId> {
        self.who
    }

    /// A moderator moved it.
    pub(super) fn stop_following(&mut self) {
        self.who = None;
        self.missed_since = None;
    }

    /// Something has changed. `here` is its own call.
    pub(super) fn see(&mut self, here: ChannelId, seen: CallsSeen, now: Instant) -> Step {
        self.heard.get_or_insert(now);
        if self.who.is_some() {
            match seen.followed {
                Some(call) if call != here => return Step::GoTo(call),
                Some(_) => self.missed_since = None,
                None => {
                    self.missed_since.get_or_insert(now);
                }
            }
        }
        if seen.people == 0 {
            self.alone_since.get_or_insert(now);
        } else {
            self.alone_since = None;
        }
        self.at(now)
    }

    pub(super) fn at(&self, now: Instant) -> Step {
        let is_over = |since: Option<Instant>, patience| {
            since.is_some_and(|since| now.duration_since(since) >= patience)
        };
        if is_over(self.missed_since, self.times.grace) {
            Step::Leave(Why::LeftBehind)
        } else if is_over(self.alone_since, self.times.alone) {
            Step::Leave(Why::Alone)
        } else if is_over(self.heard, self.times.quiet) {
            Step::Leave(Why::Quiet)
        } else {
            Step::Stay
        }
    }

    /// When [`Self::at`] should be asked next.
    pub(super) fn due(&self) -> Option<Instant> {
        let missed = self.missed_since.map(|since| since + self.times.grace);
        let alone = self.alone_since.map(|since| since + self.times.alone);
        let quiet = self.heard.map(|heard| heard + self.times.quiet);
        missed.into_iter().chain(alone).chain(quiet).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: UserId = UserId::new(2);
    const LOUNGE: ChannelId = ChannelId::new(10);
    const KITCHEN: ChannelId = ChannelId::new(11);

    fn seen(followed: Option<ChannelId>, people: usize) -> CallsSeen {
        CallsSeen { followed, people }
    }

    #[test]
    fn it_goes_where_whom_it_follows_goes() {
        let mut following = Following::new(CallTimes::default(), Some(ALICE));
        let now = Instant::now();
        assert_eq!(following.see(LOUNGE, seen(Some(LOUNGE), 1), now), Step::Stay);
        assert_eq!(following.see(LOUNGE, seen(Some(KITCHEN), 0), now), Step::GoTo(KITCHEN));
        assert_eq!(following.see(KITCHEN, seen(Some(KITCHEN), 1), now), Step::Stay);
        assert_eq!(following.due(), Some(now + CallTimes::default().quiet));
    }

    #[test]
    fn it_leaves_twenty_seconds_after_them_whoever_else_is_there() {
        let mut following = Following::new(CallTimes::default(), Some(ALICE));
        let now = Instant::now();
        assert_eq!(following.see(LOUNGE, seen(None, 3), now), Step::Stay);
        let later = now + Duration::from_secs(20);
        assert_eq!(following.due(), Some(later));
        assert_eq!(following.at(later - Duration::from_millis(1)), Step::Stay);
        assert_eq!(following.at(later), Step::Leave(Why::LeftBehind));
        // Who comes back in time is stayed with.
        assert_eq!(following.see(LOUNGE, seen(Some(LOUNGE), 3), later), Step::Stay);
        assert_eq!(following.due(), Some(now + CallTimes::default().quiet));
    }

    #[test]
    fn where_nothing_is_said_it_leaves_and_every_word_lets_it_stay() {
        let mut following = Following::new(CallTimes::default(), Some(ALICE));
        let now = Instant::now();
        assert_eq!(following.see(LOUNGE, seen(Some(LOUNGE), 2), now), Step::Stay);
        let said = now + Duration::from_secs(1000);
        following.hears(said);
        following.hears(now);
        let end = said + Duration::from_secs(1800);
        assert_eq!(following.due(), Some(end));
        assert_eq!(following.at(end - Duration::from_millis(1)), Step::Stay);
        assert_eq!(following.at(end), Step::Leave(Why::Quiet));
    }

    #[test]
    fn where_it_was_put_it_stays_until_it_has_been_alone_for_long() {
        let mut following = Following::new(CallTimes::default(), Some(ALICE));
        following.stop_following();
        let now = Instant::now();
        assert_eq!(following.see(KITCHEN, seen(Some(LOUNGE), 1), now), Step::Stay);
        assert_eq!(following.see(KITCHEN, seen(Some(LOUNGE), 0), now), Step::Stay);
        let later = now + Duration::from_secs(300);
        assert_eq!(following.due(), Some(later));
        assert_eq!(following.at(later), Step::Leave(Why::Alone));
        assert_eq!(following.see(KITCHEN, seen(None, 1), later), Step::Stay);
    }
}
