//! Reminders that have come due: each is said once, where it was asked for and to whoever asked, whatever happens to the
//! program.
//!
//! Owns when one is said, and what becomes of one that cannot be. Must not know how people are addressed on a platform.
//! Start reading at [`SessionHandle::keep_reminding`].

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::sleep;

use super::greeting::{AskedModel, Own};
use super::handle::SessionHandle;
use super::outbox::Awaited;
use super::own_messages::A_RITUAL;
use super::parts::{GreetError, SubmitError};
use super::reminder_words::{plain_words, reminder_in_words};
use crate::clock::doubled;
use crate::domain::{AccountId, Audience, Place, ReminderId, ReminderKind, TurnId, Visible};
use crate::history::{AlsoOf, HistoryError, Reminder};
use crate::text::zones;

/// Due reminders are looked for at least so often: clocks are set, and machines sleep.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// How soon after one that cannot be said yet.
const LOOK_SOON: Duration = Duration::from_secs(1);

/// From here on it says that it is late.
const LATE: Duration = Duration::from_secs(60);

/// The first pause after one that could not be said; each further one is twice as long, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(30);

const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// What a place does again and again is not announced so long after its time.
const RITUAL_LATE_MAX: Duration = Duration::from_secs(60 * 60);

/// So many that are due together are put in words by a model.
const PUT_IN_WORDS: usize = 5;

/// After so many tries in a server it is told to whoever asked alone.
const TRIES_THERE: u32 = 5;

/// After so many it is given up until it comes again, where it does: most of a day.
const TRIES_MAX: u32 = 24;

/// How one is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    /// As the character says it, where a model is there.
    Own,
    Plain,
}

/// What became of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Became {
    /// It was said, or will be at a moment that is kept.
    Settled,
    /// The way there is not open yet.
    Waits,
    /// Nobody speaks for its platform in this run.
    HasNoWay,
}

impl SessionHandle {
    /// Says every reminder when it is due, those that came due meanwhile at once, until the session ends. Once per process.
    pub async fn keep_reminding(self) {
        let history = Arc::clone(&self.parts().history);
        loop {
            // From before it is said what is due: saying it takes a while, in which more may come due.
            let before = self.parts().clock.now();
            let waits = self.remind_due().await;
            let next = match history.whole().next_reminder(before).await {
                Ok(next) => next,
                Err(error) => {
                    tracing::warn!(%error, "when the next reminder is due cannot be read");
                    None
                }
            };
            let now = self.parts().clock.now();
            let until_next =
                next.map(|next| Duration::try_from(next.duration_since(now)).unwrap_or(Duration::ZERO));
            let most = if waits { LOOK_SOON } else { LOOK_EVERY };
            tokio::select! {
                () = sleep(until_next.unwrap_or(most).min(most)) => {}
                () = history.reminder_kept() => {}
                () = self.way_opened().notified() => {}
                () = self.closing() => return,
            }
        }
    }

