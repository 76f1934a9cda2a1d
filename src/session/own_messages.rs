//! What it begins with by itself, where people let it: what has come due since it last spoke there.
//!
//! Owns when it does: in the hours of `[own_messages]`, awake by its schedule, so many times a day and never a second time
//! before somebody answered. What has come due the context pipeline finds, which tells it in the prompt of any turn; the words
//! are an ordinary turn's. Start reading at [`SessionHandle::keep_beginning`].

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::sleep;

use super::conversation::Command;
use super::handle::SessionHandle;
use super::opening;
use super::parts::SessionParts;
use super::scene;
use crate::config::Config;
use crate::domain::{Author, Modality, Place, Role, StoredTurn, TurnTrace};
use crate::familiar::Wakefulness;

/// Why it speaks, in the record of the turn; by that it is known how often it has.
pub(super) const OF_ITS_OWN_ACCORD: &str =
    "of its own accord: something has come due since it last spoke here";

/// What has come due is looked for so often.
const LOOK_EVERY: Duration = Duration::from_secs(600);

/// Turns of a place that are looked through for how often it began by itself today.
const TURNS: usize = 100;

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
        let hours = config.own_messages.from_hour..config.own_messages.to_hour;
        if config.own_messages.per_day == 0 || !hours.contains(&now.hour().unsigned_abs()) {
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
        for place in places {
            let place = self.entered(&place).await;
            if let Some(whom) = self.has_reason(&config, &place, now.timestamp()).await {
                let command = Command::Begin { whom: Box::new(whom) };
                if let Err(error) = self.post(&place, command).await {
                    tracing::debug!(%error, channel = %place.channel, "it does not begin there");
                }
            }
        }
    }

    /// Whom something has come due of, where it may begin to speak about it.
    async fn has_reason(&self, config: &Config, place: &Place, now: Timestamp) -> Option<Author> {
        let parts = self.parts();
        let channel = parts.config.channel_in(place);
        let way = self.lasting_way(place)?;
        if channel.quiet_until.is_some_and(|until| now < until)
            || !way.is_reachable(place)
            || !way.may_speak(place)
            || !self.is_read_back(place)
        {
            return None;
        }
        let part = parts.character.day_part(config, channel.mode, now);
        if part.is_some_and(|part| part.wakefulness != Wakefulness::Awake) {
            return None;
        }
        let recent = scene::recent(parts, place).await;
        let begun = begun(parts, place).await?;
        let day_of = |at: Timestamp| at.to_zoned(config.display_tz.clone()).date();
        let today = begun.iter().filter(|trace| day_of(trace.opened_at) == day_of(now)).count();
        let last = recent.last().filter(|turn| turn.role == Role::Assistant).and_then(|turn| turn.turn);
        let is_unanswered = last.is_some_and(|last| begun.iter().any(|trace| trace.id == last));
        if today >= config.own_messages.per_day as usize || is_unanswered {
            return None;
        }
        for who in own_speakers(&recent) {
            let request = opening::ahead(parts, place, &who, Modality::Text);
            for whom in parts.pipeline.come_due(&request).await {
                if parts.pairing.is_in(&whom.account, place).await != Some(false) {
                    return Some(whom);
                }
            }
        }
        None
    }
}

/// The turns of a place that it began by itself, the newest; `None` where they cannot be read, and then it begins none.
async fn begun(parts: &SessionParts, place: &Place) -> Option<Vec<Arc<TurnTrace>>> {
    match parts.traces.page(Some(&place.channel), None, TURNS).await {
        Ok(mut traces) => {
            traces.retain(|trace| trace.trigger.starts_with(OF_ITS_OWN_ACCORD));
            Some(traces)
        }
        Err(error) => {
            tracing::warn!(%error, "how often it began to speak by itself could not be read");
            None
        }
    }
}

/// The people among these turns, whoever spoke last first.
fn own_speakers(recent: &[StoredTurn]) -> Vec<Author> {
    let mut people: Vec<Author> = Vec::new();
    let authors = recent.iter().rev().filter_map(|turn| turn.author.as_ref());
    for author in authors.filter(|author| !author.is_bot) {
        if people.iter().all(|known| known.account != author.account) {
            people.push(author.clone());
        }
    }
    people
}
