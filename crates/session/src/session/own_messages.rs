//! What it begins with by itself, where people let it: what has come due since it last spoke there.
//!
//! Owns when it does: in the hours of `[own_messages]`, awake by its schedule, so many times a day and never a second time
//! before somebody answered. What has come due the context pipeline finds, which tells it in the prompt of any turn; the words
//! are an ordinary turn's. Also when it may announce what people of a place asked for again and again, which none of these
//! settings holds back: they named the time. Start reading at [`SessionHandle::keep_beginning`].

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::sleep;

use super::conversation::Command;
use super::handle::SessionHandle;
use super::opening;
use super::outbox::Outbox;
use super::parts::SessionParts;
use super::scene;
use crate::config::Config;
use crate::domain::{AccountId, Author, Modality, Place, Role};
use crate::familiar::Wakefulness;
use crate::trace::{ToldWords, TurnTold};

/// Why it speaks, in the record of the turn; by that it is known how often it has.
pub(super) const OF_ITS_OWN_ACCORD: &str =
    "of its own accord: something has come due since it last spoke here";

/// The same where a place does something again and again, and it is time.
pub(super) const A_RITUAL: &str = "a ritual of this place was due";

/// What has come due is looked for so often.
const LOOK_EVERY: Duration = Duration::from_secs(600);

/// Turns of a place, told in a few words each, that are looked through for how often it began by itself today.
const TURNS: usize = 2_000;

/// What a place does again and again is announced there so many times a day. People asked for each of them, so this is only
/// against a place that fills with them.
const RITUALS_A_DAY: usize = 6;

impl SessionHandle {
    /// Begins to speak where it may and something has come due, until the session ends. Once per process.
    pub async fn keep_beginning(self) {
        loop {
            tokio::select! {
                () = sleep(LOOK_EVERY) => self.begin_where_due().await,
                () = self.closing() => return,
            }
        }
    }

    async fn begin_where_due(&self) {
        let parts = self.parts();
        let config = parts.config.current();
        let now = parts.clock.now().to_zoned(config.display_tz.clone());
        if config.own_messages.per_day == 0 || !is_hour_for_it(&config, now.timestamp()) {
            return;
        }
        parts.character.look_again().await;
        let live = Arc::clone(&parts.config);
        let channels = tokio::task::spawn_blocking(move || live.speaks_first_in()).await.unwrap_or_default();
        if channels.is_empty() {
            return;
        }
        let places = parts.history.places_of(&channels).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the places in which it may begin to speak could not be read");
            Vec::new()
        });
        // Those of this look, whose turns are not written down yet.
        let mut begun_with: BTreeSet<AccountId> = BTreeSet::new();
        for place in places {
            let place = self.entered(&place).await;
            let reason = self.has_reason(&config, &place, now.timestamp(), &begun_with).await;
            if let Some(whom) = reason {
                begun_with.insert(whom.account.clone());
                let command = Command::Begin { whom: Box::new(whom) };
                if let Err(error) = self.post(&place, command).await {
                    tracing::debug!(%error, channel = %place.channel, "it does not begin there");
                }
            }
        }
    }

    /// Whether it may say what a place does again and again, which is due: not asleep, not told to be quiet, and not too often
    /// in a day. `[own_messages]` has no part in it: whoever asked named the time, and was told that it is kept. Nor is the
    /// day's bound asked once more of what is only `tried_again`.
    pub(super) async fn may_announce(&self, place: &Place, now: Timestamp, tried_again: bool) -> bool {
        let parts = self.parts();
        let config = parts.config.current();
        parts.character.look_again().await;
        if !self.is_open_to_its_own(place, now).await
            || self.wakefulness(&config, place, now) == Wakefulness::Asleep
        {
            return false;
        }
        if tried_again {
            return true;
        }
        let begun = begun(parts, place).await;
        begun.is_some_and(|begun| count_since(&begun, A_RITUAL, midnight(&config, now)) < RITUALS_A_DAY)
    }

    /// Whether what nobody asked for just now can be said in a place, as far as the place goes, and the answer is read.
    async fn is_open_to_its_own(&self, place: &Place, now: Timestamp) -> bool {
        match self.way_for_its_own(place, now) {
            Some(way) => way.is_read(place).await,
            None => false,
        }
    }

    /// The way on which what nobody asked for just now can be said in a place.
    pub(super) fn way_for_its_own(&self, place: &Place, now: Timestamp) -> Option<Arc<dyn Outbox>> {
        let is_kept_quiet = self.parts().config.channel_in(place).is_kept_quiet(now);
        self.lasting_way(place).filter(|way| {
            !is_kept_quiet && way.is_reachable(place) && way.may_speak(place) && self.is_read_back(place)
        })
    }

    pub(super) fn wakefulness(&self, config: &Config, place: &Place, now: Timestamp) -> Wakefulness {
        let mode = self.parts().config.channel_in(place).mode;
        let part = self.parts().character.day_part(config, mode, now);
        part.map_or(Wakefulness::Awake, |part| part.wakefulness)
    }

    /// Whom something has come due of, where it may begin to speak about it.
    async fn has_reason(
        &self,
        config: &Config,
        place: &Place,
        now: Timestamp,
        begun_with: &BTreeSet<AccountId>,
    ) -> Option<Author> {
        let parts = self.parts();
        if !self.is_open_to_its_own(place, now).await
            || self.wakefulness(config, place, now) != Wakefulness::Awake
        {
            return None;
        }
        let recent = scene::recent(parts, place).await;
        let begun = begun(parts, place).await?;
        let midnight = midnight(config, now);
        let today = count_since(&begun, OF_ITS_OWN_ACCORD, midnight);
        let last = recent.last().filter(|turn| turn.role == Role::Assistant).and_then(|turn| turn.turn);
        let is_unanswered = last.is_some_and(|last| begun.iter().any(|told| told.turn == last));
        if today >= config.own_messages.per_day as usize || is_unanswered {
            return None;
        }
        for who in opening::people(&recent, None).into_iter().rev() {
            let request = opening::ahead(parts, place, who, Modality::Text);
            for whom in parts.pipeline.come_due(&request).await {
                // What is said of one's birthday in one place is not said in the next.
                if !begun_with.contains(&whom.account)
                    && parts.pairing.is_in(&whom.account, place).await != Some(false)
                    && !has_begun_with(parts, &whom, midnight).await
                {
                    return Some(whom);
                }
            }
        }
        None
    }
}

