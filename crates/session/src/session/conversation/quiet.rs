//! Being told to be quiet, and that it may talk again, in so many words.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::Conversation;
use crate::config::QUIET_MINUTES;
use crate::context::noted_clock;
use crate::domain::{ChannelMode, InboundMessage, Modality, SilenceReason, Visible};
use crate::session::opening::own_names;
use crate::session::outbox::{Delivery, Notice};
use crate::session::policy::Decision;
use crate::text::quiet::{QuietAsked, QuietLength, asked_for_quiet, moment};

/// For so long it is quiet where nobody says for how long: an evening. What was said in passing is forgotten by tomorrow.
const AN_EVENING: Duration = Duration::from_secs(6 * 60 * 60);

impl Conversation {
    /// What a message asks of how much is said, should it be said to the familiar.
    pub(super) fn quiet_asked(&self, message: &InboundMessage) -> Option<QuietAsked> {
        asked_for_quiet(&message.text, &own_names(&self.parts))
    }

    /// Does what a message asks of how much it says here; whether it was said to it, the policy has found. What comes too late
    /// for an answer still holds.
    pub(super) async fn takes_heed(
        &mut self,
        message: &InboundMessage,
        asked: Option<QuietAsked>,
        decision: &Decision,
    ) {
        let is_novel = self.parts.config.channel_in(&message.place).mode == ChannelMode::FullRp;
        // What is said in a novel is said to its people.
        if message.place.is_one_to_one() || is_novel {
            return;
        }
        let is_told = *decision == Decision::Silent(SilenceReason::ToldToBeQuiet);
        match asked {
            Some(QuietAsked::Quiet(length)) if is_told => self.keep_quiet(message, length).await,
            Some(QuietAsked::Over) if decision.call().is_some() && !self.is_told_since(message) => {
                self.be_quiet_until(message, None, Notice::JoinsInAgain).await;
            }
            _ => {}
        }
    }

    /// Whether it was told to be quiet behind a message, which is heard late.
    fn is_told_since(&self, message: &InboundMessage) -> bool {
        let channel = self.parts.config.channel_in(&message.place);
        channel.kept_quiet_since(message.at).is_some_and(|since| since > message.at)
    }

    /// From now on it speaks here only when spoken to, and what it was about to say it does not.
    async fn keep_quiet(&mut self, message: &InboundMessage, length: Option<QuietLength>) {
        let [shortest, longest] = [QUIET_MINUTES.start(), QUIET_MINUTES.end()]
            .map(|minutes| Duration::from_mins((*minutes).into()));
        let span = match length {
            Some(QuietLength::For(span)) => Some(span),
            Some(QuietLength::Until(words)) => self.until(message, &words).await,
            None => None,
        };
        let span = span.map_or(AN_EVENING, |span| span.clamp(shortest, longest));
        (self.restarts_at, self.unfinished) = (None, None);
        self.waiting.expect_nothing();
        if let Some(running) = &mut self.running {
            running.answers.iter_mut().for_each(|one| one.call = None);
            // Until it has ended, nobody adds to what it was to answer.
            running.author = None;
            running.stop_by_hand();
        }
        self.be_quiet_until(message, Some(span), Notice::KeepsQuiet).await;
    }

    /// How long it is until the moment of these words, by the clock of whoever says them.
    async fn until(&self, message: &InboundMessage, words: &str) -> Option<Duration> {
        let zone = self.clock_of(message).await;
        Duration::try_from(moment(words, message.at, &zone)?.duration_since(message.at)).ok()
    }

    /// As reminders read it: the clock that they said lately to be theirs, else the one that is noted of them, else the
    /// familiar's.
    async fn clock_of(&self, message: &InboundMessage) -> TimeZone {
        let account = &message.author.account;
        let said = self.parts.world.snapshot().for_place(&self.place).zone_of(account, message.at);
        if let Some(said) = said {
            return said;
        }
        let own = self.parts.config.current().display_tz.clone();
        let today = message.at.to_zoned(own.clone()).date();
        let (memory, visible) = (self.parts.upkeep.workers.memory(), Visible::at(&message.place));
        noted_clock(memory, &visible, account, today, &|_| true)
            .await
            .and_then(|noted| noted.zone)
            .unwrap_or(own)
    }

    async fn be_quiet_until(&self, message: &InboundMessage, span: Option<Duration>, notice: Notice) {
        // In a call it lasts as long as the call, and the call knows.
        if message.modality == Modality::Text
            && let Err(error) = self.write_quiet(message, span).await
        {
            tracing::warn!(%error, "that it was told to be quiet, or not to, could not be written down");
            return;
        }
        let to = Delivery {
            reply_to: message.message.clone(),
            ..Delivery::to(self.parts.traces.next_turn(), self.place.clone())
        };
        if let Err(error) = self.ways.to(&self.place).notice(&to, notice).await {
            tracing::warn!(%error, "whoever told it to be quiet was given no sign");
        }
    }

    async fn write_quiet(&self, message: &InboundMessage, span: Option<Duration>) -> Result<(), String> {
        let until = span.and_then(|span| message.at.checked_add(span).ok());
        let (config, place) = (Arc::clone(&self.parts.config), message.place.clone());
        let now = message.at;
        match tokio::task::spawn_blocking(move || config.set_quiet(&place, now, until)).await {
            Ok(written) => written.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}