    /// Says what is due by now. Whether some of it has to wait until the way there is open.
    pub async fn remind_due(&self) -> bool {
        let parts = self.parts();
        let now = parts.clock.now();
        let due = match parts.history.whole().reminders_due(now).await {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, "due reminders cannot be read");
                return false;
            }
        };
        let mut waits = false;
        // Many that waited are not put in words one after the other.
        let by = if due.len() > PUT_IN_WORDS { Voice::Plain } else { Voice::Own };
        for reminder in due {
            let id = reminder.id;
            match self.remind(&reminder, now, by).await {
                Ok(became) => waits |= became == Became::Waits,
                Err(error) => {
                    tracing::warn!(reminder = %id, %error, "what became of a reminder cannot be written down")
                }
            }
        }
        waits
    }

    /// What somebody asked to be reminded of, as far as it may be seen in a place, and what is for everybody there, or where
    /// they manage it what everybody asked for there: the next due first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn reminders(
        &self,
        of: &AccountId,
        place: &Place,
        manages: bool,
    ) -> Result<Vec<Reminder>, HistoryError> {
        let here = Visible::at(&self.entered(place).await);
        let also = if manages { AlsoOf::Managed(&place.channel) } else { AlsoOf::Place(&place.channel) };
        self.parts().history.seen_by(&here).reminders(of, also).await
    }

    /// Takes one of their own back, or where they manage the place anybody's of it; what it was, where it may be seen there.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub async fn cancel_reminder(
        &self,
        id: ReminderId,
        of: &AccountId,
        place: &Place,
        manages: bool,
    ) -> Result<Option<Reminder>, HistoryError> {
        let here = Visible::at(&self.entered(place).await);
        let also = if manages { AlsoOf::Managed(&place.channel) } else { AlsoOf::Nobody };
        self.parts().history.cancel_reminder(id, of, also, &here).await
    }

    async fn remind(&self, reminder: &Reminder, now: Timestamp, by: Voice) -> Result<Became, HistoryError> {
        let parts = self.parts();
        if reminder.is_said {
            self.is_done_with(reminder, now).await?;
            return Ok(Became::Settled);
        }
        let there = &reminder.what.place;
        let Some(outbox) = self.lasting_way(there) else { return Ok(Became::HasNoWay) };
        if !outbox.is_reachable(there) || !self.is_read_back(there) {
            return Ok(Became::Waits);
        }
        let is_ritual = reminder.what.kind == ReminderKind::Ritual;
        let tried_again = reminder.tries > 0;
        if is_ritual
            && (is_too_late(reminder, now)
                || !self.may_announce(&self.entered(there).await, now, tried_again).await)
        {
            tracing::info!(reminder = %reminder.id, "what a place does again and again was due at no moment for it");
            self.is_done_with(reminder, now).await?;
            return Ok(Became::Settled);
        }
        let asker = &reminder.what.asker.account;
        if !is_ritual && parts.pairing.is_in(asker, there).await == Some(false) {
            tracing::info!(reminder = %reminder.id, "whoever asked for a reminder has left the server: it is dropped");
            parts.history.was_reminded(reminder.id, now, None).await?;
            return Ok(Became::Settled);
        }
        let place = self.entered(there).await;
        if !outbox.may_speak(&place) || self.is_heard_by_more(there, &place).await? {
            return self.could_not(reminder, now, "it may not be said there").await;
        }
        // Whatever ends the program from here on, its next start asks whether this turn arrived.
        let turn = reminder.turn.unwrap_or_else(|| parts.traces.next_turn());
        parts.history.reminding(reminder.id, turn).await?;
        match self.say_reminder(reminder, place, now, turn, by).await {
            Ok(()) => {
                self.is_done_with(reminder, parts.clock.now()).await?;
                Ok(Became::Settled)
            }
            // It is going down; the next start says it.
            Err(GreetError::Submit(SubmitError::Closed)) => Ok(Became::Settled),
            Err(error) => self.could_not(reminder, now, &error.to_string()).await,
        }
    }

    async fn say_reminder(
        &self,
        reminder: &Reminder,
        place: Place,
        now: Timestamp,
        turn: TurnId,
        by: Voice,
    ) -> Result<(), GreetError> {
        let what = &reminder.what;
        let late = what.due.and_then(|due| Duration::try_from(now.duration_since(due)).ok());
        let late = late.filter(|late| *late >= LATE);
        let (whom, why) = match what.kind {
            ReminderKind::Ritual => (None, A_RITUAL),
            _ => (Some(what.asker.account.clone()), "a reminder was due"),
        };
        let awaited = Awaited { whom, once: once(reminder) };
        let mut asked = AskedModel::default();
        let words = match by {
            Voice::Own => reminder_in_words(self.parts(), &place, turn, reminder, late, &mut asked).await,
            Voice::Plain => plain_words(self.parts(), &place, reminder, late).await,
        };
        let own = Own { awaited: Some(awaited), asked, ..Own::written(words, why) };
        self.say_own(place, Some(turn), own).await
    }

    /// It was said; what comes again has its next moment.
    async fn is_done_with(&self, reminder: &Reminder, at: Timestamp) -> Result<(), HistoryError> {
        self.parts().history.was_reminded(reminder.id, at, next_time(reminder, at)).await?;
        Ok(())
    }

    async fn could_not(
        &self,
        reminder: &Reminder,
        now: Timestamp,
        why: &str,
    ) -> Result<Became, HistoryError> {
        let history = &self.parts().history;
        tracing::info!(reminder = %reminder.id, tries = reminder.tries + 1, why, "a reminder could not be said");
        let is_theirs = reminder.what.kind != ReminderKind::Ritual;
        if is_theirs && reminder.tries >= TRIES_THERE && self.tell_alone(reminder, now).await {
            self.is_done_with(reminder, now).await?;
            return Ok(Became::Settled);
        }
        if reminder.tries + 1 >= TRIES_MAX {
            tracing::warn!(reminder = %reminder.id, why, "a reminder is given up: it could not be said for most of a day");
            history.was_reminded(reminder.id, now, next_time(reminder, now)).await?;
            return Ok(Became::Settled);
        }
        let pause = doubled(FIRST_PAUSE, reminder.tries.saturating_add(1), LONGEST_PAUSE);
        history.not_reminded(reminder.id, now.saturating_add(pause).unwrap_or(Timestamp::MAX)).await?;
        Ok(Became::Settled)
    }

    /// Where it cannot be said in the server it was asked for in, whoever asked is told alone; whether that arrived.
    async fn tell_alone(&self, reminder: &Reminder, now: Timestamp) -> bool {
        let what = &reminder.what;
        let Some(outbox) = self.lasting_way(&what.place).filter(|_| what.place.kind.is_in_guild()) else {
            return false;
        };
        let Some(alone) = outbox.alone_with(&what.asker.account).await else { return false };
        let place = self.entered(&alone).await;
        let turn = self.parts().traces.next_turn();
        match self.say_reminder(reminder, place, now, turn, Voice::Plain).await {
            Ok(()) => true,
            Err(error) => {
                tracing::info!(reminder = %reminder.id, %error, "nor could it be told to whoever asked alone");
                false
            }
        }
    }

    /// Whether more people can see the channel by now than when it was asked for there.
    async fn is_heard_by_more(&self, there: &Place, now: &Place) -> Result<bool, HistoryError> {
        let is_open = |audience: &Audience| matches!(audience, Audience::Guild(_) | Audience::Canon);
        if !there.kind.is_in_guild() || is_open(&there.audience) {
            return Ok(false);
        }
        let last = self.parts().history.whole().newest_audience(&there.channel).await?;
        Ok(is_open(&now.audience) || last.as_ref().is_some_and(is_open))
    }
}

/// Whether its moment is over by now.
fn is_too_late(reminder: &Reminder, now: Timestamp) -> bool {
    let late = reminder.what.due.and_then(|due| Duration::try_from(now.duration_since(due)).ok());
    late.is_some_and(|late| late > RITUAL_LATE_MAX)
}

/// When it comes again, where it does.
fn next_time(reminder: &Reminder, after: Timestamp) -> Option<Timestamp> {
    let what = &reminder.what;
    what.recurrence.as_ref()?.next(after, &zones::named(&what.zone))
}

/// The same for every attempt to say the same thing: whatever takes it in twice has it once.
fn once(reminder: &Reminder) -> String {
    let due = reminder.what.due.map_or(0, Timestamp::as_second);
    format!("r{:x}-{due:x}", reminder.id.0)
}