/// Whether it may begin to speak at this hour of the day.
fn is_hour_for_it(config: &Config, now: Timestamp) -> bool {
    let hours = config.own_messages.from_hour..config.own_messages.to_hour;
    hours.contains(&now.to_zoned(config.display_tz.clone()).hour().unsigned_abs())
}

fn midnight(config: &Config, now: Timestamp) -> Timestamp {
    now.to_zoned(config.display_tz.clone()).start_of_day().map_or(now, |day| day.timestamp())
}

/// How many of these began for this reason at this time or later.
fn count_since(begun: &[TurnTold], why: &str, since: Timestamp) -> usize {
    begun.iter().filter(|told| told.at >= since && told.words.trigger.starts_with(why)).count()
}

/// The turns of a place that it began by itself, the newest; `None` where they cannot be read, and then it begins none. One
/// of which nothing arrived, as its model could not be reached, is begun again.
async fn begun(parts: &SessionParts, place: &Place) -> Option<Vec<TurnTold>> {
    match parts.traces.told(&place.channel, TURNS).await {
        Ok(mut turns) => {
            turns.retain(|told| is_begun(&told.words));
            Some(turns)
        }
        Err(error) => {
            tracing::warn!(%error, "how often it began to speak by itself could not be read");
            None
        }
    }
}

/// Whether it began a turn by itself, and came to an answer.
fn is_begun(words: &ToldWords) -> bool {
    [OF_ITS_OWN_ACCORD, A_RITUAL].iter().any(|why| words.trigger.starts_with(why)) && !words.has_failed
}

/// Whether it began to speak to somebody today, wherever; where that cannot be read it has.
async fn has_begun_with(parts: &SessionParts, whom: &Author, midnight: Timestamp) -> bool {
    let turns = parts.traces.told_of(&whom.account, midnight).await;
    turns.map_or(true, |turns| turns.iter().any(is_begun))
}
